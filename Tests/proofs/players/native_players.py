"""Proves that players outside of browsers play stamped streams: a current FFmpeg, and GStreamer.

    python3 -m proofs.players.native_players --ffmpeg PROGRAM --source FILE=OUTPUT...

Each OUTPUT is a playlist or a transport stream made from FILE. FFmpeg must decode all of it without a warning and get the frames of FILE;
GStreamer must play it to the end.
"""

import subprocess
import sys
import time
from pathlib import Path

from proofs.facts import proof_parser
from proofs.players import server

# No clip lasts longer than a minute, and nothing waits for a clock.
PATIENCE = 120


class Fault(Exception):
    """Something that a player does not like; the text says what."""


def run(*command):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    if result.returncode:
        raise Fault(f"{Path(command[0]).name} ends with status {result.returncode}: {result.stderr.strip()[-500:]}")
    return result


def frames(ffmpeg, path):
    """The MD5 of every frame that is decoded, by stream, video before audio. FFmpeg must not say a word."""
    options = ["-ignore_editlist", "1"] if path.suffix == ".mp4" else []
    result = run(ffmpeg, "-nostdin", "-v", "warning", *options, "-i", path, "-map", "0:v", "-map", "0:a", "-fps_mode", "passthrough",
                 "-f", "framemd5", "-")
    if result.stderr.strip():
        raise Fault(f"FFmpeg says of {path.parent.name}/{path.name}: {result.stderr.strip()[:500]}")
    found = {}
    for line in result.stdout.splitlines():
        if not line.startswith("#"):
            fields = line.split(",")
            found.setdefault(fields[0], []).append(fields[5].strip())
    return [found[stream] for stream in sorted(found, key=int)]


def play(address):
    """Plays a presentation with GStreamer as fast as it goes, to the end of the stream."""
    sinks = ["video-sink=fakesink sync=false", "audio-sink=fakesink sync=false"]
    result = run("gst-launch-1.0", "playbin3", f"uri={address}", *sinks)
    if "Got EOS from element" not in result.stdout:
        raise Fault(f"GStreamer does not reach the end of {address}: {result.stdout.strip()[-500:]}")


def check(ffmpeg, source, output, address):
    """A fact about an output, or a `Fault`."""
    expected, found = frames(ffmpeg, source), frames(ffmpeg, output)
    # A presentation with several renditions decodes to the frames of each.
    for stream in expected:
        if stream not in found:
            raise Fault(f"FFmpeg decodes other frames from {output.parent.name}/{output.name} than from {source.name}")
    play(address)
    return f"{sum(map(len, found))} frames in {len(found)} streams, none of them other than in {source.name}"


def main():
    parser = proof_parser("ffmpeg")
    parser.add_argument("outputs", nargs="+", metavar="FILE=OUTPUT")
    options = parser.parse_args()
    pairs = [tuple(Path(path).resolve() for path in text.split("=", 1)) for text in options.outputs]
    address = server.serve({str(number): output.parent for number, (_, output) in enumerate(pairs)})
    version = run(options.ffmpeg, "-version").stdout.split()[2]
    gstreamer = run("gst-launch-1.0", "--version").stdout.split("\n")[1].split()[-1]
    status = 0
    for number, (source, output) in enumerate(pairs):
        started = time.monotonic()
        try:
            fact = check(options.ffmpeg, source, output, f"{address}/{number}/{output.name}")
            name = f"{output.parent.name}/{output.name}"
            print(f"ok  {name}: FFmpeg {version} decodes {fact}, without a warning; GStreamer {gstreamer} plays it to the end "
                  f"({time.monotonic() - started:.1f} s)", flush=True)
        except (Fault, subprocess.TimeoutExpired) as fault:
            print(f"failed: {fault}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
