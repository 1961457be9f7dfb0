"""Shows the states of the host's console in Chromium, without a server and without video: the calls are answered here. Prints a line for each fact.

    python3 -m proofs.web.page_console --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES
"""

import json

from proofs.facts import prove_and_end
from proofs.web import page_states, pages
from proofs.web.page_states import ORIGIN, Page

QUESTIONS = [
    {"question": "Which metal is liquid?", "answers": ["Iron", "Mercury"], "correct": "Mercury", "category": "Chemistry", "explanation": "Hg melts at -39 C."},
    {"question": "Which planet is red?", "answers": ["Venus", "Mars", "Saturn"], "correct": "Mars", "seconds": 20},
    {"question": "Which river is longest?", "answers": ["Rhine", "Nile"], "correct": "Nile"},
]
BOARD = [
    {"rank": 1, "player": "Ann", "score": 1950, "right": 2, "before": 3}, {"rank": 2, "player": "Ben", "score": 1200, "right": 1, "before": 1},
]
STAGE = {
    "game": "g1", "state": "question", "title": "Friday", "code": "RED7", "address": "https://show.example/play?code=RED7", "players": 2, "names": ["Ben", "Ann"],
    "questions": 4, "delay": 12, "question": None, "board": BOARD, "winners": None, "time": {"left": 7.5, "whole": 10}}


class Server(page_states.Server):
    """A game server with questions to come, and with consoles of which one leads."""

    def __init__(self, folder):
        super().__init__(folder)
        self.questions = {
            "upcoming": [{"question": number, "content": content} for number, content in enumerate(QUESTIONS)], "skipped": [], "asked": []}
        # The name of another console that leads; `None` if none does.
        self.leader = None
        self.stage = STAGE
        self.events = []

    def handle(self, route):
        request = route.request
        path = request.url.removeprefix(ORIGIN)
        if path.startswith("/v1/games/g1/stage"):
            return self.stream(route, [("stage", self.stage)])
        if path.startswith("/v1/games/g1/events"):
            if "takeover" in path:
                self.leader = None
            if self.leader is not None and "watch" not in path:
                return route.fulfill(
                    status=409, content_type="application/problem+json", body=json.dumps({"title": "host-busy", "detail": "another console leads"}))
            counts = {"players": 2, "viewers": 5}
            return self.stream(route, [("counts", counts | ({"leader": self.leader} if self.leader is not None else {})), *self.events])
        super().handle(route)

    @staticmethod
    def stream(route, messages):
        body = "".join(f"event: {event}\ndata: {json.dumps(data)}\n\n" for event, data in messages)
        route.fulfill(status=200, content_type="text/event-stream", body=body)

    def answer(self, method, path, body):
        if (method, path) == ("POST", "/g1/again"):
            return 201, self.game | {"id": "g2", "token": "second", "state": "lobby"}
        if (method, path) == ("GET", "/g1/results.xlsx"):
            return 200, {}
        if path == "/g2":
            return 200, self.game | {"id": "g2", "state": "lobby"}
        path = path.replace("/g2/", "/g1/")
        if (method, path) == ("GET", "/g1/questions"):
            return 200, self.questions
        if (method, path) == ("POST", "/g1/commands"):
            self.carry_out(json.loads(body))
        return super().answer(method, path, body)

    def carry_out(self, command):
        upcoming = self.questions["upcoming"]
        entry = next((one for one in upcoming + self.questions["skipped"] if one["question"] == command.get("question")), None)
        match command["command"]:
            case "write":
                number = 3 + len(self.asked("POST /v1/games/g1/commands"))
                upcoming.insert(command.get("to", len(upcoming)), {"question": number, "content": command["content"]})
            case "edit":
                entry["content"] = command["content"]
            case "settle":
                for asked in self.questions["asked"]:
                    if asked["guid"] == command["question"]:
                        del asked["unsettled"]
            case "skip":
                upcoming.remove(entry)
                self.questions["skipped"].append(entry)
            case "move":
                for entries in (upcoming, self.questions["skipped"]):
                    if entry in entries:
                        entries.remove(entry)
                upcoming.insert(command["to"], entry)

    @property
    def commands(self):
        """What the host has commanded, without the identifiers."""
        commands = [json.loads(call[3]) for call in self.asked("POST /v1/games/g1/commands")]
        return [{key: value for key, value in command.items() if key != "id"} for command in commands]


class Console(Page):
    def __init__(self, browser, server):
        super().__init__(browser, server)
        self.page.set_viewport_size({"width": 1280, "height": 900})

    def open(self):
        self.page.goto(f"{ORIGIN}/host?game=g1#token=host")
        self.see("#console")
        self.says("coming-text", self.server.questions["upcoming"][0]["content"]["question"])
        return self

    def lines(self, name):
        return [text.strip() for text in self.page.locator(f"#{name} > li > span:first-child").all_inner_texts()]

    def press(self, action):
        self.page.locator(f"[data-action='{action}']").click()

    def commands(self, *wanted):
        self.until(lambda: self.server.commands == list(wanted), lambda: f"the commands are {wanted}, not {self.server.commands}")


