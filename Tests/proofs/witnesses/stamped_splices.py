"""Splices that `stamp` passes on: the sections of its outputs, read by threefive and by this file, compared with those of the input byte for byte."""

import base64
import re
from xml.etree import ElementTree

from proofs.producers.studio import require
from proofs.witnesses import broadcast, splices
from proofs import transport

SCHEME = "urn:scte:scte35:2013:bin"
MPD = "{urn:mpeg:dash:schema:mpd:2011}"


def shown(stage):
    """Sections of two breaks, and of a signal of the programme, with the times in seconds at which they are sent and take effect."""
    at = lambda seconds: stage.zero + round(seconds * splices.TICKS)
    out, back = splices.insert(7, at(6), break_duration=6.0, break_auto_return=False), splices.insert(
        7, at(12), out_of_network_indicator=False, duration_flag=False)
    signal = splices.signal(at(14), splices.segment(2, 0x34, segmentation_duration_flag=True, segmentation_duration=3.0))
    # Times are modulo 2^33 after pts_adjustment is added.
    programme = splices.signal((at(9) - 95_000 * splices.TICKS) % splices.WRAP, splices.segment(1, 0x10), adjustment=95_000.0)
    return [(2, out, 6), (4, out, 6), (5, programme, 9), (9, back, 12), (11, signal, 14)]


def moved(section, ticks):
    """A section whose times are moved: pts_adjustment and the checksum alone are other ones."""
    number = int.from_bytes(section[4:9], "big")
    adjustment = number & splices.WRAP - 1
    changed = section[:4] + (number - adjustment + (adjustment + ticks) % splices.WRAP).to_bytes(5, "big") + section[9:-4]
    return changed + transport.crc32_mpeg2(changed).to_bytes(4, "big")


def boxes(data, kind):
    """The boxes of a kind in the order in which they are in a file."""
    place = 0
    while place + 8 <= len(data):
        size = int.from_bytes(data[place:place + 4], "big")
        require(size >= 8, f"a box of {size} bytes")
        if data[place + 4:place + 8] == kind:
            yield data[place + 8:place + size]
        place += size


def messages(data):
    """Event messages of SCTE 35: time, duration, id and section (ISO/IEC 23009-1, 5.10.3.3)."""
    for box in boxes(data, b"emsg"):
        scheme, value, rest = box[24:].split(b"\0", 2)
        if scheme.decode() == SCHEME:
            number = lambda start, count: int.from_bytes(box[start:start + count], "big")
            require(box[0] == 1 and not value and number(4, 4) == splices.TICKS, "another event message than SCTE 214-3 has")
            yield number(8, 8), number(16, 4), number(20, 4), rest


def ranges(text):
    """The date ranges of breaks in a playlist, by their IDs."""
    found = {}
    for line in re.findall(r"^#EXT-X-DATERANGE:(.*)$", text, re.MULTILINE):
        attributes = {name: value.strip('"') for name, value in re.findall(r'([A-Z0-9-]+)=("[^"]*"|[^,]*)', line)}
        if "SCTE35-OUT" in attributes:
            require(attributes["ID"] not in found, f"two date ranges {attributes['ID']}")
            found[attributes["ID"]] = attributes
    return found


def require_ranges(playlist, sections):
    """Both breaks are in the playlist, at their times, with their sections."""
    found = ranges(playlist.read_text())
    first, second = found["splice-7-0"], found["splice-2-1"]
    require(first["START-DATE"] == "1970-01-01T00:00:06.000Z" and second["START-DATE"] == "1970-01-01T00:00:14.000Z", f"other dates: {found}")
    require(float(first["PLANNED-DURATION"]) == 6 and float(first["DURATION"]) == 6 and float(second["PLANNED-DURATION"]) == 3, f"{found}")
    values = [bytes.fromhex(text[2:]) for text in (first["SCTE35-OUT"], first["SCTE35-IN"], second["SCTE35-OUT"])]
    require(values == [sections[0], sections[3], sections[4]], "the date ranges have other sections")
    for value in (first["SCTE35-OUT"], first["SCTE35-IN"], second["SCTE35-OUT"]):
        splices.decoded(value)


def require_listed(stage, output, times, kinds):
    """`inspect --all` has a line for each different section, with its time, and the doctor finds nothing."""
    lines = stage.all(output, *kinds)
    found = sorted(round(line["time"], 3) for line in lines)
    require(found == sorted(times), f"inspect says {found} of {output.name}, not {sorted(times)}")
    status, findings, _ = stage.doctor(output)
    require(status == 0 and not findings, f"the doctor finds in {output.name}: {findings}")


def stamped(stage, output, *options):
    source = stage.broadcast("passed.ts", [broadcast.Stream(
        0x86, splices.PID, [(sent, section) for sent, section, _ in shown(stage)], broadcast.descriptor(0x8A, b"\1"), is_sections=True)],
        broadcast.descriptor(5, b"CUEI"))
    return stage.stamp(source, output, *options)


