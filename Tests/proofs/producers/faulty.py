"""Breaks presentations in ways of packagers, servers and editors, and proves that the doctor names each fault. Prints a line for each.

    python3 -m proofs.producers.faulty --cuelight PROGRAM --ffmpeg FFMPEG --folder FOR_ITS_FILES
"""

import re
import shutil
import struct
from dataclasses import dataclass

from proofs import transport
from proofs.facts import prove_and_end
from proofs.producers.studio import CUES, Studio, require, served
from proofs.transport import PACKET

ADAPTATION = 0x20
H264 = "-c:v libx264 -preset ultrafast -bf 2 -g 50 -keyint_min 50 -sc_threshold 0 -threads 1 -pix_fmt yuv420p -c:a aac"
KEY = bytes(range(16))


# Transport streams.

def pieces(data):
    """The packets of a stream, to be changed: (PID, packet)."""
    return [(pid, bytearray(packet)) for pid, packet in transport.packets(data)]


def joined(packets):
    return b"".join(bytes(packet) for _, packet in packets)


def start_of(packet):
    """Where the payload of a packet starts."""
    return PACKET - len(transport.payload(packet))


def starts(data, pid):
    """The packets of a PID in which something starts."""
    return [packet for found, packet in data if found == pid and transport.is_start(packet)]


def events_pid(data):
    return transport.timed_id3(data)[0]


def video_pid(data):
    _, maps = transport.program_maps(data)
    return next(pid for kind, pid, _ in maps[0].streams if kind == 0x1B)


def timestamp(ticks, marker):
    """33 bits in five bytes (ISO/IEC 13818-1, 2.4.3.7)."""
    ticks %= 1 << 33
    return bytes([marker << 4 | (ticks >> 30) << 1 | 1, ticks >> 22 & 0xFF, (ticks >> 15 & 0x7F) << 1 | 1, ticks >> 7 & 0xFF, (ticks & 0x7F) << 1 | 1])


def with_map(data, change):
    """The stream with changed program maps, their checksums right again."""
    (map_pid,) = transport.programs(data).values()
    packets = pieces(data)
    for packet in starts(packets, map_pid):
        start = start_of(packet)
        section = start + 1 + packet[start]
        end = section + 3 + ((packet[section + 1] & 0x0F) << 8 | packet[section + 2])
        body = change(bytes(packet[section:end - 4]))
        packet[section:end] = body + transport.crc32_mpeg2(body).to_bytes(4, "big")
    return joined(packets)


def without_clock(data):
    """No packet carries a PCR any more; its room is filled."""
    packets = pieces(data)
    for _, packet in packets:
        if packet[3] & ADAPTATION and packet[4] > 0 and packet[5] & 0x10:
            packet[5] &= ~0x10 & 0xFF
            packet[6:12] = b"\xFF" * 6
    return joined(packets)


def decoded_late(data):
    """Pictures whose decoding comes a second after they are shown."""
    packets = pieces(data)
    for packet in starts(packets, video_pid(data)):
        start = start_of(packet)
        if packet[start + 7] & 0xC0 == 0xC0:
            time = transport.timestamp(packet[start + 9:start + 14])
            packet[start + 14:start + 19] = timestamp(time + 90_000, 1)
    return joined(packets)


def events_shifted(data, ticks):
    """Events whose presentation times are off."""
    packets = pieces(data)
    for packet in starts(packets, events_pid(data)):
        start = start_of(packet)
        packet[start + 9:start + 14] = timestamp(transport.timestamp(packet[start + 9:start + 14]) + ticks, 2)
    return joined(packets)


def events_reordered(data):
    """The packets of the longest tag in another order."""
    packets, pid = pieces(data), events_pid(data)
    places = [index for index, (found, _) in enumerate(packets) if found == pid]
    first = next(index for index, place in enumerate(places[:-1]) if not transport.is_start(packets[places[index + 1]][1]))
    one, two = places[first], places[first + 1]
    packets[one], packets[two] = packets[two], packets[one]
    return joined(packets)