def next_question(console, server):
    """The right answer is in sight only while the host wants it."""
    console.open()
    console.says("coming-number", "QUESTION 1 OF 3")
    body = console.page.locator("body")
    assert console.lines("coming-answers") == ["Iron", "Mercury"] and console.page.locator("#coming-answers .right").count() == 0
    assert "-39" not in body.inner_text() and "✓" not in console.text("coming-answers")
    console.page.keyboard.press("a")
    console.until(lambda: console.page.locator("#coming-answers .right > span").all_inner_texts() == ["Mercury"], "the right answer is marked")
    assert "-39" in console.text("coming-more")
    console.shoot("answer")
    console.page.keyboard.press("a")
    console.until(lambda: console.page.locator("#coming-answers .right").count() == 0, "the right answer is hidden again")
    console.says("show-answer", "Show the answer")


def order(console, server):
    """Keys do the same as clicks, and the focus stays at the question that is moved."""
    console.open()
    console.press("up 2")
    console.until(lambda: console.lines("to-come") == ["Which metal is liquid?", "Which river is longest?", "Which planet is red?"], "the third one is the second")
    console.until(lambda: console.page.evaluate("document.activeElement.dataset.action") == "up 2", "the focus is at the question that was moved")
    console.page.keyboard.press("Enter")
    console.until(lambda: console.lines("to-come")[0] == "Which river is longest?", "the third one is the first")
    console.says("coming-text", "Which river is longest?")
    console.press("skip 0")
    console.until(lambda: console.lines("skipped") == ["Which metal is liquid?"], "the first one is skipped")
    console.says("coming-number", "QUESTION 1 OF 2")
    console.shoot("skipped")
    console.press("back 0")
    console.until(lambda: console.lines("to-come")[0] == "Which metal is liquid?", "it is back")
    console.commands(
        {"command": "move", "question": 2, "to": 1}, {"command": "move", "question": 2, "to": 0}, {"command": "skip", "question": 0},
        {"command": "move", "question": 0, "to": 0})


def writing(console, server):
    console.open()
    console.page.keyboard.press("w")
    console.see("#writing")
    # Letters of the text are no commands.
    console.page.keyboard.type("Who is a great cx?")
    fields = console.page.locator("#writing-answers .answer-field")
    for index, text in enumerate(["Ann", "Ben"]):
        fields.nth(index).fill(text)
    console.page.locator("#writing-answers input[type=radio]").nth(1).check()
    console.shoot("writing")
    server.refusals["POST /v1/games/g1/commands"] = 422, "invalid"
    console.page.locator("#writing-form button[type=submit]").click()
    console.says("writing-problem", "invalid")
    server.refusals.clear()
    server.calls.clear()
    console.page.locator("#writing-form button[type=submit]").click()
    console.says("coming-text", "Who is a great cx?")
    written = {"question": "Who is a great cx?", "answers": ["Ann", "Ben"], "correct": "Ben"}
    console.commands({"command": "write", "content": written, "to": 0})
    console.press("edit 1")
    console.page.locator("#writing-answers .answer-field").nth(1).fill("Mars, the old one")
    console.page.locator("#writing-form button[type=submit]").click()
    edited = QUESTIONS[1] | {"answers": ["Venus", "Mars, the old one", "Saturn"], "correct": "Mars, the old one"}
    console.commands({"command": "write", "content": written, "to": 0}, {"command": "edit", "question": 1, "content": edited})


def watching(console, server):
    server.state["phase"] = server.game["state"] = "result"
    server.leader = "Firefox · Windows · 3f2a11"
    console.open()
    console.says("busy-text", "Firefox · Windows · 3f2a11 leads this game")
    for name in ["next", "end", "write-question"]:
        assert console.part(name).get_attribute("aria-disabled") == "true", name
    console.page.keyboard.press("g")
    console.page.keyboard.press("w")
    console.part("next").click(force=True)
    assert console.page.locator("#writing[open]").count() == 0 and server.commands == [], server.commands
    # It still sees what is to come.
    console.page.keyboard.press("a")
    console.until(lambda: console.page.locator("#coming-answers .right").count() == 1, "the right answer is marked")
    console.shoot("watching")
    console.page.locator("#take-over").click()
    console.until(lambda: console.part("next").get_attribute("aria-disabled") == "false", "this console leads")
    assert not console.part("busy").is_visible()
    console.part("next").click()
    console.commands({"command": "next"})
    name = console.text("own-name")
    assert name.startswith("Chrome · Linux · "), name


