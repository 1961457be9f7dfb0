"""A player's seat on the server's page in Chromium, without a server: teams, another name, leaving, sound, full screen, and what moves, vibrates and sounds.
The calls are answered as in page_states. Prints a line for each fact.

    python3 -m proofs.web.page_seats --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES [--pictures]
"""

import json

from proofs.facts import prove_and_end
from proofs.web import page_languages, pages
from proofs.web.page_languages import ORIGIN, QUESTION, TIGHT
from proofs.web.page_states import asking
from proofs.web.pages import Window

RESULT = {"correctAnswer": 1, "counts": [1, 3], "leaderboard": []}
LEADERS = [{"rank": rank, "player": name, "score": score, "right": 3} for rank, name, score in [(1, "Zoe", 2410), (2, "Ann", 1900), (3, "Ben", 1200), (4, "Cem", 700)]]
TEAMS = [{"rank": 1, "team": "Blue", "score": 1333.33, "players": 12}, {"rank": 2, "team": "Red", "score": 1250.5, "players": 9}]
SIZES = [(320, 568), (390, 844), (1280, 720)]
# What a page makes of sounds and vibration: how often.
LISTEN = """() => {
  globalThis.felt = { contexts: 0, tones: 0, vibrations: [] };
  const Own = globalThis.AudioContext;
  globalThis.AudioContext = class extends Own {
    constructor() { super(); felt.contexts += 1; }
    createOscillator() { felt.tones += 1; return super.createOscillator(); }
  };
  Object.defineProperty(navigator, "vibrate", { value: (pattern) => felt.vibrations.push(pattern) });
}"""
# Every number that the points have on their way.
COUNT = """() => {
  globalThis.numbers = [];
  new MutationObserver(() => numbers.push(document.querySelector("#you-score").textContent))
    .observe(document.querySelector("#you-score"), { childList: true, characterData: true, subtree: true });
}"""


class Server(page_languages.Server):
    """A game with teams, in its lobby."""

    def __init__(self, folder, names=("Red", "Blue")):
        super().__init__(folder)
        self.game |= {"state": "lobby", "teams": {"names": list(names), "points": "mean"}}
        self.state |= {"phase": "lobby", "question": None}
        self.player = {"player": 4, "nickname": "Ann", "token": "player", "expires": None}

    def answer(self, method, path, body):
        if method == "PUT" and json.loads(body)["nickname"] == "Ben":
            return 201, {"player": 5, "nickname": "Ben", "token": "second", "expires": None, "team": "Blue"}
        if method == "PUT":
            self.player |= {"nickname": json.loads(body)["nickname"]} | ({"team": json.loads(body)["team"]} if "team" in json.loads(body) else {})
            return 200, self.player
        if (method, path) == ("GET", "/g1/board"):
            return 200, {"game": "g1", "version": 1, "leaders": LEADERS, "teams": TEAMS}
        return super().answer(method, path, body)


class Page(Window):
    def __init__(self, browser, server, **options):
        super().__init__(browser, **options)
        self.server = server
        self.context.route("**/*", server.handle)
        self.context.add_init_script(f"({LISTEN})()")
        self.page.set_default_timeout(pages.PATIENCE * 1_000)

    def show(self, **changes):
        self.page.evaluate("(changes) => show(changes)", changes)

    def says(self, name, text):
        self.until(lambda: text in self.text(name), lambda: f"{name} says {text!r}, not {self.text(name)!r}")

    def join(self, team="Red", language="en"):
        self.page.goto(f"{ORIGIN}/play?code=RED7&lang={language}")
        self.see("#join")
        self.part("nickname").fill("Ann")
        if team:
            self.see("[name=team]")
            self.page.locator("#join-team select, #join-team input").evaluate("(field, team) => { field.value = team; }", team)
        self.page.locator("#join-form button.big").click()
        self.see("#lobby")

    def menu(self):
        self.part("menu-button").click()
        self.see("#menu")

    def result(self, guid=None, chosen=1, score=1900, rank=2):
        """A question with its answer and its result."""
        question = QUESTION | ({"guid": guid} if guid else {})
        asking(self)
        self.show(state={"phase": "asking", "question": question})
        self.see("#question")
        if chosen is not None:
            self.page.locator(".answer").nth(chosen).click()
            self.until(lambda: self.part("answer-state").get_attribute("data-kind") == "good", "the answer is saved")
        self.server.me |= {"score": score, "rank": rank}
        self.show(state={"phase": "closed", "question": question})
        self.show(state={"phase": "results", "question": question, "result": RESULT})
        self.see("#verdict")


