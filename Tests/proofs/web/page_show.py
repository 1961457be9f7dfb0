"""Plays a whole show in Chromium with every kind of question, in teams: players' pages, two consoles, a screen and an overlay, beside 200 bots. At each
transition every page says what the server's record says, and at the end the record is what `cuelight replay` makes of it. Once over transport streams, and
once over fragmented MP4, both with parts. Prints a line for each fact.

    python3 -m proofs.web.page_show --server PROGRAM --cuelight PROGRAM --package FOLDER --library FOLDER --folder FOR_ITS_FILES [--bots 200]
"""

import collections
import json
import random
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

from proofs.facts import prove_and_end
from proofs.hosting.game import Player
from proofs.web import pages
from proofs.web.page_hosts import Console
from proofs.web.pages import SCORING, Show, Viewer, Window

TIME, DELAY, CLIP = 90, 20, 240
TEAMS = ["Red", "Blue"]
QUIZ = {
    "id": "everything", "title": "Everything",
    "questions": [
        {"question": "Which planet is red?", "answers": ["Venus", "Mars", "Saturn"], "correct": "Mars"},
        {"question": "Which are even?", "kind": "multiple", "answers": ["1", "2", "3", "4"], "correct": ["2", "4"], "partial": True},
        {"question": "What shall we play next?", "kind": "poll", "answers": ["Music", "Films", "Sports"], "live": True},
        {"question": "Who will win tonight?", "kind": "prediction", "answers": ["The reds", "The blues"]},
        {"question": "How high is the tower?", "kind": "number", "least": 0, "most": 500, "step": 0.5, "unit": "m", "correct": 330, "within": 20},
        {"question": "From small to large?", "kind": "order", "answers": ["Ant", "Cat", "Cow", "Whale"]},
        {"question": "In which city is the Colosseum?", "kind": "text", "correct": ["Rome", "Roma"], "tolerance": 1, "points": 500},
        {"question": "How was it, in one word?", "kind": "poll", "words": True, "live": True},
    ]}
