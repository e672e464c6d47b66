"""Secrets of the configuration (passwords and tokens in the addresses of cameras, the API's token) must not
show in anything that the program prints or the API answers. The one exception is the configuration
document itself (GET /v1/config) and where it is saved.

    secrets_check.py SACCADE      exit 0: nothing leaks, 1: something does

A camera that wants a password is played by a small HTTP server here; it goes away while it is used.
"""
import http.server
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from running import CLIP, PATIENCE, Service, configuration

SACCADE = str(pathlib.Path(sys.argv[1]).resolve())
SECRET = "hunter2hunter2"
TOKEN = "a-token-of-hunter2hunter2"  # contains the secret, so one search finds both
PLACES = ["/", "/dashboard.js", "/sight.js", "/livez", "/readyz?verbose", "/metrics", "/v1/version", "/v1/schema",
          "/v1/status", "/v1/tasks", "/v1/tasks/gate", "/v1/tasks/gate/thumbnail", "/v1/tasks/gate/result", "/v1/models",
          "/v1/plan", "/v1/plan/history", "/v1/events", "/v2/models/gate", "/v2/models/gate/ready", f"/v1/{SECRET}"]
leaks = []


def look(where, text):
    if SECRET in text:
        lines = [line for line in text.splitlines() if SECRET in line]
        leaks.append(f"{where}: {lines[0][:300]}")