def teams_of_the_host(page, server):
    page.page.goto(f"{ORIGIN}/play?code=RED7")
    page.see("#join-team select")
    page.part("nickname").fill("Ann")
    page.page.locator("#join-form button.big").click()
    page.says("join-problem", "Choose your team")
    assert not server.asked("PUT"), "somebody has joined without a team"
    page.page.locator("#join-team select").select_option("Blue")
    page.page.locator("#join-form button.big").click()
    page.see("#lobby")
    assert json.loads(server.asked("PUT")[0][3]) == {"nickname": "Ann", "team": "Blue"}
    page.says("you-team", "Blue")
    page.result()
    page.see("#team-leaders .own")
    lines = page.page.locator("#team-leaders li").all_inner_texts()
    assert [line.split("\n")[1] for line in lines] == ["Blue", "Red"] and "1,333.33" in lines[0], lines
    # A reload keeps the seat, and asks for no team.
    page.page.reload()
    page.see("#show")


def teams_of_players(page, server):
    server.game["teams"]["names"] = []
    page.page.goto(f"{ORIGIN}/play")
    page.part("code").fill("red7")
    page.part("code").blur()
    page.see("#join-team input")
    page.part("nickname").fill("Ann")
    page.page.locator("#join-team input").fill("The Ants")
    server.refusals["PUT"] = 422, "team-invalid"
    page.page.locator("#join-form button.big").click()
    page.says("join-problem", "This team cannot be used")
    server.refusals.clear()
    page.page.locator("#join-form button.big").click()
    page.says("you-team", "The Ants")
    server.game["teams"] = None
    page.problems.clear()


def rename(page, server):
    page.join()
    page.menu()
    page.part("new-name").fill("Anna")
    server.refusals["PUT"] = 409, "nickname-taken"
    page.page.locator("#rename button").click()
    page.says("rename-problem", "Somebody has this name")
    server.refusals.clear()
    page.page.locator("#rename select").select_option("Blue")
    page.page.locator("#rename button").click()
    page.part("menu").wait_for(state="hidden")
    assert json.loads(server.asked("PUT")[-1][3]) == {"nickname": "Anna", "team": "Blue"}
    assert len({call[1] for call in server.asked("PUT")}) == 1, "another seat"
    assert page.text("you-name") == "Anna" and page.text("you-team") == "Blue"
    asking(page)
    page.menu()
    assert not page.part("rename").is_visible(), "the name can be changed in the show"
    page.problems.clear()


def leave(page, server):
    page.join()
    asking(page)
    page.menu()
    page.part("leave").click()
    page.says("leaving", "Your seat, your points and your answers are deleted.")
    page.part("leave-no").click()
    assert page.part("leave").is_visible() and not server.asked("DELETE")
    page.part("leave").click()
    page.part("leave-yes").click()
    page.says("join-problem", "You have left the game.")
    (_, path, _, _, headers), = server.asked("DELETE")
    assert path == server.asked("PUT")[0][1] and headers["authorization"] == "Bearer player"
    assert page.page.evaluate("localStorage.length") == 0, "the seat is kept"
    page.page.reload()
    page.see("#join")


def leave_after_the_show(page, server):
    page.join()
    page.show(state={"phase": "ended", "ending": {}})
    page.see("#end")
    page.menu()
    page.part("leave").click()
    page.see("#join")
    assert not server.asked("DELETE"), "the results are gone"


def fullscreen(page, server):
    page.join()
    asking(page)
    page.menu()
    page.part("fullscreen").click()
    page.until(lambda: page.page.evaluate("document.fullscreenElement?.localName") == "html", "the page is in full screen")
    page.says("fullscreen", "Leave full screen")
    page.part("menu-close").click()
    assert page.part("question").is_visible() and page.part("you").is_visible(), "the game is away"
    page.menu()
    page.part("fullscreen").click()
    page.until(lambda: page.page.evaluate("document.fullscreenElement") is None, "the page is no longer in full screen")
    page.part("mute").click()
    assert page.page.evaluate("document.querySelector('video').muted") and page.text("mute") == "Sound on"
    page.part("mute").click()
    assert not page.page.evaluate("document.querySelector('video').muted") and page.text("mute") == "Sound off"


