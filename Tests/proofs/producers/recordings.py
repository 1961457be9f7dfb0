"""Makes recordings as tuners and phones do, stamps them to HLS, and compares the frames with FFmpeg's own HLS. Prints a line for each fact.

    python3 -m proofs.producers.recordings --cuelight PROGRAM --ffmpeg FFMPEG --folder FOR_ITS_FILES

FFmpeg 8 or newer, with libx264 and libx265.
"""

import json
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from proofs.facts import prove_and_end
from proofs.producers.reception import cut, drop_pid, drop_times
from proofs.producers.studio import SECONDS, Studio, require

VIDEO_PID = 0x100
# What each encoder needs for open groups of pictures, in which frames are presented before the key frame that they follow.
OPEN_H264 = "-c:v libx264 -preset ultrafast -bf 2 -g 24 -threads 1 -x264-params open-gop=1:b-adapt=0:scenecut=0"
OPEN_HEVC = "-c:v libx265 -preset ultrafast -x265-params keyint=24:bframes=3:pools=1:log-level=none"
OPEN_MPEG2 = "-c:v mpeg2video -g 15 -bf 2 -b:v 1M"
CLOSED_H264 = "-c:v libx264 -preset ultrafast -bf 2 -g 25 -threads 1"


@dataclass
class Recording:
    """A file, and what is expected of its presentations."""

    name: str
    path: Path
    # The segments' formats that carry its codecs.
    types: tuple = ("ts", "fmp4")
    # Whether its groups of pictures are open.
    is_open: bool = False
    has_video: bool = True
    # Whether its sound is AAC with the headers of transport streams.
    has_adts: bool = False
    # What standard error has to say about it.
    notice: str = ""


