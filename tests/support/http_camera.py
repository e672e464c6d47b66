#!/usr/bin/python3
"""Plays a network camera over HTTP at http://127.0.0.1:PORT/, for whoever connects.

    http_camera.py THEN FILE

FILE: a JPEG picture, which is sent ten times a second as Motion JPEG, or a transport stream (.ts), which is sent
once. The first connection gets ten pictures or the stream, and THEN: `silent`, nothing more, with the connection
open; `drips`, one more picture, of which a byte comes every tenth of a second; `plays`, pictures without end, as
later connections. Prints "port PORT" on standard error once it can be reached. Ends with the program that started
it.
"""
import os
import pathlib
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

then, file = sys.argv[1:]
content = pathlib.Path(file).read_bytes()
head = f"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {len(content)}\r\n\r\n".encode()
stream = file.endswith(".ts")
first = threading.Lock()  # taken by the first connection, for good


class Camera(BaseHTTPRequestHandler):
    def do_GET(self):
        is_first = first.acquire(blocking=False)
        kind = "video/mp2t" if stream else "multipart/x-mixed-replace; boundary=picture"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        try:
            if stream:
                self.wfile.write(content)
            else:
                self.send_pictures(10 if is_first and then != "plays" else 1_000_000)
            if then == "drips":
                self.wfile.write(head)
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    time.sleep(0.1)
            while True:
                time.sleep(1)
        except OSError:  # it has hung up
            pass

    def send_pictures(self, count):
        for _ in range(count):
            self.wfile.write(head + content + b"\r\n")
            time.sleep(0.1)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Camera)
server.daemon_threads = True
print(f"port {server.server_port}.", file=sys.stderr, flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
parent = os.getppid()
while os.getppid() == parent:
    time.sleep(1)
