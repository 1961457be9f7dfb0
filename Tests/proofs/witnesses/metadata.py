"""Proves that `inspect --all --json` reads the timed metadata of others as programs do that nobody of this project wrote: a line for each fact.

    python3 -m proofs.witnesses.metadata --cuelight PROGRAM --ffmpeg FFMPEG --folder FOR_ITS_FILES

Splices by threefive, x9k3 and GStreamer, ID3 by mutagen, KLV by FFmpeg and GStreamer, event messages, user data in SEI messages and messages of FLV by
FFmpeg. FFmpeg is 8 or newer, with libx264; PyAV reads with another one. Every line has to be as its JSON Schema says.
"""

import collections
import io
import json
import re
import sys
from fractions import Fraction
from pathlib import Path

import av
import mutagen.id3
import threefive
import x9k3

from proofs.facts import prove_and_end
from proofs.processes import finished
from proofs.producers.studio import Studio, require
from proofs.witnesses import broadcast
from proofs.witnesses.schemas import Schemas

SECONDS = 20
TICKS = 90_000
WRAP = 1 << 33
SPLICES, ID3, KLV = 0x300, 0x301, 0x302
NAMES = {0: "splice_null", 4: "splice_schedule", 5: "splice_insert", 6: "time_signal", 7: "bandwidth_reservation", 255: "private_command"}
# Types of upid whose text threefive and Cuelight write in the same way.
TEXT_UPIDS = {1, 2, 3, 7, 9, 14, 15}
USER_DATA = "086f3693-b7b3-4f2c-9653-21492feee5b8"
KEY = bytes.fromhex("060e2b34020b01010e01030101000000")


class Stage(Studio):
    """The programs, a clip, and what `inspect --all` says, its lines checked."""

    def __init__(self, arguments):
        super().__init__(arguments.cuelight, arguments.ffmpeg, arguments.folder)
        self.schemas = Schemas(self)
        coding = "-c:v libx264 -preset ultrafast -bf 2 -g 50 -keyint_min 50 -sc_threshold 0 -pix_fmt yuv420p -c:a aac"
        self.clip = self.encode("clip.mp4", coding, seconds=SECONDS, size="160x120")
        self.source = self.folder / "clip.ts"
        self.transcode("-i", self.clip, "-c", "copy", self.source)
        self.zero = broadcast.zero_of(self.source.read_bytes())

    def all(self, path, *kinds):
        """The lines of these types, or of all but user data."""
        lines = self.schemas.lines("inspect --all", path)
        return [line for line in lines if line["type"] in kinds or not kinds and line["type"] not in ("sei", "notice")]

    def broadcast(self, name, streams, program_descriptors=b""):
        return self.written(name, broadcast.with_streams(self.source.read_bytes(), streams, program_descriptors))

    def gstreamer(self, *pipeline):
        return finished("gst-launch-1.0", *" ".join(map(str, pipeline)).split()).stdout


# Splices

def insert(event, ticks, **fields):
    """A splice_insert as threefive writes it."""
    cue = threefive.Cue()
    command = {
        "command_type": 5, "splice_event_id": event, "splice_event_cancel_indicator": False, "out_of_network_indicator": True, "program_splice_flag": True,
        "duration_flag": True, "break_duration": 15.5, "break_auto_return": True, "splice_immediate_flag": False, "event_id_compliance_flag": True,
        "time_specified_flag": True, "pts_time": ticks / TICKS, "unique_program_id": 39_321, "avail_num": 1, "avails_expected": 2}
    cue.load({"info_section": {"pts_adjustment": fields.pop("adjustment", 0.0)}, "command": command | fields})
    cue.encode()
    return bytes(cue.bites)


def segment(event, kind, upid=None, **fields):
    upid_type, length, value = upid or (0, 0, "")
    return {
        "tag": 2, "identifier": "CUEI", "segmentation_event_id": hex(event), "segmentation_event_cancel_indicator": False,
        "segmentation_event_id_compliance_indicator": True, "program_segmentation_flag": True, "segmentation_duration_flag": False,
        "delivery_not_restricted_flag": True, "segmentation_upid_type": upid_type, "segmentation_upid_length": length, "segmentation_upid": value,
        "segmentation_type_id": kind, "segment_num": 1, "segments_expected": 3} | fields


