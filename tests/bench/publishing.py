"""Whether `--docs` is refused because the program was not built from a commit; then only that can be tested of it."""
import subprocess


def docs_arguments(saccade, file):
    """["--docs", FILE], or [] where a bench refuses it."""
    asked = subprocess.run([saccade, "bench", "solver", "--docs", str(file), "--help"], capture_output=True, text=True)
    if asked.returncode == 0:
        return ["--docs", str(file)]
    assert asked.returncode == 2 and "not from a commit" in asked.stderr, asked.stderr
    return []
