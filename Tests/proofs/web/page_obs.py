"""Publishes over RTMP as OBS does by itself, with a key frame every 250 frames, into a game server with its defaults, and plays on its page in Chromium.
Prints a line for each fact.

    python3 -m proofs.web.page_obs --server PROGRAM --package FOLDER --library FOLDER --folder FOR_ITS_FILES
"""

import json
import time

from proofs.facts import prove_and_end
from proofs.hosting.behind import Encoder, begin
from proofs.hosting.game import STREAM_TOKEN, Host
from proofs.processes import wait_until
from proofs.web import pages
from proofs.web.pages import Viewer


class Show:
    """What a viewer's window wants to know of a game."""

    def __init__(self, server):
        self.server, self.page = server, server.begun["page"]

    def get(self, path, token=None):
        with self.server.client(token) as client:
            answer = client.get(self.server.path(path))
        assert answer.status == 200, f"{path}: {answer}"
        return answer


def play(options):
    """A player answers in time by the picture that Chromium shows, and the answer is what counts."""
    server, port = begin(options, "obs", "--web", options.package, "--player-library", options.library / "hls.js")
    with server, Encoder(port, STREAM_TOKEN, log=options.folder / "ffmpeg.log"), pages.chromium() as browser:
        wait_until(server.is_ready, pages.PATIENCE, "the server is ready")
        questions = json.loads((options.folder / "obs" / "quiz.json").read_text())["questions"]
        right = questions[0]["answers"].index(questions[0]["correct"])
        host, viewer = Host(server), Viewer(browser, Show(server))
        try:
            viewer.join("Ann").phase("lobby")
            asked = host.ask()
            placed = time.monotonic()
            viewer.question(1)
            behind = time.monotonic() - placed
            viewer.answer(right)
            viewer.saved()
            state = server.state()
            host.command("reveal")
            result = viewer.phase("results").result()
            rank, score, count = viewer.sees_standing()
        except Exception:
            viewer.page.screenshot(path=options.folder / "obs.png")
            raise
        record = viewer.show.get("record", server.host_token).body.decode().splitlines()
        answers = [line for line in map(json.loads, record) if line.get("question") == asked["guid"] and line.get("answer") == right]
        assert (result["verdict"], result["right"], result["counts"][right]) == ("Right!", [right], 1), f"the result is {result}"
        assert (rank, count) == ("1", "1"), f"rank {rank}, {score} points, {count} right"
        assert len(answers) == 1, f"the record has {answers}"
        assert not viewer.problems, viewer.problems
    return (f"the page showed the question {behind:.1f} s after it was in the stream, and took an answer that counts: rank {rank}, {score} points; "
            f"answers count up to {state['delay']:.0f} s behind")


def run(lines, options):
    lines.prove("page, a key frame every 250 frames over RTMP", play, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "package", "library")
