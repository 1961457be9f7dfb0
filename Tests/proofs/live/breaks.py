"""Sends a stream with ad breaks (SCTE-35) to a live server: its sections come out byte for byte, its playlists have date ranges that threefive reads, and
questions that meet a break are held until its end, or refused.

    python3 -m proofs.live.breaks --server PROGRAM --folder FOR_ITS_FILES
"""

import re
import time

from proofs.facts import prove_and_end
from proofs.live.server import Server, cue
from proofs.processes import ffmpeg, wait_until

SECONDS = 60
# The start and the end of each break: two end with a section of their own, the last one by itself after its duration.
BREAKS = [(12, 18, True), (26, 31, True), (40, 45, False)]
# Sections come this long before their time.
LEAD = 3
# The result of a question is posted this long after it.
RESULT = 1
PID = 500
# What muxers add to all times.
FIRST = 1.4


def checked(section):
    """A section with its checksum (ISO/IEC 13818-1, annex A)."""
    crc = 0xFFFFFFFF
    for byte in section:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return section + crc.to_bytes(4, "big")


def splice(event, seconds, duration=None, returns=False, is_out=True):
    """A section with a splice_insert (SCTE 35, 9.7.3)."""
    flags = 0x4F | (0x80 if is_out else 0) | (0x20 if duration else 0)
    command = event.to_bytes(4, "big") + bytes([0x7F, flags]) + (0xFE00000000 | round(seconds * 90_000)).to_bytes(5, "big")
    if duration:
        command += ((0xFE if returns else 0x7E) << 32 | round(duration * 90_000)).to_bytes(5, "big")
    command += bytes([0, 1, 0, 0])
    body = bytes(7) + bytes([0xFF, 0xF0, len(command), 5]) + command + bytes(2)
    return checked(bytes([0xFC, 0x30, len(body) + 4]) + body)


def sections_of_breaks():
    """The sections of the breaks, with the times at which they are sent."""
    sections = []
    for number, (start, end, has_in) in enumerate(BREAKS):
        sections.append((start - LEAD, splice(70 + number, FIRST + start, end - start, returns=not has_in)))
        if has_in:
            sections.append((end - LEAD, splice(70 + number, FIRST + end, is_out=False)))
    return sections


def stream(folder, timed=None, seconds=SECONDS, encoding=()):
    """A transport stream with sections at their times, those of the breaks if no others are named; and the sections in order."""
    plain, path = folder / "plain.ts", folder / "breaks.ts"
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=25:duration={seconds}", *encoding, "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset",
           "ultrafast", "-g", "25", "-f", "mpegts", plain)
    sections = sections_of_breaks() if timed is None else timed
    data, output, waiting, counter = plain.read_bytes(), bytearray(), list(sections), 0
    for offset in range(0, len(data), 188):
        packet = data[offset:offset + 188]
        pid = (packet[1] & 31) << 8 | packet[2]
        if pid == 0x1000 and packet[1] & 0x40:
            length = (packet[6] & 15) << 8 | packet[7]
            table = packet[5:5 + 3 + length - 4] + bytes([0x86, 0xE0 | PID >> 8, PID & 255, 0xF0, 0])
            table = table[:10] + b"\xf0\x06\x05\x04CUEI" + table[12:]
            length = len(table) - 3 + 4
            packet = (packet[:5] + checked(bytes([table[0], table[1] & 0xF0 | length >> 8, length & 255]) + table[3:])).ljust(188, b"\xff")
        output += packet
        time_of = presentation(packet) if pid == 0x100 else None
        while time_of is not None and waiting and time_of - FIRST >= waiting[0][0]:
            header = bytes([0x47, 0x40 | PID >> 8, PID & 255, 0x10 | counter & 15, 0])
            output += (header + waiting.pop(0)[1]).ljust(188, b"\xff")
            counter += 1
    path.write_bytes(bytes(output))
    return path, [section for _, section in sections]


def presentation(packet):
    """The presentation time of the PES packet that starts in a packet, in seconds; None if none does."""
    if not packet[1] & 0x40:
        return None
    payload = packet[4 + (1 + packet[4] if packet[3] & 0x20 else 0):]
    if payload[:3] != b"\0\0\1" or not payload[7] & 0x80:
        return None
    stamp = payload[9:14]
    return ((stamp[0] >> 1 & 7) << 30 | stamp[1] << 22 | stamp[2] >> 1 << 15 | stamp[3] << 7 | stamp[4] >> 1) / 90_000