# What players write: several spellings of some texts. "Rom" is one letter away from a right one.
WRITTEN = {"text": ["Rome", "rome", "ROME!", "Rom", "Paris", "paris", "Athens"], "poll": ["Fun", "fun", "FUN!", "Loud", "Too long"]}
# Moves of what is on the page while nobody has touched it: how far, in which phase (none where cards are exchanged for those of another phase), and of what.
SHIFTS = """() => {
  globalThis.shifts = [];
  const changes = [];
  addEventListener("DOMContentLoaded", () => new MutationObserver(() => changes.push(performance.now())).observe(document.body, { attributeFilter: ["data-phase"] }));
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries()) {
      const isExchange = changes.some((time) => Math.abs(time - startTime) < 600);
      if (!hadRecentInput) shifts.push([value, isExchange ? "" : document.body.dataset.phase ?? "", ...sources.map(({ node }) => node?.id || node?.className || node?.nodeName || "")]);
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""
# More of a page than that must not move at once while a question takes answers.
LARGEST_SHIFT = 0.1


def kind_of(content):
    return content.get("kind", "single")


def is_text(content):
    return kind_of(content) == "text" or content.get("words", False)


def same_texts(texts):
    """How many players gave each text, by what texts have in common that count as the same: here their letters."""
    return collections.Counter("".join(filter(str.isalpha, text)).lower() for text in texts)


def given(content, chance):
    """What somebody might answer."""
    if is_text(content):
        return chance.choice(WRITTEN[kind_of(content)])
    answers = content.get("answers", [])
    match kind_of(content):
        case "multiple":
            return sorted(chance.sample(range(len(answers)), chance.randint(1, len(answers))))
        case "number":
            return chance.randrange(0, 1_001) / 2
        case "order":
            return chance.sample(range(len(answers)), len(answers))
        case _:
            return chance.randrange(len(answers))


class Room(Window):
    """A screen, or an overlay."""

    def __init__(self, browser, show, path):
        super().__init__(browser, viewport={"width": 1920, "height": 1080})
        self.path = path
        self.page.emulate_media(reduced_motion="reduce")
        self.page.goto(f"http://127.0.0.1:{show.server.port}{path}")

    def state(self, *names):
        self.see(", ".join(f"body[data-state={name}]" for name in names))

    def counts(self):
        return [int(text.strip("✓ ")) for text in self.page.locator(".answer .count").all_inner_texts()]

    def board(self):
        return [[line.locator(part).inner_text().strip() for part in (".rank", "bdi", ".points")] for line in self.page.locator(".board li").all()]


def bars(window):
    """How many players are in all bars of a histogram."""
    return sum(int(text) for text in window.page.locator(".histogram .bar-count").all_text_contents() if text)


class Whole:
    def __init__(self, options, type, tell):
        self.options, self.type, self.tell = options, type, tell
        self.folder = options.folder / type
        self.chance = random.Random(f"show {options.seed}")

    def run(self):
        arguments = ["--hosted", "--time", TIME, "--delay", DELAY, "--scoring", SCORING, "--teams", ",".join(TEAMS), "--segment-type", self.type]
        with Show(self.options, self.folder, QUIZ, *arguments) as self.show, pages.chromium() as browser:
            self.server = self.show.server
            self.windows = {}
            try:
                self.open(browser)
                for number, _ in enumerate(QUIZ["questions"], 1):
                    self.tell(f"question {number}", self.question, number)
                self.tell("the end", self.end)
                self.tell("the record", self.replay)
                self.tell("nothing jumps while a question takes answers", self.shifts)
                problems = {name: window.problems for name, window in self.windows.items() if [line for line in window.problems if "409" not in line]}
                assert not problems, problems
            except Exception:
                self.shoot("failed")
                raise

    def shoot(self, state):
        for name, window in self.windows.items():
            window.page.screenshot(path=self.folder / f"{state}-{name}.png", omit_background=name == "overlay")

    def open(self, browser):
        windows = self.windows
        windows["first"] = Console(browser, self.show, "the first console")
        windows["first"].says("coming-text", QUIZ["questions"][0]["question"])
        windows["second"] = Console(browser, self.show, "the second console")
        windows["second"].says("busy-text", "leads this game")
        windows["screen"], windows["overlay"] = Room(browser, self.show, "/screen"), Room(browser, self.show, "/overlay")
        windows["ann"] = Viewer(browser, self.show, viewport={"width": 390, "height": 844})
        windows["sara"] = Viewer(browser, self.show, viewport={"width": 1280, "height": 720}, locale="ar")
        for name, team in (("ann", "Red"), ("sara", "Blue")):
            viewer = windows[name]
            viewer.context.add_init_script(f"({SHIFTS})()")
            viewer.page.goto(self.show.page)
            viewer.see("[name=team]").select_option(team)
            viewer.join_here(name)
        self.bots = [Player(f"bot-{number}", self.chance) for number in range(self.options.bots)]
        self.each(self.bots, self.join)
        self.players = len(self.bots) + 2
        windows["screen"].until(lambda: str(self.players) in windows["screen"].text("players"), lambda: windows["screen"].text("players"))
        self.shoot("0-lobby")
        windows["first"].press("g", "starting")
        self.said = {}

    def join(self, client, bot):
        body = {"nickname": bot.nickname, "team": TEAMS[int(bot.nickname[4:]) % 2]}
        answer = client.call("PUT", self.server.path(f"players/{bot.uuid}"), body)
        assert answer.status == 201, answer
        bot.token = answer.object["token"]

    def each(self, bots, act, connections=4):
        """Does something for each bot over some connections, as often as the server asks to wait."""
        def some(share):
            with self.server.client() as client:
                for bot in share:
                    act(client, bot)

        with ThreadPoolExecutor(connections) as pool:
            list(pool.map(some, [bots[index::connections] for index in range(connections)]))

    def question(self, number):
        windows = self.windows
        windows["first"].press("g", "open")
        question = self.server.state()["question"]
        content = self.show.get("questions", self.server.host_token).object["asked"][-1]["content"]
        kind, text = kind_of(content), content["question"]
        for name in ("screen", "overlay"):
            windows[name].state("question")
            assert windows[name].page.locator(".asked h1").inner_text() == text, f"{name}: {windows[name].page.locator('.asked h1').inner_text()}"
        for name in ("first", "second"):
            windows[name].says("asked-text", text)
        windows["ann"].question(number)
        windows["sara"].see("body[data-phase=asking] #question")
        for name in ("ann", "sara"):
            windows[name].until(lambda: windows[name].text("question-text") == text, f"{name} is asked {text}")
        self.answer(windows["ann"], content)
        own = random.Random(f"{self.options.seed} {number}")
        answers = [given(content, own) for _ in self.bots]

        def reply(client, bot):
            answer = bot.answer(client, self.server, (question["guid"], answers[self.bots.index(bot)], round(question["opensAt"] + 0.2, 3)))
            assert answer.status == 202, f"{kind}: {answer}"

        self.each(self.bots, reply)
        windows["ann"].saved()
        answered = len(self.bots) + 1
        for name in ("screen", "overlay"):
            windows[name].until(lambda: f"{answered} of {self.players}" in windows[name].text("answered"), lambda: f"{name}: {windows[name].text('answered')}")
        for name in ("first", "second"):
            windows[name].says("answered", f"{answered} of {self.players}")
        if content.get("live") and not is_text(content):
            # Also who plays sees them, before there is a result.
            counts = self.counted(question["guid"])
            for name in ("ann", "sara"):
                windows[name].until(lambda: shown(windows[name]) == counts, lambda: f"{name} has {shown(windows[name])} of {counts}")
        self.shoot(f"{number}-{kind}-open")
        windows["first"].press("r", "result")
        for name in ("screen", "overlay"):
            windows[name].state("result")
        board = self.board(number)
        found = self.results(windows, kind, board)
        for name in ("ann", "sara"):
            windows[name].phase("results")
        found |= self.results({name: windows[name] for name in ("ann", "sara")}, kind, board)
        windows["ann"].sees_standing()
        windows["ann"].until(lambda: windows["ann"].board() == pages.board_of(board["leaders"]), lambda: f"{windows['ann'].board()} is not {board['leaders'][:3]}")
        self.shoot(f"{number}-{kind}-result")
        for name in ("screen",):
            windows[name].state("board")
            lines = windows[name].page.locator(".standings > div").first.locator(".board li")
            names = lines.locator("bdi").all_inner_texts()
            assert names == [line["player"] for line in board["leaders"]][:len(names)] and len(names) >= 8, names
        self.shoot(f"{number}-{kind}-board")
        return f"{kind}: {answered} answers; {len(found)} pages have the record's result, and the board"

    def answer(self, viewer, content):
        lines = viewer.page.locator(".answer")
        if is_text(content):
            viewer.part("text-field").fill(WRITTEN[kind_of(content)][0])
            viewer.page.keyboard.press("Enter")
            return
        match kind_of(content):
            case "multiple":
                lines.nth(1).click()
                lines.nth(3).click()
            case "number":
                viewer.part("number-field").fill("325.5")
            case "order":
                viewer.page.locator(".take").click()
            case _:
                lines.nth(1).click()

    def board(self, number):
        path = f"board/{number}"
        self.windows["first"].until(lambda: self.server.get(self.server.path(path))[0] == 200, f"board {number}")
        board = self.show.get(path).object
        scoreboard = board["scoreboard"]
        assert scoreboard["taken"] == len(self.bots) + 1, scoreboard
        self.said[scoreboard["question"]] = scoreboard
        # The record, as it is here, has the same answers.
        if "texts" in scoreboard:
            found = {key: count for entry in scoreboard["texts"]["most"] for key, count in same_texts([entry["text"]] * entry["count"]).items()}
            texts = same_texts(self.last_answers(scoreboard["question"]))
            assert found == texts and scoreboard["texts"]["others"] == 0, f"the record has {texts}: {scoreboard['texts']}"
        elif "histogram" not in scoreboard and "correctOrder" not in scoreboard:
            assert self.counted(scoreboard["question"]) == scoreboard["counts"], f"the record has {self.counted(scoreboard['question'])}: {scoreboard['counts']}"
        return board

    def last_answers(self, guid):
        """The last answer of each player to a question, by the record."""
        last = {}
        for line in self.show.get("record", self.server.host_token).body.decode().splitlines():
            entry = json.loads(line)
            if entry.get("question") == guid and "answer" in entry:
                last[entry["player"]] = entry["answer"]
        return last.values()

    def counted(self, guid):
        """How many players chose each answer of a question, by the record."""
        counts = collections.Counter(index for answer in self.last_answers(guid) for index in (answer if isinstance(answer, list) else [answer]))
        content = next(asked["content"] for asked in self.show.get("questions", self.server.host_token).object["asked"] if asked["guid"] == guid)
        return [counts[index] for index in range(len(content["answers"]))]

    def results(self, windows, kind, board):
        scoreboard = board["scoreboard"]
        counts = scoreboard["counts"]
        found = {}
        for name, window in windows.items():
            # A console counts answers that one chooses.
            if kind in ("number", "order") and name in ("first", "second"):
                continue
            if "texts" in scoreboard:
                wanted = [(entry["text"], entry["count"]) for entry in scoreboard["texts"]["most"]]
                window.until(lambda: written(window) == wanted, lambda: f"{name} shows {written(window)}, not {wanted}")
            elif kind == "number":
                window.until(lambda: bars(window) == sum(scoreboard["histogram"]["counts"]), lambda: f"{name} has {bars(window)} numbers")
            else:
                wanted = counts
                if kind == "order":
                    wanted = [counts[index] for index in scoreboard["correctOrder"]]
                window.until(lambda: shown(window) == wanted, lambda: f"{name} shows {shown(window)}, not {wanted}")
            found[name] = True
        return found

    def end(self):
        first, windows = self.windows["first"], self.windows
        first.page.locator("#predictions select").select_option(label="The blues")
        first.page.locator("#predictions button").click()
        first.until(lambda: first.page.locator("#predictions li").count() == 0, "the prediction is settled")
        first.press("x")
        first.see("#confirm[open]")
        first.page.locator("#confirm button").last.click()
        first.until(lambda: self.server.state()["phase"] == "ended", "the game is over")
        for name in ("screen", "overlay"):
            windows[name].state("podium")
        results = self.show.get("board").object["leaders"]
        winners = [line["player"] for line in results if line["rank"] == 1]
        for name in ("ann", "sara"):
            windows[name].phase("ended")
            windows[name].until(lambda: windows[name].text("winners") == " · ".join(winners), lambda: f"{name}: {windows[name].text('winners')}: {winners}")
        assert windows["screen"].page.locator(".step-1 bdi").inner_text() in winners
        windows["ann"].sees_standing()
        self.shoot("9-end")
        return f"{', '.join(winners)} won, on every page"

    def replay(self):
        time.sleep(DELAY / 4)
        boards, players = self.show.replayed()
        boards = {board["question"]: board for board in boards}
        wrong = []
        for guid, said in self.said.items():
            for key in ("counts", "taken", "tooLate", "histogram", "texts", "correctOrder", "correctNumber", "correctTexts"):
                if boards.get(guid, {}).get(key) != said.get(key):
                    wrong.append(f"{guid} {key}: {boards.get(guid, {}).get(key)}, not {said.get(key)}")
        leaders = {line["player"]: line["score"] for line in self.show.get("board").object["leaders"]}
        replayed = {line["player"]: line["score"] for line in players}
        wrong += [f"{name}: {score}, not {replayed.get(name)}" for name, score in leaders.items() if replayed.get(name) != score]
        assert not wrong, wrong[:6]
        return f"{len(boards)} boards and {len(replayed)} players are those of `cuelight replay`"

    def shifts(self):
        """While a question takes answers, nothing jumps. Where cards come and go, that is measured alone."""
        still, most = {}, {}
        for name in ("ann", "sara"):
            found = self.windows[name].page.evaluate("shifts")
            still[name] = max((shift for shift in found if shift[1] in ("asking", "closed")), default=[0])
            most[name] = max(found, default=[0])
        assert all(shift[0] <= LARGEST_SHIFT for shift in still.values()), still
        return "; ".join(
            f"{name}: {still[name][0]:.3f} of the page at most while a question takes answers, {most[name][0]:.3f} where cards come and go" for name in still)


def shown(window):
    """The counts that a page shows, in its order."""
    selector = "#tally b" if window.page.locator("#tally").count() else ".answer .count"
    texts = window.page.locator(selector).all_inner_texts()
    return [int(text.strip("✓ ").replace(",", "")) for text in texts if text.strip("✓ ")]


def written(window):
    """The texts that a page shows, each with how many players gave it."""
    selector = "#tally > li > span:first-child" if window.page.locator("#tally").count() else ".answer .answer-text, .answer .text"
    return list(zip(window.page.locator(selector).all_inner_texts(), shown(window)))


def run(lines, options):
    options.clip = options.folder / "clip.mp4"
    pages.make_clip(options.clip, CLIP)
    for type in ("ts", "fmp4") if options.type == "all" else (options.type,):
        def tell(what, prove, *arguments):
            lines.fact(f"show, {type}, {what}: {prove(*arguments)}")

        try:
            Whole(options, type, tell).run()
        except Exception as error:  # A proof that cannot be made is a broken one.
            lines.fails(f"show, {type}: {error.__class__.__name__}: {error}\n{traceback.format_exc(limit=-3)}")


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "package", "library", bots=200, seed=1, type="all")