def signal(ticks, *descriptors, adjustment=0.0):
    """A time_signal as threefive writes it."""
    cue = threefive.Cue()
    command = {"command_type": 6, "time_specified_flag": ticks is not None} | ({"pts_time": ticks / TICKS} if ticks is not None else {})
    cue.load({"info_section": {"pts_adjustment": adjustment}, "command": command, "descriptors": list(descriptors)})
    cue.encode()
    return bytes(cue.bites)


def sections(zero):
    """Sections by the times in seconds at which they are sent, some of them twice."""
    at = lambda seconds: zero + round(seconds * TICKS)
    text = lambda kind, value: (kind, len(value), value)
    out = insert(7, at(4))
    return [
        (1, out), (2, out),
        (5, insert(7, at(12), out_of_network_indicator=False, duration_flag=False)),
        (5.5, insert(8, 0, splice_immediate_flag=True, time_specified_flag=False, break_auto_return=False)),
        (6, insert(9, 0, splice_event_cancel_indicator=True)),
        (6.5, insert(0xFFFF_FFFF, at(15) - 5 * TICKS, adjustment=5.0)),
        (7, signal(at(9), segment(1, 0x10, text(9, "SIGNAL:abc123")))),
        (7.5, signal(at(10), segment(2, 0x34, (8, 8, "0x000000002cb2d79d"), segmentation_duration_flag=True, segmentation_duration=30.03),
                     segment(3, 0x30, text(15, "urn:uuid:1234"), segmentation_duration_flag=True, segmentation_duration=400_000.25))),
        (8, signal(at(11), segment(2, 0x35, delivery_not_restricted_flag=False, web_delivery_allowed_flag=True, no_regional_blackout_flag=False,
                                   archive_allowed_flag=True, device_restrictions="No Restrictions"))),
        (8.5, signal(None, segment(4, 0x22, text(3, "ABCD0123456H")))),
        (9, signal(at(13), segment(5, 0x36, text(7, "MV0004146400")), segment(6, 0x40), adjustment=95_000.0)),
    ]


def by_threefive(cue):
    """The fields of a section that both name, as a line of `inspect` has them."""
    found = cue.get()
    info, command = found["info_section"], found["command"]
    ticks = lambda seconds: round(seconds * TICKS)
    line = {"command": NAMES[command["command_type"]], "ptsAdjustment": ticks(info["pts_adjustment"])}
    if "pts_time" in command and command.get("time_specified_flag"):
        line["splicePts"] = (ticks(command["pts_time"]) + line["ptsAdjustment"]) % WRAP
    if command["command_type"] == 5:
        line["eventId"] = command["splice_event_id"]
        if command["splice_event_cancel_indicator"]:
            line["cancelled"] = True
        else:
            line |= {"out": command["out_of_network_indicator"], "immediate": command["splice_immediate_flag"], "programId": command["unique_program_id"]}
            if command["duration_flag"]:
                line |= {"duration": ticks(command["break_duration"]), "autoReturn": command["break_auto_return"]}
    segments = [segmentation_by_threefive(one, ticks) for one in found["descriptors"] if one["tag"] == 2]
    return line | ({"segmentation": segments} if segments else {})


def segmentation_by_threefive(one, ticks):
    found = {"eventId": int(one["segmentation_event_id"], 16)}
    if one["segmentation_event_cancel_indicator"]:
        return found | {"cancelled": True}
    found |= {"typeId": one["segmentation_type_id"], "segment": one["segment_num"], "segments": one["segments_expected"]}
    if one["segmentation_duration_flag"]:
        found["duration"] = ticks(one["segmentation_duration"])
    if one["segmentation_upid_length"]:
        found["upidType"] = one["segmentation_upid_type"]
        found["upid"] = plain(one["segmentation_upid"], found["upidType"])
    return found


