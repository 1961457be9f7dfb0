"""The rules of live playlists, checked at each reload; as a program, with a server's playlist that runs on, one line a fact.

    python3 -m proofs.live.playlists --server PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--minutes 10] [--seed 1]
"""

import datetime
import http.client
import random
import time

from proofs.client import call
from proofs.facts import prove_and_end
from proofs.live.server import Server, cue, new_guid
from proofs.processes import in_background, wait_until
from proofs.stream import Stream, numbers


# What a playlist says besides its segments: date ranges, and the parts of low-latency HLS.
OTHER_TAGS = ("#EXT-X-DATERANGE", "#EXT-X-SERVER-CONTROL", "#EXT-X-PART-INF", "#EXT-X-PART", "#EXT-X-PRELOAD-HINT", "#EXT-X-RENDITION-REPORT")


def milliseconds(text):
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


class Segment:
    def __init__(self):
        self.uri = None
        self.duration = None
        self.date = None
        self.is_discontinuous = False
        self.is_gap = False

    @property
    def session(self):
        """What all names of a session begin with."""
        return self.uri.partition("-")[0]

    @property
    def key(self):
        return self.uri, self.duration, self.date, self.is_discontinuous, self.is_gap


class Playlist:
    """A media playlist, read as RFC 8216 and its second edition describe it."""

    def __init__(self, text):
        self.text = text
        lines = text.split("\n")
        assert lines[0] == "#EXTM3U", "the first line is not #EXTM3U"
        assert text.endswith("\n"), "the last line is cut off"
        self.target = self.kind = None
        self.sequence = self.discontinuity_sequence = 0
        self.is_ended = self.is_independent = False
        self.segments = []
        segment, seen, initialization = Segment(), set(), None
        for line in lines[1:]:
            name, _, value = line.partition(":")
            if name in ("#EXT-X-VERSION", "#EXT-X-TARGETDURATION", "#EXT-X-MEDIA-SEQUENCE", "#EXT-X-DISCONTINUITY-SEQUENCE"):
                assert name not in seen and not self.segments, f"{name} comes twice or late"
                seen.add(name)
            if name == "#EXT-X-VERSION":
                self.version = int(value)
            elif name == "#EXT-X-TARGETDURATION":
                self.target = int(value)
            elif name == "#EXT-X-MEDIA-SEQUENCE":
                self.sequence = int(value)
            elif name == "#EXT-X-DISCONTINUITY-SEQUENCE":
                self.discontinuity_sequence = int(value)
            elif name == "#EXT-X-PLAYLIST-TYPE":
                self.kind = value
            elif name == "#EXT-X-INDEPENDENT-SEGMENTS":
                self.is_independent = True
            elif name == "#EXT-X-ENDLIST":
                self.is_ended = True
            elif name == "#EXT-X-DISCONTINUITY":
                segment.is_discontinuous = True
            elif name == "#EXT-X-MAP":
                initialization = value.partition('URI="')[2].partition('"')[0]
            elif name == "#EXT-X-GAP":
                segment.is_gap = True
            elif name == "#EXT-X-PROGRAM-DATE-TIME":
                segment.date = milliseconds(value)
            elif name == "#EXTINF":
                segment.duration = float(value.partition(",")[0])
            elif line and not line.startswith("#"):
                segment.uri, segment.initialization = line, initialization
                self.segments.append(segment)
                segment = Segment()
            else:
                assert not line or name in OTHER_TAGS, f"an unknown line: {line}"
        assert self.target, "there is no target duration"
        number = self.discontinuity_sequence
        for index, segment in enumerate(self.segments):
            number += segment.is_discontinuous
            segment.number, segment.discontinuities = self.sequence + index, number
            assert segment.duration is not None and segment.duration > 0, f"{segment.uri} has no duration"
            assert round(segment.duration) <= self.target, f"{segment.uri} lasts {segment.duration} s; the target is {self.target}"
            assert segment.date is not None, f"{segment.uri} has no date"
        uris = [segment.uri for segment in self.segments]
        assert len(uris) == len(set(uris)), "a name comes twice"

    def check_dates(self, largest=12):
        """Dates follow the durations, but for discontinuities, and for corrections, of 10 ms where the encoder's clock is nearly right. Media that was held back has the dates of gaps at most."""
        end = None
        for left, right in zip(self.segments, self.segments[1:]):
            drift = right.date - left.date - left.duration * 1000
            assert right.is_discontinuous or abs(drift) <= largest, f"the date of {right.uri} drifts {drift:.0f} ms from EXTINF"
            if not left.is_gap:
                end = left.date + left.duration * 1000
            early = end - right.date if end is not None and right.is_discontinuous else -drift
            assert early < largest, f"{right.uri} begins {early:.0f} ms before the media ahead of it ends"


