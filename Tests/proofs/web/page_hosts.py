"""Leads a game of a game server from two consoles in Chromium, over a live stream, while somebody plays. Prints a line for each fact.

    python3 -m proofs.web.page_hosts --server PROGRAM --cuelight PROGRAM --package FOLDER --library FOLDER --folder FOR_ITS_FILES
"""

import traceback

from playwright.sync_api import Error

from proofs.facts import prove_and_end
from proofs.web import pages
from proofs.web.pages import SCORING, Show, Viewer, Window

TIME, DELAY, CLIP = 60, 60, 150
QUIZ = {
    "id": "hosts", "title": "Hosts",
    "questions": [
        {"question": "Which planet is red?", "answers": ["Venus", "Mars", "Saturn"], "correct": "Mars"},
        {"question": "Which metal is liquid?", "answers": ["Quicksilver", "Iron"], "correct": "Quicksilver"},
        {"question": "Which river is longest?", "answers": ["Rhine", "Nile"], "correct": "Nile"},
    ]}
WRITTEN = {"question": "Who came last?", "answers": ["Annabel", "Bartholomew"], "correct": "Bartholomew"}
# What a viewer must not receive before it is asked: no other text of the show has these words.
SECRETS = ["Which metal", "Quicksilver", "Which river", "Rhine", "Who came last", "Bartholomew", "Which planet", "Saturn"]


class Console(Window):
    def __init__(self, browser, show, name):
        super().__init__(browser, viewport={"width": 1280, "height": 900})
        self.show, self.name = show, name
        self.page.goto(f"{show.console}#token={show.server.host_token}")
        self.see("#console")

    def says(self, part, text):
        self.until(lambda: text in self.text(part), lambda: f"{self.name}: {part} says {text!r}, not {self.text(part)!r}", 60)

    def press(self, key, phase=None):
        """Presses a key; with a phase, one of a command that leads to it."""
        if not phase:
            return self.page.keyboard.press(key)
        with self.page.expect_response("**/commands*") as answer:
            self.page.keyboard.press(key)
        assert answer.value.status == 200, answer.value.text()
        self.until(lambda: self.show.server.state()["phase"] == phase, f"the game is {phase}", 60)
        allowed = (phase == "open", phase in ("starting", "result"))
        self.until(lambda: (self.is_allowed("close"), self.is_allowed("next")) == allowed, f"{self.name} has learned that the game is {phase}", 60)

    def click(self, action):
        self.page.locator(f"[data-action='{action}']").click()

    def is_allowed(self, part):
        return self.part(part).get_attribute("aria-disabled") == "false"

    def to_come(self):
        return [line.inner_text().strip() for line in self.page.locator("#to-come > li > span:first-child").all()]

    def comes(self, *texts):
        self.until(lambda: self.to_come() == list(texts), lambda: f"{self.name} has {texts} to come, not {self.to_come()}", 60)