def plain(upid, kind):
    """A upid as text, or as a number: threefive leaves out zeros in front."""
    return upid if kind in TEXT_UPIDS else int(upid, 16)


def by_inspect(line):
    """The same fields of a line, or of an object in it."""
    names = ("command", "ptsAdjustment", "splicePts", "eventId", "cancelled", "out", "immediate", "programId", "duration", "autoReturn")
    found = {name: line[name] for name in names if name in line}
    if "duration" in found:
        found["duration"] = round(found["duration"] * TICKS)
    segments = []
    for one in line.get("segmentation", []):
        kept = {name: one[name] for name in ("eventId", "cancelled", "typeId", "segment", "segments", "duration", "upidType", "upid") if name in one}
        if "duration" in kept:
            kept["duration"] = round(kept["duration"] * TICKS)
        if "upid" in kept:
            kept["upid"] = plain(kept["upid"], kept["upidType"])
        segments.append(kept)
    return found | ({"segmentation": segments} if segments else {})


def cues_of(path):
    """The sections of a transport stream as threefive finds them, with their PID."""
    found = []
    for cue in threefive.Stream(str(path), show_null=True).decode_next():
        found.append((cue.packet_data.pid, by_threefive(cue)))
    return found


def compare_splices(path, lines):
    """`inspect` has a line for each different section that threefive finds, with how often it is there; gives how many there are."""
    expected = collections.Counter(json.dumps([pid, cue], sort_keys=True) for pid, cue in cues_of(path))
    found = collections.Counter()
    for line in lines:
        require("unreadable" not in line, f"unreadable: {line}")
        found[json.dumps([line["pid"], by_inspect(line)], sort_keys=True)] += line["count"]
    require(expected, f"threefive finds nothing in {path.name}")
    require(found == expected, f"{path.name}: only threefive has {list((expected - found))}, only inspect has {list((found - expected))}")
    return expected.total(), len(lines)


def spliced(stage):
    stream = broadcast.Stream(0x86, SPLICES, sections(stage.zero), broadcast.descriptor(0x8A, b"\1"), is_sections=True)
    return stage.broadcast("splices.ts", [stream], broadcast.descriptor(5, b"CUEI"))


def splices_of_threefive(stage):
    path = spliced(stage)
    lines = stage.all(path)
    count, kinds = compare_splices(path, lines)
    for line in lines:
        if "splicePts" in line:
            require(line["pts"] == line["splicePts"], f"another time: {line}")
            later = (line["splicePts"] - stage.zero) % WRAP
            expected = later if later < WRAP // 2 else later - WRAP
            require(abs(line["time"] * TICKS - expected) < 1, f"{line['time']} s is not {expected / TICKS} s")
    with av.open(str(path)) as container:
        sizes = [packet.size for packet in container.demux(container.streams.data[0]) if packet.size]
    require(sorted(sizes) == sorted(size for line in lines for size in [line["bytes"]] * line["count"]), f"PyAV finds sections of {sizes} bytes")
    return f"threefive {threefive.version} reads the same {count} sections, {kinds} of them different, and PyAV as many of these sizes"


def splices_of_gstreamer(stage):
    """GStreamer reads the sections, and writes them anew with another clock and with heartbeats."""
    path, output = spliced(stage), stage.folder / "gstreamer.ts"
    said = stage.gstreamer(f"-m filesrc location={path} ! tsdemux send-scte35-events=true ! fakesink")
    count = said.count("scte-sit")
    require(count == len(sections(stage.zero)), f"tsdemux finds {count} sections")
    stage.gstreamer(f"-q filesrc location={path} ! tsdemux name=in send-scte35-events=true",
                    f"mpegtsmux name=out scte-35-pid=500 scte-35-null-interval=450000 ! filesink location={output}",
                    "in. ! queue ! h264parse ! out. in. ! queue ! aacparse ! out.")
    lines = stage.all(output)
    found, kinds = compare_splices(output, lines)
    commands = collections.Counter(line["command"] for line in lines)
    require(commands["splice_insert"] >= 4 and commands["time_signal"] >= 3 and commands["splice_null"] == 1, f"it wrote {commands}")
    return f"tsdemux finds the {count} sections; of what mpegtsmux makes of them, threefive reads the same {found}, {kinds} different"


