"""Lets PyAV and FFmpeg say what SEI messages a stream has, and what is left of its events where the ID3 stream is dropped.

    python3 -m proofs.live.sei --server PROGRAM --cuelight PROGRAM --library PLAYERS --folder FOR_ITS_FILES [--seconds 20] [--brief] [--seed 1]

FFmpeg 8 copies picture and sound of each stream and drops all else. With --brief only transport streams of H.264 are tried.
"""

import hashlib
import random
import socket
import time
from collections import Counter
from pathlib import Path

import av

from proofs import transport, wire
from proofs.facts import prove_and_end
from proofs.live.clock import ClockPublisher
from proofs.live.server import Server, cue, new_guid, udp
from proofs.processes import ffmpeg as system_ffmpeg, finished, free_port, wait_until

CUES = Path(__file__).resolve().parents[3] / "samples" / "quick-round.yaml"
UUID = bytes.fromhex("fedfed3733c44466b98ff5e8a0e4a7ae")
SEGMENT = 2


class Watched:
    """A stream as PyAV decodes it: its pictures, and the tags in their SEI messages, with when they are presented."""

    def __init__(self, address):
        self.pictures, self.tags = [], []
        with av.open(str(address)) as container:
            (stream, *_) = container.streams.video
            for frame in container.decode(stream):
                self.pictures.append(hashlib.md5(b"".join(bytes(plane) for plane in frame.planes)).hexdigest())
                for data in frame.side_data:
                    body = bytes(data)
                    if data.type.name == "SEI_UNREGISTERED" and body[:16] == UUID:
                        delay = int.from_bytes(body[16:20], "big", signed=True)
                        self.tags.append((round(frame.pts * frame.time_base * 90_000) + delay, body[20:]))

    @property
    def guids(self):
        return Counter(str(wire.parse(wire.text_of(tag))["guid"]) for _, tag in self.tags)


def copy(ffmpeg, source, target, *options):
    """Copies picture and sound of a stream, and nothing else."""
    finished(ffmpeg, "-nostdin", "-v", "error", "-y", "-i", source, "-map", "0:v", "-map", "0:a", "-c", "copy", *options, target)


