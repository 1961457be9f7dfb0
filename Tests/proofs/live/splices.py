"""Sections of SCTE-35 in live fragmented MP4: threefive writes them, a server gets them in a transport stream, and its segments have them in event messages,
byte for byte, on their frames; the MPD keeps its rules and lists the breaks, as mpegdash and mpd-inspector read it too, and FFmpeg and GStreamer play all.

    python3 -m proofs.live.splices --server PROGRAM --folder FOR_ITS_FILES --ffmpeg PROGRAM

FFmpeg is a current one, as scripts/check-players fetches it.
"""

import base64
import datetime
import re
import time
from xml.etree import ElementTree

import av

from proofs import transport
from proofs.facts import prove_and_end
from proofs.live.server import Server, cue
from proofs.players import server as pages
from proofs.processes import ffmpeg, finished, in_background, wait_until
from proofs.witnesses import broadcast, mpd, mpd_readers, splices, stamped_splices

SECONDS, SEGMENT = 24, 2
MPD = f"{{{mpd.NAMESPACE}}}"
# When a section is sent twice, the second one repeats the message.
TWICE = 2


def source_of(folder):
    """A transport stream with sections; the presentation time of its first picture, and the sections in order with the times at which they are sent."""
    plain, path = folder / "plain.ts", folder / "source.ts"
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=25:duration={SECONDS}", "-f", "lavfi", "-i", f"sine=sample_rate=48000:duration={SECONDS}",
           "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "25", "-flags", "+cgop", "-c:a", "aac", "-f", "mpegts", plain)
    data = plain.read_bytes()
    zero = broadcast.zero_of(data)
    # Times are modulo 2^33 after pts_adjustment is added.
    adjusted = splices.signal((zero + (13 - 95_000) * splices.TICKS) % splices.WRAP, splices.segment(5, 0x36), adjustment=95_000.0)
    sections = splices.sections(zero)[:-1] + [(9, adjusted)]
    stream = broadcast.Stream(0x86, splices.PID, sections, broadcast.descriptor(0x8A, b"\1"), is_sections=True)
    path.write_bytes(broadcast.with_streams(data, [stream], broadcast.descriptor(5, b"CUEI")))
    return path, zero, sections


def pictures(path):
    """The presentation times of the pictures of a file, in seconds, in their order, as FFmpeg says."""
    with av.open(str(path)) as container:
        return sorted(float(packet.pts * packet.time_base) for packet in container.demux(container.streams.video[0]) if packet.pts is not None)


def hashes(program, path, *options):
    """The pictures as FFmpeg decodes them, in their order."""
    done = finished(program, "-nostdin", "-v", "error", *options, "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-")
    assert not done.stderr, done.stderr[:300]
    return [line.rpartition(",")[2].strip() for line in done.stdout.splitlines() if not line.startswith("#")]