def playlists_of_x9k3(stage, tag):
    """Splices as tags of a playlist, written by x9k3."""
    folder = stage.folder / f"x9k3-{tag}"
    out, back = insert(7, stage.zero + 6 * TICKS, break_duration=8.0), insert(7, stage.zero + 14 * TICKS, out_of_network_indicator=False, duration_flag=False)
    stream = broadcast.Stream(0x86, SPLICES, [(2, out), (10, back)], broadcast.descriptor(0x8A, b"\1"), is_sections=True)
    path = stage.broadcast(f"{tag}.ts", [stream], broadcast.descriptor(5, b"CUEI"))
    # Tags with dates are written for live playlists alone, in which all segments stay.
    live = ["-w", "10", "-N"] if tag == "x_daterange" else []
    program = Path(sys.executable).with_name("x9k3")
    folder.mkdir(exist_ok=True)
    # It writes a file of its own into its folder.
    finished(program, "-i", path, "-t", "2", "-T", tag, "-o", folder, *live, cwd=folder)
    playlist = folder / "index.m3u8"
    text = playlist.read_text()
    lines = stage.all(playlist, "splice", "daterange")
    tags = [line for line in lines if "tag" in line or line["type"] == "daterange"]
    compare_splices(path, [line for line in lines if line not in tags])
    written = re.findall(r"^#(EXT-X-(?:CUE|SCTE35|SPLICEPOINT|DATERANGE).*?) *$", text, re.MULTILINE)
    require(written, f"x9k3 has written no tags: {text[:500]}")
    if tag == "x_daterange":
        expected = [by_threefive(decoded(value)) for line in written for value in re.findall(r"SCTE35-(?:OUT|IN|CMD)=\"?(0x[0-9a-fA-F]+)", line)]
        found = [by_inspect(one) for line in tags for one in line["splices"]]
    else:
        require([line["tag"] for line in tags] == written, f"not all tags: {[line['tag'] for line in tags]}, {written}")
        expected = [by_threefive(decoded(value)) for value in re.findall(r"(?:CUE=\"?|SPLICEPOINT-SCTE35:)(/[A-Za-z0-9+/=]+)", "\n".join(written))]
        found = [by_inspect(line["splice"]) for line in tags if "splice" in line]
        starts = {name: seconds for seconds, name in segment_starts(text)}
        require([round(line["time"], 3) for line in tags] == [starts[name] for name in followed(text, written)], f"other times: {tags}")
    require(found == expected, f"{found} instead of {expected}")
    if tag == "x_cue":
        outs = [line for line in tags if line.get("out")]
        require(outs[0]["duration"] == 8 and [line["elapsed"] for line in outs[1:]] == [2, 4, 6], f"other breaks: {outs}")
        require([line for line in tags if line.get("out") is False], "no end of the break")
    return f"{len(written)} tags, {len(expected)} with a section, as threefive reads it"


def decoded(text):
    cue = threefive.Cue(text)
    cue.decode()
    return cue


def segment_starts(text):
    """The start of each segment of a playlist, and its URI."""
    at = Fraction(0)
    for duration, uri in re.findall(r"^#EXTINF:([\d.]+),.*\n(?:#.*\n)*([^#\n]+)", text, re.MULTILINE):
        yield round(float(at), 3), uri
        at += Fraction(duration)


def followed(text, tags):
    """The URIs of the segments that tags stand in front of."""
    lines = [line.strip() for line in text.splitlines()]
    for number, line in enumerate(lines):
        if line[1:] in tags and line.startswith("#"):
            yield next(other for other in lines[number:] if other and not other.startswith("#"))


# ID3, KLV

