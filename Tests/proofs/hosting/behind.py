"""Publishes over RTMP as OBS does by itself, with a key frame every 250 frames, into a game server with its defaults; prints a line for each fact.

    python3 -m proofs.hosting.behind --server PROGRAM --clip CLIP --folder FOR_ITS_FILES

Viewers who are as far behind as the playlist makes them must be counted, or the host is told before the first question. Then the encoder dies.
"""

import random
import subprocess
import time

from proofs.facts import prove_and_end
from proofs.hosting.game import STREAM_TOKEN, Host, Listener, Player, Server, edge, write_quiz, write_tokens
from proofs.live.server import Publisher
from proofs.processes import free_port, wait_until

FRAMES, RATE = 250, 30
# How many segments players stay behind the end of the playlist.
HELD_BACK = 3


class Encoder(Publisher):
    """ffmpeg that encodes a test picture at its own pace, and publishes it."""

    def __init__(self, port, key, frames=FRAMES, log=None):
        self.process = subprocess.Popen(
            ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", f"testsrc2=size=320x180:rate={RATE}", "-f", "lavfi", "-i", "sine=frequency=440",
             "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-g", str(frames), "-keyint_min", str(frames),
             "-sc_threshold", "0", "-c:a", "aac", "-f", "flv", f"rtmp://127.0.0.1:{port}/live/{key}"],
            stdout=subprocess.DEVNULL, stderr=open(log, "ab") if log else subprocess.DEVNULL)


def media_playlist(server):
    with server.client() as client:
        answer = client.get("/live/live/media.m3u8")
        return answer.body.decode() if answer.status == 200 else None


def target_duration(text):
    return int(next(line for line in text.splitlines() if line.startswith("#EXT-X-TARGETDURATION:")).partition(":")[2])


def begin(options, name, *arguments):
    """A server with its defaults, but for its port and the file of tokens."""
    folder = options.folder / name
    folder.mkdir(parents=True)
    write_quiz(folder / "quiz.json", 3)
    port = free_port()
    server = Server(
        options.server, folder / "data", "--input", f"rtmp://127.0.0.1:{port}/live", "--quiz", folder / "quiz.json", "--hosted", "--token-file",
        write_tokens(folder / "tokens"), *arguments, log=folder / "server.log", parts=True)
    return server, port


def far_behind(options):
    """Viewers of OBS's default are counted, the host and the operator hear why they are late; then the encoder dies, and comes back."""
    server, port = begin(options, "far")
    with server:
        host, ear = Host(server), Listener(server, "?client=ear")
        refused = host.call("next")
        assert (refused.status, refused.kind, refused.object["force"]) == (409, "stream-not-ready", True), f"GO without a picture: {refused}"
        assert not server.is_ready(), "the server is ready without a picture"
        with Encoder(port, STREAM_TOKEN, log=options.folder / "ffmpeg.log") as encoder:
            text = wait_until(lambda: media_playlist(server), 40, "there is a playlist")
            target = target_duration(text)
            assert target >= 8, f"the target duration is {target} s"
            assert "#EXT-X-PART-INF" in text and "#EXT-X-MAP" in text, "the playlist has no parts of fragmented MP4"
            wait_until(server.is_ready, 5, "the server is ready")
            behind = HELD_BACK * target
            words = f"viewers are {behind} s behind: set the key frame interval to 2 s"
            wait_until(lambda: words in server.messages, 5, "the operator is told")
            wait_until(lambda: {"behind": behind, "advice": "set the key frame interval to 2 s"} in ear.of("lag"), 5, "the host is told")
            player = Player("Far", random.Random(options.seed))
            with server.client() as client:
                assert player.join(client, server).status == 201
                question = host.ask()
                delay = server.state()["delay"]
                assert delay >= behind, f"the delay is {delay} s"
                # A player that has just loaded the playlist is three target durations before its end, and the live edge has gone on.
                wait_until(lambda: edge(client) >= question["opensAt"] + behind + 2, behind + 30, "the player sees the question")
                answer = player.answer(client, server, (question["guid"], 0, edge(client) - behind))
                assert answer.status == 202 and answer.object["results"] == ["recorded"], f"an answer {behind} s behind the live edge: {answer}"
            host.command("reveal")
            wait_until(lambda: server.state()["phase"] == "result", 10, "the result is in the stream")
            died = time.monotonic()
            encoder.stop()
            wait_until(lambda: {"picture": "down"} in ear.of("picture"), target, "the host hears that the picture has stopped")
            wait_until(lambda: server.state()["picture"] == "down" and not server.is_ready(), target, "players and load balancers hear it, too")
            took = time.monotonic() - died
            assert took <= target, f"that took {took:.1f} s"
        assert host.call("next").kind == "stream-not-ready", "GO does not ask first"
        with Encoder(port, STREAM_TOKEN, log=options.folder / "ffmpeg.log"):
            wait_until(lambda: server.state()["picture"] == "up" and server.is_ready(), 10, "the picture is back")
            assert ear.of("picture")[-1] == {"picture": "up"}, ear.of("picture")
    return (f"target duration {target} s, viewers {behind} s behind: answers count up to {delay:.0f} s, and one {behind} s behind was recorded; "
            f"a dead encoder was known after {took:.1f} s, GO was refused, and the picture was back")


def fixed_delay(options):
    """An operator who has fixed --delay hears before the first question that nobody's answers would count."""
    server, port = begin(options, "fixed", "--delay", 12)
    with server, Encoder(port, STREAM_TOKEN, log=options.folder / "ffmpeg.log"):
        text = wait_until(lambda: media_playlist(server), 40, "there is a playlist")
        wait_until(server.is_ready, 5, "the server is ready")
        host, behind = Host(server), HELD_BACK * target_duration(text)
        refused = host.call("next")
        assert (refused.status, refused.kind) == (409, "stream-not-ready"), f"GO: {refused}"
        assert f"viewers are {behind} s behind: set the key frame interval to 2 s" in refused.object["detail"], refused
        assert server.state()["phase"] == "lobby"
        assert host.call("next", force=True).status == 200
    return "it was refused with the reason, and asked with force"


PROOFS = {"far": far_behind, "fixed delay": fixed_delay}


def run(lines, options):
    lines.prove_all("behind", PROOFS, options)


# It makes its own picture; all proofs get a clip.
if __name__ == "__main__":
    prove_and_end(run, "server", "clip", seed=1)