def run(lines, options):
    folder, texts, played_live = options.folder, {}, []
    source, zero, sent = source_of(folder)
    arguments = ["--segment-type", "fmp4", "--segment-duration", SEGMENT, "--window", 100, "--daterange", "-o", folder / "www" / "index.m3u8"]
    with Server(options.server, source, *arguments, log=folder / "server.log") as server:
        is_running = True

        def look():
            while is_running:
                status, _, body = server.get("/live/live/index.mpd")
                if status == 200:
                    texts.setdefault(body.decode())
                time.sleep(0.3)

        wait_until(lambda: server.get("/live/live/index.mpd")[0] == 200, 20, "an MPD")
        thread = in_background(look)
        # FFmpeg reads the playlist while it grows.
        live = in_background(lambda: played_live.append(hashes(options.ffmpeg, f"http://127.0.0.1:{server.port}/live/live/index.m3u8", "-live_start_index", "0")))
        for number in range(5):
            status, answer = server.post(cue(number))
            assert status == 202, answer
            time.sleep(1)
        wait_until(lambda: b"EXT-X-ENDLIST" in server.get("/live/live/media.m3u8")[2], SECONDS + 20, "the end of the stream")
        live.join(30)
        is_running = False
        thread.join()
        playlist = server.get("/live/live/media.m3u8")[2].decode()
        server.stop()
    www = folder / "www"
    names = re.findall(r"^[^#\n]+$", (www / "media.m3u8").read_text(), re.MULTILINE)
    initialization = re.search(r'EXT-X-MAP:URI="([^"]+)"', (www / "media.m3u8").read_text())[1]
    found = [message for name in names for message in stamped_splices.messages((www / name).read_bytes())]
    whole = folder / "whole.mp4"
    whole.write_bytes(b"".join((www / name).read_bytes() for name in [initialization, *names]))

    def messages():
        moves = round(pictures(whole)[0] * splices.TICKS) - zero
        places = [round(at * splices.TICKS) for at in pictures(source)]
        expected = []
        for seconds, section in sent:
            line = splices.by_threefive(splices.decoded("0x" + section.hex()))
            if "splicePts" in line:
                expected.append((line["splicePts"] + moves, stamped_splices.moved(section, moves)))
            else:
                # Without a time it takes effect where it is.
                expected.append((None, section))
        assert [section for *_, section in found] == [section for _, section in expected], (
            f"other sections: {[section.hex() for *_, section in found]} instead of {[section.hex() for _, section in expected]}")
        apart = []
        for (at, *_), (wanted, _), (seconds, _) in zip(found, expected, sent):
            at -= moves
            if wanted is not None:
                assert at + moves == wanted, f"a message at {at}, its section is for {wanted - moves}"
            else:
                apart.append(at / splices.TICKS - zero / splices.TICKS - seconds)
                assert any(abs(at - place) <= 1 for place in places) and abs(apart[-1]) < 0.2, f"a section sent at {seconds} s takes effect at {at}"
        ids = {}
        for at, _, number, section in found:
            ids.setdefault(number, set()).add((at, section))
        assert all(len(same) == 1 for same in ids.values()) and len(found) - len(ids) == TWICE - 1, f"ids {[number for *_, number, _ in found]}"
        for *_, section in found:
            assert transport.crc32_mpeg2(section) == 0
        return (f"threefive's {len(sent)} sections are in {len(found)} event messages, byte for byte but for pts_adjustment and its checksum, all moved by as much as the "
                f"pictures ({moves} ticks), each for its picture")

    def read_again():
        before = [splices.by_threefive(splices.decoded("0x" + section.hex())) for _, section in sent]
        after = [splices.by_threefive(splices.decoded("0x" + section.hex())) for *_, section in found]
        for old, new, (at, *_) in zip(before, after, found):
            if "splicePts" in new:
                assert new["splicePts"] == at % splices.WRAP, f"{new} at {at}"
            for line in (old, new):
                line.pop("ptsAdjustment")
                line.pop("splicePts", None)
            assert old == new, f"{new} instead of {old}"
        return f"threefive reads the {len(found)} messages as the sections that it wrote, with the time of the message as theirs"

    def ranges():
        listed = stamped_splices.ranges(playlist)
        known = {section for _, section in sent}
        values = [bytes.fromhex(range[key][2:]) for range in listed.values() for key in ("SCTE35-OUT", "SCTE35-IN") if key in range]
        assert values and all(value in known for value in values), listed
        return f"{len(listed)} date ranges have {len(values)} sections of the input byte for byte"

    def manifest():
        assert len(texts) > SECONDS / SEGMENT / 2, f"{len(texts)} states"
        texts.setdefault((www / "index.mpd").read_text())
        for text in texts:
            problems = mpd.problems(text)
            assert not problems, problems[:5]
        known, binaries = {section for _, section in sent}, set()
        for text in texts:
            root = ElementTree.fromstring(text)
            for period in root.iter(f"{MPD}Period"):
                schemes = [[one.get("schemeIdUri") for one in adaptation.iter(f"{MPD}InbandEventStream")] for adaptation in period.iter(f"{MPD}AdaptationSet")]
                assert schemes == [["https://aomedia.org/emsg/ID3", stamped_splices.SCHEME], []], schemes
            binaries |= {base64.b64decode(element.text) for element in root.iter("{http://www.scte.org/schemas/35/2016}Binary")}
        assert binaries and binaries <= known, [binary.hex() for binary in binaries - known]
        return f"{len(texts)} states of the MPD keep the rules of the schema; they announce both kinds of messages, and list {len(binaries)} sections byte for byte"

    def readers():
        dates, segments, listed = {}, set(), 0
        for line in playlist.splitlines():
            if line.startswith("#EXT-X-PROGRAM-DATE-TIME:"):
                dates[None] = datetime.datetime.fromisoformat(line.partition(":")[2])
            elif line and not line.startswith("#"):
                dates[line] = dates[None]
        for text in texts:
            differences = list(mpd_readers.differences(text))
            assert not differences, differences[:3]
            inspected = mpd_readers.Inspected(text, "http://origin.example/live/")
            is_live = 'type="dynamic"' in text
            for name, start, _ in inspected.segments["main"]:
                expected = dates[name] if is_live else dates[name] - dates[names[0]]
                assert abs((start - expected).total_seconds()) < 0.0025, f"{name} at {start}, not at {expected}"
                segments.add(name)
            for at, cue_of_break in inspected.breaks:
                time_of = getattr(cue_of_break.command, "pts_time", None)
                if time_of is not None:
                    wanted = (round((time_of + cue_of_break.info_section.pts_adjustment) * splices.TICKS) - zero) % splices.WRAP / splices.TICKS
                    assert abs(at - wanted) < 0.001, f"a break at {at} s, its section is for {wanted} s"
                    listed += 1
        assert segments == set(names) and listed, f"{len(segments)} segments of {len(names)}, {listed} breaks"
        return (f"mpegdash writes {len(texts)} states of the MPD again as they were; mpd-inspector says of all {len(names)} segments that they are where the playlist has them, and "
                f"reads {listed} times a break at the time of its section")

    def plays_gstreamer():
        expected = len(pictures(source))
        counts = [mpd_readers.pictures_of_gstreamer(f"{pages.serve({'www': www})}/www/index.{kind}") for kind in ("mpd", "m3u8")]
        assert counts == [expected, expected], f"{counts} pictures of {expected}"
        return f"GStreamer plays each of {expected} pictures, by the MPD and by the playlist"

    def plays():
        expected = hashes(options.ffmpeg, source)
        played = hashes(options.ffmpeg, www / "index.m3u8", "-allowed_extensions", "ALL")
        assert played == expected, f"{len(played)} pictures of {len(expected)}"
        joined = hashes(options.ffmpeg, whole)
        assert joined == expected, f"{len(joined)} pictures of {len(expected)} in the segments"
        assert played_live == [expected], f"{[len(one) for one in played_live]} pictures live, {len(expected)} in the source"
        # The static FFmpeg reads no MPD; that of the system has libxml2.
        by_mpd = hashes("ffmpeg", www / "index.mpd")
        assert len(by_mpd) == len(expected), f"{len(by_mpd)} pictures of {len(expected)} by the MPD"
        version = finished(options.ffmpeg, "-version").stdout.split()[2]
        return f"FFmpeg {version} plays each of {len(expected)} pictures, live and afterwards, as they came; by the MPD, the system's as many"

    lines.prove_all("fragmented MP4", [
        ("event messages", messages), ("threefive", read_again), ("date ranges", ranges), ("MPD", manifest), ("MPD, other readers", readers), ("FFmpeg", plays),
        ("GStreamer", plays_gstreamer)])


if __name__ == "__main__":
    prove_and_end(run, "server", "ffmpeg")