def tags():
    """Tags by mutagen: the time, and the tag."""
    id3 = mutagen.id3
    frames = [
        [id3.TIT2(encoding=3, text=["Läuft gerade"]), id3.TPE1(encoding=1, text=["Ada", "Grace"]), id3.TXXX(encoding=3, desc="d", text=["a", "b"])],
        [id3.PRIV(owner="com.example", data=bytes(range(40))), id3.UFID(owner="http://example.com", data=b"12"), id3.TALB(encoding=0, text=["Grün"])],
        [id3.APIC(encoding=3, mime="image/png", type=3, desc="cover", data=bytes(range(1, 251)) * 3), id3.COMM(encoding=2, lang="deu", desc="k", text=["é"])],
        [id3.WXXX(encoding=3, desc="more", url="https://example.com/a"), id3.GEOB(encoding=3, mime="m/n", filename="f", desc="d", data=b"123")],
        [id3.USLT(encoding=3, lang="eng", desc="", text="la la"), id3.WOAR(url="https://example.com/b"), id3.TCON(encoding=3, text=["News"])],
    ]
    for number, list_of_frames in enumerate(frames):
        written = id3.ID3()
        for frame in list_of_frames:
            written.add(frame)
        target = io.BytesIO()
        written.save(target, v2_version=3 if number == 2 else 4, padding=lambda _: 0)
        yield 2 + number * 2.5, target.getvalue()


def text_by_mutagen(frame):
    """What a frame says, as a frame of a line has it."""
    id3 = mutagen.id3
    if isinstance(frame, id3.TXXX):
        return {"id": "TXXX", "description": frame.desc, "text": ["\0".join(frame.text)]}
    if isinstance(frame, id3.TextFrame) and not isinstance(frame, id3.COMM):
        return {"id": frame.FrameID, "text": list(frame.text)}
    if isinstance(frame, id3.COMM):
        return {"id": "COMM", "language": frame.lang, "description": frame.desc, "value": " / ".join(frame.text)}
    if isinstance(frame, id3.USLT):
        return {"id": "USLT", "language": frame.lang, "description": frame.desc, "value": frame.text}
    if isinstance(frame, id3.APIC):
        return {"id": "APIC", "mime": frame.mime, "pictureType": int(frame.type), "description": frame.desc, "size": len(frame.data)}
    if isinstance(frame, id3.GEOB):
        return {"id": "GEOB", "mime": frame.mime, "description": frame.desc, "value": frame.filename, "size": len(frame.data)}
    if isinstance(frame, id3.PRIV):
        return {"id": "PRIV", "owner": frame.owner, "data": frame.data.hex()}
    if isinstance(frame, id3.UFID):
        return {"id": "UFID", "owner": frame.owner, "size": len(frame.data)}
    if isinstance(frame, id3.WXXX):
        return {"id": "WXXX", "description": frame.desc, "value": frame.url}
    return {"id": frame.FrameID, "value": frame.url}


def compare_id3(path, lines, expected):
    """Each tag as PyAV reads its bytes and mutagen its frames."""
    with av.open(str(path)) as container:
        stream = next(stream for stream in container.streams.data if stream.name == "timed_id3")
        packets = [(packet.pts % WRAP, bytes(packet)) for packet in container.demux(stream) if packet.size]
    require([tag for _, tag in packets] == expected, f"PyAV finds other tags: {packets}")
    require([(line["pts"], line["bytes"]) for line in lines] == [(pts, len(tag)) for pts, tag in packets], f"other times or sizes in {path.name}")
    frames = 0
    for line, (_, tag) in zip(lines, packets):
        read = mutagen.id3.ID3(io.BytesIO(tag), translate=False)
        require(not read.unknown_frames, f"mutagen does not know {read.unknown_frames}")
        key = lambda frame: json.dumps(frame, sort_keys=True)
        said = [{name: value for name, value in frame.items() if name != "data" or frame["id"] == "PRIV"} for frame in line["frames"]]
        wanted = [text_by_mutagen(frame) for frame in read.values()]
        require(sorted(map(key, said)) == sorted(map(key, wanted)), f"{said} instead of {wanted}")
        frames += len(wanted)
    return frames


