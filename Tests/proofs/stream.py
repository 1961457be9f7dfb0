"""The events and the pictures in a transport stream that may be torn, of a server that runs."""

import json

from proofs import transport, wire
from proofs.transport import NULL, PACKET, timestamp


class Tag:
    """A tag of timed ID3: its PTS, its event, and where its last byte is."""

    def __init__(self, pts, payload, end, video):
        self.pts, self.payload, self.end, self.video = pts, payload, end, video
        self.event = json.loads(wire.text_of(payload))
        self.guid = self.event["guid"]


class Video:
    """The start of an access unit of video: its PTS and DTS, and where its first byte is."""

    def __init__(self, pts, dts, offset, is_random_access, is_discontinuous):
        self.pts, self.dts, self.offset = pts, dts, offset
        self.is_random_access, self.is_discontinuous = is_random_access, is_discontinuous


class Stream:
    """The tags and the video's access units of a transport stream whose end, and whose pieces' ends, may be torn."""

    def __init__(self, data=b""):
        self.tags, self.video = [], []
        self.errors = []
        self.size = 0
        self.pmt_pid = self.video_pid = self.data_pid = None
        self.unit, self.counters = None, {}
        self.sorted, self.by_guid = 0, {}
        self.push(data)

    def push(self, data):
        """Receives whole packets."""
        for pid, packet in transport.packets(data[:len(data) // PACKET * PACKET]):
            self.packet(pid, packet)
            self.size += PACKET

    def packet(self, pid, packet):
        body, starts, flags = transport.payload(packet), transport.is_start(packet), transport.flags(packet)
        if packet[3] & 0x10 and pid != NULL:
            counter = packet[3] & 15
            if pid in self.counters and counter != (self.counters[pid] + 1) % 16 and not flags & 0x80:
                self.errors.append((self.size, pid, self.counters[pid], counter))
            self.counters[pid] = counter
        if starts and pid == 0:
            self.pmt_pid = next(iter(transport.association(transport.section_of(body)).values()))
        elif starts and pid == self.pmt_pid:
            for kind, found, _ in transport.ProgramMap(transport.section_of(body)).streams:
                if kind in (0x1B, 0x24):
                    self.video_pid = found
                elif kind == 0x15:
                    self.data_pid = found
        elif pid == self.video_pid and starts and len(body) > 19 and body[:3] == b"\0\0\1" and body[7] & 0x80:
            pts = timestamp(body[9:14])
            self.video.append(Video(pts, timestamp(body[14:19]) if body[7] & 0x40 else pts, self.size, flags & 0x40, flags & 0x80))
        elif pid == self.data_pid:
            if starts:
                self.unit = b""
            if self.unit is not None:
                self.unit += body
                if len(self.unit) >= 6 and len(self.unit) >= 6 + (self.unit[4] << 8 | self.unit[5]):
                    self.tags.append(Tag(*transport.timed_id3_of(self.unit), self.size + PACKET - 1, len(self.video)))
                    self.unit = None

    @property
    def guids(self):
        """The identifiers of the events, in the order of their first copies, with all their copies."""
        if self.sorted != len(self.tags):
            self.sorted, self.by_guid = len(self.tags), {}
            for tag in self.tags:
                self.by_guid.setdefault(tag.guid, []).append(tag)
        return self.by_guid


def numbers(stream):
    """Checks that each place in the game is that of one event and that none is missing; returns how many there are."""
    found = {}
    for tag in stream.tags:
        place = found.setdefault(int(tag.event["sequence"]), tag.guid)
        assert place == tag.guid, f"the place {tag.event['sequence']} is that of {place} and of {tag.guid}"
    missing = sorted(set(range(1, max(found, default=0) + 1)) - set(found))
    assert not missing, f"no event has the places {missing[:20]}"
    firsts = [int(tags[0].event["sequence"]) for tags in stream.guids.values()]
    assert firsts == sorted(firsts), "events come in another order than their places"
    return len(found)


def whole(path):
    """The whole packets of a file that may end within one."""
    data = path.read_bytes()
    return data[:len(data) // PACKET * PACKET]