def effects(page, server):
    # Every picture of the counting is drawn, however slow the machine is.
    page.steer()
    page.join()
    page.page.evaluate(COUNT)
    page.result(score=1900)
    page.says("you-score", "1,900")
    assert page.page.evaluate("felt.contexts") == 0, "there is sound that nobody has allowed"
    assert page.page.evaluate("felt.vibrations.length") >= 2, "nothing vibrates"
    page.result("00000000-0000-4000-8000-00000000000b", score=2900, rank=1)
    page.says("you-score", "2,900")
    page.says("streak", "2 right in a row")
    page.says("you-moved", "▲1")
    assert len(page.page.evaluate("numbers")) > 3, page.page.evaluate("numbers")
    page.menu()
    page.part("sounds").check()
    page.part("menu-close").click()
    page.until(lambda: page.page.evaluate("felt.contexts") == 1, "the sound is allowed")
    page.result("00000000-0000-4000-8000-00000000000c", chosen=0, score=2900, rank=1)
    assert page.page.evaluate("felt.tones") > 0, "nothing sounds"
    assert not page.part("streak").is_visible()
    # One switch is for all.
    page.menu()
    page.part("effects").uncheck()
    assert page.part("sounds").is_disabled()
    page.part("menu-close").click()
    before = page.page.evaluate("JSON.stringify(felt)")
    page.page.evaluate("numbers.length = 0")
    page.result("00000000-0000-4000-8000-00000000000d", score=3900)
    page.says("you-score", "3,900")
    assert page.page.evaluate("JSON.stringify(felt)") == before and page.page.evaluate("numbers") == ["3,900"]
    assert page.page.evaluate("document.getAnimations().filter((one) => one.timeline === document.timeline).length") == 0, "something moves"


def calm(page, server):
    page.page.emulate_media(reduced_motion="reduce")
    page.join()
    page.page.evaluate(COUNT)
    page.result(score=1900)
    page.says("you-score", "1,900")
    page.result("00000000-0000-4000-8000-00000000000b", score=2900)
    page.says("you-score", "2,900")
    assert page.page.evaluate("numbers") == ["1,900", "2,900"], page.page.evaluate("numbers")
    assert page.page.evaluate("JSON.stringify(felt)") == '{"contexts":0,"tones":0,"vibrations":[]}'
    page.menu()
    assert not page.part("effects").is_checked() and page.part("sounds").is_disabled()


def several(page, server):
    page.join()
    page.menu()
    page.part("add-name").fill("Ben")
    page.page.locator("#add button").click()
    page.says("add-problem", "Choose your team")
    page.page.locator("#add select").select_option("Blue")
    page.page.locator("#add button").click()
    page.part("menu").wait_for(state="hidden")
    names = lambda: page.page.locator("#seats button").all_inner_texts()
    turn = lambda: page.page.locator("#seats [aria-pressed=true]").inner_text().split()[0]
    page.until(lambda: names() == ["Ann", "Ben"], lambda: names())
    asking(page)
    page.see("#question")
    assert turn() == "Ann"
    page.page.locator(".answer").nth(1).click()
    # Once somebody has answered, the next one is asked, and nothing is chosen.
    page.until(lambda: turn() == "Ben" and page.text("you-name") == "Ben", lambda: turn())
    assert page.page.locator(".answer input:checked").count() == 0 and page.text("you-team") == "Blue"
    page.page.locator(".answer").nth(0).click()
    page.until(lambda: names() == ["Ann ●", "Ben ●"], lambda: names())
    sent = [(json.loads(call[3])["answers"][0]["answer"], call[4]["authorization"]) for call in server.asked("POST /v1/games/g1/answers")]
    assert sent == [(1, "Bearer player"), (0, "Bearer second")], sent
    assert turn() == "Ben", "it is nobody's turn any more"
    page.show(state={"phase": "results", "question": QUESTION, "result": RESULT})
    page.until(lambda: names() == ["Ann ✓", "Ben ✗"], lambda: names())
    page.says("verdict", "Not this time")
    page.page.locator("#seats button").first.click()
    page.says("verdict", "Right!")
    # A reload keeps both seats, and a new question begins with the first one.
    page.page.reload()
    page.until(lambda: [name.split()[0] for name in names()] == ["Ann", "Ben"], lambda: names())
    page.page.locator("#seats button").last.click()
    page.show(state={"phase": "asking", "question": QUESTION | {"guid": "00000000-0000-4000-8000-00000000000b"}})
    page.until(lambda: turn() == "Ann", lambda: turn())
    # One of them leaves, and the other one goes on.
    page.menu()
    page.part("leave").click()
    page.part("leave-yes").click()
    page.until(lambda: page.text("you-name") == "Ben" and not page.part("seats").is_visible(), "the other one goes on")
    assert server.asked("DELETE")[0][4]["authorization"] == "Bearer player"
    page.page.reload()
    page.until(lambda: page.text("you-name") == "Ben", "the other one comes back")


