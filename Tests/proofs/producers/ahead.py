"""Reads presentations from a server that takes its time for each answer, and proves that their resources are loaded at the same time.

    python3 -m proofs.producers.ahead --cuelight PROGRAM --ffmpeg FFMPEG --folder FOR_ITS_FILES
"""

import contextlib
import functools
import http.server
import time

from proofs.facts import prove_and_end
from proofs.processes import in_background
from proofs.producers.studio import EVENTS, Handler, Studio, require

# How long the server waits before each answer, in seconds.
DELAY = 0.3
# 22 requests in a row take 6.6 s; together they have to take 1.5 s.
SHARE = 1.5 / (22 * DELAY)
# A playlist can be asked for once the one that names it is there, and segments after it: fewer requests than 22 take as long as four in a row.
ROUNDS = 4.5
SECONDS = 40
H264 = "-c:v libx264 -preset ultrafast -bf 0 -g 25 -keyint_min 25 -sc_threshold 0 -threads 1 -pix_fmt yuv420p"


class Slow(Handler):
    """Answers late, and counts."""

    protocol_version = "HTTP/1.1"
    extensions_map = Handler.extensions_map | {".mpd": "application/dash+xml", ".vtt": "text/vtt"}
    requests = 0
    delay = 0.0

    def do_GET(self):
        Slow.requests += 1
        time.sleep(Slow.delay)
        super().do_GET()


class Server(http.server.ThreadingHTTPServer):
    # As many connections may wait as a client opens at once.
    request_queue_size = 64


@contextlib.contextmanager
def slow(folder):
    """A slow web server for a folder; gives its address."""
    with Server(("127.0.0.1", 0), functools.partial(Slow, directory=str(folder), types={}, origin="*")) as server:
        in_background(server.serve_forever)
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


class Reader(Studio):
    def __init__(self, arguments):
        super().__init__(arguments.cuelight, arguments.ffmpeg, arguments.folder)
        whole = self.encode("whole.mp4", f"{H264} -c:a aac", seconds=SECONDS, size="160x90")
        pictures = [self.encode(f"pictures-{size}.mp4", f"{H264} -an", seconds=SECONDS, size=size) for size in ("160x90", "96x54")]
        sound = self.encode("sound.m4a", "-vn -c:a aac", seconds=SECONDS)
        key = self.written("show.key", bytes(range(16)))
        self.stamp(whole, "segments/index.m3u8", "--segment-duration", 2)
        self.stamp(whole, "encrypted/index.m3u8", "--segment-duration", 2, "--key", key, "--key-uri", "show.key")
        (self.folder / "encrypted" / "show.key").write_bytes(key.read_bytes())
        self.stamp([*pictures, sound], "renditions/index.m3u8", "--segment-duration", 4)
        self.stamp([*pictures, sound], "dash/index.m3u8", "--segment-duration", 4, "--segment-type", "fmp4", "--dash")

    def read(self, address, path, command, *options):
        """Reads a presentation without and with the server's delay; gives a line with the time that was spent on waiting."""
        times = []
        for Slow.delay in (0.0, DELAY):
            Slow.requests = 0
            start = time.monotonic()
            status, output, errors = self.outcome(self.cuelight, command, f"{address}/{path}", *options)
            times.append(time.monotonic() - start)
            require(status == 0, f"status {status}: {output[-500:]}{errors[-500:]}")
            require(command != "verify" or output.count("every event exactly once") >= 1, output)
            require(command != "inspect" or f"{EVENTS} events in" in output, output[-200:])
        single, waited = Slow.requests * DELAY, times[1] - times[0]
        limit = max(SHARE * single, ROUNDS * DELAY)
        require(waited <= limit, f"{Slow.requests} requests take {waited:.2f} s, above {limit:.2f} s; one at a time they take {single:.1f} s")
        return f"{waited:.2f} s waited for {Slow.requests} requests of {DELAY} s, {waited / single:.2f} of one at a time; {times[1]:.2f} s in all"


def run(lines, arguments):
    reader = Reader(arguments)
    commands = [("inspect",), ("verify", "--cues", reader.cues), ("verify", "--all-renditions", "--cues", reader.cues), ("doctor",)]
    with slow(arguments.folder) as address:
        for path in ("segments/index.m3u8", "encrypted/index.m3u8", "renditions/index.m3u8", "dash/index.m3u8", "dash/index.mpd"):
            for command, *options in commands:
                name = " ".join([command, *(option for option in options if str(option) == "--all-renditions"), path])
                lines.prove(name, reader.read, address, path, command, *options)


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "ffmpeg")
