"""Splices as threefive, x9k3 and GStreamer write and read them, compared with the lines of `inspect --all`."""

import collections
import json
import re
import sys
from fractions import Fraction
from pathlib import Path

import av
import threefive

from proofs.processes import finished
from proofs.producers.studio import require
from proofs.witnesses import broadcast

TICKS = 90_000
WRAP = 1 << 33
PID = 0x300
NAMES = {
    0: "splice_null", 4: "splice_schedule", 5: "splice_insert", 6: "time_signal", 7: "bandwidth_reservation", 255: "private_command"}
# Types of upid whose text threefive and Cuelight write in the same way.
TEXT_UPIDS = {1, 2, 3, 7, 9, 14, 15}


def insert(event, ticks, **fields):
    """A splice_insert as threefive writes it."""
    cue = threefive.Cue()
    command = {
        "command_type": 5, "splice_event_id": event, "splice_event_cancel_indicator": False, "out_of_network_indicator": True,
        "program_splice_flag": True,
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
            line |= {"out": command["out_of_network_indicator"], "immediate": command["splice_immediate_flag"]}
            line["programId"] = command["unique_program_id"]
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
    stream = broadcast.Stream(0x86, PID, sections(stage.zero), broadcast.descriptor(0x8A, b"\1"), is_sections=True)
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
    out = insert(7, stage.zero + 6 * TICKS, break_duration=8.0)
    back = insert(7, stage.zero + 14 * TICKS, out_of_network_indicator=False, duration_flag=False)
    stream = broadcast.Stream(0x86, PID, [(2, out), (10, back)], broadcast.descriptor(0x8A, b"\1"), is_sections=True)
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
