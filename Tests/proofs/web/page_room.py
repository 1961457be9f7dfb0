"""Shows each state of a game on the projector's page and the overlay in Chromium, at the sizes of screens, without a server: the stage says what this proof
lets it say. Prints a line for each fact.

    python3 -m proofs.web.page_room --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES [--brief]

With --brief, sizes other than 1920 x 1080 and what a reload does are left out.
"""

import json
import traceback
import zlib
from urllib.parse import urlsplit

from proofs.facts import prove_and_end
from proofs.web import pages
from proofs.web.pages import Window

ORIGIN = "http://cuelight.test"
TYPES = {".mjs": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
SIZES = [(1920, 1080), (1280, 720), (1080, 1920)]
NAMES = ["Ann", "Benjamin", "Chloé", "Dóra", "<b>Eve</b>", "Färber", "Giulia", "Hana", "سارة", "Ivo", "Jürgen", "Kim", "Łukasz", "Mei"]
BOARD = [{"rank": rank, "player": name, "score": 4200 - 317 * rank, "right": 3, "before": before}
         for rank, (name, before) in enumerate(zip(NAMES, [2, 1, 5, 3, 4, None, 7, 9, 8, 10]), 1)]
QUESTION = {"guid": "g-1", "kind": "single", "number": 2, "text": "Which planet of the solar system is called the red one?",
            "answers": ["Venus", "Mars", "Saturn", "Jupiter"], "answered": 9, "voided": False}
LONG = {"guid": "g-2", "kind": "single", "number": 3, "answered": 4, "voided": False,
        "text": "In which year did the treaty that ended the Thirty Years' War come into force, and in which of the two cities was it signed by the emperor's envoys?",
        "answers": [f"It was {year}, and it was signed in a city whose name is long" for year in range(1643, 1649)]}
RESULT = {"correctAnswer": 1, "counts": [2, 9, 1, 2], "explanation": "Its ground is full of rust, which is oxide of iron."}
PLACES = ["Lisbon", "Marrakesh", "Reykjavík", "Samarkand", "Tbilisi", "Valparaíso", "Windhoek", "Yokohama", "Zagreb", "Cartagena", "Dubrovnik", "Edinburgh"]
ASKED = {"guid": "g-4", "number": 5, "answered": 9, "voided": False}
SEVERAL = ASKED | {"kind": "multiple", "text": "Which of these cities lie by the sea?", "answers": PLACES}
POLL = ASKED | {"kind": "poll", "live": True, "text": "What shall we play next?", "answers": ["Music", "Films", "Sports"], "counts": [4, 9, 1]}
GUESS = ASKED | {"kind": "number", "text": "How high is the tower?", "answers": [], "least": 0, "most": 500, "step": 0.5, "unit": "m", "within": 10}
ORDER = ASKED | {"kind": "order", "text": "Order these by their distance from the Sun.", "answers": ["Mars", "Mercury", "Earth", "Venus", "Neptune", "Saturn", "Jupiter", "Uranus"]}
SPELLED = ASKED | {"kind": "text", "text": "Which planet is called the red one?", "answers": [], "tolerance": 1}
WORDS = ASKED | {"kind": "poll", "words": True, "live": True, "text": "How was the show, in one word?", "answers": [],
                 "texts": {"most": [{"text": "Fun", "count": 9}, {"text": "Loud", "count": 2}], "others": 0}}
GIVEN = {"most": [{"text": "Mars", "count": 128, "right": True}, {"text": "Venus", "count": 60}, {"text": "<b>Jupiter</b>", "count": 12}, *(
    {"text": f"The one that is named after the Roman god number {number}", "count": 9 - number} for number in range(8))], "others": 70}
HISTOGRAM = {"from": 0, "width": 25.5, "counts": [0, 1, 0, 0, 2, 4, 3, 0, 0, 5, 9, 6, 128, 20, 3, 2, 1, 0, 0, 1]}
STAGE = {"game": "g1", "title": "Friday Night Trivia", "code": "RED7", "address": "https://quiz.example/play?code=RED7", "players": 14, "names": NAMES,
         "questions": 12, "delay": 12, "question": None, "board": None, "winners": None}
TEAMS = [{"rank": rank, "team": name, "score": 12345.67 - 1111 * rank, "players": 20 - rank, "before": before}
         for rank, (name, before) in enumerate(zip(["Blue", "The Very Long Name of a Team of Ants", "Red", "فريق الليل", "Greens"], [2, 1, None, 5, 4]), 1)]
STATES = {
    "lobby": STAGE | {"state": "lobby"},
    "question": STAGE | {"state": "question", "question": QUESTION, "time": {"left": 8, "whole": 10}},
    "long": STAGE | {"state": "question", "question": LONG, "time": {"left": 4, "whole": 10}},
    "unknown": STAGE | {"state": "question", "question": {"guid": "g-3", "kind": "dream", "number": 4, "text": "What do you see?", "voided": False}},
    "closed": STAGE | {"state": "closed", "question": QUESTION},
    "result": STAGE | {"state": "result", "question": QUESTION | RESULT, "board": BOARD},
    "several": STAGE | {"state": "question", "question": SEVERAL, "time": {"left": 8, "whole": 10}},
    "several-result": STAGE | {"state": "result", "question": SEVERAL | {"correctAnswers": [0, 2, 5], "counts": [9, 1, 7, 0, 2, 8, 3, 4, 1, 5, 6, 2]}},
    "poll": STAGE | {"state": "question", "question": POLL, "time": {"left": 8, "whole": 10}},
    "poll-result": STAGE | {"state": "result", "question": POLL},
    "prediction-result": STAGE | {"state": "result", "question": POLL | {"kind": "prediction"}},
    "number": STAGE | {"state": "question", "question": GUESS, "time": {"left": 8, "whole": 10}},
    "number-result": STAGE | {"state": "result", "question": GUESS | {"correctNumber": 330, "histogram": HISTOGRAM}},
    "order": STAGE | {"state": "question", "question": ORDER, "time": {"left": 8, "whole": 10}},
    "order-result": STAGE | {"state": "result", "question": ORDER | {"correctOrder": [1, 3, 2, 0, 6, 5, 7, 4], "counts": [9, 12, 7, 8, 11, 3, 4, 6]}},
    "text": STAGE | {"state": "question", "question": SPELLED, "time": {"left": 8, "whole": 10}},
    "text-result": STAGE | {"state": "result", "question": SPELLED | {"correctTexts": ["Mars", "The planet Mars"], "texts": GIVEN}},
    "words": STAGE | {"state": "question", "question": WORDS, "time": {"left": 8, "whole": 10}},
    "words-result": STAGE | {"state": "result", "question": WORDS},
    "voided": STAGE | {"state": "result", "question": QUESTION | {"voided": True}},
    "board": STAGE | {"state": "board", "board": BOARD},
    "podium": STAGE | {"state": "podium", "board": BOARD, "winners": [NAMES[0]]},
    "teams": STAGE | {"state": "board", "board": BOARD, "teams": TEAMS * 2},
    "teams at the end": STAGE | {"state": "podium", "board": BOARD, "winners": [NAMES[0]], "teams": TEAMS},
    "ended": STAGE | {"state": "ended"},
}
# Each text that is on the screen, with its size, its contrast with the darkest and the lightest colour behind it, and whether it is cut off.
TEXTS = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const linear = (value) => { const c = value / 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)]; return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };
  // What may be behind a text: the nearest colour that covers, each colour of a gradient, and bars.
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(at);
      const share = at.querySelector(":scope > .share");
      const colors = share ? [rgb(getComputedStyle(share).backgroundColor)] : [];
      if (backgroundImage !== "none" && at !== document.body && !at.classList.contains("ring")) colors.push(...(backgroundImage.match(/rgba?\\([^)]*\\)/g) ?? []).map(rgb));
      if (at.classList.contains("ring")) return [rgb(getComputedStyle(at, "::before").backgroundColor)];
      const own = rgb(backgroundColor);
      if (own[3] > 200) colors.push(own);
      if (colors.some((color) => color[3] > 200)) return colors.filter((color) => color[3] > 200);
    }
    // The room's lights, too.
    return ["#0a0420", "#3d168a", "#6e0d3d", "#0a3466"].map(rgb);
  };
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || element.closest(".spoken, noscript, script") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    const cut = element.closest("#names") === null && !element.closest(".who, .explanation") && (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
    const holder = element.closest(".answer");
    const held = holder?.getBoundingClientRect();
    const spilt = held ? box.top < held.top - 1 || box.bottom > held.bottom + 1 : false;
    texts.push({ text, size: parseFloat(style.fontSize), contrast: Math.min(...behind(element).map((color) => contrast(rgb(style.color), color))), cut: cut || spilt });
  }
  return texts;
}"""


class Page(Window):
    def __init__(self, browser, folder, stage, size=SIZES[0], motion="reduce"):
        super().__init__(browser)
        self.folder, self.stage, self.problems_seen = folder, stage, []
        self.context.route("**/*", self.handle)
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(reduced_motion=motion)
        self.page.on("pageerror", lambda error: self.problems_seen.append(str(error)))

    def handle(self, route):
        path = urlsplit(route.request.url).path
        if path == "/v1/games/g1/stage":
            return route.fulfill(content_type="text/event-stream", body=f"id: 7\nevent: stage\ndata: {json.dumps(self.stage)}\n\n")
        if path.startswith("/v1/games"):
            return route.fulfill(content_type="application/json", body=json.dumps({"id": "g1", "code": "RED7", "title": "Friday"}))
        name = {"/screen": "screen.html", "/overlay": "overlay.html"}.get(path, path.rsplit("/", 1)[-1])
        file = self.folder / name
        if not file.is_file():
            return route.fulfill(status=404, body="")
        body = file.read_text()
        if file.suffix == ".html":
            body = body.replace("<!--cuelight-->", '<meta name="cuelight-languages" content="en ar">')
        route.fulfill(content_type=TYPES[file.suffix], body=body)

    def open(self, path="/screen"):
        self.page.goto(f"{ORIGIN}{path}")
        self.page.wait_for_selector("body[data-state]")
        return self


def readable(options, browser, path, size):
    """Every text of every state is large enough, has contrast, and is on the screen."""
    wrong = []
    # In a picture that is higher than wide, the width counts.
    least = min(size) / 25
    for name, stage in STATES.items():
        page = Page(browser, options.pages, stage, size)
        page.open(path)
        page.page.screenshot(path=options.folder / f"{path.strip('/').replace('?', '-').replace('=', '-')}-{name}-{size[0]}x{size[1]}.png", omit_background=True)
        texts = page.page.evaluate(TEXTS)
        assert texts or "overlay" in path, f"{name} says nothing"
        wrong += [f"{name}: {text}" for text in texts if text["size"] < least - .01 or text["contrast"] < 7 or text["cut"]]
        wrong += [f"{name}: {problem}" for problem in page.problems_seen]
        page.close()
    assert not wrong, f"{len(wrong)}: {wrong[:8]}"


def restored(options, browser):
    for name, stage in STATES.items():
        page = Page(browser, options.pages, stage).open()
        before = page.page.inner_text("#screen")
        page.page.reload()
        page.page.wait_for_selector("body[data-state]")
        after = page.page.inner_text("#screen")
        # The time goes on.
        numbers = page.page.locator("#seconds")
        if not numbers.count():
            assert before == after, f"{name}: {before!r}, {after!r}"
        page.close()


def still(options, browser):
    for name, stage in STATES.items():
        page = Page(browser, options.pages, stage).open()
        assert page.page.evaluate("document.getAnimations().length") == 0, f"{name} moves"
        page.close()
    page = Page(browser, options.pages, STATES["result"], motion="no-preference")
    # What has moved may be over already.
    page.context.add_init_script("globalThis.moved = 0; addEventListener('animationstart', () => { moved += 1; })")
    page.open().page.wait_for_function("moved > 0")
    page.close()


def texts_stay_texts(options, browser):
    page = Page(browser, options.pages, STATES["lobby"]).open()
    assert page.page.locator("#names b").count() == 0 and "<b>Eve</b>" in page.page.inner_text("#names")
    page.close()


def arabic(options, browser):
    page = Page(browser, options.pages, STATES["result"]).open("/screen?lang=ar")
    assert page.page.evaluate("document.documentElement.dir") == "rtl"
    page.page.screenshot(path=options.folder / "arabic.png")
    badge, text = (page.page.locator(f".answer:first-child .{name}").bounding_box() for name in ("badge", "text"))
    assert badge["x"] > text["x"], (badge, text)
    page.close()


def first_pixel(png):
    """Red, green, blue and opacity of the first pixel of a picture (PNG, RFC 2083): nothing is before it that it could differ from."""
    assert png[24:26] == bytes([8, 6]), "the picture has no opacity"
    data, place = b"", 8
    while place < len(png):
        length = int.from_bytes(png[place:place + 4])
        if png[place + 4:place + 8] == b"IDAT":
            data += png[place + 8:place + 8 + length]
        place += 12 + length
    return zlib.decompress(data)[1:5]


def overlay(options, browser):
    page = Page(browser, options.pages, STATES["question"]).open("/overlay?show=code")
    assert page.page.locator("#screen > *").count() == 0 and page.page.locator("#corner").is_visible()
    page.close()
    page = Page(browser, options.pages, STATES["question"]).open("/overlay?show=question")
    assert page.page.locator("#corner").is_hidden()
    assert first_pixel(page.page.screenshot(omit_background=True))[3] == 0, "the video behind the overlay is covered"
    box = page.page.locator(".asked").bounding_box()
    assert box["x"] >= 95 and box["x"] + box["width"] <= 1825 and box["y"] >= 53 and box["y"] + box["height"] <= 1027, box
    size = page.page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    page.close()
    for state, held in (("long", ".asked"), ("long", ".answer:last-child"), ("board", ".standings"), ("board", ".board li:nth-child(8)"), ("result", ".asked")):
        page = Page(browser, options.pages, STATES[state]).open("/overlay")
        box, corner = page.page.locator(held).bounding_box(), page.page.locator("#corner").bounding_box()
        assert box["y"] >= 53 and box["y"] + box["height"] <= (corner["y"] if corner else 1027), (state, held, box, corner)
        page.close()
    page = Page(browser, options.pages, STATES["question"]).open("/overlay?show=question&scale=.5")
    assert abs(page.page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") * 2 - size) < .1
    page.close()


def live(options, browser):
    """The counts of a live poll grow while it is open; other questions have none before their result."""
    page = Page(browser, options.pages, STATES["poll"]).open()
    assert page.page.locator(".answer .count").all_inner_texts() == ["4", "9", "1"]
    page.page.evaluate("document.querySelector('.answers').dataset.kept = 'yes'")
    page.stage = STATES["poll"] | {"question": POLL | {"counts": [5, 9, 10], "answered": 24}}
    page.page.wait_for_function("document.querySelectorAll('.answer .count')[2]?.textContent === '10'")
    assert page.page.locator(".answers").get_attribute("data-kept") == "yes", "the answers are drawn anew"
    assert page.page.locator(".answer .count").all_inner_texts() == ["5", "9", "10"]
    page.close()
    page = Page(browser, options.pages, STATES["several"]).open()
    assert page.page.locator(".answer").count() == 12 and page.page.locator(".answer .count").count() == 0
    page.close()


def rights(options, browser):
    """All right answers, the right order, and the right number are shown as such."""
    texts = lambda page, selector: page.page.locator(selector).all_inner_texts()
    page = Page(browser, options.pages, STATES["several-result"]).open()
    assert texts(page, ".answer.right .text") == [PLACES[index] for index in (0, 2, 5)]
    page.close()
    page = Page(browser, options.pages, STATES["order-result"]).open()
    assert texts(page, ".answer .text") == ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]
    assert texts(page, ".answer .count") == ["✓ 12", "✓ 8", "✓ 7", "✓ 9", "✓ 4", "✓ 3", "✓ 6", "✓ 11"]
    page.close()
    page = Page(browser, options.pages, STATES["number-result"]).open()
    assert "330 m" in page.page.inner_text(".number-right") and page.page.locator(".histogram li").count() == 20
    assert page.page.locator(".histogram li.right").count() == 1 and "128" in page.page.inner_text(".histogram li.right")
    page.close()
    page = Page(browser, options.pages, STATES["poll-result"]).open()
    assert page.page.locator(".answer:is(.right, .wrong)").count() == 0
    page.close()


def code(options, browser):
    page = Page(browser, options.pages, STATES["lobby"]).open()
    sizes = page.page.evaluate("""async () => {
      const { qrModules } = await import("/web/qr.mjs");
      return ["a", "https://quiz.example/play?code=RED7", "x".repeat(213), "x".repeat(214)].map((text) => qrModules(text)?.length ?? null);
    }""")
    assert sizes == [21, 29, 57, None], sizes
    page.close()


FACTS = {
    **{f"the screen is readable from far in every state at {width} x {height}": (lambda size: lambda options, browser: readable(options, browser, "/screen", size))((width, height))
       for width, height in SIZES},
    "the overlay is readable in every state": lambda options, browser: readable(options, browser, "/overlay", SIZES[0]),
    "a reload restores every state": restored,
    "nothing moves where motion is not wanted": still,
    "names of players never become HTML": texts_stay_texts,
    "in Arabic everything is from right to left": arabic,
    "the overlay is transparent, keeps off the edges, and shows what its address names": overlay,
    "the counts of a live poll grow while it is open": live,
    "right answers, a right order and a right number with its histogram are shown": rights,
    "the QR code has the size that its text needs": code,
}

SLOW = [fact for fact in FACTS if "1280" in fact or "1080 x" in fact or "reload" in fact]


def run(lines, options):
    with pages.chromium() as browser:
        for fact, prove in FACTS.items():
            if options.brief and fact in SLOW:
                continue
            try:
                prove(options, browser)
                lines.fact(f"room: {fact}")
            except Exception as error:  # A proof that cannot be made is a broken one.
                lines.fails(f"room: {fact}: {type(error).__name__}: {error}\n{traceback.format_exc(limit=-2)}")


if __name__ == "__main__":
    prove_and_end(run, "pages", brief=False)
