"""Gives a live server inputs that are not as they should be, and looks at what it makes of them and says of them, one line a fact.

    python3 -m proofs.live.inputs --server PROGRAM --clip CLIP --folder FOR_ITS_FILES
"""

import json
import re
import socket
import struct
import subprocess
import threading
import time

from proofs.facts import prove_and_end
from proofs.live.server import Publisher, Server, udp
from proofs.processes import ffmpeg, finished, free_port, in_background, new_folder, wait_until
from proofs.transport import PACKET

MEDIA = "/live/live/media.m3u8"


def picture(output, seconds, *coding, audio=True, offset=0.0, size="320x180"):
    """Makes a transport stream of a test picture with a key frame each second."""
    sound = ["-f", "lavfi", "-i", f"sine=frequency=330:sample_rate=48000:duration={seconds}"] if audio else []
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={size}:rate=25:duration={seconds}", *sound, *coding, "-pix_fmt", "yuv420p", "-c:a", "aac",
           "-output_ts_offset", offset, "-f", "mpegts", output)
    return output


H264 = ("-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-keyint_min", "25", "-sc_threshold", "0", "-bf", "2")
HEVC = ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "keyint=25:min-keyint=25:scenecut=0:open-gop=0:log-level=none")


def listed(text):
    """The segments of a media playlist: the URI of each, that of its initialization segment, and whether it is discontinuous."""
    segments, initialization, is_discontinuous = [], None, False
    for line in text.splitlines():
        if line.startswith("#EXT-X-MAP:"):
            initialization = re.search('URI="([^"]+)"', line)[1]
        elif line == "#EXT-X-DISCONTINUITY":
            is_discontinuous = True
        elif line and not line.startswith("#"):
            segments.append((line, initialization, is_discontinuous))
            is_discontinuous = False
    return segments


class Case:
    """A server with an input of its own, and what it has said."""

    def __init__(self, options, name, input_, *arguments, stdin=subprocess.DEVNULL):
        self.folder = new_folder(options.folder / name)
        self.log = self.folder / "server.log"
        self.server = Server(options.server, input_, "--segment-duration", 1, *arguments, log=self.log, stdin=stdin)

    @property
    def said(self):
        return self.log.read_text()

    def says(self, words, seconds=20):
        wait_until(lambda: words in self.said, seconds, f"it says: {words}")

    def text(self, path):
        status, _, body = self.server.get(path)
        return body.decode() if status == 200 else ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()


def strangers(options):
    """Datagrams of others make no discontinuity; a second encoder has the stream once the first one is silent."""
    port = free_port(socket.SOCK_DGRAM)
    with Case(options, "strangers", udp(port)) as case:
        with Publisher(options.clip, udp(port)):
            wait_until(lambda: case.server.metric("segments_total") >= 2, 20, "segments come")
            case.says("the stream comes from 127.0.0.1:")
            before = case.server.metric("discontinuities_total")
            packets = options.clip.read_bytes()[:7 * PACKET]
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                for _ in range(5):
                    stranger.sendto(packets, ("127.0.0.1", port))
                    time.sleep(0.1)
            case.says("are ignored: another sender has the stream")
            second = Publisher(options.clip, udp(port), offset=1_000)
            try:
                wait_until(lambda: case.server.metric("input_foreign_datagrams_total") > 20, 20, "datagrams are left out")
                segments = case.server.metric("segments_total")
                wait_until(lambda: case.server.metric("segments_total") >= segments + 3, 20, "segments go on")
                left = case.server.metric("input_foreign_datagrams_total")
                assert case.server.metric("discontinuities_total") == before, "there are discontinuities"
                assert case.server.metric("input_continuity_errors_total") == 0, "packets are missing"
            except BaseException:
                second.stop()
                raise
        # The first one has ended.
        ended = time.monotonic()
        with second:
            wait_until(lambda: case.server.metric("discontinuities_total") == before + 1, 20, "the second encoder has the stream")
            took = time.monotonic() - ended
    return f"{left:.0f} datagrams were left out, no discontinuity; the second encoder had the stream {took:.1f} s after the first one's end"