def id3_of_mutagen(stage):
    units = [(time, broadcast.pes(0xBD, stage.zero + round(time * TICKS), tag)) for time, tag in tags()]
    program = broadcast.descriptor(0x25, b"\xFF\xFFID3 \xFFID3 \x00\x1F\0\1")
    own = broadcast.descriptor(0x26, b"\xFF\xFFID3 \xFFID3 \0\x0F")
    path = stage.broadcast("id3.ts", [broadcast.Stream(0x15, ID3, units, own)], program)
    copied = stage.folder / "id3-copied.ts"
    stage.transcode("-i", path, "-map", "0", "-c", "copy", copied)
    expected = [tag for _, tag in tags()]
    frames = compare_id3(path, stage.all(path), expected)
    compare_id3(copied, stage.all(copied), expected)
    return f"mutagen {mutagen.version_string} reads the same {frames} frames of {len(expected)} tags, also in FFmpeg's copy, PyAV the same PTS and bytes"


def klv_of_ffmpeg(stage):
    """KLV in a stream that FFmpeg (PyAV) writes, with lengths of one byte and of more, and several sets in a packet."""
    path = stage.folder / "klv.ts"
    payloads = [KEY + b"\x03abc" + KEY + b"\x01x", KEY + b"\x82\x01\x00" + bytes(256), KEY + b"\x81\x90" + bytes(144)]
    sets = [[3, 1], [256], [144]]
    with av.open(str(stage.clip)) as source, av.open(str(path), "w") as output:
        video = output.add_stream_from_template(source.streams.video[0])
        data = output.add_data_stream("klv")
        data.time_base = Fraction(1, TICKS)
        number = 0
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is None:
                continue
            if packet.is_keyframe and number < 6:
                added = av.Packet(payloads[number % 3])
                added.stream, added.time_base = data, Fraction(1, TICKS)
                added.pts = added.dts = int(packet.pts * packet.time_base * TICKS) + 450 * number
                output.mux(added)
                number += 1
            packet.stream = video
            output.mux(packet)
    with av.open(str(path)) as container:
        packets = [(packet.pts, packet.size) for packet in container.demux(container.streams.data[0]) if packet.size]
    lines = stage.all(path, "klv")
    # A packet with the same keys repeats another one.
    require(sum(line["count"] for line in lines) == len(packets) == 6, f"{lines} instead of {packets}")
    for line in lines:
        index = packets.index((line["pts"], line["bytes"]))
        require([one["length"] for one in line["sets"]] == sets[index % 3] and {one["key"] for one in line["sets"]} == {KEY.hex()}, f"other sets: {line}")
    return f"PyAV {av.__version__} writes and reads {len(packets)} packets, at the same PTS and with the same sizes"


def klv_of_gstreamer(stage):
    data, path = stage.written("one.klv", KEY + b"\x05hello"), stage.folder / "klv-gstreamer.ts"
    stage.gstreamer(f"-q filesrc location={stage.clip} ! qtdemux name=in mpegtsmux name=out ! filesink location={path}",
                    f"in.video_0 ! queue ! h264parse ! out. filesrc location={data} ! meta/x-klv,parsed=true ! queue ! out.")
    (line,) = stage.all(path, "klv")
    require(line["sets"] == [{"key": KEY.hex(), "length": 5}] and line["bytes"] == 22, f"other sets: {line}")
    with av.open(str(path)) as container:
        (packet,) = [packet for packet in container.demux(container.streams.data[0]) if packet.size]
    require((packet.pts or 0) % WRAP == line["pts"] and bytes(packet) == data.read_bytes(), f"PyAV finds {packet.pts}: {bytes(packet)}")
    return "mpegtsmux's packet, with the PTS and the bytes that PyAV finds"


# Fragmented MP4, SEI, FLV

def box(kind, *parts):
    data = b"".join(parts)
    return (len(data) + 8).to_bytes(4, "big") + kind + data


