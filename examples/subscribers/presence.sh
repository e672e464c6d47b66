#!/bin/sh
# Prints a line when something begins or ends to be present. Needs mosquitto_sub (Debian: mosquitto-clients).
#   presence.sh BROKER [PORT [PREFIX]]     PREFIX: saccade/NODE, or saccade/+ for all machines
# What is present when it starts comes first: the broker keeps it.
set -eu
broker=${1:?the address of the broker is missing}
port=${2:-1883}
prefix=${3:-saccade/+}
mosquitto_sub -h "$broker" -p "$port" -q 1 -t "$prefix/available" -t "$prefix/task/+/presence/+" -F '%t %p' |
  while read -r topic value; do
    label=${topic##*/}
    task=${topic%/presence/*}
    case $value in
      ON) echo "${task##*/}: $label is there" ;;
      OFF) echo "${task##*/}: no $label" ;;
      ?*) echo "${topic%/available} is $value" ;;
    esac
  done