def languages(page, server):
    """The menu has room on a narrow phone, and everything in it is large enough for a finger."""
    page.page.set_viewport_size({"width": 320, "height": 568})
    for language in server.languages:
        page.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }") if page.page.url.startswith(ORIGIN) else None
        page.join(language=language)
        page.menu()
        page.part("leave").click()
        found = page.page.evaluate(TIGHT, language in ("ja", "zh"))
        wide = page.page.evaluate("(menu => menu.scrollWidth - menu.clientWidth)(document.querySelector('#menu'))")
        assert not found and wide <= 0, f"{language}: {found} {wide}"
        for name in ("mute", "fullscreen", "effects", "sounds", "new-name", "new-team-team", "add-name", "leave-yes", "leave-no", "menu-close"):
            box = page.part(name).evaluate(
                "(part) => { const box = (part.closest('.check') ?? part); box.scrollIntoView({ block: 'nearest' }); const { x, y, width, height } = box.getBoundingClientRect(); return [x, y, width, height]; }")
            x, y, width, height = box
            assert height >= 44 and width >= 44 and x >= 0 and x + width <= 320 and y >= 0 and y + height <= 568, f"{language}, {name}: {box}"


def take_pictures(browser, options):
    for scheme in ("dark", "light"):
        for width, height in SIZES:
            page = Page(browser, Server(options.pages), color_scheme=scheme, viewport={"width": width, "height": height})

            def take(name):
                page.page.wait_for_timeout(1_200)
                page.page.screenshot(path=options.folder / f"{scheme}-{width}-{name}.png")
            page.page.goto(f"{ORIGIN}/play?code=RED7")
            page.see("#join-team select")
            take("door")
            page.join()
            take("lobby")
            page.menu()
            take("menu")
            page.part("leave").click()
            take("leave")
            page.part("menu-close").click()
            page.menu()
            page.part("add-name").fill("Ben")
            page.page.locator("#add select").select_option("Blue")
            page.page.locator("#add button").click()
            page.part("menu").wait_for(state="hidden")
            asking(page)
            page.see("#question")
            take("several")
            page.menu()
            page.part("leave").click()
            page.part("leave-yes").click()
            page.part("seats").wait_for(state="hidden")
            page.result("00000000-0000-4000-8000-00000000000e", score=900, rank=3)
            page.result(score=1900, rank=2)
            page.see("#team-leaders li")
            take("result")
            page.page.locator("#teams").scroll_into_view_if_needed()
            take("teams")
            page.show(state={"phase": "ended", "ending": {"winners": ["Zoe"], "leaderboard": []}})
            page.see("#end")
            page.page.locator("#teams").scroll_into_view_if_needed()
            take("end")
            page.close()


FACTS = {
    "where the host has made teams, who joins chooses one, and sees its place": teams_of_the_host,
    "where players make up teams, who joins names one": teams_of_players,
    "until the show begins, a player may have another name and another team": rename,
    "who leaves is asked first, and then the seat is given up": leave,
    "who leaves after the show leaves the results": leave_after_the_show,
    "full screen takes the page with the game, and the sound can be switched off": fullscreen,
    "points count up, the change of rank and a row of right answers are shown; sounds come only once they are allowed, and one switch is for all": effects,
    "where the system asks for less motion, nothing moves, vibrates or sounds": calm,
    "several people share a page, and answer one after the other": several,
    "in every language, all of the menu is within reach at 320 px": languages,
}


def run(lines, options):
    with pages.chromium() as browser:
        def open_page():
            server = Server(options.pages)
            return Page(browser, server, has_touch=False), server

        def check(page):
            # What is refused is told by the browser, too.
            problems = [problem for problem in page.problems if "status of 4" not in problem]
            assert not problems, problems

        pages.prove_facts(lines, options.folder, "pages, seats", FACTS, open_page, check)
        if options.pictures:
            take_pictures(browser, options)


if __name__ == "__main__":
    prove_and_end(run, "pages", pictures=False)
