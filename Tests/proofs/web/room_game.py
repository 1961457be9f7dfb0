"""Plays a game on a game server, and reads what its stage tells screens, from the lobby to the podium, with the projector's page beside it in Chromium. Prints a
line for each fact.

    python3 -m proofs.web.room_game --server PROGRAM --clip CLIP --folder FOR_ITS_FILES
"""

import http.client
import json
import random

from proofs.facts import prove_and_end
from proofs.hosting.game import Host, Player, Server, join_all
from proofs.processes import in_background, wait_until
from proofs.web import pages

PATIENCE = 60
# Nobody else says so long a thing.
SECRET = "because of the rust on Mars"
QUIZ = {"id": "room", "title": "The room", "questions": [
    {"question": "Which planet is red?", "answers": ["Venus", "Mars", "Saturn"], "correct": "Mars", "explanation": SECRET},
    {"question": "Which metal is liquid?", "answers": ["Mercury", "Iron"], "correct": "Mercury"}]}


class Stage:
    """What a screen is told."""

    def __init__(self, server, last=None):
        self.states, self.numbers = [], []
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self.connection.request("GET", server.path("stage"), headers={} if last is None else {"Last-Event-ID": str(last)})
        self.response = self.connection.getresponse()
        assert (self.response.status, self.response.headers["Content-Type"]) == (200, "text/event-stream"), self.response.status
        self.reading = in_background(self.read)

    def read(self):
        try:
            for line in self.response:
                if line.startswith(b"id: "):
                    self.numbers.append(int(line[4:]))
                if line.startswith(b"data: "):
                    self.states.append(json.loads(line[6:]))
        except (OSError, ValueError, AttributeError):
            pass

    def until(self, name, test=lambda state: True):
        def found():
            return self.states and self.states[-1]["state"] == name and test(self.states[-1]) and self.states[-1]
        return wait_until(found, PATIENCE, f"the stage says {name}, not {self.states[-1:]}")


def secrets(states):
    """The states that say more than they may."""
    return [state for state in states if state["state"] in ("lobby", "question", "closed", "board") and (
        SECRET in json.dumps(state) or any(key in (state["question"] or {}) for key in ("correctAnswer", "counts", "explanation")))]


def play(options):
    folder = options.folder / "game"
    folder.mkdir(parents=True)
    (folder / "quiz.json").write_text(json.dumps(QUIZ))
    with Server(options.server, folder / "data", "--input", options.clip, "--loop", "--quiz", folder / "quiz.json", "--hosted", "--time", 8, "--delay", 3,
                log=folder / "server.log") as server, pages.chromium() as browser:
        wait_until(server.is_ready, PATIENCE, "the server is ready")
        stage, host = Stage(server), Host(server)
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        problems = []
        page.on("console", lambda message: message.type == "error" and problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.port}/screen")

        def see(state):
            # Also who loads the page anew sees it.
            for _ in range(2):
                page.wait_for_selector(f"body[data-state={state}]", timeout=PATIENCE * 1_000)
                page.reload()
            page.wait_for_selector(f"body[data-state={state}]", timeout=PATIENCE * 1_000)
            page.screenshot(path=options.folder / f"{state}.png")

        chance = random.Random(5)
        players = [Player(name, chance) for name in ("Ann", "Ben", "Cleo")]
        stage.until("lobby", lambda state: state["names"] == [])
        join_all(server, players, connections=1)
        stage.until("lobby", lambda state: state["names"] == ["Cleo", "Ben", "Ann"])
        see("lobby")
        asked = host.ask()
        with server.client() as client:
            for player, answer in zip(players, (1, 1, 0)):
                assert player.answer(client, server, (asked["guid"], answer, asked["opensAt"])).status == 202
        state = stage.until("question", lambda state: state["question"]["answered"] == 3)
        assert 0 <= state["time"]["left"] <= state["time"]["whole"] == 8, state["time"]
        stage.until("closed")
        result = stage.until("result")
        assert (result["question"]["correctAnswer"], result["question"]["counts"]) == (1, [1, 2, 0]), result
        assert result["question"]["explanation"] == SECRET
        late = Stage(server, stage.numbers[-1])
        wait_until(lambda: late.states, PATIENCE, "the first event is the state")
        assert late.states[0]["question"] == result["question"], late.states[0]
        stage.until("board")
        see("board")
        host.ask()
        see("question")
        host.command("reveal")
        stage.until("result", lambda state: state["question"]["number"] == 2)
        see("result")
        host.command("next")
        podium = stage.until("podium")
        see("podium")
        assert podium["winners"] == ["Ann", "Ben"] or podium["winners"], podium
        assert not secrets(stage.states), secrets(stage.states)
        assert stage.numbers == sorted(set(stage.numbers)), stage.numbers
        assert not problems, problems
    return f"{len(stage.states)} states, nothing of a result before it, and a page that a reload restores in each"


def run(lines, options):
    lines.prove("room, a game from the lobby to the podium", play, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip")
