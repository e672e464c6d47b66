"""A service under test: `saccade run` as a child whose every line on standard error is kept, and its API.

Waits are for what the service says or answers; the one time limit there is (PATIENCE) only ends a test
that would hang.
"""
import http.client
import json
import pathlib
import signal
import socket
import subprocess
import sys
import threading

PATIENCE = 60  # seconds
ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIP = ROOT / "examples/gate.mp4"


def configuration(source, listen="127.0.0.1:0", **parts):
    """One task `gate` on simulated engines."""
    task = {"id": "gate", "profiles": str(ROOT / "tests/support/profiles/shapes.json"), "fps": 20, "source": source}
    return {"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"}, "tasks": [task],
            "api": {"listen": listen}, **parts}


def with_push_task(config):
    """The same with a task `door` that clients send frames to."""
    door = {**config["tasks"][0], "id": "door", "source": {"type": "push"}}
    return {**config, "tasks": [*config["tasks"], door]}


def clip():
    return {"type": "video", "path": str(CLIP)}


signal.signal(signal.SIGTERM, lambda *_: sys.exit("asked to end"))  # and take the service along


class Unanswered(Exception):
    pass


class Service:
    def __init__(self, saccade, folder, config, options=(), token=None):
        self.folder, self.token = pathlib.Path(folder), token
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "config.json"
        self.write(config)
        self.lines, self.news, self.ended = [], threading.Condition(), False
        self.out = open(self.folder / "out", "w")
        self.process = subprocess.Popen([saccade, "run", str(self.file), "--json", *options], cwd=self.folder,
                                        stdout=self.out, stderr=subprocess.PIPE, text=True, errors="replace")
        threading.Thread(target=self._listen, daemon=True).start()

    def write(self, config):
        self.file.write_text(config if isinstance(config, str) else json.dumps(config, indent=1))

    def _listen(self):
        for line in self.process.stderr:
            with self.news:
                self.lines.append(line)
                self.news.notify_all()
        with self.news:
            self.ended = True
            self.news.notify_all()

    def line_with(self, part, start=0):
        """The first line with `part` in it, from the number `start` on."""
        def found():
            return next((line for line in self.lines[start:] if part in line), None)
        with self.news:
            self.news.wait_for(lambda: found() or self.ended, PATIENCE)
            line = found()
        if line is None:
            raise Unanswered(f"never said {part!r}:\n" + "".join(self.lines))
        return line

    def serving(self):
        """Waits until its API answers and its first engines serve; returns where it listens."""
        self.address = self.line_with("event=serving").split('detail="')[1].split('"')[0]
        self.line_with("event=transition_end")
        return self.address

    @property
    def authority(self):
        return self.address.removeprefix("http://").rstrip("/")

    def connection(self):
        if self.address.startswith("http://"):
            return http.client.HTTPConnection(self.authority, timeout=PATIENCE)
        connection = http.client.HTTPConnection("localhost", timeout=PATIENCE)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(self.folder / "api.sock"))
        return connection

    def ask(self, method, path, body=None, headers=None):
        """Status and text of the answer, with its headers before the text."""
        headers = dict(headers or {})
        if self.token:
            headers.setdefault("Authorization", "Bearer " + self.token)
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = body if isinstance(body, str) else json.dumps(body)
        connection = self.connection()
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        if answer.getheader("Content-Type", "").startswith("text/event-stream"):
            text = answer.read1().decode(errors="replace")  # what there is
        else:
            text = answer.read().decode(errors="replace")
        connection.close()
        return answer.status, text, str(answer.headers)

    def get(self, path):
        status, text, _ = self.ask("GET", path)
        if status != 200:
            raise Unanswered(f"GET {path}: {status} {text}")
        return json.loads(text)

    def settled(self, generation):
        """The status once that generation, or a later one, is in force."""
        while True:
            status = self.get("/v1/status")
            if status["settled"] and status["generation"] >= generation:
                return status

    def end(self):
        """Asks it to end in good order; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self.out.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.out.close()

    def printed(self):
        """All that it has printed; whole only after its end."""
        with self.news:
            self.news.wait_for(lambda: self.ended or self.process.poll() is None, PATIENCE)
            return "".join(self.lines) + (self.folder / "out").read_text(errors="replace")
