// The processors of a configuration: a list, or "auto", which is one processor of the kind `cpu` for every
// core of this machine. Processors of one kind are equal (profiles/processor_kinds.hpp). Order:
// read_processors(), then the profile sets, then settle_threads(). Threads: functions without state. Errors:
// into the report.
#pragma once

#include <vector>

#include "config/profile_machine.hpp"
#include "profiles/processor_kinds.hpp"
#include "runtime/run/run_config.hpp"
#include "scheduler/snapshot.hpp"
#include "text/object_reader.hpp"
#include "text/strict_json.hpp"

namespace saccade::config {

struct ProcessorList {
  std::vector<scheduler::Processor> planned;
  std::vector<runtime::ProcessorConfig> run;  // in the same order
  std::vector<text::JsonAt> at;               // where each was read
  std::vector<bool> kind_given;               // whether the configuration names its kind
  std::vector<double> slowdowns;              // emulated (runtime/run/run_config.hpp)
  [[nodiscard]] std::vector<profiles::KindOfProcessor> kinds() const;
};

// `cores`: of the machine (runtime::machine_cores()).
[[nodiscard]] ProcessorList read_processors(const text::JsonAt& at,
                                            const std::vector<std::vector<int>>& cores,
                                            text::JsonReport& report);

// `slowdown` of a processor's object: how many times slower than its CPUs it is emulated to be.
[[nodiscard]] double read_slowdown(text::ObjectReader& reader, bool on_cpu);

// Sets every processor's threads to those its kind was measured with; reports a processor of an explicit kind
// with another number of CPUs, and sets that disagree.
void settle_threads(const std::vector<ProfileFile>& sets, ProcessorList& processors,
                    text::JsonReport& report);

}  // namespace saccade::config
