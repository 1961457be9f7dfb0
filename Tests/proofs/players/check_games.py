"""Plays stamped presentations with ads stitched in, in hls.js, and their games with the package for the web in the same page, and proves that each question
is asked exactly once, and on time, whether or not the ads are announced to the game.

    python3 -m proofs.players.check_games --page FOLDER --library FOLDER --client FOLDER --inspected FILE OUTPUT=FOLDER...

FILE is what `cuelight inspect --json` prints for the programme without ads. Each FOLDER of an output holds what stitch.py makes. Prints a table in
Markdown; ends with status 1 where a question is not asked once, or not within half a second of its time.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from proofs.facts import proof_parser
from proofs.players import browser, markdown, server

# Seconds that a question may be off its time.
TOLERANCE = 0.5
# Seconds within which a player has to come to the end, starting included.
PATIENCE = 150

TITLES = ["output", "ads", "tags", "questions", "asked", "largest offset, ms", "game"]


def questions_of(inspected):
    """The questions of a stream by what `inspect --json` printed: GUID to programme time."""
    lines = [json.loads(line) for line in inspected.read_text().splitlines()]
    return {line["guid"]: line["event"]["at"] for line in lines if line["type"] == "copy" and line["event"]["eventType"] == "askQuestion"}


def parts_of(playlist):
    """Where the parts of a stitched playlist lie: whether each is the programme, its start and its duration, in seconds."""
    parts, time, is_new = [], 0.0, True
    for line in playlist.read_text().splitlines():
        if line == "#EXT-X-DISCONTINUITY":
            is_new = True
        elif line.startswith("#EXTINF:"):
            duration = float(line[len("#EXTINF:"):].rstrip(","))
        elif line and not line.startswith("#"):
            if is_new:
                parts.append([line.startswith("programme/"), time, 0.0])
                is_new = False
            parts[-1][2] += duration
            time += duration
    return parts


def player_time(time, parts):
    """When the player comes to a time of the programme."""
    gone = 0.0
    for is_programme, start, duration in parts:
        if is_programme:
            if time < gone + duration:
                return start + time - gone
            gone += duration
    sys.exit(f"failed: the programme ends before {time} s")


class Game:
    """What came of one game, and all that is wrong with it."""

    def __init__(self, output, are_announced, report, console, questions, parts):
        self.output, self.report, self.questions = output, report, questions
        self.ads = "announced" if are_announced else "not announced"
        self.asked = {}
        for transition in report["transitions"]:
            if transition["transition"] == "questionAsked":
                self.asked.setdefault(transition["guid"], []).append(transition["now"])
        self.offsets = {
            guid: times[0] - player_time(questions[guid], parts) for guid, times in self.asked.items() if guid in questions}
        self.faults = [*report["errors"], *(line for line in console if line.startswith("error")), *self.found_faults(parts)]

    def found_faults(self, parts):
        if not self.report["ended"]:
            yield "does not play to the end"
        if len(self.report["parts"]) != len(parts):
            yield f"plays {len(self.report['parts'])} parts of {len(parts)}"
        for guid, time in self.questions.items():
            times = self.asked.get(guid, [])
            if len(times) != 1:
                yield f"the question at {time} s is asked {len(times)} times: {times}"
            elif abs(self.offsets[guid]) > TOLERANCE:
                yield f"the question at {time} s is asked {self.offsets[guid]:.3f} s off its time"
        for guid in self.asked.keys() - self.questions.keys():
            yield f"{guid} is asked, which is no question"
        if [transition["transition"] for transition in self.report["transitions"]].count("gameEnded") != 1:
            yield "the game does not end once"

    def cells(self):
        largest = max(map(abs, self.offsets.values()), default=None)
        return [
            self.output, self.ads, self.report["tags"], len(self.questions), sum(map(len, self.asked.values())),
            "none" if largest is None else f"{1_000 * largest:.0f}", "lost" if self.faults else "each question once"]


def play(output, are_announced, address):
    """Plays a presentation in a Chromium of its own: the page's report and what its console said."""
    with browser.start() as chromium:
        expression = f"playGame('/{output}/index.m3u8', {str(are_announced).lower()}, {PATIENCE})"
        return chromium.evaluate(f"{address}/page/game.html", expression, PATIENCE + 20)


def main():
    parser = proof_parser("page", "library", "client", "inspected")
    parser.add_argument("outputs", nargs="+")
    options = parser.parse_args()

    questions = questions_of(options.inspected)
    if not questions:
        parser.error(f"{options.inspected} has no questions")
    folders = {name: Path(folder) for name, _, folder in (output.partition("=") for output in options.outputs)}
    address = server.serve({"page": options.page, "library": options.library, "client": options.client, **folders})
    turns = [(output, are_announced) for output in folders for are_announced in (True, False)]
    # All at once: each plays at its own pace, in real time, and none needs much of the machine.
    try:
        with ThreadPoolExecutor(len(turns)) as pool:
            played = list(pool.map(lambda turn: play(*turn, address), turns))
    except browser.BrowserError as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    games = [
        Game(output, are_announced, *seen, questions, parts_of(folders[output] / "index.m3u8"))
        for (output, are_announced), seen in zip(turns, played)]
    print(markdown.table(TITLES, [game.cells() for game in games]), flush=True)
    for game in games:
        for fault in game.faults:
            print(f"failed: {game.output}, ads {game.ads}: {fault}", file=sys.stderr)
    return 1 if any(game.faults for game in games) else 0


if __name__ == "__main__":
    sys.exit(main())