def events_moved(data):
    """Events on a PID that no map names."""
    packets, pid = pieces(data), events_pid(data)
    for found, packet in packets:
        if found == pid:
            packet[1:3] = bytes([packet[1] & 0xE0 | 0x1E, 0xED])
    return joined(packets)


def events_of_radio(data):
    """The metadata is announced as KLV, which it is not."""
    return with_map(data, lambda body: body.replace(b"\x26\x0D\xFF\xFFID3 \xFFID3 ", b"\x26\x0D\xFF\xFFKLVA\xFFKLVA"))


def without_descriptors(data):
    """The program no longer says where its metadata is: other bytes in the descriptor's place."""
    return with_map(data, lambda body: body.replace(b"\x25\x0F\xFF\xFFID3 \xFFID3 ", b"\x05\x0F\xFF\xFFID3 \xFFID3 "))


def checksum_broken(data):
    (map_pid,) = transport.programs(data).values()
    packets = pieces(data)
    for packet in starts(packets, map_pid):
        start = start_of(packet)
        section = start + 1 + packet[start]
        packet[section + 2 + ((packet[section + 1] & 0x0F) << 8 | packet[section + 2])] ^= 1
    return joined(packets)


def text_changed(data):
    """A letter of a question, as a filter of words would change it."""
    return data.replace(b"liquid", b"ligvid")


def with_parity(data):
    return b"".join(packet + bytes(16) for _, packet in transport.packets(data))


def length_doubled(data):
    """PES packets of events that announce more than there is."""
    packets = pieces(data)
    for packet in starts(packets, events_pid(data)):
        start = start_of(packet)
        length = packet[start + 4] << 8 | packet[start + 5]
        packet[start + 4:start + 6] = (length + 40).to_bytes(2, "big")
    return joined(packets)


# Fragmented MP4.

def boxes(data):
    """The boxes at the top of a file: (type, box)."""
    position, found = 0, []
    while position < len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        found.append((kind.decode(), data[position:position + size]))
        position += size
    return found


def messages_changed(data, change):
    """A segment whose event messages are changed: (timescale, time, scheme) and so on are in the payload."""
    return b"".join(change(box) if kind == "emsg" else box for kind, box in boxes(data))


def in_milliseconds(box):
    """A timescale of 1,000 with times of 90,000."""
    return box[:12] + struct.pack(">I", 1_000) + box[16:]


def of_another_scheme(box):
    return box.replace(b"https://aomedia.org/emsg/ID3", b"https://example.org/emsg/ID3")


def behind_fragment(data):
    parts = boxes(data)
    return b"".join(box for kind, box in parts if kind != "emsg") + b"".join(box for kind, box in parts if kind == "emsg")


def decoded_later(data, ticks):
    """Fragments whose decode time is moved."""
    start = data.index(b"tfdt")
    require(data[start + 4] == 1, "a tfdt of version 0")
    (time,) = struct.unpack_from(">Q", data, start + 8)
    return data[:start + 8] + struct.pack(">Q", time + ticks) + data[start + 16:]


def with_one_id(box):
    return box[:28] + struct.pack(">I", 7) + box[32:]


# Presentations.

@dataclass
class Fault:
    """What is broken, how, and the rules that name it."""

    name: str
    # The presentation that is copied and broken: ts, fmp4, pair, or a stream.
    source: str
    # Receives the folder of the copy; gives what is to be read, where that is not its index.m3u8.
    break_it: callable
    rules: set
    # What standard error has to name, where something cannot be read at all.
    said: str = ""
    # How a web server delivers it; from the folder itself otherwise.
    server: dict = None


def part(folder, number, kind="ts"):
    return folder / f"index-segment-{number:05}.{kind}"


