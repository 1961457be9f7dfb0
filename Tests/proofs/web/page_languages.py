"""The server's pages in every language in Chromium: the forms for numbers are the browser's own, one can choose the language, and the words have room on a
narrow phone. There is no server: the calls are answered as in page_states. Prints a line for each fact.

    python3 -m proofs.web.page_languages --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES [--pictures]
"""

from proofs.facts import prove_and_end
from proofs.web import page_states, pages
from proofs.web.page_states import ORIGIN, QUESTION, Page

WIDTH = 320
# Pictures are of the longest words, and of other scripts.
PICTURED = ("de", "pl", "hi", "ja", "zh", "fr", "ar")
# What a file has, and what the browser says of its language.
LOOK = """async (tag) => {
  const own = (await import(`/web/messages.${tag}.mjs`)).default;
  const english = (await import("/web/messages.en.mjs")).default;
  const counted = Object.keys(english).filter((key) => typeof english[key] === "object");
  const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories.sort().join();
  return {
    isKnown: Intl.PluralRules.supportedLocalesOf([tag]).length === 1 && Intl.DisplayNames.supportedLocalesOf([tag]).length === 1,
    missing: Object.keys(english).filter((key) => !Object.hasOwn(own, key)),
    otherForms: counted.filter((key) => Object.keys(own[key]).sort().join() !== wanted),
  };
}"""
# What sticks out of the page, and the buttons and labels with a word that is broken in its middle. The letters of Chinese and Japanese are words.
TIGHT = """(isLetters) => {
  const found = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.push(`the page is ${wide} px too wide`);
  for (const element of document.querySelectorAll("button, label, h1, h2, dt, dd, .chip, .kicker, .verdict, .mark span, #countdown-label, #lobby-players, .phase, select")) {
    if (!element.checkVisibility() || element.closest(".spoken")) continue;
    const name = element.id || element.className || element.localName;
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline") found.push(`${name} overflows`);
    if (isLetters) continue;
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { index, 0: word } of node.data.matchAll(/[\\p{L}\\p{M}\\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(`${name} breaks ${word}`);
      }
    }
  }
  return found;
}"""


class Server(page_states.Server):
    """The pages as the game server sends them: they name the languages that there are."""

    def __init__(self, folder):
        super().__init__(folder)
        self.languages = sorted(file.name.split(".")[1] for file in folder.glob("messages.*.mjs"))

    def send_file(self, route, path):
        name = {"/play": "index.html", "/host": "host.html"}.get(path)
        if not name:
            return super().send_file(route, path)
        head = f'<meta name="cuelight-languages" content="{" ".join(self.languages)}">'
        route.fulfill(content_type="text/html", body=(self.folder / name).read_text().replace("<!--cuelight-->", head))


class Phone(Page):
    """A narrow phone with a language, and what its states look like."""

    def __init__(self, browser, server, options, language):
        self.options, self.language, self.tight = options, language, []
        super().__init__(browser, server)
        self.steer()
        self.page.set_viewport_size({"width": WIDTH, "height": 640})
        self.page.emulate_media(reduced_motion="reduce")

    def looks(self, state):
        """Notes what has no room, once the state is drawn."""
        self.wait(100)
        self.tight += [f"{state}: {problem}" for problem in self.page.evaluate(TIGHT, self.language in ("ja", "zh"))]
        if self.options.pictures and self.language in PICTURED:
            self.page.screenshot(path=self.options.folder / f"{self.language}-{state}.png", full_page=True)


def forms(options, browser):
    """Each language has all messages, and the forms for numbers that the browser knows of."""
    server = Server(options.pages)
    page = Page(browser, server)
    page.page.goto(f"{ORIGIN}/play")
    page.see("#join")
    found = {tag: page.page.evaluate(LOOK, tag) for tag in server.languages}
    page.close()
    wrong = {tag: said for tag, said in found.items() if said != {"isKnown": True, "missing": [], "otherForms": []}}
    assert len(found) > 1 and not wrong, f"{wrong}"
    return f"{len(found)} have all messages, in the forms for numbers that the browser has"