def sections_of(data):
    """The sections of the PID, as packets have them: each has room in one."""
    found = []
    for offset in range(0, len(data) - 187, 188):
        packet = data[offset:offset + 188]
        if (packet[1] & 31) << 8 | packet[2] == PID and packet[1] & 0x40:
            section = packet[5:]
            found.append(section[:3 + ((section[1] & 15) << 8 | section[2])])
    return found


def ask(number):
    return {"event": "askQuestion", "question": f"Which, {number}?", "answers": ["A", "B"], "correct": "A", "allottedTime": 2}


def run(lines, options):
    source, sections = stream(options.folder)

    def held():
        folder = options.folder / "hold"
        recording, playlist = folder / "out.ts", folder / "www" / "index.m3u8"
        folder.mkdir(exist_ok=True)
        arguments = ["--breaks", "hold", "--segment-duration", 2, "--window", 100, "--journal", folder / "journal", "-o", recording, "-o", playlist]
        guids, results, texts = [], [], []
        with Server(options.server, source, *arguments, log=folder / "server.log") as server:
            for number in range(len(BREAKS)):
                wait_until(lambda: (server.now()["break"] or {}).get("state") == "open", 30, "an open break")
                status, answer = server.post(ask(number))
                assert status == 202 and answer["state"] == "held" and "break" in answer["reason"], (status, answer)
                guids.append(answer["guid"])
                # Its result is posted while it waits, and keeps its distance.
                time.sleep(RESULT)
                status, answer = server.post({"event": "showResults"})
                assert status == 202 and answer["state"] == "held" and "question" in answer["reason"], (status, answer)
                results.append(answer["guid"])
                # Other events go.
                status, answer = server.post(cue(10 + number), "?wait=placed")
                assert answer["state"] in ("placed", "published"), answer
                wait_until(lambda: (server.now()["break"] or {}).get("state") != "open", 30, "the end of the break")
            wait_until(lambda: server.events()[results[-1]]["state"] == "published", 20, "the last result in the stream")
            wait_until(lambda: server.now()["at"] and server.now()["at"] > BREAKS[-1][1] + 6, 20, "some more of the stream")
            texts.append(server.get("/live/live/media.m3u8")[2].decode())
            places = [server.events()[guid]["at"] for guid in guids]
            distances = [server.events()[guid]["at"] - place for guid, place in zip(results, places)]
            server.stop()
        return check(places, distances, texts[0], recording, folder)

    def check(places, distances, text, recording, folder):
        assert all(RESULT - 0.1 < distance < RESULT + 0.7 for distance in distances), f"results come {distances} s after their questions"
        for place, (_, end, has_in) in zip(places, BREAKS):
            assert -0.05 <= place - end < 0.5, f"a question of the break that ends at {end} s is asked at {place} s"
        seen = sections_of(recording.read_bytes())
        assert seen == sections, f"{len(seen)} sections in the recording, not {len(sections)} or other bytes"
        media = b"".join(path.read_bytes() for path in sorted((folder / "www").glob("*.ts"), key=lambda path: [int(number) for number in re.findall(r"\d+", path.name)]))
        assert sections_of(media) == sections, f"{len(sections_of(media))} sections in the segments, not {len(sections)} or other bytes"
        ranges = [line for line in text.splitlines() if line.startswith("#EXT-X-DATERANGE") and "SCTE35-OUT" in line]
        outs = [re.search(r"SCTE35-OUT=0x([0-9A-Fa-f]+)", line)[1].lower() for line in ranges]
        wanted = [section.hex() for section in sections if section[14 + 5] & 0x80]
        assert outs == wanted, f"date ranges {ranges}"
        return f"{len(places)} questions wait for the end of their breaks, and their results with them; {len(sections)} sections are equal byte for byte in recording and segments, and in {len(ranges)} date ranges"

    def refused():
        with Server(options.server, source, "--breaks", "refuse", log=options.folder / "refuse.log") as server:
            wait_until(lambda: (server.now()["break"] or {}).get("state") == "open", 40, "an open break")
            status, answer = server.post(ask(1))
            assert status == 409 and answer["type"].endswith("inBreak") and answer["break"]["state"] == "open", (status, answer)
            status, answer = server.post(cue(2))
            assert status == 202, answer
            wait_until(lambda: (server.now()["break"] or {}).get("state") != "open", 30, "the end of the break")
            time.sleep(0.2)
            status, answer = server.post(ask(3))
            assert status == 202, answer
            return "in a break a question is refused (409 inBreak), other events are not, and after it the question is taken"

    lines.prove("Questions wait for the end of ad breaks", held)
    lines.prove("Questions are refused in ad breaks", refused)


if __name__ == "__main__":
    prove_and_end(run, "server")