class Camera(http.server.BaseHTTPRequestHandler):
    """/clip.mp4 as it is; /list.m3u8 names pieces that are not there; everything else is refused."""

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/clip.mp4":
            self.send_part(CLIP.read_bytes())
        elif path == "/list.m3u8":
            piece = f"http://user:{SECRET}@{self.headers['Host']}/gone.ts?token={SECRET}"
            self.answer(200, f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{piece}\n#EXT-X-ENDLIST\n".encode())
        elif path == "/moved.avi":
            self.answer(302, b"", ("Location", f"http://user:{SECRET}@{self.headers['Host']}/no.avi?key={SECRET}"))
        else:
            self.answer(401, b"", ("WWW-Authenticate", 'Basic realm="camera"'))

    def send_part(self, whole):
        wanted = re.match(r"bytes=(\d+)-(\d*)$", self.headers.get("Range", "bytes=0-"))
        first, last = int(wanted[1]), int(wanted[2] or len(whole) - 1)
        self.answer(206, whole[first:last + 1], ("Content-Range", f"bytes {first}-{last}/{len(whole)}"))

    def answer(self, status, body, header=("Cache-Control", "no-store")):
        self.send_response(status)
        self.send_header(*header)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:
            pass  # it has seen enough

    def log_message(self, *_):
        pass


def video(address):
    return {"type": "video", "path": address}


def with_secret(authority, path):
    return f"http://user:{SECRET}@{authority}/{path}?token={SECRET}"


# Secrets in places where they do not belong, and addresses with slips of the finger.
def misplaced():
    address = f"rtsp://user:{SECRET}@127.0.0.1:1/live?token={SECRET}"
    slips = [f"rtsp:/user:{SECRET}@camera/live", f"rtsp//user:{SECRET}@camera/live", f"user:{SECRET}@camera",
             f"http:/camera/live?token={SECRET}", f"rtsp://user:{SECRET}/x@camera/live",
             f"rtsp://camera/user=admin&password={SECRET}&channel=1"]
    for text in [address, *slips]:
        task = configuration(video("x"))["tasks"][0]
        for key in ("id", "profiles", "fps", "source", "regions", "weight", "min_accuracy"):
            yield {**configuration(video("x")), "tasks": [{**task, key: text}]}
        for kind in ("video", "images", "synthetic", "camera", text):
            yield configuration({"type": kind, "path": text, "device": text, "data_set": text, "loop": text})
        yield configuration(video(text), text)
        for key in ("processors", "objective", "policy", "tasks", "timeline", "fps_scale", text):
            yield configuration(video(text), **{key: text})
        for kind in ("webhook", "mqtt"):
            url = text.replace("rtsp", "https").replace("http:", "https:")
            yield configuration(video("x"), results=[{"id": "a", "type": kind, "url": url, "prefix": "#"}])
        yield configuration(video(text), timeline=[{"at_seconds": 1, "patch": {"tasks": {text: {"fps": text}}}}])


def broken_texts():
    whole = json.dumps(configuration(video(f"rtsp://user:{SECRET}@camera/live?token={SECRET}")))
    end = whole.index(SECRET) + len(SECRET)
    for text in (whole[:end], whole[:end] + "\n" + whole[end:], whole[:end] + "\\x" + whole[end:], whole + SECRET,
                 whole.replace(f'"rtsp://user:{SECRET}', f'rtsp://user:{SECRET}', 1), whole[:-1]):
        yield text


def check_files(folder):
    """What the verbs say about configurations, good and bad."""
    files = []
    for number, document in enumerate([*misplaced(), *broken_texts()]):
        path = folder / f"{number}.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        files.append(str(path))
    for words in (["check"], ["check", "--json"]):
        done = subprocess.run([SACCADE, *words, *files], capture_output=True, text=True)
        assert done.returncode == 78, done
        look(f"saccade {' '.join(words)}", done.stdout + done.stderr)
    for verb in (["plan"], ["explain"], ["run"], ["sim", "--duration", "1s"], ["fit"]):
        done = subprocess.run([SACCADE, verb[0], files[0], *verb[1:]], capture_output=True, text=True)
        look(f"saccade {verb[0]} of a wrong file", done.stdout + done.stderr)
    return len(files)


def check_start_without_camera(folder, camera):
    for name, address in (("nobody", f"rtsp://user:{SECRET}@127.0.0.1:1/live?token={SECRET}"),
                          ("refused", with_secret(camera, "gone.avi")), ("pieces", with_secret(camera, "list.m3u8")),
                          ("moved", with_secret(camera, "moved.avi")), ("no host", f"rtsp://user:{SECRET}@"),
                          ("no protocol", f"rtsps-x://user:{SECRET}@127.0.0.1/live")):
        with Service(SACCADE, folder / name, configuration(video(address))) as service:
            service.line_with("event=fault task=gate")
            service.end()
            look(f"a start where the camera is not there ({name})", service.printed())


def ask(service, method, path, body=None, headers=None):
    status, text, header = service.ask(method, path, body, headers)
    look(f"{method} {path}: {status}", text + header)
    return status, text


def check_service(folder, camera_server):
    camera = camera_server.server_address
    authority = f"{camera[0]}:{camera[1]}"
    token_file = folder / "token"
    token_file.write_text(TOKEN + "\n")
    token_file.chmod(0o600)
    config = configuration(video(with_secret(authority, "clip.mp4")))
    config["api"]["token_file"] = str(token_file)
    config["results"] = [{"id": "hub", "type": "webhook", "url": f"http://127.0.0.1:1/x?key={SECRET}",
                          "token_file": str(token_file)}]
    options = ["--events", str(folder / "events"), "--state-dir", str(folder / "state")]
    with Service(SACCADE, folder / "run", config, options, TOKEN) as service:
        service.serving()
        status, text, _ = service.ask("GET", "/v1/config")
        assert status == 200 and SECRET in text, "the document itself has to be whole"
        for path in PLACES:
            ask(service, "GET", path)
        assert ask(service, "GET", "/v1/status", headers={"Authorization": "Bearer x" + TOKEN})[0] == 401
        # Changes that are wrong, or that name a camera that is not there.
        for document in [*misplaced(), *broken_texts()]:
            for method, path in (("POST", "/v1/config/validate"), ("PUT", "/v1/config?dry_run=1")):
                assert ask(service, method, path, document)[0] in (200, 422)
        slip = f"rtsp:/user:{SECRET}@camera/live"
        for path in ("/v1/tasks/gate", "/v1/config", "/v1/limits", "/v1/plan/dry-run"):
            method = "POST" if path.endswith("dry-run") else "PATCH"
            for body in ({"source": video(slip)}, {slip: 1}, {"tasks": {slip: {}}}, {"tasks": {"gate": {"fps": slip}}},
                         json.dumps({"fps": slip})[:-2]):
                assert ask(service, method, path, body)[0] == 422, (method, path, body)
        ask(service, "PUT", "/v1/objective", json.dumps(slip))
        ask(service, "PATCH", "/v1/tasks/gate", {"source": video(f"rtsp://user:{SECRET}@127.0.0.1:1/live?token={SECRET}")})
        for path in PLACES:
            ask(service, "GET", path)
        # A file that is wrong, read again in both ways; then the right one while the camera goes away.
        for wrong in (next(broken_texts()), {**config, "tasks": slip}):
            service.write(wrong)
            heard = len(service.lines)
            assert ask(service, "POST", "/v1/config/reload")[0] == 422
            service.process.send_signal(signal.SIGHUP)
            service.line_with("event=reload_refused", heard)
        camera_server.shutdown()
        camera_server.server_close()
        service.line_with("event=fault")
        for path in PLACES:
            ask(service, "GET", path)
        assert service.end() == 0, service.printed()
        look("what the service prints", service.printed())
        look("the file of events", (folder / "events").read_text())


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        camera = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
        threading.Thread(target=camera.serve_forever, daemon=True).start()
        try:
            files = check_files(folder)
            check_start_without_camera(folder, "{}:{}".format(*camera.server_address))
            check_service(folder, camera)
        finally:
            for leak in leaks[:40]:
                print("LEAK", leak)
    print(f"{files} wrong documents, {len(leaks)} leaks")
    return 1 if leaks else 0


sys.exit(main())
