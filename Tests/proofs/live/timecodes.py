"""Sends streams with SMPTE timecodes in SEI messages to a live server, and posts events for timecodes: each goes with the very frame that FFmpeg says
has this timecode, also in drop frame, over midnight, with reordered frames, and where two pictures share a number.

    python3 -m proofs.live.timecodes --server PROGRAM --folder FOR_ITS_FILES [--only midnight drop pairs film refused]
"""

import json
import subprocess
from fractions import Fraction

import av

from proofs.facts import prove_and_end
from proofs.live.server import Server, cue
from proofs.processes import ffmpeg, wait_until
from proofs.stream import Stream, whole

SECONDS = 14
H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "25", "-x264-params", "pic-struct=1"]
# With the delays of a hypothetical reference decoder in front of pic_struct.
H264_HRD = [*H264[:-1], "pic-struct=1:nal-hrd=vbr:vbv-maxrate=2000:vbv-bufsize=2000", "-b:v", "1M"]
HEVC = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:keyint=25:bframes=2"]


class Bits:
    """A row of bits that is written."""

    def __init__(self):
        self.text = ""

    def put(self, value, count):
        self.text += f"{value:0{count}b}" if count else ""
        return self

    def payload(self):
        """The bytes of an SEI payload: a one and zeros fill the last byte."""
        text = self.text + ("1" if len(self.text) % 8 else "")
        return int(text.ljust(-(-len(text) // 8) * 8, "0"), 2).to_bytes(-(-len(text) // 8), "big")


class Clock:
    """Numbers frames as SMPTE ST 12-1 says."""

    def __init__(self, numbers, first, drops=False, per_number=1):
        self.numbers, self.drops, self.per_number = numbers, drops, per_number
        self.first = self.count(first)

    def count(self, parts):
        hours, minutes, seconds, frames = parts
        total = hours * 60 + minutes
        return (total * 60 + seconds) * self.numbers + frames - (2 * (total - total // 10) if self.drops else 0)

    def parts(self, picture):
        """Hours, minutes, seconds and frames of the picture of this number in the order of presentation. They are counted one by one."""
        wanted = (self.first + picture // self.per_number) % self.count((24, 0, 0, 0))
        low, high = 0, 86_400
        while high - low > 1:
            middle = (low + high) // 2
            start = (middle // 3600, middle // 60 % 60, middle % 60, 2 if self.drops and middle % 60 == 0 and middle // 60 % 10 else 0)
            low, high = (middle, high) if self.count(start) <= wanted else (low, middle)
        skipped = 2 if self.drops and low % 60 == 0 and low // 60 % 10 else 0
        start = (low // 3600, low // 60 % 60, low % 60, skipped)
        return (*start[:3], skipped + wanted - self.count(start))

    def text(self, picture):
        hours, minutes, seconds, frames = self.parts(picture)
        return f"{hours:02}:{minutes:02}:{seconds:02}{';' if self.drops else ':'}{frames:02}"


def message(codec, parts, drops, delays=""):
    """A NAL unit with a timecode: pic_timing of H.264 behind these delays, or time_code of HEVC."""
    hours, minutes, seconds, frames = parts
    bits = Bits()
    if codec == "h264":
        bits.text = delays
        bits.put(0, 4).put(1, 1).put(0, 2).put(1, 1)
    else:
        bits.put(1, 2).put(1, 1).put(1, 1)
    bits.put(4 if drops else 0, 5).put(1, 1).put(0, 1).put(1 if drops else 0, 1).put(frames, 8 if codec == "h264" else 9)
    bits.put(seconds, 6).put(minutes, 6).put(hours, 5).put(0, 24 if codec == "h264" else 5)
    payload = bits.payload()
    body = bytes([1 if codec == "h264" else 136, len(payload)]) + payload + b"\x80"
    return b"\0\0\0\1" + (b"\x06" if codec == "h264" else b"\x4e\x01") + escaped(body)


def escaped(data):
    output, zeros = bytearray(), 0
    for byte in data:
        if zeros == 2 and byte <= 3:
            output.append(3)
            zeros = 0
        output.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return bytes(output)


def unescaped(data):
    return data.replace(b"\0\0\3", b"\0\0")


def with_timecode(codec, data, parts, drops, delay_bits):
    """An access unit with a timecode in front of its first slice, in place of the pic_timing that the encoder has written."""
    output, is_done = b"", False
    for unit in data.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")[1:]:
        kind = unit[0] & 31 if codec == "h264" else unit[0] >> 1 & 63
        delays = ""
        if codec == "h264" and kind == 6 and unit[1] == 1:
            delays = f"{int.from_bytes(unescaped(unit)[3:], 'big'):0{8 * len(unescaped(unit)[3:])}b}"[:delay_bits]
            output, is_done = output + message(codec, parts, drops, delays), True
            continue
        if not is_done and (kind in (1, 5) if codec == "h264" else kind < 32):
            output, is_done = output + message(codec, parts, drops), True
        output += b"\0\0\0\1" + unit
    return output


def delay_bits(path):
    """The bits of the delays in front of pic_struct, as FFmpeg reads them from the sequence parameter set."""
    trace = subprocess.run(["ffmpeg", "-nostdin", "-i", path, "-c", "copy", "-bsf:v", "trace_headers", "-frames:v", "1", "-f", "null", "-"],
                           capture_output=True, text=True, check=True).stderr
    lengths = {line.split()[4]: int(line.rsplit("=", 1)[1]) for line in trace.splitlines() if "delay_length_minus1" in line}
    return sum(lengths[name] + 1 for name in ("cpb_removal_delay_length_minus1", "dpb_output_delay_length_minus1")) if lengths else 0


def stream(folder, name, encoder, rate, clock, size="320x180"):
    """A transport stream whose pictures have timecodes."""
    plain, path = folder / f"{name}-plain.ts", folder / f"{name}.ts"
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate={rate}:duration={SECONDS}", "-pix_fmt", "yuv420p", *encoder, "-f", "mpegts", plain)
    if not clock:
        return plain
    with av.open(str(plain)) as source, av.open(str(path), "w", format="mpegts") as target:
        video = source.streams.video[0]
        codec, bits = video.codec_context.name, delay_bits(plain) if encoder[1] == "libx264" else 0
        packets = [packet for packet in source.demux(video) if packet.pts is not None]
        first, output = min(packet.pts for packet in packets), target.add_stream_from_template(video)
        for packet in packets:
            picture = round((packet.pts - first) * packet.time_base * Fraction(rate))
            copy = av.Packet(with_timecode(codec, bytes(packet), clock.parts(picture), clock.drops, bits))
            copy.pts, copy.dts, copy.time_base, copy.is_keyframe, copy.stream = packet.pts, packet.dts, packet.time_base, packet.is_keyframe, output
            target.mux(copy)
    return path


def frames(path):
    """The presentation time in ticks of the first picture with each timecode, as ffprobe reads them."""
    text = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pts:frame_tags=timecode", "-of", "json", path],
                          capture_output=True, text=True, check=True).stdout
    found = {}
    for frame in json.loads(text)["frames"]:
        if "tags" in frame:
            found.setdefault(frame["tags"]["timecode"], frame["pts"])
    return found


def poll(number, timecode, **keys):
    return cue(number, guid=f"event-{number}", timecode=timecode, **keys)


def run(lines, options):
    folder = options.folder
    folder.mkdir(exist_ok=True)

    def exact(name, encoder, rate, clock, boundary):
        """Events of a sheet around a frame of note, and later ones that are posted."""
        source, recording, sheet = stream(folder, name, encoder, rate, clock), folder / f"{name}-out.ts", folder / f"{name}.json"
        written, per_second = frames(source), round(Fraction(rate))
        assert [clock.text(picture * clock.per_number) for picture in range(len(written))] == list(written), "FFmpeg reads other timecodes than were written"
        numbers = [boundary - 1, boundary, boundary + 1]
        sheet.write_text(json.dumps({"game": "g", "cues": [poll(number, clock.text(number * clock.per_number)) for number in numbers]}))
        with Server(options.server, source, "--cues", sheet, "--segment-duration", 2, "--copies", 1, "-o", recording, log=folder / f"{name}.log") as server:
            wait_until(lambda: server.now()["timecode"], 10, "a timecode")
            now = server.now()
            at, told = now["at"], now["timecode"]
            # The timecode is that of the picture at the time beside it, which is rounded to a hundredth of a millisecond.
            nearby = {clock.text(int((at + error) * Fraction(rate))) for error in (-0.00001, 0.00001)}
            assert told in nearby, f"at {at} s the timecode is one of {nearby}, not {told}"
            last = boundary + 1
            for seconds in (3, 3, 5):
                is_early = False
                while not is_early:
                    last = number = max(int((server.now()["at"] + seconds) * per_second) // clock.per_number + 7, last + 1)
                    status, answer = server.post(poll(number, clock.text(number * clock.per_number)))
                    assert status == 202 and answer["state"] == "scheduled" and answer["timecode"] == clock.text(number * clock.per_number), (status, answer)
                    # On a machine with much to do a call may take seconds: an event that came too late for its picture proves nothing.
                    is_early = server.now()["at"] < number * clock.per_number / per_second - 0.5
                numbers.append(number)
            wait_until(lambda: all(event["state"] in ("placed", "published") for event in server.events().values()), 15, "all events in the stream")
            statuses = server.events()
            wait_until(lambda: server.now()["input"] == "ended" or server.now()["at"] > max(numbers) / per_second * clock.per_number + 2, 15, "some more of the stream")
            server.stop()
        data, shown = Stream(whole(recording)), frames(recording)
        for number in numbers:
            text, guid = clock.text(number * clock.per_number), f"event-{number}"
            tag, wanted = data.guids[guid][0].pts, shown[text]
            allowed = 1 if "/" in rate and 90_000 * 1_001 % (per_second * 1_000) else 0
            assert 0 <= tag - wanted <= allowed, f"the event for {text} has the time {tag}, and its picture {wanted}"
            assert statuses[guid]["pts"] == tag and statuses[guid]["timecode"] == text, statuses[guid]
        return f"{len(numbers)} events have the very time of the picture that FFmpeg says has their timecode ({clock.text(numbers[0] * clock.per_number)} to {clock.text(max(numbers) * clock.per_number)})"

    def refused():
        clock = Clock(25, (10, 0, 0, 0))
        source = stream(folder, "refused", H264, "25", clock)
        with Server(options.server, source, log=folder / "refused.log") as server:
            wait_until(lambda: server.now()["timecode"], 10, "a timecode")
            problems = [("10:00:00:00", 409, "tooLate"), ("22:00:30:00", 409, "tooLate"), ("10:00:30:25", 422, "invalid"), ("10:00:30;00", 422, "invalid"),
                        ("10:00:30", 422, "invalid"), (36_000, 422, "invalid")]
            for timecode, wanted, kind in problems:
                status, answer = server.post(poll(1, timecode))
                assert status == wanted and answer["title"] == kind and (kind != "invalid" or answer["pointer"] == "/timecode"), (timecode, status, answer)
            status, answer = server.post(poll(2, "10:00:00:00", late="next"), "?wait=placed")
            assert status == 202 and answer["state"] in ("placed", "published"), answer
            server.stop()
        with Server(options.server, stream(folder, "none", H264, "25", None), log=folder / "none.log") as server:
            wait_until(lambda: (server.now()["at"] or 0) > 1.5, 10, "some of the stream")
            status, answer = server.post(poll(1, "10:00:30:00"))
            assert status == 409 and answer["title"] == "noTimecode" and "no timecode" in answer["detail"], (status, answer)
            assert server.now()["timecode"] is None
            server.stop()
        return "what has passed is tooLate, a stream without timecodes noTimecode (409), and a text or a frame that cannot be is invalid (422)"

    proofs = {
        "midnight": ("midnight", H264, "25", Clock(25, (23, 59, 55, 0)), 5 * 25),
        "drop": ("drop", H264_HRD, "30000/1001", Clock(30, (10, 0, 55, 0), drops=True), 5 * 30),
        "pairs": ("pairs", HEVC, "50", Clock(25, (9, 59, 55, 0), per_number=2), 5 * 25),
        "film": ("film", H264, "24000/1001", Clock(24, (1, 0, 0, 0)), 5 * 24),
    }
    chosen = {name: (lambda case=case: exact(*case)) for name, case in proofs.items()} | {"refused": refused}
    lines.prove_all("timecodes", {name: chosen[name] for name in options.only}, at_once=3)


if __name__ == "__main__":
    prove_and_end(run, "server", only={"midnight": 0, "drop": 0, "pairs": 0, "film": 0, "refused": 0})