class Watch:
    """Reloads a live presentation, and checks every version of its playlists and every segment. It may go on where one server follows another."""

    def __init__(self, path="/live/live/", check_segments=True, media="media.m3u8", interval=0.15):
        self.path, self.media, self.interval = path, media, interval
        self.port = None
        self.check_segments = check_segments
        self.last = None
        self.known = {}
        self.bytes = {}
        self.reloads = self.versions = 0
        self.removed = {}
        self.served_removed = 0
        self.restarts = 0
        self.problems = []
        self.is_running = False
        self.has_changed_server = False
        self.headers = {}

    def say(self, text):
        if text not in self.problems:
            self.problems.append(text)

    def load(self, name):
        return call(self.port, "GET", self.path + name, headers={"Origin": "https://example.org"}, timeout=5)

    def begin(self, port):
        """Watches a server process from now on."""
        self.port = port
        if not self.is_running:
            self.is_running = True
            self.thread = in_background(self.run)

    def expect_restart(self):
        """From now on another server process answers."""
        self.has_changed_server = self.last is not None

    def run(self):
        while self.is_running:
            try:
                self.reload()
            except OSError:
                pass
            except http.client.HTTPException:
                pass
            except Exception as error:
                self.say(f"{type(error).__name__}: {error}" if not isinstance(error, AssertionError) else str(error))
            time.sleep(self.interval)

    def end(self):
        self.is_running = False
        self.thread.join()

    def reload(self):
        status, headers, body = self.load(self.media)
        if status == 404 and (self.last is None or self.has_changed_server):
            return
        assert status == 200, f"the playlist's status is {status}"
        playlist = Playlist(body.decode())
        self.reloads += 1
        assert headers["content-type"] == "application/vnd.apple.mpegurl", f"Content-Type: {headers.get('content-type')}"
        assert headers.get("access-control-allow-origin") == "*", "no CORS for the playlist"
        assert headers.get("cache-control") == f"max-age={max(playlist.target // 2, 1)}", f"Cache-Control: {headers.get('cache-control')}"
        self.versions += self.last is None or self.last.text != playlist.text
        try:
            self.compare(playlist)
            playlist.check_dates()
        finally:
            self.last = playlist
        if self.check_segments:
            self.segments(playlist)

    def compare(self, playlist):
        last = self.last
        now = time.monotonic()
        if last is None:
            for segment in playlist.segments:
                self.known[segment.number] = (segment.key, segment.discontinuities)
            return
        changed = self.has_changed_server
        assert playlist.target == last.target, f"the target duration changes from {last.target} to {playlist.target}"
        assert playlist.sequence >= last.sequence, f"the media sequence goes back from {last.sequence} to {playlist.sequence}"
        assert playlist.discontinuity_sequence >= last.discontinuity_sequence, "the discontinuity sequence goes back"
        assert playlist.segments, "a playlist without segments"
        assert not last.is_ended or changed or playlist.text == last.text, "the playlist changes after ENDLIST"
        before = last.sequence + len(last.segments)
        if changed:
            # What the session before had published just before it ended may be new to us too.
            first = next((segment for segment in playlist.segments if segment.number >= before and segment.session != last.segments[-1].session), None)
            if first:
                self.restarts += 1
                self.has_changed_server = False
                if not any(segment.number < before for segment in playlist.segments):
                    self.lost_window = getattr(self, "lost_window", 0) + 1
            again = [segment.uri for segment in playlist.segments if segment.number < before and segment.number not in self.known]
            assert not again, f"after the restart {again[0]} has a number that was there before; {before} is next"
        else:
            assert playlist.sequence <= before, "segments were skipped"
        for left, right in zip(playlist.segments, playlist.segments[1:]):
            assert left.session == right.session or right.is_discontinuous, f"no EXT-X-DISCONTINUITY at the restart: {right.uri}"
        for segment in playlist.segments:
            known = self.known.setdefault(segment.number, (segment.key, segment.discontinuities))
            assert known == (segment.key, segment.discontinuities), f"segment {segment.number} changes from {known} to {segment.key}, {segment.discontinuities}"
        if not changed:
            length = sum(segment.duration for segment in last.segments)
            for segment in last.segments:
                if segment.number < playlist.sequence and not segment.is_gap:
                    self.removed[segment.uri] = now + length + segment.duration
        else:
            self.removed.clear()

    def segments(self, playlist):
        for segment in playlist.segments:
            if segment.uri in self.bytes or segment.is_gap:
                continue
            status, headers, body = self.load(segment.uri)
            assert status == 200, f"{segment.uri} is listed, and its status is {status}"
            is_transport = segment.uri.endswith(".ts")
            assert headers["content-type"] == ("video/mp2t" if is_transport else "video/mp4") and "immutable" in headers.get("cache-control", ""), f"{segment.uri}: {headers}"
            assert headers.get("access-control-allow-origin") == "*", "no CORS for segments"
            if is_transport:
                assert len(body) % 188 == 0 and body[0] == 0x47 and body[1] & 0x1F == 0 and body[2] == 0, f"{segment.uri} does not start with a PAT"
            else:
                assert body[4:8] == b"styp", f"{segment.uri} does not start with its type"
            self.bytes[segment.uri] = body
        for uri, until in list(self.removed.items()):
            # A removed segment is served for the duration of the segment plus that of the playlist (RFC 8216, 6.2.2).
            # It was noticed a reload later, at worst.
            if time.monotonic() < until - 0.5 - self.interval:
                status, _, _ = self.load(uri)
                assert status == 200, f"{uri} was removed {until - time.monotonic():.1f} s too early: status {status}"
                self.served_removed += 1
            else:
                del self.removed[uri]