class Hosts:
    def __init__(self, options, tell):
        self.options, self.tell = options, tell
        # Whole segments: what is proven here needs no parts.
        arguments = ["--part-duration", 0, "--hosted", "--time", TIME, "--delay", DELAY, "--scoring", SCORING, "--segment-type", "ts"]
        with Show(options, options.folder / "show", QUIZ, *arguments) as self.show, pages.chromium() as browser:
            self.first = Console(browser, self.show, "the first console")
            self.first.says("coming-text", "Which planet is red?")
            self.second = Console(browser, self.show, "the second console")
            self.ann = Viewer(browser, self.show)
            self.responses = []
            self.ann.page.on("response", self.receive)
            try:
                self.lead()
                problems = [line for window in (self.first, self.second, self.ann) for line in window.problems if "409" not in line]
                tell("the windows say nothing else", problems)
            except Exception:
                for window, name in ((self.first, "first"), (self.second, "second"), (self.ann, "ann")):
                    window.page.screenshot(path=options.folder / f"failed-{name}.png", full_page=True)
                    print(name, window.problems, flush=True)
                raise

    def receive(self, response):
        # What the server says to players besides the stream itself. It is read later: a handler that waits would stop the windows.
        if "/v1/games" in response.url:
            self.responses.append(response)

    def received(self):
        texts = []
        for response in self.responses:
            try:
                texts.append((response.url, response.text()))
            except Error:
                pass  # There is no body.
        return texts

    def shoot(self, name):
        for window, which in ((self.first, "first"), (self.second, "second")):
            window.page.screenshot(path=self.options.folder / f"{name}-{which}.png", full_page=True)

    def leaks(self, asked):
        """What the player has received of questions that were not asked."""
        secrets = [secret for secret in SECRETS if not any(secret in text for text in asked)]
        screen = self.show.get("state").body.decode() + self.show.get("/v1/games?next").body.decode()
        texts = [*self.received(), ("state", screen), ("page", self.ann.page.content())]
        return [f"{secret} in {place}" for place, text in texts for secret in secrets if secret in text]

    def lead(self):
        first, second, ann = self.first, self.second, self.ann
        name = first.text("own-name")
        second.says("busy-text", f"{name} leads this game")
        second.press("g")
        second.press("w")
        self.tell("a second console is told which one leads, and its keys do nothing",
                  [] if self.show.server.state()["phase"] == "lobby" and not second.page.locator("#writing[open]").count() else ["they do"])
        self.tell("a key shows the right answer, which is hidden otherwise", self.answer_is_hidden(first))

        ann.join("Ann").phase("lobby")
        first.click("up 2")
        first.comes("Which planet is red?", "Which river is longest?", "Which metal is liquid?")
        first.click("skip 1")
        first.press("w")
        first.part("writing-text").fill(WRITTEN["question"])
        for index, text in enumerate(WRITTEN["answers"]):
            first.page.locator("#writing-answers .answer-field").nth(index).fill(text)
        first.page.locator("#writing-answers input[type=radio]").nth(1).check()
        first.page.locator("#writing-form button[type=submit]").click()
        order = [WRITTEN["question"], "Which planet is red?", "Which river is longest?"]
        for console in (first, second):
            console.comes(*order)
        self.tell("both consoles have the questions as the first one has moved, skipped and written them", [])
        self.tell("players have received nothing of them", self.leaks([]))

        first.press("g", "starting")
        first.until(lambda: first.page.locator("#events li").count(), "the start is in the stream", 60)
        question = self.show.server.state()["question"]
        self.tell("the first GO begins the show, and asks nothing", [str(question)] if question else [])
        first.press("g", "open")
        ann.question(1)
        ann.answer(1)
        ann.saved()
        for console in (first, second):
            console.says("asked-text", WRITTEN["question"])
            console.says("answered", "1 of 1")
            console.says("coming-text", "Which planet is red?")
            console.says("clock-label", "left to answer")
        self.tell("the question that was written is asked, both consoles count the answer, and have the time", [])
        self.tell("players have received nothing of the others", self.leaks([WRITTEN["question"], *WRITTEN["answers"]]))
        self.shoot("open")

        second.page.locator("#take-over").click()
        second.until(lambda: second.is_allowed("reveal"), "the second console leads")
        first.says("busy-text", f"{second.text('own-name')} leads this game")
        first.press("r")
        second.press("r", "result")
        result = ann.phase("results").result()
        self.tell("the second console takes the lead, and reveals the result", [] if result["right"] == [1] and result["verdict"] == "Right!" else [str(result)])
        for console in (first, second):
            console.until(lambda: console.page.locator("#places li").count() == 1, f"{console.name} has the board", 60)
        second.click("skip 0")
        for console in (first, second):
            console.comes("Which river is longest?")
        self.shoot("result")
        second.press("g", "open")
        ann.question(2)
        second.press("r", "result")
        second.says("next-hint", "Finish the show")
        second.press("g", "ended")
        self.compare_with_the_stream()

    @staticmethod
    def answer_is_hidden(console):
        body = lambda: console.page.locator("#coming-answers .right > span").all_inner_texts()
        before = body()
        console.press("a")
        console.until(lambda: body() == ["Mars"], "the right answer is marked")
        console.press("a")
        console.until(lambda: body() == [], "the right answer is hidden again")
        return before

    def compare_with_the_stream(self):
        wanted = [(WRITTEN["question"], 4 - 1), ("Which river is longest?", 2)]
        seen = lambda: [(event["question"], event["totalQuestions"]) for event in self.show.events() if event["eventType"] == "askQuestion"]
        self.first.until(lambda: any(event["eventType"] == "endGame" for event in self.show.events()), "the end is in the stream", 60)
        self.tell("the stream has the questions in this order, and how many there were when each was asked", [] if seen() == wanted else [str(seen())])


def run(lines, options):
    options.folder.mkdir(parents=True, exist_ok=True)
    options.clip = options.folder / "clip.mp4"
    pages.make_clip(options.clip, CLIP)
    try:
        Hosts(options, lambda fact, wrong: lines.tell(not wrong, f"hosts: {fact}", "; ".join(map(str, wrong))))
    except Exception as error:  # What cannot be played is a broken proof.
        lines.fails(f"hosts: {type(error).__name__}: {error}\n{traceback.format_exc(limit=-3)}")


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "package", "library")