def message(version, scheme, value, identifier, time, duration, data, scale=1000):
    """An event message box (ISO/IEC 23009-1, 5.10.3.3)."""
    texts = scheme.encode() + b"\0" + value.encode() + b"\0"
    if version == 0:
        return box(b"emsg", bytes(4), texts, b"".join(number.to_bytes(4, "big") for number in (scale, time, duration, identifier)), data)
    numbers = scale.to_bytes(4, "big") + time.to_bytes(8, "big") + duration.to_bytes(4, "big") + identifier.to_bytes(4, "big")
    return box(b"emsg", b"\1\0\0\0", numbers, texts, data)


def video_packets(path):
    with av.open(str(path)) as container:
        return [packet for packet in container.demux(container.streams.video[0]) if packet.pts is not None]


def event_messages(stage):
    """Messages in front of the fragments of FFmpeg, with sections of threefive: of version 1 with their time, of version 0 with that in the segment."""
    path = stage.folder / "fragments.mp4"
    stage.transcode("-i", stage.clip, "-an", "-c", "copy", "-movflags", "+empty_moov+frag_keyframe+default_base_moof", path)
    data, written, number = path.read_bytes(), bytearray(), 0
    scte = "urn:scte:scte35:2013:bin"
    cues = [section for _, section in sections(0)[:3]]
    added = [
        message(1, scte, "1001", 77, 2_500, 15_500, cues[0]), message(1, "urn:example:notes", "a b", 78, 4_000, 0xFFFF_FFFF, b"hello"),
        message(0, scte, "", 79, 250, 0, cues[2]), message(1, "https://aomedia.org/emsg/ID3", "", 80, 6_000, 0, next(tags())[1])]
    position = 0
    while position < len(data):
        size = int.from_bytes(data[position:position + 4], "big")
        if data[position + 4:position + 8] == b"moof" and number < len(added):
            written += added[number]
            number += 1
        written += data[position:position + size]
        position += size
    stage.written("messages.mp4", written)
    # FFmpeg passes over them.
    stage.transcode("-i", stage.folder / "messages.mp4", "-f", "null", "-")
    lines = stage.all(stage.folder / "messages.mp4")
    frames = video_packets(path)
    start = min(float(packet.pts * packet.time_base) for packet in frames)
    keys = [float(packet.pts * packet.time_base) for packet in frames if packet.is_keyframe]
    expected = [2.5 - start, 4 - start, keys[2] + 0.25 - start, 6 - start]
    by_id = {line["id"]: line for line in lines}
    times = [by_id[number]["time"] for number in (77, 78, 79, 80)]
    require(all(abs(found - wanted) < 0.001 for found, wanted in zip(times, expected)), f"{times} instead of {expected}")
    first, second, third, fourth = (by_id[number] for number in (77, 78, 79, 80))
    require([first["scheme"], first["value"], first["duration"], third["duration"]] == [scte, "1001", 15.5, 0], f"other fields: {first}, {third}")
    require([second["scheme"], second["value"], second["duration"], second["size"]] == ["urn:example:notes", "a b", None, 5], f"other fields: {second}")
    for line, cue in ((first, cues[0]), (third, cues[2])):
        require(by_inspect(line["splice"]) == by_threefive(decoded(cue)), f"another section: {line}")
    require(fourth["type"] == "id3" and {frame["id"] for frame in fourth["frames"]} == {"TIT2", "TPE1", "TXXX"}, f"another tag: {fourth}")
    return "of versions 0 and 1 in front of FFmpeg's fragments, their sections as threefive reads them"