def room(options, browser, language):
    """A narrow phone: where one joins, in the lobby, with a question, its result, the end, and for the host."""
    server = Server(options.pages)
    page = Phone(browser, server, options, language)
    server.state |= {"phase": "lobby", "question": None}
    page.page.goto(f"{ORIGIN}/play?code=RED7&lang={language}")
    page.see("#join")
    page.looks("join")
    page.part("nickname").fill("Ann")
    page.page.locator("#join-form button.big").click()
    page.see("#lobby")
    page.until(lambda: page.text("lobby-players"), "the lobby counts the players")
    page.looks("lobby")
    page.show(state={"phase": "asking", "question": QUESTION}, behind=30)
    page.see("#answer-state[data-kind=bad]")
    page.looks("far-behind")
    page.show(behind=1)
    page.page.locator(".answer").nth(1).click()
    page.see("#answer-state[data-kind=good]")
    page.looks("question")
    page.show(state={"phase": "results", "question": QUESTION, "result": {"correctAnswer": 0, "counts": [1_000, 1]}})
    page.until(lambda: page.text("you-rank") == "1", "the own place is there")
    page.looks("result")
    page.show(state={"phase": "ended", "ending": {"winners": ["Ann", "Ben"]}})
    page.see("#contact")
    page.looks("end")
    host(page, server, language)
    page.close()
    assert not page.tight, "; ".join(page.tight)
    return f"the words have room on {WIDTH} px"


def host(page, server, language):
    page.page.goto(f"{ORIGIN}/host?lang={language}")
    page.see("#door")
    page.looks("host-door")
    page.part("token").fill("operator")
    page.part("game").fill("g1")
    page.page.locator("#door-form button.big").click()
    page.see("#console")
    page.until(lambda: page.text("phase"), "the console has the phase")
    page.looks("host")


# The files of messages that the page has loaded.
LOADED = """performance.getEntriesByType("resource").map(({ name }) => name.split("/").pop()).filter((name) => /^messages\\.\\w+\\.mjs$/.test(name)).sort()"""


def choice(options, browser):
    """The language is chosen where one joins: at once, without losing what was typed, and for the next time."""
    server = Server(options.pages)
    page = Page(browser, server)
    title = lambda: page.text("join-title")
    page.page.goto(f"{ORIGIN}/play?code=RED7&lang=ja")
    chooser = page.see("#join select")
    names = set(chooser.locator("option").all_inner_texts())
    assert len(names) == len(server.languages) and {"English", "Français", "Polski", "Türkçe", "العربية", "हिन्दी", "日本語", "中文"} <= names, names
    assert [chooser.input_value(), chooser.get_attribute("aria-label")] == ["ja", "言語"], chooser.input_value()
    page.part("nickname").fill("Ann")
    chooser.select_option(label="Deutsch")
    page.until(lambda: title() == "Spiel mit!", "the page is in German")
    assert page.part("nickname").input_value() == "Ann" and chooser.get_attribute("aria-label") == "Sprache"
    assert page.page.evaluate("document.documentElement.lang") == "de" and page.page.url == f"{ORIGIN}/play?code=RED7", page.page.url
    page.page.reload()
    page.until(lambda: title() == "Spiel mit!", "the page is in German again")
    loaded = page.page.evaluate(LOADED)
    assert loaded == ["messages.de.mjs"], loaded
    page.page.goto(f"{ORIGIN}/play?code=RED7&lang=fr")
    page.see("#join")
    assert page.page.evaluate("document.documentElement.lang") == "fr", "?lang= comes before the choice"
    # In the lobby, too.
    server.state |= {"phase": "lobby", "question": None}
    page.part("nickname").fill("Ann")
    page.page.locator("#join-form button.big").click()
    page.see("#lobby select").select_option("es")
    page.until(lambda: "jugadores" in page.text("lobby-players"), "the lobby is in Spanish")
    assert not page.problems, page.problems
    page.close()
    return f"one chooses among {', '.join(sorted(names))}; what was typed stays, and the choice is kept"


def lost(options, browser):
    """A language that cannot be loaded leaves the page in the one that it has."""
    page = Page(browser, Server(options.pages))
    page.page.goto(f"{ORIGIN}/play?code=RED7")
    page.context.route("**/messages.pl.mjs", lambda route: route.abort())
    chooser = page.see("#join select")
    chooser.select_option("pl")
    page.until(lambda: chooser.input_value() == "en", "the chooser says English again")
    assert page.text("join-title") == "Play along" and page.page.evaluate("localStorage.length") == 0, page.text("join-title")
    page.close()
    return "one that cannot be loaded changes nothing"


def run(lines, options):
    with pages.chromium() as browser:
        for prove in (forms, choice, lost):
            lines.prove(f"pages, languages, {prove.__name__}", prove, options, browser)
        for language in Server(options.pages).languages:
            lines.prove(f"pages, languages, {language}", room, options, browser, language)


if __name__ == "__main__":
    prove_and_end(run, "pages", pictures=False)
