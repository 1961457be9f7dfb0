"""The events and the pictures in a transport stream that may be torn, of a server that runs."""

import json

from proofs import wire
from proofs.transport import PACKET

WRAP = 1 << 33


def signed(ticks):
    """A difference of two 33-bit timestamps."""
    return (ticks + WRAP // 2) % WRAP - WRAP // 2


def timestamp(data):
    return (data[0] >> 1 & 7) << 30 | data[1] << 22 | data[2] >> 1 << 15 | data[3] << 7 | data[4] >> 1


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
        for offset in range(0, len(data) - PACKET + 1, PACKET):
            self.packet(data[offset:offset + PACKET])

    def packet(self, packet):
        offset = self.size
        self.size += PACKET
        assert packet[0] == 0x47, f"no sync byte at {offset}"
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        control = packet[3] >> 4 & 3
        if control & 1 and pid != 0x1FFF:
            counter = packet[3] & 15
            if pid in self.counters and counter != (self.counters[pid] + 1) % 16 and not (control & 2 and packet[4] and packet[5] & 0x80):
                self.errors.append((offset, pid, self.counters[pid], counter))
            self.counters[pid] = counter
        start = packet[1] & 0x40
        body = b"" if not control & 1 else packet[5 + packet[4]:] if control & 2 else packet[4:]
        if start and pid == 0:
            section = body[1 + body[0]:]
            self.pmt_pid = (section[10] & 0x1F) << 8 | section[11]
        elif start and pid == self.pmt_pid:
            self.map(body[1 + body[0]:])
        elif pid == self.video_pid and start and len(body) > 19 and body[:3] == b"\0\0\1" and body[7] & 0x80:
            pts = timestamp(body[9:14])
            flags = packet[5] if control & 2 and packet[4] else 0
            self.video.append(Video(pts, timestamp(body[14:19]) if body[7] & 0x40 else pts, offset, flags & 0x40, flags & 0x80))
        elif pid == self.data_pid:
            if start:
                self.unit = b""
            if self.unit is not None:
                self.unit += body
                unit = self.unit
                if len(unit) >= 14 and len(unit) >= 6 + (unit[4] << 8 | unit[5]):
                    assert unit[:4] == b"\0\0\1\xBD", f"no private stream 1 at {offset}"
                    self.tags.append(Tag(timestamp(unit[9:14]), bytes(unit[9 + unit[8]:6 + (unit[4] << 8 | unit[5])]), offset + PACKET - 1, len(self.video)))
                    self.unit = None

    def map(self, section):
        """Finds the PIDs in a program map section."""
        end = 3 + ((section[1] & 15) << 8 | section[2]) - 4
        at = 12 + ((section[10] & 15) << 8 | section[11])
        while at + 5 <= min(end, len(section)):
            kind, found = section[at], (section[at + 1] & 0x1F) << 8 | section[at + 2]
            if kind in (0x1B, 0x24):
                self.video_pid = found
            if kind == 0x15:
                self.data_pid = found
            at += 5 + ((section[at + 3] & 15) << 8 | section[at + 4])

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
