"""Lets axe-core look at each state of the player's page, the screen, the overlay and the host's console in Chromium, in dark and in light, without a server (see
page_states): nothing that it finds is left. Prints a line for each fact.

    python3 -m proofs.web.page_axe --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES
"""

import importlib.util
from pathlib import Path

from proofs.facts import prove_and_end
from proofs.web import page_console, page_kinds, page_room, page_seats, pages
from proofs.web.page_states import ORIGIN

AXE = Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js")
# What is broken, and where.
FIND = """async (others) => (await axe.run(document, { resultTypes: ["violations"], rules: Object.fromEntries(others.map((rule) => [rule, { enabled: false }])) })).violations
  .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ target, any }) => `${target.join(" ")} ${any[0]?.message ?? ""}`).slice(0, 3).join("; ")}`)"""


class Looker:
    """Collects what axe finds in states of pages."""

    def __init__(self):
        self.found, self.states = {}, 0

    def look(self, page, state, others=()):
        """Notes what there is, but for what other rules find."""
        if not page.page.evaluate("'axe' in globalThis"):
            page.page.evaluate(AXE.read_text())
        self.states += 1
        for what in page.page.evaluate(FIND, list(others)):
            self.found.setdefault(what, []).append(state)

    def end(self):
        assert not self.found, "; ".join(f"{what} [{', '.join(states[:4])}]" for what, states in self.found.items())
        return f"axe finds nothing in {self.states} states"


def player(options, browser, look):
    server = page_seats.Server(options.pages)
    page = page_seats.Page(browser, server, viewport={"width": 390, "height": 844}, color_scheme=look, reduced_motion="reduce")
    axe = Looker()
    page.page.goto(f"{ORIGIN}/play?code=RED7")
    page.see("#join-team select")
    axe.look(page, "door")
    page.join()
    axe.look(page, "lobby")
    page.menu()
    axe.look(page, "menu")
    page.part("leave").click()
    axe.look(page, "leaving")
    page.part("menu-close").click()
    for name in page_kinds.QUESTIONS:
        page_kinds.asking(page, name)
        axe.look(page, f"{name} open")
        page_kinds.give(page, name)
        page.wait(100)
        axe.look(page, f"{name} given")
        page_kinds.closing(page, name)
        axe.look(page, f"{name} closed")
        page_kinds.revealing(page, name)
        page.see("#team-leaders li")
        axe.look(page, f"{name} result")
    page_kinds.asking(page, "single")
    page.show(behind=60)
    page.see("#go-live")
    axe.look(page, "too far behind")
    page.show(state={"phase": "ended", "ending": {"winners": ["Zoe"]}})
    page.see("#contact")
    axe.look(page, "end")
    page.close()
    return axe.end()


def room(options, browser, look):
    axe = Looker()
    for path in ("/screen", "/overlay"):
        for name, stage in page_room.STATES.items():
            page = page_room.Page(browser, options.pages, stage)
            page.page.emulate_media(color_scheme=look, reduced_motion="reduce")
            page.open(path)
            # What lies over a video is no page that one goes through by its headings.
            axe.look(page, f"{path} {name}", ["page-has-heading-one"] if path == "/overlay" else ())
            page.close()
    return axe.end()


def console(options, browser, look):
    axe = Looker()
    server = page_console.Server(options.pages)
    server.questions["asked"] = [
        {"question": 7, "guid": "p1", "unsettled": True, "content": {"question": "Who will win?", "kind": "prediction", "answers": ["Red", "Blue"]}}]
    page = page_console.Console(browser, server)
    page.page.emulate_media(color_scheme=look, reduced_motion="reduce")
    page.page.goto(f"{ORIGIN}/host")
    page.see("#door")
    axe.look(page, "door")
    page.part("token").fill("operator")
    page.page.locator("#door-form button.big").click()
    page.see("#maker")
    axe.look(page, "maker")
    page.open()
    axe.look(page, "console")
    page.page.keyboard.press("a")
    page.until(lambda: page.page.locator("#coming-answers .right").count(), "the right answer is marked")
    axe.look(page, "answer")
    page.page.keyboard.press("w")
    page.see("#writing")
    axe.look(page, "writing")
    page.page.keyboard.press("Escape")
    server.leader = "Firefox · Windows · 3f2a11"
    page.page.reload()
    page.see("#busy")
    axe.look(page, "busy")
    page.close()
    return axe.end()


def run(lines, options):
    with pages.chromium() as browser:
        for look in ("dark", "light"):
            for prove in (player, room, console):
                lines.prove(f"axe, {prove.__name__}, {look}", prove, options, browser, look)


if __name__ == "__main__":
    prove_and_end(run, "pages")
