"""Kills a live server again and again while events are posted, and proves that no promise is broken, and prints a line for each fact.

    python3 -m proofs.live.crash --server PROGRAM --clip CLIP.ts --folder FOR_ITS_FILES [--library FOLDER] [--kills 20] [--seed 1]

One publisher goes on by UDP all the time. Every event that was answered with 202 must be in the stream once, by its GUID. With the library of
scripts/check-players, hls.js watches over some kills too.
"""

import random
import socket
import time

from proofs.facts import as_path, prove_and_end
from proofs.live.players import WebPlayer, number_of
from proofs.live.playlists import Playlist, Watch
from proofs.live.server import Poster, Publisher, Receiver, Server, udp
from proofs.processes import free_port, wait_until
from proofs.stream import Stream, whole
from proofs.transport import signed


class CrashPoster(Poster):
    """Posts without a pause to whichever server there is, and remembers the answers."""

    def __init__(self, seed):
        self.server, self.other = None, []
        super().__init__(seed)

    def post(self):
        server = self.server
        if server is None:
            time.sleep(0.01)
            return
        guid, event = self.next()
        if self.count % 7 == 0:
            event["in"] = 1.5
        try:
            status, answer = server.post(event, timeout=5)
            if status == 202:
                self.accepted[guid] = (answer["sequence"], event)
            else:
                self.other.append((status, answer))
        except Exception:
            # Without an answer nothing was promised.
            pass
        time.sleep(self.random.uniform(0.005, 0.06))


def crash(lines, options):
    folder = options.folder
    (folder / "hls").mkdir()
    chance = random.Random(options.seed)
    source, port = free_port(socket.SOCK_DGRAM), free_port()
    poster, watch = CrashPoster(options.seed), Watch()
    question, runs, delays = None, [], []
    with Receiver() as receiver, Publisher(options.clip, udp(source)):
        for run in range(options.kills + 1):
            recording = folder / f"run-{run}.ts"
            runs.append(recording)
            delay = chance.uniform(0.15, 2.5)
            delays.append(delay)
            with Server(
                    options.server, f"udp://127.0.0.1:{source}", "-o", recording, "-o", udp(receiver.port),
                    "-o", folder / "hls" / "index.m3u8", "--journal", folder / "journal", "--game", "crash", "--segment-duration", 1, "--window", 20,
                    port=port, log=folder / "server.log") as server:
                watch.begin(port)
                if question is None:
                    wait_until(server.is_ready, 15, "the input comes")
                    assert server.post({"event": "startGame", "title": "Crash"}, "?wait=placed")[0] == 202
                    status, answer = server.post({"event": "askQuestion", "question": "Which one?", "answers": ["a", "b"], "correct": "a", "allottedTime": 600}, "?wait=placed")
                    assert status == 202, answer
                    question = answer["guid"]
                poster.server = server
                if run == options.kills:
                    wait_until(server.is_ready, 15, "the input comes")
                    time.sleep(2)
                    poster.server = None
                    poster.end()
                    time.sleep(4)
                    events = server.events()
                    seconds, status = server.stop()
                else:
                    if run % 4:
                        wait_until(server.is_ready, 15, "the input comes")
                    time.sleep(delay)
                    watch.expect_restart()
                    server.kill()
                    poster.server = None
        time.sleep(0.3)
    watch.end()
    data = receiver.data
    check(lines, folder, runs, Stream(data), poster, watch, question, events, (seconds, status))