def in_segments(stage):
    """HLS of transport streams, and a transport stream made by libavformat: sections in the stream."""
    for output, options in (("passed/ts/index.m3u8", ("--segment-duration", "4")), ("passed/copied.ts", ("--remux",))):
        path, said = stamped(stage, output, *options)
        require("scte" not in said.lower(), f"stamp says that it leaves the sections out: {said}")
        files = sorted(path.parent.glob("*.ts")) if path.suffix == ".m3u8" else [path]
        data = b"".join(file.read_bytes() for file in files)
        joined = stage.written("passed-joined.ts", data)
        zero = broadcast.zero_of(data)
        expected = [moved(section, zero - stage.zero) for _, section, _ in shown(stage)]
        _, (table,) = transport.program_maps(files[0].read_bytes())
        (pid,) = [pid for kind, pid, _ in table.streams if kind == 0x86]
        require(pid == splices.PID and b"\x05\x04CUEI" in b"".join(transport.sections(data, transport.program_maps(data)[0])), "no CUEI in the PMT")
        require(list(transport.sections(data, pid)) == expected, f"{output}: other sections in the stream")
        read = [(pid, splices.by_threefive(splices.decoded("0x" + section.hex()))) for section in expected]
        require(splices.cues_of(joined) == read, "threefive reads other sections")
        shark = stage.run("tshark", "-r", joined, "-Y", "scte35", "-T", "fields", "-e", "scte35.splice_command_type")[0].split()
        require([int(kind, 0) for kind in ",".join(shark).split(",")] == [5, 5, 6, 5, 6], f"tshark reads {shark}")
        if path.suffix == ".m3u8":
            require_ranges(next(file for file in path.parent.glob("*.m3u8") if "SCTE35-OUT" in file.read_text()), expected)
        require_listed(stage, path, [6, 9, 12, 14], ["splice"])
        stage.transcode("-i", path, "-f", "null", "-")
    return "threefive and tshark read the 5 sections of the segments and of a copied stream, which are those of the input but for pts_adjustment"


def in_messages(stage):
    """HLS of fragmented MP4, DASH, and a file: event messages, an EventStream, and date ranges."""
    for output, options in (("passed/mp4/index.m3u8", ("--segment-type", "fmp4", "--segment-duration", "4", "--dash")), ("passed/show.mp4", ())):
        path, _ = stamped(stage, output, *options)
        files = [path] if path.suffix == ".mp4" else sorted(path.parent.glob("*.m4s"))
        found = [message for file in files for message in messages(file.read_bytes())]
        zero = round(found[0][0] - 6 * splices.TICKS)
        expected = [moved(section, zero - stage.zero) for _, section, _ in shown(stage)]
        times = [round((time - zero) / splices.TICKS, 3) for time, _, _, _ in found]
        require(times == [6, 6, 9, 12, 14], f"{output}: event messages at {times}")
        require([section for _, _, _, section in found] == expected, f"{output}: other sections in event messages")
        ids = [id for _, _, id, _ in found]
        require(ids[0] == ids[1] and len(set(ids)) == 4, f"{output}: other ids: {ids}")
        require_listed(stage, path, [6, 9, 12, 14], ["emsg"])
        stage.transcode("-i", path, "-f", "null", "-")
        if path.suffix == ".mp4":
            continue
        require_ranges(next(file for file in path.parent.glob("*.m3u8") if "SCTE35-OUT" in file.read_text()), expected)
        require_manifest(path.with_suffix(".mpd"), found)
        # The static FFmpeg reads no MPD; that of the system has libxml2.
        stage.run("ffmpeg", "-nostdin", "-v", "error", "-i", path.with_suffix(".mpd"), "-f", "null", "-")
    return "event messages of HLS, DASH and a file have the sections, which threefive reads, FFmpeg plays all, and the MPD lists 4 events"


def require_manifest(path, found):
    """The MPD announces the event messages, and lists the same sections."""
    period = ElementTree.parse(path).getroot().find(MPD + "Period")
    schemes = [element.get("schemeIdUri") for element in period.iter(MPD + "InbandEventStream")]
    require(schemes == ["https://aomedia.org/emsg/ID3", SCHEME], f"the MPD announces {schemes}")
    stream = period.find(MPD + "EventStream")
    require(stream.get("schemeIdUri") == "urn:scte:scte35:2014:xml+bin" and stream.get("timescale") == str(splices.TICKS), "another EventStream")
    require(list(period).index(stream) == 0, "the EventStream is not the first child of the period")
    zero = found[0][0] - 6 * splices.TICKS
    binary = "{http://www.scte.org/schemas/35/2016}Signal/{http://www.scte.org/schemas/35/2016}Binary"
    events = {(int(event.get("presentationTime")), int(event.get("id")), base64.b64decode(event.find(binary).text)) for event in stream}
    require(events == {(time - zero, id, section) for time, _, id, section in found}, "the EventStream has other events than the segments")
