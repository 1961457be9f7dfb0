"""What the proofs of producers' work share: the programs, a folder, and what is made in it."""

import contextlib
import functools
import http.server
import json
import subprocess
from pathlib import Path
from proofs.processes import in_background

SECONDS = 14
# All of its events are over before the clips end.
CUES = """game: recordings
title: Recordings
defaults: { allottedTime: 2 }
cues:
  - { at: 1s, event: startGame }
  - { at: 1.5s, event: askQuestion, question: "Which metal is liquid?", answers: [Iron, Mercury, Gold], correct: Mercury }
  - { at: 4s, event: showResults, counts: [31, 402, 67] }
  - { at: 6s, event: endGame }
"""
EVENTS = 4


def require(condition, what):
    if not condition:
        raise AssertionError(what)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder to pages of all origins, or as it is told."""

    extensions_map = {".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t", ".m4s": "video/mp4", ".mp4": "video/mp4", "": "application/octet-stream"}

    def __init__(self, *arguments, types, origin, **options):
        self.extensions_map = Handler.extensions_map | types
        self.origin = origin
        super().__init__(*arguments, **options)

    def end_headers(self):
        if self.origin:
            self.send_header("Access-Control-Allow-Origin", self.origin)
        super().end_headers()

    def copyfile(self, source, output):
        # Who has asked may want no more than the head.
        with contextlib.suppress(ConnectionError):
            super().copyfile(source, output)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder, types={}, origin="*"):
    """A web server for a folder; gives its address."""
    handler = functools.partial(Handler, directory=str(folder), types=types, origin=origin)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        in_background(server.serve_forever)
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class Studio:
    """The programs, a folder, and what is made there."""

    def __init__(self, cuelight, ffmpeg, folder):
        self.cuelight, self.ffmpeg, self.folder = cuelight, ffmpeg, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.cues = folder / "cues.yaml"
        self.cues.write_text(CUES)

    def outcome(self, program, *arguments, folder=None, data=None):
        """Runs a program; gives its status and what it has said on both outputs."""
        result = subprocess.run([str(program), *map(str, arguments)], capture_output=True, timeout=300, cwd=folder, input=data)
        return result.returncode, result.stdout.decode(errors="replace"), result.stderr.decode(errors="replace")

    def run(self, program, *arguments, folder=None):
        """Runs a program that must succeed."""
        status, output, errors = self.outcome(program, *arguments, folder=folder)
        said = errors.strip()[-2000:]
        require(status == 0, f"{' '.join([Path(program).name, *map(str, arguments)])}: status {status}: {said}")
        return output, errors

    def transcode(self, *arguments):
        self.run(self.ffmpeg, "-nostdin", "-hide_banner", "-v", "error", "-y", *arguments)

    def encode(self, name, coding, *more, seconds=SECONDS, size="320x240", rate="25"):
        """A file of a test picture and a tone."""
        path = self.folder / name
        picture = f"testsrc2=size={size}:rate={rate}:duration={seconds}"
        sound = f"sine=frequency=440:sample_rate=48000:duration={seconds}"
        self.transcode("-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", sound, *coding.split(), *more, path)
        return path

    def written(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def stamp(self, source, output, *options, cues=None):
        """Stamps a file, or several; gives the output and what was said."""
        sources = source if isinstance(source, (list, tuple)) else [source]
        path = self.folder / output
        path.parent.mkdir(parents=True, exist_ok=True)
        _, said = self.run(self.cuelight, "stamp", *sources, "--cues", cues or self.cues, "-o", path, "--force", *options)
        return path, said

    def doctor(self, path, *options):
        """What the doctor finds: its status, the findings by the names of their rules, and the summary."""
        status, output, errors = self.outcome(self.cuelight, "doctor", "--json", path, *options)
        lines = [json.loads(line) for line in output.splitlines()]
        require(lines and lines[-1].get("type") == "summary", f"the doctor says nothing of {path}: status {status}: {errors.strip()[:500]}")
        return status, {line["rule"]: line for line in lines if line["type"] == "finding"}, lines[-1]
