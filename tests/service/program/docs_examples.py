"""Runs what the documentation shows: every `curl` line and every `saccade ctl` line of README.md and docs/,
against a service of a task `gate` and a task `door` that clients send frames to, as they stand there but for
the port and the socket, in a folder with a picture frame.jpg. A line that is added to a page is run, too.

    docs_examples.py SACCADE      exit 0: they all work, 1: some do not (file and line are named), 77: no curl

What counts as working: curl's answer has a 2xx code, saccade's exit code is 0. Where a comment beside the
line names another code ("exit code 3", "409"), that will do as well. A stream of events has to begin, a
`watch` has to show its first page. A line that sets a shell variable is run with the next one.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from running import PATIENCE, ROOT, Service, clip, configuration, with_push_task

SACCADE = str(pathlib.Path(sys.argv[1]).resolve())
COMMAND = re.compile(r"^    ((?:[a-z_]+=\$\()?(?:curl|saccade ctl) .*)$")
ASSIGNMENT = re.compile(r"^[a-z_]+=\$\(")
INLINE = re.compile(r"`((?:curl|saccade ctl) [^`]+)`")
ENDLESS = {"/v1/events": "data: ", "/v1/results": "saccade-result/1", "saccade ctl watch": "gate"}  # and what shows that they began
PRELUDE = """set -eu -o pipefail
curl() { command curl --fail-with-body -w '%{stderr}\\nanswered %{http_code}\\n' "$@"; }
saccade() { shift; command "$SACCADE" ctl --url "$URL" "$@"; }
"""


def commands(page):
    """(line number, command) of a page; settings of variables go along with the command after them."""
    settings = []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        block = COMMAND.match(line)
        if block is None:
            assert not settings, f"{page.name}:{number}: a variable is set and not used"
            yield from ((number, inline) for inline in INLINE.findall(line))
        elif ASSIGNMENT.match(block[1]):
            settings.append(block[1])
        elif not re.match(r"saccade ctl [A-Z]", block[1]):  # a synopsis, not an example
            yield number, "\n".join([*settings, block[1]])
            settings = []


def begins(shell, expected):
    for line in shell.stdout:
        if expected in line:
            return True
    return False


def run(command, service, over_socket, folder):
    """What is wrong with it, or nothing."""
    used = over_socket if "--unix-socket" in command else service
    text = command.replace("localhost:8080", service.authority).replace("127.0.0.1:8080", service.authority)
    text = text.replace("/run/saccade/api.sock", str(over_socket.folder / "api.sock"))
    environment = {"PATH": "/usr/bin:/bin", "SACCADE": SACCADE, "URL": service.address}
    shell = subprocess.Popen(["bash", "-c", PRELUDE + text], cwd=folder, env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        endless = next((shows for mark, shows in ENDLESS.items() if mark in command), None)
        if endless:
            return None if begins(shell, endless) else "ended before anything was shown"
        out, err = shell.communicate(timeout=PATIENCE)
    finally:
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)  # its session, which it leads
            shell.wait()
    assert used.process.poll() is None, "the service has ended:\n" + used.printed()
    codes = [int(code) for code in re.findall(r"^answered (\d+)$", err, re.M)]
    allowed = {int(code) for code in re.findall(r"\b(\d+)\b", command.partition(" #")[2])}
    good = all(200 <= code < 300 or code in allowed for code in codes) and (shell.returncode in {0, *allowed} or
                                                                            (codes and allowed & set(codes)))
    if "curl" in command and not codes:
        good = False
    return None if good else f"exit code {shell.returncode}\n{out[-2000:]}{err[-2000:]}"


def take_picture(service, file):
    """What `gate` sees, as JPEG; a look asks for the next frame, so the first may find none."""
    code = ""
    while code != "200":
        code = subprocess.run(["curl", "-s", "-o", str(file), "-w", "%{http_code}",
                               f"http://{service.authority}/v1/tasks/gate/thumbnail"],
                              capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


def main():
    if shutil.which("curl") is None:
        print("skipped: curl is not installed")
        return 77
    examples = [(page, number, command) for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
                for number, command in commands(page)]
    # A parser that finds nothing would prove nothing.
    assert len(examples) > 15, f"only {len(examples)} examples found"
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        over_tcp = with_push_task(configuration(clip()))
        over_socket = configuration(clip(), "unix:api.sock")
        with Service(SACCADE, folder / "tcp", over_tcp) as service, \
                Service(SACCADE, folder / "socket", over_socket) as other:
            service.serving()
            other.serving()
            take_picture(service, folder / "frame.jpg")
            for page, number, command in examples:
                trouble = run(command, service, other, folder)
                print(f"{'ok  ' if trouble is None else 'FAIL'} {page.relative_to(ROOT)}:{number}: {command}")
                if trouble is not None:
                    print("     " + trouble.replace("\n", "\n     "))
                    wrong += 1
            for each in (service, other):
                assert each.end() == 0, each.printed()
    print(f"{len(examples)} examples, {wrong} do not work")
    return 1 if wrong else 0


sys.exit(main())