class Recordings(Studio):
    """A studio in which recordings are made and compared."""

    def copy(self, name, source, before, *after):
        path = self.folder / name
        self.transcode(*before, "-i", source, "-c", "copy", *after, path)
        return path

    def frames(self, path, kind):
        """The hashes of all decoded frames of a presentation's first picture or sound."""
        arguments = ["-hide_banner", "-v", "quiet", "-i", path, "-map", f"0:{kind}:0?", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
        result = subprocess.run([str(self.ffmpeg), *map(str, arguments)], capture_output=True, timeout=300)
        lines = result.stdout.decode().splitlines()
        return [line.split(",")[-1].strip() for line in lines if line and not line.startswith("#")]

    def reference(self, recording, segment_type):
        """FFmpeg's own presentation of a recording."""
        output = self.folder / f"{recording.name}-{segment_type}-ffmpeg" / "index.m3u8"
        output.parent.mkdir(exist_ok=True)
        kind = "mpegts" if segment_type == "ts" else "fmp4"
        streams = ["-map", "0:v:0", "-map", "0:a:0?"] if recording.has_video else ["-map", "0:a:0"]
        # FFmpeg's presentation in MP4 needs to be told so for AAC of transport streams.
        raw = ["-bsf:a", "aac_adtstoasc"] if kind == "fmp4" and recording.has_adts else []
        self.transcode("-i", recording.path, *streams, "-c", "copy", *raw, "-f", "hls", "-hls_time", 2, "-hls_list_size", 0, "-hls_segment_type", kind, output)
        return output


def recordings(studio):
    """All recordings, made one after another."""
    h264 = studio.encode("h264-whole.ts", f"{OPEN_H264} -c:a aac")
    yield Recording("h264-whole", h264, is_open=True, has_adts=True)
    yield Recording("h264-cut", studio.written("h264-cut.ts", cut(h264.read_bytes(), 0.07)), is_open=True, has_adts=True, notice="frames before")
    hevc = studio.encode("hevc-whole.ts", f"{OPEN_HEVC} -c:a ac3")
    yield Recording("hevc-whole", hevc, is_open=True)
    yield Recording("hevc-cut", studio.written("hevc-cut.ts", cut(hevc.read_bytes(), 0.07)), is_open=True, notice="frames before")
    mpeg2 = studio.encode("mpeg2-whole.ts", f"{OPEN_MPEG2} -c:a mp2")
    yield Recording("mpeg2-whole", mpeg2, ("ts",), is_open=True)
    yield Recording("mpeg2-cut", studio.written("mpeg2-cut.ts", cut(mpeg2.read_bytes(), 0.07)), ("ts",), is_open=True, notice="frames before")
    interlaced = studio.encode("interlaced.ts", f"{OPEN_H264}:tff=1 -flags +ildct+ilme -c:a eac3")
    yield Recording("interlaced", studio.written("interlaced-cut.ts", cut(interlaced.read_bytes(), 0.07)), is_open=True)

    # A second sound comes with another program map, in the middle.
    half = SECONDS // 2
    first = studio.encode("map-1.ts", f"{CLOSED_H264} -c:a aac", seconds=half)
    second = studio.encode("map-2.ts", f"{CLOSED_H264} -c:a aac", "-map", "0", "-map", "1", "-map", "1", "-tables_version", "1",
                           "-output_ts_offset", str(half), seconds=half)
    yield Recording("map-changes", studio.written("map-changes.ts", first.read_bytes() + second.read_bytes()), has_adts=True)

    # All at once, as it comes off the air.
    first = studio.encode("air-1.ts", f"{OPEN_H264} -c:a aac", seconds=half)
    second = studio.encode("air-2.ts", f"{OPEN_H264} -c:a aac", "-map", "0", "-map", "1", "-map", "1", "-tables_version", "1",
                           "-output_ts_offset", str(half), seconds=half)
    air = cut(drop_times(first.read_bytes() + second.read_bytes(), VIDEO_PID, every=7, keys=False), 0.07)
    air = studio.written("reception.ts", air)
    yield Recording("reception", air, is_open=True, has_adts=True, notice="frames before")
    # The same, cut by the system's FFmpeg, which on Debian is an old one.
    old = studio.folder / "cut-by-old.ts"
    studio.run("ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", "1.5", "-i", air, "-map", "0:v", "-map", "0:a:0", "-c", "copy", old)
    yield Recording("cut-by-old", old, is_open=True, has_adts=True)

    closed = studio.encode("closed.ts", f"{CLOSED_H264} -c:a aac")
    yield Recording("no-times", studio.written("no-times.ts", drop_times(closed.read_bytes(), VIDEO_PID, every=7)), has_adts=True)
    yield Recording("sound-alone", studio.written("sound-alone.ts", drop_pid(closed.read_bytes(), VIDEO_PID)), has_video=False, has_adts=True,
                    notice="nothing of it came")
    # The first key frame is lost: nothing can be decoded for five seconds.
    rare = studio.encode("rare.ts", f"{CLOSED_H264.replace('-g 25', '-g 125 -keyint_min 125')} -c:a aac")
    yield Recording("late-key", studio.written("late-key.ts", drop_pid(rare.read_bytes(), VIDEO_PID, first=20)), has_adts=True, notice="frames before")

    phone = studio.encode("phone.mp4", f"{CLOSED_H264} -c:a aac")
    yield Recording("turned", studio.copy("turned.mp4", phone, ("-display_rotation", "90")))
    yield Recording("trimmed", studio.copy("trimmed.mp4", phone, ("-ss", "0.5")), notice="edit list")


def matrices(initialization):
    """The matrices of the tracks in an initialization segment, without those that change nothing."""
    found = []
    start = initialization.find(b"tkhd")
    while start >= 0:
        times = 12 if initialization[start + 4] == 0 else 24
        found.append(struct.unpack(">9i", initialization[start + 8 + times + 24 - 0:][:36]))
        start = initialization.find(b"tkhd", start + 4)
    return [matrix for matrix in found if matrix != (65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30)]


def independence(output):
    """How many playlists of a presentation, besides those of sound, say that their segments are independent."""
    playlists = [playlist for playlist in output.parent.glob("*.m3u8") if "-audio" not in playlist.name]
    return sum("#EXT-X-INDEPENDENT-SEGMENTS" in playlist.read_text() for playlist in playlists)


def compare(studio, recording, segment_type):
    """Compares the frames of a presentation with those of FFmpeg's; gives how many there are."""
    output, said = studio.stamp(
        recording.path, f"{recording.name}-{segment_type}/index.m3u8", "--segment-type", segment_type, "--segment-duration", 2)
    reference = studio.reference(recording, segment_type)
    counts = []
    for kind in ("v", "a") if recording.has_video else ("a",):
        own, theirs = studio.frames(output, kind), studio.frames(reference, kind)
        require(theirs, f"{recording.name}: FFmpeg decodes no frame of its own presentation")
        differing = next((index for index, (left, right) in enumerate(zip(own, theirs)) if left != right), min(len(own), len(theirs)))
        require(own == theirs, f"{recording.name}, {segment_type}: {len(own)} frames of {kind} instead of {len(theirs)}, other ones from {differing} on")
        counts.append(len(own))
    require(recording.notice in said, f"{recording.name}, {segment_type}: nothing is said about {recording.notice!r}: {said}")
    require((independence(output) == 0) == recording.is_open, f"{recording.name}, {segment_type}: EXT-X-INDEPENDENT-SEGMENTS is wrong")
    return output, said, counts


def check(studio, recording, lines):
    for segment_type in recording.types:
        what = f"{recording.name}, {segment_type}"
        output, said, counts = compare(studio, recording, segment_type)
        pictures = f"{counts[0]} pictures and {counts[1]} frames of sound" if recording.has_video else f"{counts[0]} frames of sound"
        lines.fact(f"{what}: {pictures}, as in FFmpeg's presentation")
        if recording.name == "turned":
            lines.fact(f"{what}: {check_turned(output, said, segment_type)}")
        if recording.name == "trimmed":
            lines.fact(f"{what}: {check_trimmed(studio, output, segment_type)}")
        else:
            verdict, _ = studio.run(studio.cuelight, "verify", output, "--cues", studio.cues)
            lines.fact(f"{what}: {verdict.strip().split(': ', 1)[-1]}")
        status, found, _ = studio.doctor(output)
        require(status == 0, f"{what}: the doctor finds {list(found)}")
        lines.fact(f"{what}: the doctor finds no error")


def check_turned(output, said, segment_type):
    if segment_type == "ts":
        require("turned by" in said, f"turned: nothing is said about the picture's direction: {said}")
        return "it is said that MPEG-TS cannot turn the picture"
    found = [matrix for part in output.parent.glob("*-init.mp4") for matrix in matrices(part.read_bytes())]
    original = matrices((output.parent.parent / "turned.mp4").read_bytes())
    require(found == original and found, f"turned: the matrices are {found} instead of {original}")
    require("RESOLUTION=240x320" in output.read_text(), "turned: the playlist does not name the size that is shown")
    return "the matrix is the phone's, and the playlist names the size that is shown"


def check_trimmed(studio, output, segment_type):
    """The first 13 frames are hidden: in the presentation every cue comes later by them."""
    listed, _ = studio.run(studio.cuelight, "inspect", "--json", output)
    times = {}
    for line in listed.splitlines():
        item = json.loads(line)
        event = item.get("event", item)
        if "eventType" in event and "at" in event:
            times.setdefault(event["eventType"], event["at"])
    expected = {name: round(time + 0.52, 3) for name, time in
                {"startGame": 1, "askQuestion": 1.5, "showResults": 4, "endGame": 6}.items()}
    require(times == expected, f"trimmed, {segment_type}: the events are at {times} instead of {expected}")
    return "cues count from the first frame that is shown"


def run(lines, arguments):
    studio = Recordings(arguments.cuelight, arguments.ffmpeg, arguments.folder)
    for recording in recordings(studio):
        try:
            check(studio, recording, lines)
        except AssertionError as error:
            lines.fails(str(error))


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "ffmpeg", keeps_folder=True)
