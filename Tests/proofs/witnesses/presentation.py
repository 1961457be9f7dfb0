"""Reads HLS presentations with third-party programs, and fragmented MP4 box by box."""

import io
import re
import struct

import av
import av.logging
import mutagen.id3

from proofs import wire
from proofs.transport import crc32_mpeg2

TICKS = 90_000


def media_playlists(folder):
    """The media playlists of a folder: their names, and for each segment its duration in seconds, its map and its name."""
    found = {}
    for path in sorted(folder.glob("*.m3u8")):
        text = path.read_text()
        if "#EXTINF" not in text:
            continue
        part = re.search(r'#EXT-X-MAP:URI="([^"]*)"', text)
        segments = re.findall(r"#EXTINF:([\d.]+),\n(?:#.*\n)*([^#\n]+)", text)
        found[path.name] = [(float(duration), part and part[1], name) for duration, name in segments]
    return found


def segment_bytes(folder, part, name):
    return ((folder / part).read_bytes() if part else b"") + (folder / name).read_bytes()


def measured(folder, part, name):
    """When the first frame of a segment is presented and when the last one ends, in seconds, as PyAV reads it: video before audio."""
    with av.open(io.BytesIO(segment_bytes(folder, part, name))) as container:
        stream = next(iter(container.streams.video or container.streams.audio))
        packets = [packet for packet in container.demux(stream) if packet.size]
        base = stream.time_base
        times = sorted((packet.pts, packet.duration) for packet in packets)
        # MPEG-TS does not say how long its last frame lasts: as long as the one before.
        last = times[-1][1] if part else times[-1][0] - times[-2][0]
        return float(times[0][0] * base), float((times[-1][0] + last) * base)


def check_durations(folder):
    """Every EXTINF is the time from a segment's first frame to the next one's, as measured; gives the number of segments and the worst error."""
    count, worst = 0, 0.0
    for segments in media_playlists(folder).values():
        spans = [measured(folder, part, name) for _, part, name in segments]
        edges = [start for start, _ in spans] + [spans[-1][1]]
        for (duration, _, name), start, end in zip(segments, edges, edges[1:]):
            # Sound in MPEG-TS is stamped to the tick of 90 kHz; a frame's duration may be off by one.
            error = abs(duration - (end - start))
            assert error <= 1.5 / TICKS, f"{folder.name}/{name} lasts {end - start:.6f} s and not {duration}"
            count, worst = count + 1, max(worst, error)
    return count, worst


def decode_quietly(playlist):
    """Decodes every stream of a presentation with the FFmpeg of PyAV, which must have nothing to say; gives the number of frames."""
    av.logging.set_level(av.logging.WARNING)
    frames = 0
    try:
        with av.logging.Capture(local=False) as said, av.open(str(playlist)) as container:
            for packet in container.demux(*container.streams.video, *container.streams.audio):
                frames += len(packet.decode())
        assert not said, f"decoding {playlist} makes FFmpeg say {said[:3]}"
    finally:
        av.logging.set_level(None)
    return frames


def boxes(data):
    """The boxes at the top of a file: type and payload."""
    position, found = 0, []
    while position < len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        assert 8 <= size <= len(data) - position, f"a box of {size} bytes at {position}"
        found.append((kind.decode(), data[position + 8:position + size]))
        position += size
    return found


def event_messages(data):
    """The event messages of a segment: (presentation time in ticks, id, ID3 tag). Everything in them must be as the carriage rules say."""
    kinds = [kind for kind, _ in boxes(data)]
    count = kinds.count("emsg")
    assert kinds[:count + 2] == ["styp"] + ["emsg"] * count + ["moof"] and "emsg" not in kinds[count + 2:], f"the boxes are {kinds}"
    found = []
    for kind, payload in boxes(data):
        if kind != "emsg":
            continue
        version, timescale, time, duration, number = struct.unpack_from(">IIQII", payload)
        scheme, value, tag = payload[24:].split(b"\0", 2)
        assert (version, timescale, duration) == (1 << 24, TICKS, 0xFFFFFFFF)
        assert (scheme, value) == (b"https://aomedia.org/emsg/ID3", b"")
        found.append((time, number, tag))
    return found


def check_event_messages(folder):
    """Every event message lies in its segment's time, has its event's id and one tag that mutagen parses; gives how many, and the events."""
    count, events, ids = 0, {}, {}
    segments = media_playlists(folder)["index-media.m3u8"]
    start = measured(folder, *segments[0][1:])[0]
    zero = round(start * TICKS)
    for duration, part, name in segments:
        assert b"aid3" in boxes((folder / part).read_bytes())[0][1], f"{part} lacks the brand aid3"
        for time, number, tag in event_messages((folder / name).read_bytes()):
            (frame,) = mutagen.id3.ID3(io.BytesIO(tag), translate=False).values()
            event = wire.parse(frame.text[0])
            assert start <= time / TICKS < start + duration, f"an event of {name} is presented outside of it"
            assert time - wire.ticks(event["age"]) - wire.ticks(event["at"]) == zero, f"an event of {name} has a wrong time"
            assert int(event["copies"]) == 1 and number == crc32_mpeg2(event["guid"].encode())
            assert ids.setdefault(number, event["guid"]) == event["guid"], f"two events share the id {number}"
            events.setdefault(event["guid"], event)
            count += 1
        start += duration
    return count, list(events.values())