def every(kind, change):
    """A fault in all segments of a kind."""
    def break_it(folder):
        for path in sorted(folder.glob(f"index-segment*.{kind}")):
            path.write_bytes(change(path.read_bytes()))
    return break_it


def one(number, kind, change):
    """A fault in one segment."""
    def break_it(folder):
        path = part(folder, number, kind)
        path.write_bytes(change(path.read_bytes()))
    return break_it


def text(name, change):
    """A fault in a playlist."""
    def break_it(folder):
        path = folder / name
        before = path.read_bytes()
        after = change(before.decode()).encode()
        require(before != after, f"{name} is as it was")
        path.write_bytes(after)
    return break_it


def substituted(pattern, replacement, count=0):
    return lambda found: re.sub(pattern, replacement, found, count=count, flags=re.MULTILINE)


def segments_swapped(folder):
    one, two = part(folder, 2), part(folder, 3)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)


def segment_twice(folder):
    part(folder, 4).write_bytes(part(folder, 3).read_bytes())


def segment_missing(folder):
    part(folder, 3).unlink()


def appended(folder):
    """The presentation a second time behind its end, without a word."""
    path = folder / "index-media.m3u8"
    lines = path.read_text().replace("#EXT-X-ENDLIST\n", "")
    body = lines[lines.index("#EXTINF"):]
    path.write_text(lines + body + "#EXT-X-ENDLIST\n")


def of_another_rendition(folder):
    """The initialization segment of the sound in front of the pictures."""
    shutil.copy(folder / "index-audio-init.mp4", folder / "index-segment-init.mp4")


def unstamped(folder):
    """A segment out of the presentation before it was stamped."""
    shutil.copy(folder.parent / "unstamped" / "index-segment-00002.ts", part(folder, 2))


def events_of_another_show(folder):
    for path in folder.glob("index-segment-2-*.ts"):
        other = folder.parent / "other" / path.name.replace("-2-", "-")
        shutil.copy(other, path)


def cut_short(count):
    return lambda data: data[:-count]


def as_it_is(folder):
    """The presentation is right, and its server is not."""


def stream_fault(change):
    """A fault in a stream: a file for itself."""
    def break_it(folder):
        path = folder / "show.ts"
        path.write_bytes(change(path.read_bytes()))
        return path
    return break_it


def ranges_off(folder):
    """Byte ranges that all begin a hundred bytes too late."""
    path = folder / "index.m3u8"
    found = path.read_text()
    path.write_text(re.sub(r"(BYTERANGE:\d+@)(\d+)", lambda match: f"{match[1]}{int(match[2]) + 100}", found))


def wrong_vector(folder):
    path = folder / "index.m3u8"
    path.write_text(re.sub(r"IV=0x[0-9a-fA-F]+", "IV=0x" + "5" * 32, path.read_text()))


def wrong_key(folder):
    (folder / "file.key").write_bytes(KEY[::-1])