def room(console, server):
    console.open()
    console.says("clock-label", "left to answer")
    assert console.text("clock-time") in [f"00:0{seconds}" for seconds in range(9)], console.text("clock-time")
    console.says("address", STAGE["address"])
    assert console.page.locator("#scan svg").get_attribute("aria-label") == STAGE["address"]
    assert console.page.locator("#places li").all_inner_texts() and "▲ 2" in console.text("places"), console.text("places")
    server.state |= {"picture": "down", "behind": 27.2, "delay": 12}
    console.says("warnings", "The picture has stopped")
    console.says("warnings", "Viewers are about 27 s behind, and answers count only up to 12 s.")
    console.shoot("room")
    server.state |= {"picture": "up", "behind": 6}
    console.says("lag", "Viewers are about 6 s behind. Answers count up to 12 s.")
    console.until(lambda: console.text("warnings") == "", "the warnings are gone")


def settling(console, server):
    """A choice stays while other messages come; nothing is sent before one is made."""
    server.questions["asked"] = [
        {"question": 7, "guid": "p1", "unsettled": True, "content": {"question": "Who will win?", "kind": "prediction", "answers": ["Red", "Blue"]}},
        {"question": 8, "guid": "p2", "content": {"question": "Who was first?", "kind": "prediction", "answers": ["A", "B"]}}]
    console.open()
    console.until(lambda: console.lines("predictions") == ["Who will win?"], "the prediction that waits is listed")
    button = console.page.locator("#predictions button")
    button.click()
    console.page.locator("#predictions select").select_option(label="Blue")
    console.press("up 2")
    console.until(lambda: console.lines("to-come")[1] == "Which river is longest?", "the order has changed")
    assert console.page.locator("#predictions select").input_value() == "1", "the choice is lost"
    console.shoot("prediction")
    button.click()
    console.until(lambda: console.lines("predictions") == [] and console.page.locator("#predictions-title").is_hidden(), "nothing waits any more")
    console.commands({"command": "move", "question": 2, "to": 1}, {"command": "settle", "question": "p1", "answer": 1})


def tally(console, server):
    """What players answer is listed by answers or by texts, beside the pages that have shown the question."""
    asked = {"players": 2, "viewers": 5, "question": "q9", "number": 1, "answered": 2, "reach": {"shown": 41, "pages": 50}}
    rows = lambda: [text.replace("\n", " ") for text in console.page.locator("#tally > li").all_inner_texts()]
    server.events = [("counts", asked | {"counts": [2, 0]})]
    console.open()
    console.says("answered", "2 of 2 answered · 41 of 50 pages showed it")
    console.until(lambda: rows() == ["1 2", "2 0"], rows)
    server.events = [("counts", asked | {"counts": [], "texts": {"most": [{"text": "Mars", "count": 1}, {"text": "<b>", "count": 1}], "others": 0}})]
    console.page.reload()
    console.until(lambda: rows() == ["Mars 1", "<b> 1"], rows)
    console.shoot("texts")
    server.events = []


def again(console, server):
    """The button is there once the game is over, and opens the console of the new game."""
    console.open()
    assert console.part("again").is_hidden()
    server.state["phase"] = server.game["state"] = "ended"
    server.events = [("ended", {})]
    console.page.reload()
    console.see("#again")
    assert console.part("next").is_hidden()
    console.shoot("ended")
    with console.page.expect_download() as download:
        console.part("results").click()
    assert download.value.suggested_filename == "Friday RED7.xlsx", download.value.suggested_filename
    (call,) = server.asked("GET /v1/games/g1/results.xlsx")
    assert call[4]["authorization"] == "Bearer host", call
    console.part("again").click()
    console.until(lambda: console.page.url.endswith("/host?game=g2"), "the console of the new game is open")
    (call,) = server.asked("POST /v1/games/g1/again")
    assert call[4]["authorization"] == "Bearer host", call
    console.until(lambda: [call[4]["authorization"] for call in server.asked("GET /v1/games/g2/players")][:1] == ["Bearer second"], "it has the token of the new game")


FACTS = {
    "a host sees the next question, and its right answer only while a key has shown it": next_question,
    "a host moves, skips and puts back questions": order,
    "a host writes a question on the spot, and edits one that is to come": writing,
    "a host says what was right in a prediction": settling,
    "a second console listens, commands nothing, says who leads, and takes the lead": watching,
    "answers are counted by answers or by texts, beside the pages that have shown the question": tally,
    "a game that is over is played again by one button, with the token of the new one": again,
    "a console shows the clock, the address as a QR code, the board, and what keeps viewers from playing": room,
}


def run(lines, options):
    options.folder.mkdir(parents=True, exist_ok=True)
    with pages.chromium() as browser:
        def open_page():
            server = Server(options.pages)
            console = Console(browser, server)
            console.shoot = lambda name: console.page.screenshot(path=options.folder / f"{name}.png", full_page=True)
            return console, server

        pages.prove_facts(lines, options.folder, "console", FACTS, open_page)


if __name__ == "__main__":
    prove_and_end(run, "pages")
