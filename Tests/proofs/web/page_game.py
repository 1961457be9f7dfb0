"""Plays a game on the pages of a game server in Chromium, over a live stream of each kind: two viewers in windows of their own, from the door to the
form for contacts. Prints a line for each fact.

    python3 -m proofs.web.page_game --server PROGRAM --cuelight PROGRAM --package FOLDER --library FOLDER --folder FOR_ITS_FILES
"""

import traceback
from concurrent.futures import ThreadPoolExecutor

from proofs.facts import prove_and_end
from proofs.processes import wait_until
from proofs.web import pages
from proofs.web.pages import SCORING, Show, Viewer, board_of

KINDS = ["ts", "fmp4"]
# Long enough for a slow machine to answer, and short enough to wait for the end of the time.
TIME = 30
# The host decides each result; nobody waits that long.
DELAY = 60
CLIP = 150
QUIZ = {
    "id": "pages", "title": "Pages",
    "questions": [
        {"question": "Which planet is red?", "answers": ["Venus", "Mars", "Saturn"], "correct": "Mars", "explanation": "It is full of rust.",
         "link": "https://example.org/mars"},
        {"question": "Which metal is liquid?", "answers": ["Mercury", "Iron"], "correct": "Mercury"},
    ]}
CONTACT = {"name": "Ann Bee", "email": "ann@example.org", "message": "Hello <b>there</b>"}