FAULTS = [
    Fault("packets of a tag in another order", "ts", one(0, "ts", events_reordered), {"TS-CONTINUITY"}),
    Fault("two segments swapped", "ts", segments_swapped, {"HLS-DISCONTINUITY"}),
    Fault("a segment twice", "ts", segment_twice, {"HLS-DISCONTINUITY"}),
    Fault("a segment that is not there", "ts", segment_missing, {"HLS-MISSING"}, "index-segment-00003.ts"),
    Fault("a segment from before it was stamped", "ts", unstamped, {"HLS-PMT-CHANGES"}),
    Fault("CODECS of another codec", "ts", text("index.m3u8", substituted("avc1", "hvc1")), {"HLS-CODECS-DIFFER"}),
    Fault("no clock (PCR) in any packet", "ts", every("ts", without_clock), {"TS-PCR"}),
    Fault("pictures decoded after they are shown", "ts", every("ts", decoded_late), {"TS-DTS"}),
    Fault("events ten minutes off", "ts", every("ts", lambda data: events_shifted(data, 54_000_000)), {"TS-PTS-FAR"}),
    Fault("events half a second off", "ts", one(3, "ts", lambda data: events_shifted(data, 45_000)), {"EVENT-TIME"}),
    Fault("metadata announced as KLV", "ts", every("ts", events_of_radio), {"TS-PMT-METADATA"}),
    Fault("no pointer to the metadata", "ts", every("ts", without_descriptors), {"TS-PMT-POINTER"}),
    Fault("events on a PID that no map names", "ts", every("ts", events_moved), {"TS-STREAM-TYPE"}),
    Fault("maps with a wrong checksum", "ts", one(2, "ts", checksum_broken), {"TS-TABLE-CRC"}),
    Fault("a letter changed on the way", "ts", every("ts", text_changed), {"EVENT-DAMAGED"}),
    Fault("packets with sixteen bytes of parity", "ts", every("ts", with_parity), {"TS-PACKET-SIZE"}),
    Fault("tags that end after their packets", "ts", every("ts", length_doubled), {"TS-PES-BROKEN"}),
    Fault("the last packet cut off", "ts", one(4, "ts", cut_short(100)), {"TS-PACKET-SIZE"}),
    Fault("a duration that is wrong", "ts", text("index-media.m3u8", substituted(r"^#EXTINF:2[.0]*,", "#EXTINF:1.2,", 1)), {"HLS-SEGMENT-DURATION"}),
    Fault("a target duration below the segments'", "ts", text("index-media.m3u8", substituted("TARGETDURATION:2", "TARGETDURATION:1")), {"HLS-TARGETDURATION"}),
    Fault("a byte order mark in front of a playlist", "ts", text("index-media.m3u8", lambda found: f"\ufeff{found}"), {"HLS-SYNTAX"}),
    Fault("a word in quotes, and blanks", "fmp4", text("index.m3u8", substituted("AUTOSELECT=YES", 'AUTOSELECT="YES"')), {"HLS-SYNTAX"}),
    Fault("the presentation twice in its playlist", "ts", appended, {"HLS-DISCONTINUITY"}),
    Fault("another show in one variant", "pair", events_of_another_show, {"HLS-RENDITION-EVENTS"}),
    Fault("byte ranges that begin too late", "ranges", ranges_off, {"TS-PACKET-SIZE"}),
    Fault("an initialization vector that is wrong", "encrypted", wrong_vector, {"TS-PACKET-SIZE"}),
    Fault("a key that is wrong", "encrypted", wrong_key, {"HLS-MISSING"}, "decryption failed"),
    Fault("event messages with another timescale", "fmp4", every("m4s", lambda data: messages_changed(data, in_milliseconds)), {"EMSG-TIME"}),
    Fault("event messages of an unknown scheme", "fmp4", every("m4s", lambda data: messages_changed(data, of_another_scheme)), {"EMSG-SCHEME"}),
    Fault("event messages behind their fragments", "fmp4", every("m4s", behind_fragment), {"EMSG-PLACE"}),
    Fault("event messages of one id", "fmp4", every("m4s", lambda data: messages_changed(data, with_one_id)), {"EMSG-ID"}),
    Fault("a fragment moved by a second", "fmp4", one(3, "m4s", lambda data: decoded_later(data, 12_800)), {"HLS-SEGMENT-DURATION"}),
    Fault("a fragment cut off", "fmp4", one(3, "m4s", cut_short(500)), {"MP4-BOXES"}),
    Fault("the initialization segment of another rendition", "fmp4", of_another_rendition, {"HLS-CODECS-DIFFER"}),
    Fault("a playlist of version 3 with maps", "fmp4", text("index-media.m3u8", substituted("VERSION:7", "VERSION:3")), {"HLS-VERSION"}),
    Fault("a server that calls playlists texts", "ts", as_it_is, {"HTTP-CONTENT-TYPE"}, server={"types": {".m3u8": "text/plain"}}),
    Fault("a server that calls segments pages", "fmp4", as_it_is, {"HTTP-CONTENT-TYPE"}, server={"types": {".m4s": "text/html"}}),
    Fault("a server that is closed to other pages", "ts", as_it_is, {"HTTP-CORS"}, server={"origin": None}),
    Fault("a stream with its clock removed", "stream", stream_fault(without_clock), {"TS-PCR"}),
]