def run(lines, options):
    folder, ffmpeg = options.folder, options.library / "ffmpeg"

    def cuelight(*arguments, **keys):
        return finished(options.cuelight, *arguments, **keys).stdout

    def clip(codec, *encoder):
        path = folder / f"{codec}.mp4"
        system_ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=19", "-f", "lavfi", "-i", "sine=frequency=330:duration=19", "-pix_fmt", "yuv420p",
            "-g", "50", *encoder, "-c:a", "aac", path)
        return path

    clips = {"H.264": clip("h264", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2")}
    if not options.brief:
        clips["HEVC"] = clip("hevc", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error", "-tag:v", "hvc1")
    kinds = {"a transport stream": ("stamped.ts",), "HLS": ("ts/index.m3u8",), "fragmented MP4": ("fmp4/index.m3u8", "--segment-type", "fmp4")}
    if options.brief:
        kinds = dict(list(kinds.items())[:1])

    def stamped(codec, kind):
        name, *rest = kinds[kind]
        output, source = folder / codec / name, clips[codec]
        output.parent.mkdir(parents=True, exist_ok=True)
        said = cuelight("stamp", source, "--cues", CUES, "-o", output, "--sei", *rest)
        seen, original = Watched(output), Watched(source)
        assert seen.pictures == original.pictures, "the pictures are others"
        copies = [wire.parse(line) for line in cuelight("inspect", "--json", output).splitlines()]
        copies = [line for line in copies if line["type"] == "copy"]
        assert len(seen.tags) == len(copies) and f"{len(copies)} copies in SEI messages too" in said, (len(seen.tags), len(copies), said)
        assert all("sei" != line["carriage"] for line in copies), "copies count twice"
        assert cuelight("doctor", output).rstrip().splitlines()[-1].startswith(f"{output}: 0 errors, 0 warnings, 0 notes"), cuelight("doctor", output)
        if name.endswith(".ts"):
            data = output.read_bytes()
            transport.check_continuity(data)
            told = Counter((pts, tag) for pts, tag in transport.timed_id3(data)[1])
            assert told == Counter((pts % (1 << 33), tag) for pts, tag in seen.tags), "other tags, or other times, than those of the ID3 stream"
        return f"PyAV finds all {len(copies)} tags; {len(seen.pictures)} pictures are what they were; nothing counts twice, the doctor finds nothing"

    def dropped(codec, kind):
        output = folder / codec / kinds[kind][0]
        targets = {"copy.ts": (), "copy.mp4": ("-movflags", "frag_keyframe+empty_moov+default_base_moof", "-bsf:a", "aac_adtstoasc")}
        for name, rest in targets.items():
            target = output.with_name(name)
            copy(ffmpeg, output, target, *(rest[:2] if kind == "fragmented MP4" else rest))
            copies = [wire.parse(line) for line in cuelight("inspect", "--json", target).splitlines()]
            copies = [line for line in copies if line["type"] == "copy"]
            assert copies and all(line["carriage"] == "sei" for line in copies), Counter(line["carriage"] for line in copies)
            cuelight("verify", target, "--cues", CUES)
            doctor = finished(options.cuelight, "doctor", target, status=1)
            assert "EVENT-SEI-ALONE" in doctor.stdout, doctor.stdout
        return f"{len(copies)} copies are left in transport streams and in fragmented MP4, every event exactly at its cue"

    def refused(codec):
        """No chain leaves a stream that takes the same game again: the events would be there twice."""
        source, tried = folder / codec / "stamped.ts", 0
        for name in (source.name, "again.ts", "again.mp4", "again.mkv"):
            copied = source.with_name(name)
            if copied != source:
                copy(ffmpeg, source, copied, *(("-bsf:a", "aac_adtstoasc") if name == "again.mp4" else ()))
            for output, rest in (("twice.ts", ()), ("twice/index.m3u8", ()), ("twice/index.m3u8", ("--segment-type", "fmp4"))):
                again = finished(options.cuelight, "stamp", copied, "--cues", CUES, "-o", source.parent / output, *rest, status=65)
                assert "SEI message" in again.stderr and "--replace" not in again.stderr, (name, output, again)
                assert not (source.parent / output).exists(), f"{output} is left of {name}"
                tried += 1
        return f"{tried} ways to stamp it with the same game once more are refused, and leave nothing"

    def stripped(codec):
        """The video has its pictures, and no event, whether its packets are those of the stamped stream or others; the former are what they were."""
        plain, taken = folder / codec / "plain.ts", 0
        plain.parent.mkdir(parents=True, exist_ok=True)
        copy(ffmpeg, clips[codec], plain)
        cuelight("stamp", plain, "--cues", CUES, "-o", folder / codec / "both.ts", "--sei")
        copy(ffmpeg, folder / codec / "both.ts", folder / codec / "others.ts")
        original = Watched(plain).pictures
        for name in ("both.ts", "others.ts"):
            output = folder / codec / f"without-{name}"
            said = cuelight("strip", folder / codec / name, "-o", output)
            seen = Watched(output)
            assert seen.pictures == original and not seen.tags, f"{name}: {len(seen.pictures)} pictures, {len(seen.tags)} tags"
            assert "copies in SEI messages too" in said, said
            transport.check_continuity(output.read_bytes())
            taken += int(said.split(" copies in SEI")[0].split()[-1])
        assert (folder / codec / "without-both.ts").read_bytes() == plain.read_bytes(), "the stream is not what it was"
        cuelight("stamp", folder / codec / "both.ts", "--cues", CUES, "-o", folder / codec / "new.ts", "--replace")
        assert not Watched(folder / codec / "new.ts").tags, "--replace leaves tags"
        cuelight("verify", folder / codec / "new.ts", "--cues", CUES)
        return f"{taken} copies left the video; the stamped stream is what it was, byte for byte, and so are the pictures of FFmpeg's copy of it"

    for codec in clips:
        lines.prove(f"SEI messages of {codec}, taken out", lambda: stripped(codec))
        for kind in kinds:
            lines.prove(f"SEI messages of {codec} in {kind}", lambda: stamped(codec, kind))
            lines.prove(f"{codec} in {kind}, without its ID3", lambda: dropped(codec, kind))
        lines.prove(f"{codec}, with its ID3 and without it, again", lambda: refused(codec))

    def live(kind):
        chance, posted = random.Random(options.seed), []
        port, target = free_port(socket.SOCK_DGRAM), folder / f"live-{kind}.ts"
        with Server(
                options.server, udp(port), "--sei", "--segment-type", kind, "--segment-duration", SEGMENT, "--window", 60, "-o",
                folder / f"www-{kind}" / "index.m3u8", log=folder / f"server-{kind}.log") as server:
            with ClockPublisher(udp(port), folder / "publisher.log"):
                wait_until(server.is_ready, 30, "a stream")
                end = time.monotonic() + options.seconds
                while time.monotonic() < end:
                    guid = new_guid(chance)
                    assert server.post(cue(len(posted) + 1) | {"guid": guid})[0] == 202
                    posted.append(guid)
                    time.sleep(chance.uniform(0.1, 0.4))
                wait_until(lambda: all(event["state"] in ("placed", "published") for event in server.events().values()), 10, "all events in the stream")
                time.sleep(2 * SEGMENT)
            server.stop()
        playlist = folder / f"www-{kind}" / "index.m3u8"
        seen = Watched(playlist)
        missing = [guid for guid in posted if guid not in seen.guids]
        assert not missing, f"{len(missing)} of {len(posted)} events are in no SEI message"
        copy(ffmpeg, playlist, target)
        left = [wire.parse(line) for line in cuelight("inspect", "--json", target).splitlines()]
        new = [line["guid"] for line in left if line["type"] == "copy" and not line["duplicate"]]
        assert new == posted, f"{len(new)} events instead of {len(posted)}"
        return f"PyAV finds all {len(posted)} events in {len(seen.tags)} SEI messages; each is there once, in order, where FFmpeg drops the ID3 stream"

    for kind in ["ts"] if options.brief else ["ts", "fmp4"]:
        lines.prove(f"SEI messages of a live stream, {kind}", lambda: live(kind))


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "library", seconds=20.0, brief=False, seed=1)
