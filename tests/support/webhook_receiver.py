#!/usr/bin/python3
"""Plays a receiver of results by HTTP at http://127.0.0.1:PORT (https with a certificate).

    webhook_receiver.py PORT BEHAVIOUR [CERTIFICATE KEY]

BEHAVIOUR: a file that is read for every request; its line is what happens to it:
    STATUS [RETRY_AFTER]   answered so
    hang                   never answered
    drip                   an answer without end, a byte in a while
    close                  the connection is closed without an answer
Says "listening" on standard error, then a line for every request: "POST IDS STATUS TOKEN TYPE SIGNED", ids
separated by commas; SIGNED: whether the signature is that of the key `tiger` ("-": there is none). Ends with the program that started it.
"""
import ctypes
import hashlib
import hmac
import json
import pathlib
import signal
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, behaviour = int(sys.argv[1]), pathlib.Path(sys.argv[2])
never = threading.Event()
said = threading.Lock()


def say(line):
    with said:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 300

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = self.headers["Content-Type"]
        if "batch" in kind:
            ids = [event["id"] for event in json.loads(body) if event["data"]["format"] == "saccade-result/1"]
        else:
            ids = [self.headers["ce-id"]] if json.loads(body)["format"] == "saccade-result/1" else []
        words = behaviour.read_text().split()
        say(f"POST {','.join(ids)} {words[0]} {self.headers.get('Authorization', '-').replace(' ', '_')} {kind} "
            f"{self.signed(body)}")
        if words[0] == "hang":
            never.wait()
        if words[0] == "close":
            self.close_connection = True
            return
        self.send_response(200 if words[0] == "drip" else int(words[0]))
        if words[0] == "drip":
            self.end_headers()
            while True:
                self.wfile.write(b".")
                never.wait(0.05)
        if len(words) > 1:
            self.send_header("Retry-After", words[1])
        if words[0].startswith("3"):
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def signed(self, body):
        signature = self.headers.get("X-Hub-Signature-256")
        wanted = "sha256=" + hmac.new(b"tiger", body, hashlib.sha256).hexdigest()
        return "-" if signature is None else "yes" if hmac.compare_digest(signature, wanted) else "no"

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that went away


ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
server = Server(("127.0.0.1", port), Handler)
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    server.socket = context.wrap_socket(server.socket, server_side=True)
say("listening")
server.serve_forever()