class Broken(Studio):
    """Good presentations, and broken copies of them."""

    def __init__(self, arguments):
        super().__init__(arguments.cuelight, arguments.ffmpeg, arguments.folder)
        self.good = self.folder / "good"
        shutil.rmtree(self.good, ignore_errors=True)
        self.broken = self.folder / "broken"
        shutil.rmtree(self.broken, ignore_errors=True)
        clip, small = self.encode("clip.mp4", H264), self.encode("small.mp4", H264, size="160x120")
        segments = ("--segment-duration", 2)
        for kind in ("ts", "fmp4"):
            self.stamp(clip, f"good/{kind}/index.m3u8", "--segment-type", kind, *segments)
        self.stamp([clip, small], "good/pair/index.m3u8", *segments)
        stream, _ = self.stamp(clip, "good/stream/show.ts")
        other = self.folder / "other.yaml"
        other.write_text(CUES.replace("4s, event: showResults", "5s, event: showResults"))
        self.stamp(small, "broken/other/index.m3u8", *segments, cues=other)
        self.segmented(clip, "broken/unstamped", "-hls_segment_filename", self.made("broken/unstamped") / "index-segment-%05d.ts")
        self.segmented(stream, "good/ranges", "-map", "0", "-hls_flags", "single_file")
        key = self.written("file.key", KEY)
        information = self.folder / "key.info"
        information.write_text(f"file.key\n{key}\n{'0' * 31}1\n")
        shutil.copy(key, self.segmented(stream, "good/encrypted", "-map", "0", "-hls_key_info_file", information))

    def made(self, name):
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def segmented(self, source, name, *options):
        folder = self.made(name)
        self.transcode("-i", source, "-c", "copy", *options, "-f", "hls", "-hls_time", 2, "-hls_list_size", 0, folder / "index.m3u8")
        return folder

    def copy(self, fault, number):
        folder = self.broken / f"{number:02}"
        shutil.copytree(self.good / fault.source, folder)
        return fault.break_it(folder) or folder / "index.m3u8"


def good(studio, name):
    """Before it is broken nothing is wrong, besides what FFmpeg leaves out of its maps."""
    path = studio.good / name / ("show.ts" if name == "stream" else "index.m3u8")
    _, found, _ = studio.doctor(path)
    require(set(found) <= ({"TS-PMT-POINTER"} if name in ("ranges", "encrypted") else set()), f"{name}: {sorted(found)}")


def check(studio, fault, number):
    path = studio.copy(fault, number)
    if fault.server is None:
        return judged(studio, fault, path)
    with served(path.parent, **fault.server) as address:
        return judged(studio, fault, f"{address}/{path.name}")


def judged(studio, fault, path):
    status, found, _ = studio.doctor(path)
    require(fault.rules <= set(found), f"{sorted(fault.rules)} expected, found {sorted(found)}")
    if fault.said:
        _, _, errors = studio.outcome(studio.cuelight, "doctor", path)
        require(fault.said in errors and status == 74, f"status {status}: {errors.strip()[:300]}")
    others = sorted(set(found) - fault.rules)
    return ", ".join(sorted(fault.rules)) + (f" (with {', '.join(others)})" if others else "")


def run(lines, arguments):
    studio = Broken(arguments)
    for name in ("ts", "fmp4", "pair", "stream", "ranges", "encrypted"):
        good(studio, name)
    for number, fault in enumerate(FAULTS):
        lines.prove(fault.name, check, studio, fault, number)


if __name__ == "__main__":
    prove_and_end(run, "cuelight", "ffmpeg", keeps_folder=True)