def check(lines, folder, runs, stream, poster, watch, question, events, end):
    recorded = [Stream(whole(path)) for path in runs]
    joined = {}
    for number, part in enumerate(recorded):
        for guid, tags in part.guids.items():
            joined.setdefault(guid, []).append((number, tags))

    def all_are_there():
        assert poster.accepted, "nothing was accepted"
        missing = [guid for guid in poster.accepted if guid not in joined]
        kinds = [("at once" if "in" not in poster.accepted[guid][1] else "in 1.5 s", poster.accepted[guid][0], events.get(guid, {}).get("state")) for guid in missing]
        assert not missing, f"{len(missing)} of {len(poster.accepted)} accepted events are in no recording: {kinds[:5]}"
        return f"all {len(poster.accepted)} accepted events are in the {len(runs)} recordings"

    def wire_has_them():
        missing = [guid for guid in poster.accepted if guid not in stream.guids]
        # The journal notes an event as sent only after that, so the next process sends what a killed one did not.
        assert not missing, f"{len(missing)} accepted events did not come by UDP: {[events.get(guid, {}).get('state') for guid in missing][:5]}"
        return f"all of them came by UDP, in {len(stream.tags)} tags"

    def places_are_complete():
        by_place, by_guid = {}, {}
        for part in recorded + [stream]:
            for tag in part.tags:
                place = int(tag.event["sequence"])
                assert by_place.setdefault(place, tag.guid) == tag.guid, f"the place {place} is that of two events"
                assert by_guid.setdefault(tag.guid, place) == place, f"{tag.guid} has the places {by_guid[tag.guid]} and {place}"
        missing = sorted(set(range(1, max(by_place) + 1)) - set(by_place))
        assert not missing, f"no event has the places {missing[:10]} of {max(by_place)}; {[e for e in events.values() if e['sequence'] in missing][:3]}"
        for guid, (place, event) in poster.accepted.items():
            assert place is None or by_guid.get(guid, place) == place, f"{guid} was promised the place {place} and has {by_guid[guid]}"
        return f"places 1 to {max(by_place)} are complete, one event each, and as promised"

    def one_time_each():
        moved, content = {}, {}
        for part in recorded + [stream]:
            for tag in part.tags:
                keys = {key: value for key, value in tag.event.items() if key not in ("copy", "copies", "age", "crc")}
                if content.setdefault(tag.guid, keys) != keys:
                    moved[tag.guid] = {key: (content[tag.guid].get(key), keys.get(key)) for key in keys if content[tag.guid].get(key) != keys.get(key)}
        assert not moved, f"{len(moved)} of {len(content)} events say two things: {list(moved.items())[:3]}"
        return f"all copies of {len(content)} events say the same, over all restarts"

    def only_what_was_lost_comes_anew():
        count, early = 0, []
        for guid, parts in joined.items():
            firsts = [(number, tag.pts) for number, tags in parts for tag in tags if int(tag.event["copy"]) == 1 and int(tag.event["copies"]) > 1]
            for (number, pts), (following, _) in zip(firsts, firsts[1:]):
                # A burst comes again where the segment with the first one was not complete: that of a second, or what was being written.
                left = signed(recorded[number].video[-1].pts - pts) / 90_000
                count += 1
                if following == number or left > 2.5:
                    early.append((guid, number, following, left))
        assert not early, f"{len(early)} events came anew whose segment was complete: {early[:5]}"
        return f"{count} bursts came anew after a restart, all of events whose segment was not complete"

    def refreshed_at_once():
        latest = 0
        for number, part in enumerate(recorded[1:], 1):
            if sum(video.is_random_access > 0 for video in part.video[:-6]) < 1:
                continue
            first = next((tag for tag in part.tags if tag.guid == question), None)
            assert first, f"run {number} has {len(part.video)} frames and not the open question"
            # Nothing can be shown before the first picture that decoding can start with.
            late = first.video - next(index for index, video in enumerate(part.video) if video.is_random_access)
            latest = max(latest, late)
            assert late <= 5, f"run {number}: the open question comes behind {late} frames"
        return f"the open question comes behind {latest} frames at most"

    def programme_goes_on():
        last = None
        for number, part in enumerate(recorded):
            ats = [float(tag.event["at"]) + float(tag.event["age"]) for tag in part.tags]
            if not ats:
                continue
            assert last is None or min(ats) > last - 0.05, f"run {number} goes back from {last} to {min(ats)} on the timeline"
            last = max(ats)
        return f"the timeline never goes back, up to {last} s"

    def playlists_hold():
        assert not watch.problems, f"{len(watch.problems)} problems: " + "; ".join(watch.problems[:5])
        assert not getattr(watch, "lost_window", 0), f"{watch.lost_window} of {watch.restarts} restarts forgot the window that players were playing"
        return f"{watch.versions} versions over {watch.restarts} restarts keep the rules"

    def folder_holds():
        playlist = Playlist((folder / "hls" / "media.m3u8").read_text())
        assert playlist.is_ended, "no EXT-X-ENDLIST"
        for segment in playlist.segments:
            assert segment.is_gap or (folder / "hls" / segment.uri).stat().st_size > 0
        listed = {segment.uri for segment in playlist.segments}
        left = [path.name for path in (folder / "hls").glob("*.ts") if path.name not in listed]
        others = [path.name for path in (folder / "hls").iterdir() if path.suffix not in (".ts", ".m3u8")]
        assert not others, f"left in the folder: {others}"
        session = listed.pop().split("-")[0]
        orphans = [name for name in left if not name.startswith(session)]
        assert len(orphans) <= 45, f"{len(orphans)} segments of killed sessions stay in the folder for ever"
        return f"{len(playlist.segments)} segments, ENDLIST, {len(left)} more may be loaded"

    def ends():
        assert end[0] < 2 and end[1] in (0, 130), f"SIGTERM: {end[0]:.2f} s, status {end[1]}"
        return f"SIGTERM ends it in {end[0]:.2f} s with status {end[1]}"

    def states():
        wrong = [(guid, events.get(guid, {}).get("state")) for guid in poster.accepted if events.get(guid, {}).get("state") not in ("placed", "published")]
        assert not wrong, f"{len(wrong)} events have other states: {wrong[:5]}"
        assert not poster.other, f"{len(poster.other)} other answers: {poster.other[:3]}"
        return "the server says of all that they are in the stream"

    lines.prove_all(f"{len(runs) - 1} kills", [
        ("nothing lost", all_are_there), ("by UDP", wire_has_them), ("places", places_are_complete), ("one content", one_time_each),
        ("bursts", only_what_was_lost_comes_anew), ("refreshes", refreshed_at_once), ("timeline", programme_goes_on), ("playlists", playlists_hold),
        ("folder", folder_holds), ("states", states), ("end", ends)])


