"""Shows each state of a game on the server's pages in Chromium, without a server and without video: the calls are answered here, and the picture says what
this proof lets it say. Prints a line for each fact.

    python3 -m proofs.web.page_states --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES
"""

import json
from urllib.parse import parse_qs, urlsplit

from proofs.facts import prove_and_end
from proofs.web import pages
from proofs.web.pages import Window

ORIGIN = "http://cuelight.test"
GUID = "00000000-0000-4000-8000-00000000000a"
TYPES = {".mjs": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
# The phases of a game after a host's commands.
AFTER = {"start": "starting", "next": "open"}
# The picture: what it says of the game is set by the proof.
PLAYER = """
export class Missing extends Error {}
const target = new EventTarget();
globalThis.picture = { state: { phase: "waiting" }, position: 20, behind: 1 };
globalThis.show = (changes) => { Object.assign(picture, changes); globalThis.changed?.(); };
export class Player {
  static async open(video, stream, { changed }) { globalThis.changed = changed; return new Player(); }
  get game() { return { get state() { return picture.state; }, select: () => ({ outcome: "accepted" }) }; }
  get position() { return picture.position; }
  get behind() { return picture.behind; }
  get now() { return picture.position; }
  play() {}
  goLive() {}
  close() {}
}
"""
QUESTION = {"guid": GUID, "number": 2, "total": 3, "text": "Which planet is red?", "answers": ["Venus", "Mars"], "opensAt": 15, "closesAt": 60}


class Server:
    """What the pages believe to be a server, and what they have asked it."""

    def __init__(self, folder):
        self.folder, self.calls = folder, []
        self.game = {"id": "g1", "code": "RED7", "title": "Friday", "state": "open", "delay": 12, "questions": 3, "players": 2, "stream": "/live/index.m3u8"}
        self.state = {
            "game": "g1", "phase": "open", "question": {"guid": GUID, "number": 2, "opensAt": 15, "closesAt": 60, "voided": False}, "players": 2,
            "kicked": [], "board": 1, "leaders": [], "presence": {"every": 10, "share": 1}}
        self.me = {"player": 4, "nickname": "Ann", "rank": 1, "score": 3, "right": 3, "answers": 3, "outAt": None}
        # Refusals, by the beginnings of their calls.
        self.refusals = {}

    def asked(self, beginning):
        return [call for call in self.calls if f"{call[0]} {call[1]}".startswith(beginning)]

    def handle(self, route):
        request = route.request
        address = urlsplit(request.url)
        body = request.post_data_buffer
        if not address.path.startswith("/v1/"):
            return self.send_file(route, address.path)
        self.calls.append((request.method, address.path, parse_qs(address.query, keep_blank_values=True), body, request.headers))
        for beginning, (status, kind) in self.refusals.items():
            if f"{request.method} {address.path}".startswith(beginning):
                return route.fulfill(status=status, content_type="application/problem+json", body=json.dumps({"title": kind, "detail": kind}))
        status, answer = self.answer(request.method, address.path.removeprefix("/v1/games"), body)
        route.fulfill(status=status, content_type="application/json", body=json.dumps(answer))

    def send_file(self, route, path):
        name = {"/play": "index.html", "/host": "host.html"}.get(path, path.rsplit("/", 1)[-1])
        if name == "player.mjs" and not path.startswith("/real/"):
            return route.fulfill(content_type="text/javascript", body=PLAYER)
        file = self.folder / name
        if not file.is_file():
            return route.fulfill(status=404, body="")
        route.fulfill(content_type=TYPES[file.suffix], body=file.read_bytes())

    def answer(self, method, path, body):
        match method, path:
            case "GET", "" | "/g1":
                return 200, self.game
            case "POST", "":
                return 201, self.game | {"token": "host"}
            case "GET", "/g1/state":
                return 200, self.state
            case "GET", "/g1/me":
                return 200, self.me
            case "GET", "/g1/board":
                return 200, {"game": "g1", "version": 1, "leaders": []}
            case "GET", "/g1/players":
                return 200, {"players": []}
            case "GET", "/g1/questions":
                return 200, {"upcoming": [{"question": 0, "content": {"question": "Which is red?", "answers": ["Venus", "Mars"], "correct": "Mars"}}], "skipped": [], "asked": []}
            case "POST", "/g1/commands":
                self.state["phase"] = AFTER.get(json.loads(body)["command"], self.state["phase"])
                return 200, {"id": "x", "state": self.state["phase"]}
            case "POST", "/g1/answers":
                return 202, {"results": ["recorded"]}
            case "PUT", _:
                return 201, {"player": 4, "nickname": "Ann", "token": "player", "expires": None}
        return 204, {}


class Page(Window):
    def __init__(self, browser, server):
        super().__init__(browser)
        self.server = server
        self.context.route("**/*", server.handle)
        self.page.set_default_timeout(pages.PATIENCE * 1_000)

    def show(self, **changes):
        self.page.evaluate("(changes) => show(changes)", changes)

    def join(self):
        self.page.goto(f"{ORIGIN}/play?code=RED7")
        self.see("#join")
        self.part("nickname").fill("Ann")
        self.page.locator("#join-form button.big").click()
        self.see("#show")

    def says(self, name, text):
        self.until(lambda: text in self.text(name), lambda: f"{name} says {text!r}, not {self.text(name)!r}")


def asking(page, **changes):
    page.show(state={"phase": "asking", "question": QUESTION}, **changes)


def voided(page, server):
    page.join()
    asking(page)
    page.says("answer-state", "Tap an answer")
    server.state["question"]["voided"] = True
    page.says("answer-state", "does not count")
    page.show(state={"phase": "closed", "question": QUESTION})
    page.says("answer-state", "does not count")
    server.state["question"]["voided"] = False


def saved_and_voided(page, server):
    page.join()
    asking(page)
    page.page.locator(".answer").nth(1).click()
    page.says("answer-state", "Saved")
    server.state["question"]["voided"] = True
    page.says("answer-state", "does not count")
    server.state["question"]["voided"] = False


def out(page, server):
    server.me["outAt"] = 1
    page.join()
    page.show(state={"phase": "results", "question": QUESTION, "result": {"correctAnswer": 0, "counts": [1, 1]}})
    page.says("you-out", "out since question 1")
    assert page.text("you-rank") == "–", page.text("you-rank")
    other = QUESTION | {"guid": GUID[:-1] + "b", "number": 3}
    page.show(state={"phase": "asking", "question": other})
    page.says("answer-state", "You are out")
    page.page.locator(".answer").first.click(force=True)
    assert not server.asked("POST /v1/games/g1/answers"), "an answer is sent"
    server.me["outAt"] = None


def too_far(page, server):
    page.join()
    asking(page, behind=30)
    page.says("answer-state", "too far behind")
    page.show(behind=1)
    page.says("answer-state", "Tap an answer")


def kicked(page, server):
    page.join()
    asking(page)
    server.refusals["GET /v1/games/g1/me"] = 403, "kicked"
    server.state["kicked"] = [4]
    page.says("join-problem", "taken you out")
    assert page.page.evaluate("localStorage.length") == 0, "the seat is kept"
    server.state["kicked"] = []
    server.refusals.clear()


def seat(page, server):
    page.join()
    uuid = server.asked("PUT")[-1][1]
    asking(page)
    page.page.locator(".answer").nth(1).click()
    page.says("answer-state", "Saved")
    page.page.close()
    page.page = page.tab()
    page.page.goto(f"{ORIGIN}/play?code=RED7")
    page.see("#show")
    asking(page)
    page.says("answer-state", "Saved")
    assert server.asked("PUT")[-1][1] == uuid and len(server.asked("PUT")) == 2, server.asked("PUT")
    # The game is over: a reload shows its end, and a new tab knows nothing.
    page.show(state={"phase": "ended", "ending": {}})
    page.see("#end")
    # The last place on the board comes a little later, and is not kept either.
    page.says("you-rank", "1")
    page.until(lambda: page.page.evaluate("localStorage.length") == 0, "the seat is not kept")
    page.page.close()
    page.page = page.tab()
    page.page.goto(f"{ORIGIN}/play?code=RED7")
    page.see("#join")


def seat_of_a_game_that_is_over(page, server):
    page.join()
    page.page.close()
    page.page = page.tab()
    server.game["state"] = "ended"
    page.page.goto(f"{ORIGIN}/play")
    page.see("#join")
    assert page.page.evaluate("localStorage.length") == 0, "the seat is kept"
    server.game["state"] = "open"


def entry_closed(page, server):
    server.refusals["PUT"] = 409, "entry-closed"
    page.page.goto(f"{ORIGIN}/play?code=RED7")
    page.see("#join")
    page.part("nickname").fill("Ann")
    page.page.locator("#join-form button.big").click()
    page.says("join-problem", "nobody can join")
    server.refusals.clear()


def contact(page, server):
    page.join()
    page.show(state={"phase": "ended", "ending": {}})
    page.part("contact-email").fill("nonsense")
    page.part("consent").check()
    page.page.locator("#contact button").click()
    page.says("contact-problem", "e-mail address")
    assert not server.asked("POST /v1/games/g1/contacts"), "nonsense is sent"
    page.part("contact-email").fill("ann@example.org")
    page.page.locator("#contact button").click()
    page.see("#contact-sent")
    assert json.loads(server.asked("POST /v1/games/g1/contacts")[0][3])["email"] == "ann@example.org"


def presence(page, server):
    page.join()
    page.until(lambda: server.asked("POST /v1/games/g1/presence"), "the page says that somebody watches")
    assert server.asked("POST /v1/games/g1/presence")[0][4]["authorization"] == "Bearer player"


def host(page, server):
    server.state |= {"phase": "lobby", "question": None}
    server.game["state"] = "lobby"
    page.page.goto(f"{ORIGIN}/host")
    page.part("token").fill("operator")
    page.page.locator("#door-form button.big").click()
    page.see("#maker")
    sheet = bytes(range(256)) * 8
    page.part("quiz-file").set_input_files({"name": "Quiz.XLSX", "mimeType": "", "buffer": sheet})
    page.page.locator("#maker-form button.big").click()
    page.see("#console")
    (_, _, query, body, _), = server.asked("POST /v1/games")
    assert query == {"format": ["xlsx"]} and body == sheet, (query, len(body or b""))
    for count, (hint, name) in enumerate([("Start the show", "start"), ("First question", "next")], 1):
        # What a click asks for hangs on the phase that the console has drawn.
        page.says("next-hint", hint)
        page.page.locator("#next").click()
        page.until(lambda: len(server.asked("POST /v1/games/g1/commands")) == count, f"{name} is sent")
        _, _, query, body, _ = server.asked("POST /v1/games/g1/commands")[-1]
        assert json.loads(body)["command"] == name, body
        assert query["client"][0].startswith("Chrome · Linux · "), query
    server.refusals["POST /v1/games/g1/commands"] = 409, "host-busy"
    page.page.locator("#close").click()
    page.says("busy-text", "No console leads this game")
    server.refusals.clear()


# What a library for HLS says: the real player, with a video that has no picture and a clock of its own.
STALLS = """async () => {
  const { Player } = await import("/real/player.mjs");
  let now = 1000;
  performance.now = () => now;
  const handlers = {};
  const seen = [];
  class Hls {
    static Events = { ERROR: "error", FRAG_BUFFERED: "buffered", FRAG_LOADING: "loading", FRAG_LOADED: "loaded", LEVEL_UPDATED: "updated" };
    static ErrorDetails = { BUFFER_STALLED_ERROR: "stalled" };
    on(name, handler) { (handlers[name] ??= []).push(handler); }
    loadSource() {}
    attachMedia() {}
    recoverMediaError() { seen.push(now); }
  }
  const say = (name, data = {}) => handlers[name].forEach((handler) => handler(name, data));
  const player = new Player();
  player.video = Object.assign(new EventTarget(), { play: async () => { seen.push("play"); } });
  player.openLibrary(Hls, { attachHls() {} }, "", () => {});
  player.isPlaying = true;
  const updates = (until) => { for (; now < until; now += 1000) say("updated"); };
  const frag = { type: "main" };
  updates(20000);
  say("error", { details: "stalled", fatal: false });
  updates(24000);
  player.video.dispatchEvent(new Event("playing"));
  updates(40000);
  say("loading", { frag });
  say("error", { details: "stalled", fatal: false });
  updates(60000);
  say("loaded", { frag });
  updates(70000);
  say("error", { details: "stalled", fatal: false });
  updates(80000);
  return seen;
}"""


def stands(page, server):
    page.page.goto(f"{ORIGIN}/play")
    seen = page.page.evaluate(STALLS)
    # Not while the picture goes on by itself, and not while something is being loaded; then once, until it stands again.
    assert seen == [60000, "play", 75000, "play"], seen


FACTS = {
    "a picture that stands although the stream goes on is begun again": stands,
    "a question that is voided is said to be void, while it asks and afterwards": voided,
    "a saved answer to a question that is voided does not wait for a result": saved_and_voided,
    "a player who is out is told so, has no rank, and sends no answers": out,
    "who is too far behind is not asked to answer": too_far,
    "a player whom the host has taken out is told so at once, and leaves the page": kicked,
    "who closes the tab comes back as the same player, until the game is over": seat,
    "the seat of a game that is over is nobody's": seat_of_a_game_that_is_over,
    "who comes after the first question, where nobody may, is told so": entry_closed,
    "the form takes no nonsense for an e-mail address": contact,
    "a viewer who plays says so with its token": presence,
    "a console sends spreadsheets as they are, starts before it asks, names itself, and offers to take over": host,
}


def run(lines, options):
    with pages.chromium() as browser:
        def open_page():
            server = Server(options.pages)
            return Page(browser, server).steer(), server

        pages.prove_facts(lines, options.folder, "pages, states", FACTS, open_page)


if __name__ == "__main__":
    prove_and_end(run, "pages")