class Game:
    """One game of two viewers, and what each of them saw."""

    def __init__(self, options, kind, facts):
        self.kind, self.facts = kind, facts
        arguments = ["--hosted", "--time", TIME, "--delay", DELAY, "--scoring", SCORING, "--segment-type", kind, "--reach"]
        with Show(options, options.folder / kind, QUIZ, *arguments) as self.show, pages.chromium() as browser:
            self.ann, self.ben = Viewer(browser, self.show), Viewer(browser, self.show)
            try:
                self.play()
            except Exception:
                for viewer in (self.ann, self.ben):
                    viewer.page.screenshot(path=options.folder / f"{kind}-{'ann' if viewer is self.ann else 'ben'}.png")
                raise
            finally:
                # What the windows say besides may tell why.
                self.facts.append(("the consoles say nothing", self.ann.problems + self.ben.problems))

    def tell(self, fact, wrong):
        self.facts.append((fact, wrong))

    def play(self):
        ann, ben, command = self.ann, self.ben, self.show.command
        with ann.page.expect_response("**/cuelight-client.wasm") as reader:
            ann.join("Ann", by_keys=True).phase("lobby")
        coding = reader.value.headers.get("content-encoding")
        self.tell("the reader comes compressed, with Brotli", [] if coding == "br" else [coding])
        ben.join("Ben").phase("lobby")
        command("next")

        self.saved_by_server()
        ben.question(1)
        ben.answer(2)
        ben.saved()
        command("reveal")
        self.first = [viewer.phase("results").result() for viewer in (ann, ben)]
        self.explanation = ann.text("explanation-text"), ann.part("more").get_attribute("href")
        self.compare_standings("after the first question")
        self.come_back()

        command("next")
        for viewer in (ann, ben):
            viewer.question(2)
        ann.answer(1)
        ann.saved()
        # Changed until the time is up.
        ann.answer(0, by_keys=True)
        ann.saved()
        ben.answer(0, by_keys=True)
        ben.saved()
        is_changed = ann.is_chosen(0) and not ann.is_chosen(1)
        for viewer in (ann, ben):
            viewer.phase("closed")
        ann.answer(1)
        self.tell("an answer is changed by a key while there is time, and not by a click afterwards", [] if is_changed and ann.is_chosen(0) else ["it is not"])
        command("reveal")
        self.second = [viewer.phase("results").result() for viewer in (ann, ben)]
        self.compare_standings("after the second question")
        command("next")
        for viewer in (ann, ben):
            viewer.phase("ended")
        self.compare_standings("at the end")
        self.compare_with_the_stream()
        self.compare_reports()
        self.leave_contact()

    def saved_by_server(self):
        """An answer is shown as saved when the server has said so. That it is not shown before is proven where answers are held back: see check_pages.py."""
        ann = self.ann
        ann.question(1)
        with ann.page.expect_response("**/answers") as answer:
            ann.answer(1, by_keys=True)
        ann.saved()
        status = answer.value.status
        self.tell("an answer is saved when the server has said so, with 202", [] if status == 202 else [f"status {status}"])

    def come_back(self):
        """Who loads the page again is the same player, with the same score."""
        before = self.ann.standing()
        status, is_same = self.ann.reload()
        name = self.ann.text("you-name")
        after = self.ann.sees_standing()
        self.tell(
            f"a page that is loaded again has the same player and {after[1]} points",
            [] if (status, is_same, name, after) == (200, True, "Ann", before) else [f"{status}, {is_same}, {name}: {before}, {after}"])

    def compare_standings(self, when):
        standings = [viewer.sees_standing() for viewer in (self.ann, self.ben)]
        board = self.show.get("board").object
        lines = board_of(board["leaders"])
        for viewer in (self.ann, self.ben):
            viewer.until(lambda: viewer.board() == lines, f"the board shows {lines}")
        self.board = lines
        self.tell(f"{when}, both see the rank, points and board of the server: {standings}", [])

    def compare_with_the_stream(self):
        """What the pages showed is what `inspect` and `replay` find in the stream."""
        events = self.show.events()
        kinds = [event["eventType"] for event in events if event["eventType"] != "periodicInfo"]
        wanted = ["startGame", "askQuestion", "showResults", "askQuestion", "showResults", "endGame"]
        results = [event for event in events if event["eventType"] == "showResults"]
        shown = [self.first, self.second]
        wrong = [] if kinds == wanted else [f"{kinds} are in the stream"]
        for event, seen in zip(results, shown):
            for page in seen:
                if (page["right"], page["counts"]) != ([event["correctAnswer"]], event["counts"]):
                    wrong.append(f"{page}, and {event} in the stream")
        verdicts = [[page["verdict"] for page in seen] for seen in shown]
        if verdicts != [["Right!", "Not this time"], ["Right!", "Right!"]]:
            wrong.append(f"verdicts {verdicts}")
        if self.explanation != (results[0]["explanation"], results[0]["url"]):
            wrong.append(f"{self.explanation} explains")
        winners = events[-1]["winners"]
        if self.ann.text("winners") != " · ".join(winners):
            wrong.append(f"{self.ann.text('winners')} instead of {winners}")
        self.tell(f"results and winners are those that inspect finds in the stream: {[event['counts'] for event in results]}, {winners}", wrong)
        boards, players = self.show.replayed()
        lines = board_of(players)
        self.tell("the last board is the one that replay makes of the stream and the record", [] if lines == self.board and len(boards) == 2 else [f"{self.board} and {lines}"])

    def compare_reports(self):
        """Each page reports each event that it has shown, once. One was loaded again, and is another session then."""
        names = ["reach_sessions", "reach_shown", "reach_missing", "reach_wrong_reports_total"]
        # Two pages have seen six events; what one shows again after it was loaded again counts for its new session.
        try:
            wait_until(lambda: self.show.server.metric("reach_shown") >= 12, 40, "the pages have reported")
            wait_until(lambda: self.show.server.metric("reach_missing") <= 3, 40, "the pages have reported")
        except AssertionError:
            pass
        sessions, shown, missing, wrong = (int(self.show.server.metric(name)) for name in names)
        is_right = sessions == 3 and 12 <= shown <= 15 and missing <= 3 and wrong == 0
        self.tell(f"{sessions} sessions of pages report {shown} events that they have shown", [] if is_right else [f"{missing} are missing, {wrong} are wrong"])

    def leave_contact(self):
        """The form sends nothing without consent."""
        ann = self.ann
        for name, text in CONTACT.items():
            ann.part(f"contact-{name}").fill(text)
        is_closed = ann.page.locator("#contact button").is_disabled()
        ann.part("consent").check()
        ann.page.locator("#contact button").click()
        ann.see("#contact-sent")
        (contact,) = self.show.get("contacts", self.show.server.host_token).object["contacts"]
        kept = {name: contact.get(name) for name in CONTACT}
        self.tell("who consents leaves a contact, which the host reads", [] if is_closed and kept == CONTACT else [f"{is_closed}, {contact}"])


def play(options, kind):
    """The facts of a game: each with what is wrong about it."""
    facts = []
    try:
        Game(options, kind, facts)
    except Exception as error:  # What cannot be played is a broken proof.
        traceback.print_exc()
        facts.append(("it plays to the end", [f"{type(error).__name__}: {error}"]))
    return facts


def run(lines, options):
    options.clip = options.folder / "clip.mp4"
    pages.make_clip(options.clip, CLIP)
    # Both at once: each takes as long as it takes.
    with ThreadPoolExecutor(len(KINDS)) as pool:
        for kind, facts in zip(KINDS, pool.map(lambda kind: play(options, kind), KINDS)):
            for fact, wrong in facts:
                lines.tell(not wrong, f"page, {kind}: {fact}", "; ".join(map(str, wrong)))


if __name__ == "__main__":
    prove_and_end(run, "server", "cuelight", "package", "library")
