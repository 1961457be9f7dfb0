"""ID3, KLV, event messages, user data and messages of FLV by other programs, compared with the lines of `inspect --all`."""

import io
import json
from fractions import Fraction

import av
import mutagen.id3

from proofs.producers.studio import require
from proofs.witnesses import broadcast, splices

TICKS = 90_000
WRAP = 1 << 33
ID3_PID = 0x301
USER_DATA = "086f3693-b7b3-4f2c-9653-21492feee5b8"
KEY = bytes.fromhex("060e2b34020b01010e01030101000000")


def tags():
    """Tags by mutagen: the time, and the tag."""
    id3 = mutagen.id3
    frames = [
        [id3.TIT2(encoding=3, text=["Läuft gerade"]), id3.TPE1(encoding=1, text=["Ada", "Grace"]), id3.TXXX(encoding=3, desc="d", text=["a", "b"])],
        [id3.PRIV(owner="com.example", data=bytes(range(40))), id3.UFID(owner="http://example.com", data=b"12"),
         id3.TALB(encoding=0, text=["Grün"])],
        [id3.APIC(encoding=3, mime="image/png", type=3, desc="cover", data=bytes(range(1, 251)) * 3),
         id3.COMM(encoding=2, lang="deu", desc="k", text=["é"])],
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
    path = stage.broadcast("id3.ts", [broadcast.Stream(0x15, ID3_PID, units, own)], program)
    copied = stage.folder / "id3-copied.ts"
    stage.transcode("-i", path, "-map", "0", "-c", "copy", copied)
    expected = [tag for _, tag in tags()]
    frames = compare_id3(path, stage.all(path), expected)
    compare_id3(copied, stage.all(copied), expected)
    return f"mutagen {mutagen.version_string} reads the same {frames} frames of {len(expected)} tags, PyAV the same PTS; so in FFmpeg's copy"


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
        expected = [{"key": KEY.hex(), "length": length} for length in sets[index % 3]]
        require(line["sets"] == expected, f"other sets: {line}")
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
    """Messages in front of FFmpeg's fragments, with sections of threefive: of version 1 with their time, of version 0 with that in the segment."""
    path = stage.folder / "fragments.mp4"
    stage.transcode("-i", stage.clip, "-an", "-c", "copy", "-movflags", "+empty_moov+frag_keyframe+default_base_moof", path)
    data, written, number = path.read_bytes(), bytearray(), 0
    scte = "urn:scte:scte35:2013:bin"
    cues = [section for _, section in splices.sections(0)[:3]]
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
    fields = [second[name] for name in ("scheme", "value", "duration", "size")]
    require(fields == ["urn:example:notes", "a b", None, 5], f"other fields: {second}")
    for line, cue in ((first, cues[0]), (third, cues[2])):
        require(splices.by_inspect(line["splice"]) == splices.by_threefive(splices.decoded(cue)), f"another section: {line}")
    require(fourth["type"] == "id3" and {frame["id"] for frame in fourth["frames"]} == {"TIT2", "TPE1", "TXXX"}, f"another tag: {fourth}")
    return "of versions 0 and 1 in front of FFmpeg's fragments, their sections as threefive reads them"


def user_data(stage):
    """FFmpeg puts user data into the video, and packages it as a transport stream and as fragmented MP4, H.264 and HEVC."""
    said = f"h264_metadata=sei_user_data={USER_DATA}+hello"
    facts = []
    fragments = ("-movflags", "+frag_keyframe+delay_moov+default_base_moof")
    for name, *options in (("sei.ts",), ("sei.mp4", *fragments), ("sei/index.m3u8", "-hls_segment_type", "fmp4", "-hls_list_size", 0)):
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
    coding = "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p"
    picture = "testsrc2=size=160x120:rate=25:duration=2"
    # In a transport stream the settings lie in front of the first picture, and they stay there.
    stage.transcode("-f", "lavfi", "-i", picture, *coding.split(), stage.folder / "hevc.ts")
    stage.transcode("-i", stage.folder / "hevc.ts", "-c", "copy", "-tag:v", "hvc1", *fragments, path)
    require(any(line.get("name") == "x265 encoder settings" for line in stage.all(path, "sei")), "x265's settings are missing")
    return f"FFmpeg's and x264's user data in {', '.join(facts)}, and x265's in hevc.mp4"


def messages_of_flv(stage):
    """FFmpeg writes onMetaData, and subtitles as onTextData: at their times after the first picture."""
    captions, path = stage.folder / "captions.srt", stage.folder / "messages.flv"
    captions.write_text("1\n00:00:02,000 --> 00:00:04,000\nHello\n\n2\n00:00:06,500 --> 00:00:08,000\nGoal\n")
    stage.transcode("-i", stage.clip, "-i", captions, "-map", "0", "-map", "1", "-c", "copy", "-c:s", "text", path)
    lines = stage.all(path, "amf")
    require(lines[0]["name"] == "onMetaData", f"the first message is {lines[0]}")
    meta = lines[0]["values"][0]
    require((meta["width"], meta["height"], round(meta["framerate"])) == (160, 120, 25), f"other values: {meta}")
    texts = [(line["time"], line["values"]) for line in lines if line["name"] == "onTextData"]
    expected = [(time, [{"type": "Text", "text": text}]) for time, text in ((2, "Hello"), (6.5, "Goal"))]
    require(texts == expected, f"{texts} instead of {expected}")
    return f"onMetaData, and {len(texts)} messages onTextData at the times of their subtitles"