def players_go_on(options):
    """hls.js plays on while the server is killed and started again, and its page acts once on each event."""
    folder, kills = options.folder / "players", 3
    folder.mkdir(parents=True)
    source, port = free_port(socket.SOCK_DGRAM), free_port()
    poster, watch, player = CrashPoster(options.seed + 1), Watch(), None
    recordings = [folder / f"run-{run}.ts" for run in range(kills + 1)]
    with Publisher(options.clip, udp(source)):
        for run, recording in enumerate(recordings):
            with Server(
                    options.server, f"udp://127.0.0.1:{source}", "-o", folder / "hls" / "index.m3u8", "-o", recording, "--journal", folder / "journal", "--game", "players",
                    "--segment-duration", 1, "--window", 20, port=port, log=folder / "server.log") as server:
                watch.begin(port)
                wait_until(server.is_ready, 15, "the input comes")
                poster.server = server
                if player is None:
                    wait_until(lambda: watch.last, 15, "a playlist")
                    player = WebPlayer("hls.js", options.library, f"http://127.0.0.1:{port}/live/live/index.m3u8", 60)
                begun = watch.last.segments[-1].number + 1
                wait_until(lambda: watch.last.segments[-1].number > begun + 6, 60, "segments come")
                if run == kills:
                    # To the end the server runs, and the last that the player has seen is not what it began with.
                    wait_until(lambda: not player.thread.is_alive(), 150, "the player has watched")
                    poster.server = None
                    poster.end()
                    server.stop()
                else:
                    poster.server = None
                    watch.expect_restart()
                    server.kill()
    watch.end()
    told = player.check(watch)
    latest = max(number_of(name) for name in player.report["loaded"] if name.endswith(".ts"))
    assert latest > begun, f"hls.js has loaded segments up to {latest}; the last restart was at {begun}"
    assert not watch.problems, f"{len(watch.problems)} problems: " + "; ".join(watch.problems[:5])
    published = {guid for data in watch.bytes.values() for guid in Stream(data).guids}
    # What happened last in the segment that a kill ended comes again with the first picture of the next one. What others had replaced by then does not.
    for recording in recordings[:-1]:
        *_, last = Stream(whole(recording)).guids
        assert last in published, f"{last}, the last event of {recording.name}, is in no segment"
    missing = sum(guid not in published for guid in poster.accepted)
    return (f"{told}; the last of {kills} restarts was at segment {begun}; of {len(poster.accepted)} accepted events {missing} came and were replaced within segments that the "
            f"kills ended")


def run(lines, options):
    crash(lines, options)
    if options.library:
        lines.prove("hls.js over kills", players_go_on, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", library=as_path, kills=20, seed=1)