def run(lines, options):
    """Reloads the playlist of a server all the time, loads every segment, and posts events meanwhile."""
    folder = options.folder
    chance, watch, posted = random.Random(options.seed), Watch(), []
    with Server(
            options.server, options.clip, "--loop", "-o", folder / "hls" / "index.m3u8", "--journal", folder / "journal", "--game", "playlists",
            "--segment-duration", 2, log=folder / "server.log") as server:
        watch.begin(server.port)
        wait_until(server.is_ready, 20, "the input comes")
        assert server.post({"event": "startGame", "title": "Playlists"})[0] == 202
        end = time.monotonic() + options.minutes * 60
        while time.monotonic() < end:
            guid = new_guid(chance)
            status, answer = server.post(cue(len(posted), guid=guid))
            assert status == 202, answer
            posted.append(guid)
            time.sleep(chance.uniform(0, 2))
        wait_until(lambda: server.events()[guid]["state"] == "published", 20, "the last event is published")
        last = server.events()[guid]["segments"][0]
        wait_until(lambda: watch.last.sequence + len(watch.last.segments) > last + 1, 20, "its segment is loaded")
        took = server.stop()
    watch.end()

    def rules():
        assert not watch.problems, f"{len(watch.problems)} problems: " + "; ".join(watch.problems[:5])
        assert watch.served_removed, "no removed segment was served"
        return f"{watch.reloads} reloads, {watch.versions} versions keep the rules; removed segments were loaded {watch.served_removed} times as long as they have to be there"

    def clip_begins_anew():
        # What the file's end makes of the clock is the only thing that is discontinuous.
        rounds = sum(is_discontinuous for (_, _, _, is_discontinuous, _), _ in watch.known.values())
        assert rounds <= options.minutes + 1, f"{rounds} discontinuities in {options.minutes:g} minutes"
        return f"{len(watch.known)} segments, {rounds} times discontinuous where the clip begins anew"

    def events():
        stream = Stream(b"".join(watch.bytes.values()))
        missing = [guid for guid in posted if guid not in stream.guids]
        assert not missing, f"{len(missing)} of {len(posted)} events are in no segment"
        return f"all {len(posted)} events are in the segments, places 1 to {numbers(stream)}"

    def ends():
        assert took[1] in (0, 130), f"status {took[1]}"
        assert Playlist((folder / "hls" / "media.m3u8").read_text()).is_ended, "no ENDLIST"
        return f"SIGTERM {took[0]:.2f} s, status {took[1]}"

    lines.prove_all(f"{options.minutes:g} minutes", [("rules", rules), ("discontinuities", clip_begins_anew), ("events", events), ("end", ends)])


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", minutes=10.0, seed=1)