def user_data(stage):
    """FFmpeg puts user data into the video, and packages it as a transport stream and as fragmented MP4, H.264 and HEVC."""
    said = f"h264_metadata=sei_user_data={USER_DATA}+hello"
    facts = []
    for name, *options in (("sei.ts",), ("sei.mp4", "-movflags", "+frag_keyframe+delay_moov+default_base_moof"), ("sei/index.m3u8", "-hls_segment_type", "fmp4")):
        path = stage.folder / name
        path.parent.mkdir(exist_ok=True)
        stage.transcode("-i", stage.clip, "-an", "-c", "copy", "-bsf:v", said, *options, path)
        lines = {line["uuid"]: line for line in stage.all(path, "sei")}
        require(USER_DATA.replace("-", "") in lines, f"{name}: the user data is missing: {lines}")
        line = lines[USER_DATA.replace("-", "")]
        require(line["bytes"] in (21, 22) and line["time"] == 0, f"{name}: {line}")
        require(any(other.get("name") == "x264 encoder settings" for other in lines.values()), f"{name}: x264's settings are missing")
        facts.append(name)
    path = stage.folder / "hevc.mp4"
    coding = "-c:v libx265 -preset ultrafast -x265-params log-level=none -tag:v hvc1 -pix_fmt yuv420p"
    picture = "testsrc2=size=160x120:rate=25:duration=2"
    stage.transcode("-f", "lavfi", "-i", picture, *coding.split(), "-movflags", "+frag_keyframe+delay_moov+default_base_moof", path)
    require(any(line.get("name") == "x265 encoder settings" for line in stage.all(path, "sei")), "x265's settings are missing")
    return f"FFmpeg's and x264's user data in {', '.join(facts)}, and x265's in hevc.mp4"


def messages_of_flv(stage):
    """FFmpeg writes onMetaData, and subtitles as onTextData, and reads them again."""
    captions, path = stage.folder / "captions.srt", stage.folder / "messages.flv"
    captions.write_text("1\n00:00:02,000 --> 00:00:04,000\nHello\n\n2\n00:00:06,500 --> 00:00:08,000\nGoal\n")
    stage.transcode("-i", stage.clip, "-i", captions, "-map", "0", "-map", "1", "-c", "copy", "-c:s", "text", path)
    lines = stage.all(path, "amf")
    names = [line["name"] for line in lines]
    require(names[0] == "onMetaData" and names.count("onTextData") >= 2, f"FFmpeg has written {names}")
    meta = lines[0]["values"][0]
    require((meta["width"], meta["height"], round(meta["framerate"])) == (160, 120, 25), f"other values: {meta}")
    texts = [(line["time"], line["values"][0].get("text")) for line in lines if line["name"] == "onTextData"]
    with av.open(str(path)) as container:
        others = [stream for stream in container.streams if stream.type in ("subtitle", "data")]
        packets = [(float(packet.pts * packet.time_base), bytes(packet).decode(errors="replace")) for packet in container.demux(others) if packet.size]
    start = min(float(packet.pts * packet.time_base) for packet in video_packets(path))
    require(packets and len(packets) == len(texts), f"PyAV finds {packets}, inspect {texts}")
    for (time, text), (found, said) in zip(texts, packets):
        require(abs(time + start - found) < 0.002 and text.strip() in said, f"PyAV finds {said} at {found}, inspect {text} at {time}")
    return f"onMetaData, and {len(texts)} messages onTextData that PyAV reads at the same times"


def lines_are_as_their_schemas_say(stage):
    return stage.schemas.every_command(spliced(stage))


def run(lines, arguments):
    stage = Stage(arguments)
    lines.prove("splices in a transport stream", splices_of_threefive, stage)
    lines.prove("splices through GStreamer", splices_of_gstreamer, stage)
    for tag in ("x_cue", "x_scte35", "x_splicepoint", "x_daterange"):
        lines.prove(f"splices in a playlist of x9k3 {x9k3.version()}, {tag}", playlists_of_x9k3, stage, tag)
    lines.prove("ID3 of others in a transport stream", id3_of_mutagen, stage)
    lines.prove("KLV of FFmpeg", klv_of_ffmpeg, stage)
    lines.prove("KLV of GStreamer", klv_of_gstreamer, stage)
    lines.prove("event messages", event_messages, stage)
    lines.prove("user data in SEI messages", user_data, stage)
    lines.prove("messages in FLV", messages_of_flv, stage)
    lines.prove("JSON Schemas", lines_are_as_their_schemas_say, stage)


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "ffmpeg")