def named_sender(options):
    """Only the sender that is named is heard."""
    port, own = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
    with Case(options, "named", f"udp://127.0.0.1:{port}?source=127.0.0.1:{own}") as case, Publisher(options.clip, udp(port)):
        wait_until(lambda: case.server.metric("input_foreign_datagrams_total") > 100, 20, "others are left out")
        assert case.server.metric("input_bytes_total") == 0
        with Publisher(options.clip, f"udp://127.0.0.1:{port}?pkt_size=1316&localport={own}", offset=500):
            wait_until(lambda: case.server.metric("segments_total") >= 2, 20, "segments come")
            assert case.server.metric("discontinuities_total") == 0
    return "the other one was left out from the beginning on"


def rtp(sequence, payload, source=7):
    """A packet of RTP with transport packets."""
    return bytes([0x80, 33]) + struct.pack(">HII", sequence & 0xFFFF, sequence * 90 & 0xFFFFFFFF, source) + payload


def rtp_order(options):
    """Packets of RTP that change places or come twice make no error; those that are missing are counted and reported."""
    port = free_port(socket.SOCK_DGRAM)
    data = options.clip.read_bytes()
    count = min(len(data) // (7 * PACKET), 600)
    with Case(options, "rtp-order", f"rtp://127.0.0.1:{port}") as case, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        # The numbers begin anew on the way.
        packets = [rtp(65_400 + number, data[number * 7 * PACKET:(number + 1) * 7 * PACKET]) for number in range(count)]
        order = list(range(count))
        for number in range(10, count - 10, 10):
            order[number], order[number + 1] = order[number + 1], order[number]
            if number % 50 == 0:
                order[number + 3], order[number + 5] = order[number + 5], order[number + 3]
        for place, number in enumerate(order):
            sender.sendto(packets[number], ("127.0.0.1", port))
            if place % 40 == 0:
                sender.sendto(packets[number], ("127.0.0.1", port))
            time.sleep(0.004)
        wait_until(lambda: case.server.metric("input_bytes_total") >= count * 7 * PACKET, 20, "all packets are there")
        for name in ("input_continuity_errors_total", "input_lost_datagrams_total"):
            assert case.server.metric(name) == 0, f"{name}: {case.server.metric(name)}"
        reordered, twice = (case.server.metric(f"input_{name}_datagrams_total") for name in ("reordered", "useless"))
        assert reordered >= count // 10 - 3 and twice >= count // 40, f"{reordered} put back, {twice} came twice"
        # Then some are missing.
        for number in range(60):
            if number not in (20, 21, 40):
                sender.sendto(rtp(65_400 + count + number, data[:7 * PACKET]), ("127.0.0.1", port))
                time.sleep(0.004)
        wait_until(lambda: case.server.metric("input_lost_datagrams_total") == 3, 20, "three are missing")
        case.says("packets of RTP are missing: ")
    return f"{count} packets, {reordered:.0f} put back into their order, {twice:.0f} came twice, no error; then three were missing"


def rtp_repair(options):
    """What FFmpeg sends by RTP with SMPTE 2022-1 parity comes through a network that loses packets."""
    port, relay = (free_port(socket.SOCK_DGRAM) for _ in range(2))
    sockets = []
    for shift in (0, 2, 4):
        there = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        there.bind(("127.0.0.1", relay + shift))
        there.settimeout(0.1)
        sockets.append((there, shift))
    lost, ended = [0], threading.Event()
    outgoing = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def pass_on(there, shift):
        number = 0
        while not ended.is_set():
            try:
                packet = there.recv(65_536)
            except TimeoutError:
                continue
            except OSError:
                return
            number += 1
            # A burst of three, and single ones.
            if shift == 0 and number > 50 and (number % 37 == 0 or number % 101 in (1, 2, 3)):
                lost[0] += 1
                continue
            outgoing.sendto(packet, ("127.0.0.1", port + shift))

    with Case(options, "rtp-repair", f"rtp://127.0.0.1:{port}") as case:
        for there, shift in sockets:
            in_background(pass_on, there, shift)
        sender = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", options.clip, "-c", "copy", "-f", "rtp_mpegts", "-fec",
             "prompeg=l=8:d=4", f"rtp://127.0.0.1:{relay}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: case.server.metric("input_recovered_datagrams_total") > 20, 60, "packets are computed")
            wait_until(lambda: case.server.metric("segments_total") >= 4, 60, "segments come")
            errors, missing, found = (case.server.metric(f"input_{name}_total") for name in
                                      ("continuity_errors", "lost_datagrams", "recovered_datagrams"))
        finally:
            sender.kill()
            sender.wait()
            ended.set()
            for there, _ in sockets:
                there.close()
    assert missing <= found / 4 and errors <= missing * 3, f"{found:.0f} computed, {missing:.0f} missing, {errors:.0f} errors"
    return f"the network lost {lost[0]} packets: {found:.0f} were computed, {missing:.0f} were missing"


def source(case):
    return json.loads(case.server.get("/v1/streams/live/now")[2])["source"]


def backup(options):
    """A backup takes over within a second, at one discontinuity; the first input comes back by command."""
    first, second = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
    with Case(options, "backup", udp(first), "--backup", udp(second), "--segment-type", "fmp4") as case:
        def choose(name):
            body, fields = json.dumps({"source": name}), {"Content-Type": "application/json"}
            return case.server.call("POST", "/v1/streams/live/input", body, fields)[0]

        with Publisher(options.clip, udp(second), offset=5_000):
            main = Publisher(options.clip, udp(first))
            wait_until(lambda: case.server.metric("segments_total") >= 2, 20, "segments come")
            assert source(case) == "main" and case.server.metric("discontinuities_total") == 0
            assert choose("elsewhere") == 422
            # It is killed.
            main.stop()
            killed = time.monotonic()
            wait_until(lambda: source(case) == "backup", 5, "the backup feeds the stream")
            took = time.monotonic() - killed
            assert took < 1.2, f"it took {took:.2f} s"
            assert choose("main") == 409
            segments = case.server.metric("segments_total")
            wait_until(lambda: case.server.metric("segments_total") >= segments + 3, 20, "segments go on")
            assert case.server.metric("discontinuities_total") == 1 and case.server.metric("gaps_total") == 0
            # It is back, and waits to be asked for.
            with Publisher(options.clip, udp(first), offset=9_000):
                wait_until(lambda: 'input_source_up{stream="live",source="main"} 1' in case.text("/metrics"), 20, "the first one is back")
                time.sleep(1)
                assert source(case) == "backup" and choose("main") == 200
                wait_until(lambda: source(case) == "main", 12, "the first one feeds the stream")
                segments = case.server.metric("segments_total")
                wait_until(lambda: case.server.metric("segments_total") >= segments + 2, 20, "segments go on")
                assert case.server.metric("discontinuities_total") == 2
                assert case.server.metric("input_switches_total") == 2
        case.says("is silent: the stream comes from the backup")
    return f"the backup took over {took:.2f} s after the first one was killed; one discontinuity each way, no gap"


def losses(options):
    """Missing packets are counted, and reported once in ten seconds."""
    port = free_port(socket.SOCK_DGRAM)
    data = options.clip.read_bytes()
    with Case(options, "losses", udp(port)) as case, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        count = 0
        for number in range(300):
            packets = data[number * 7 * PACKET:(number + 1) * 7 * PACKET]
            if number % 30 == 29:
                count += 1
                continue
            sender.sendto(packets, ("127.0.0.1", port))
            time.sleep(0.005)
        wait_until(lambda: case.server.metric("input_continuity_errors_total") >= count, 60, "errors are counted")
        errors = case.server.metric("input_continuity_errors_total")
        case.says("packets are missing, or come in another order: ")
        lines = case.said.count("packets are missing")
        assert lines <= 2, f"{errors} errors, {lines} lines"
        assert case.server.metric("input_bits_per_second") > 0
    return f"{count} datagrams were lost: {errors:.0f} continuity errors, {lines} lines"


def scrambled(options):
    """A stream that is scrambled is named."""
    data = bytearray(options.clip.read_bytes()[:PACKET * 4_000])
    for start in range(PACKET * 2_000, len(data), PACKET):
        pid = (data[start + 1] & 0x1F) << 8 | data[start + 2]
        if pid == 0x100:
            data[start + 3] |= 0x80
    with Case(options, "scrambled", "-", stdin=subprocess.PIPE) as case:
        case.server.process.stdin.write(data)
        case.server.process.stdin.flush()
        case.says("scrambled, so that it cannot be read: PID 256")
        packets = case.server.metric("input_scrambled_packets_total")
        assert packets > 100, f"{packets} packets"
        case.server.process.stdin.close()
    return f"{packets:.0f} packets"


def jump(options):
    """A jump of the clock is reported with its size."""
    folder = new_folder(options.folder / "jump")
    stream = folder / "stream.ts"
    stream.write_bytes(b"".join(picture(folder / f"{offset}.ts", 3, *H264, offset=offset).read_bytes() for offset in (0, 100, 50)))
    with Case(options, "jump-server", stream) as case:
        case.says("the clock of the stream has jumped by +96.9 s")
        # One message of a kind a second.
        case.says("the clock of the stream has jumped by -53.0 s")
        assert case.server.metric("input_clock_jumps_total") == 2
    return "two jumps, one forward and one back"


def one_codec(segment, initialization=b""):
    """The codecs of a segment's video and audio, as ffprobe sees them."""
    done = finished(
        "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,codec_type", "-of", "csv=p=0", "-", input=initialization + segment, text=False)
    return sorted({line.split(",")[0] for line in done.stdout.decode().split() if line.split(",")[1] in ("video", "audio")})


def other_coding(options, kind):
    """Video that becomes another one begins a stretch of its own, and so does audio that ends."""
    folder = new_folder(options.folder / f"coding-{kind}")
    pieces = [picture(folder / "a.ts", 4, *H264), picture(folder / "b.ts", 4, *HEVC, offset=4, size="640x360"),
              picture(folder / "c.ts", 4, *HEVC, audio=False, offset=8, size="640x360")]
    stream = folder / "all.ts"
    stream.write_bytes(b"".join(piece.read_bytes() for piece in pieces))
    www = folder / "www"
    with Case(options, f"coding-{kind}-server", stream, "--event", "--segment-type", kind, "-o", www / "index.m3u8") as case:
        case.server.process.wait(timeout=60)
        segments = listed((www / "media.m3u8").read_text())
        breaks = [number for number, (_, _, is_discontinuous) in enumerate(segments) if is_discontinuous]
        assert len(breaks) == 2, f"discontinuities at {breaks}"
        codings = [one_codec((www / uri).read_bytes(), (www / start).read_bytes() if start else b"") for uri, start, _ in segments]
        video = [[codec for codec in coding if codec in ("h264", "hevc")] for coding in codings]
        assert video == [["h264"]] * breaks[0] + [["hevc"]] * (len(video) - breaks[0]), f"the segments have {video}"
        if kind == "ts":
            assert all("aac" in coding for coding in codings[:breaks[1]]) and codings[-1] == ["hevc"], f"the segments have {codings}"
        else:
            assert len({start for _, start, _ in segments}) == 3, f"initialization segments: {segments}"
        index = (www / "index.m3u8").read_text()
        assert "hvc1." in index and "avc1." not in index and "RESOLUTION=640x360" in index, index
        said = re.findall(r": (avc1|hvc1)\.\S+, (\d+ x \d+), 25 frames a second", case.said)
        assert ("avc1", "320 x 180") in said and ("hvc1", "640 x 360") in said, f"it has said {said}"
    return f"{len(codings)} segments, each with one coding; a discontinuity at segments {breaks}; {index.split('CODECS=')[1].split(',R')[0]}"


def groups(options):
    """EXT-X-INDEPENDENT-SEGMENTS stands where groups of pictures are closed, and only there."""
    found = {}
    for name, coding in [("closed", H264), ("open", (*H264, "-x264-params", "open-gop=1")),
                         ("closed-hevc", HEVC), ("open-hevc", (*HEVC[:-1], HEVC[-1].replace("open-gop=0", "open-gop=1:bframes=3")))]:
        folder = new_folder(options.folder / f"groups-{name}")
        stream = picture(folder / "stream.ts", 5, *coding)
        www = folder / "www"
        with Case(options, f"groups-{name}-server", stream, "--pace", 4, "-o", www / "index.m3u8") as case:
            case.server.process.wait(timeout=60)
        found[name] = ["EXT-X-INDEPENDENT-SEGMENTS" in (www / file).read_text() for file in ("index.m3u8", "media.m3u8")]
    wanted = {name: [name.startswith("closed")] * 2 for name in found}
    assert found == wanted, f"{found}"
    return ", ".join(found)


def long_playlist(options):
    """All segments of a long playlist can be loaded, and few of them are in memory."""
    folder = new_folder(options.folder / "long")
    stream = folder / "stream.ts"
    # Noise: 24 Mbit/s.
    ffmpeg("-f", "lavfi", "-i", "nullsrc=size=640x360:rate=25:duration=50,geq=random(1)*255:128:128", "-c:v", "mpeg2video", "-b:v", "24M",
           "-minrate", "24M", "-maxrate", "24M", "-bufsize", "8M", "-g", "25", "-f", "mpegts", stream)
    data, www = stream.read_bytes(), folder / "www"
    with Case(options, "long-server", "-", "--event", "-o", www / "index.m3u8", "--journal", folder / "journal", stdin=subprocess.PIPE) as case:
        def push(data, count):
            case.server.process.stdin.write(data)
            case.server.process.stdin.flush()
            wait_until(lambda: case.server.metric("segments_total") >= count, 60, f"{count} segments come")
            # The disk may be slower.
            wait_until(lambda: len(list(www.glob("*.ts"))) >= count, 60, "the folder has them")
            return case.server.resources()[0]

        early = push(data[:len(data) // 4 // PACKET * PACKET], 11)
        late = push(data[len(data) // 4 // PACKET * PACKET:], 48)
        size, segments = 0, listed(case.text(MEDIA))
        for uri, _, _ in segments:
            status, _, body = case.server.get(f"/live/live/{uri}")
            assert status == 200 and body == (www / uri).read_bytes(), f"{uri}: {status}, {len(body)} bytes"
            size += len(body)
        assert len(segments) >= 48 and size > 100 << 20, f"{len(segments)} segments, {size} bytes"
        assert late - early < 60 << 20, f"the memory has grown by {late - early >> 20} MB"
        left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
        assert not left, f"there are {left}"
    return f"{len(segments)} segments of {size >> 20} MB, byte for byte; {early >> 20} MB of memory after 11, {late >> 20} MB at the end"


PROOFS = {
    "strangers": strangers, "a named sender": named_sender, "losses": losses, "order of RTP": rtp_order,
    "parity of RTP": rtp_repair, "a backup": backup, "scrambling": scrambled,
    "jumps": jump,
    "other coding, ts": lambda options: other_coding(options, "ts"), "other coding, fmp4": lambda options: other_coding(options, "fmp4"),
    "open groups": groups, "a long playlist": long_playlist,
}


def run(lines, options):
    # As datagrams have it.
    stream = options.folder / "clip.ts"
    ffmpeg("-i", options.clip, "-c", "copy", "-f", "mpegts", stream)
    options.clip = stream
    # They wait most of the time.
    lines.prove_all("inputs", PROOFS, options, at_once=3)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip")
