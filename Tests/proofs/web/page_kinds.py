"""Answers questions of every kind on the viewer's page in Chromium, with the mouse, the keyboard and a finger, without a server and without video (see
page_states). With --pictures, each kind is shown in each state on phones and windows, in dark and in light, and from right to left. Prints a line for each fact.

    python3 -m proofs.web.page_kinds --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES [--pictures]
"""

import json

from proofs.facts import prove_and_end
from proofs.web import page_languages, pages
from proofs.web.page_languages import TIGHT
from proofs.web.page_states import GUID, ORIGIN, Page

BASE = {"number": 2, "total": 6, "opensAt": 15, "closesAt": 60}
FRUIT = ["Apple", "Banana", "Cherry", "Date", "Elderberry", "Fig", "Grape", "Hazelnut", "Kiwi", "Lemon", "Mango", "Nectarine"]


# The last one is a window of 1280 x 1024 at 400 %.
SHAPES = {
    "phone": (320, 568), "tall": (390, 844), "side": (568, 320), "tablet": (768, 1024), "window": (1280, 720), "wide": (1920, 1080), "zoomed": (320, 256)}
# Whether the last answer, or what one answers with, is in sight, or cut where one sees that it goes on.
LAST = """() => {
  const parts = [...document.querySelectorAll(".answer, .number, .number-line, .take")].filter((part) => part.offsetParent);
  const { top, height } = parts[parts.length - 1].getBoundingClientRect();
  return top >= 0 && top + 0.35 * height <= document.querySelector("#you").getBoundingClientRect().top + 1;
}"""
# Short answers stay on one line.
BROKEN = """() => [...document.querySelectorAll(".answer-text")].filter((text) => {
  const range = document.createRange();
  range.selectNodeContents(text);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
}).map((text) => `${text.textContent} is broken`)"""


def question(place, kind, text, answers=(), **details):
    return BASE | {"guid": f"{GUID[:-2]}{place:02x}", "text": text, "answers": list(answers)} | ({} if kind == "single" else {"kind": kind}) | details


QUESTIONS = {
    "single": question(1, "single", "Which planet is red?", ["Venus", "Mars", "Saturn"]),
    "multiple": question(2, "multiple", "Which of these are gas giants?", ["Jupiter", "Mars", "Saturn", "Venus"], partial=True),
    "poll": question(3, "poll", "What shall we play next?", ["Music", "Films", "Sports"], live=True),
    "prediction": question(4, "prediction", "Who wins the final tonight?", ["The reds", "The blues"]),
    "number": question(5, "number", "How high is the tower?", least=0, most=500, step=0.5, unit="m", within=10),
    "order": question(6, "order", "Order these by their distance from the Sun.", ["Mars", "Mercury", "Earth", "Venus"]),
    "text": question(10, "text", "Which planet is called the red one?", tolerance=1),
    "words": question(11, "poll", "How was the show, in one word?", words=True),
    "many": question(7, "multiple", "Which of these are berries?", FRUIT),
    "unknown": question(8, "dream", "What do you see when you close your eyes?", ["Clouds", "Sheep"]),
    "bare": question(9, "dream", "Draw what you see."),
}
RESULTS = {
    "single": {"correctAnswer": 1, "counts": [2, 9, 1]},
    "multiple": {"correctAnswers": [0, 2], "counts": [9, 3, 7, 1]},
    "poll": {"counts": [4, 9, 1]},
    "prediction": {"counts": [4, 9]},
    "number": {"correctNumber": 330, "histogram": {"from": 0, "width": 25.5, "counts": [0, 1, 0, 0, 2, 4, 3, 0, 0, 5, 9, 6, 12, 20, 3, 2, 1, 0, 0, 1]}},
    "order": {"correctOrder": [1, 3, 2, 0], "counts": [7, 9, 3, 4]},
    "text": {"correctTexts": ["Mars", "The planet Mars"], "texts": {"most": [
        {"text": "Mars", "count": 14, "right": True}, {"text": "Venus", "count": 6}, {"text": "Marz", "count": 3, "right": True},
        {"text": "<b>Jupiter</b>", "count": 2}, {"text": "the fourth one", "count": 1}], "others": 7}},
    "words": {"texts": {"most": [{"text": "Fun", "count": 9}, {"text": "Loud", "count": 2}], "others": 0}},
    "many": {"correctAnswers": [1, 8], "counts": [3, 9, 0, 1, 8, 2, 9, 0, 7, 1, 0, 2]},
    "unknown": {"counts": [3, 4]},
    "bare": {},
}
OWN = {"single": 0, "multiple": [0, 1], "poll": 1, "prediction": 0, "number": 324.5, "order": [1, 2, 3, 0], "text": "mars!", "words": "FUN", "many": [1, 4]}


def asking(page, name):
    page.show(state={"phase": "asking", "question": QUESTIONS[name]})
    page.see("#question")


def closing(page, name):
    page.show(state={"phase": "closed", "question": QUESTIONS[name]})


def revealing(page, name, **changes):
    page.show(state={"phase": "results", "question": QUESTIONS[name], "result": RESULTS[name] | changes})


def sent(page, server, count, answer):
    """The page has sent so many answers, and this is the last one."""
    calls = lambda: server.asked("POST /v1/games/g1/answers")
    page.until(lambda: len(calls()) >= count, lambda: f"{count} answers are sent, not {len(calls())}")
    last = json.loads(calls()[-1][3])["answers"][-1]["answer"]
    assert len(calls()) == count and last == answer, f"{len(calls())}: {last}, not {count}: {answer}"


def several(page, server):
    page.join()
    asking(page, "multiple")
    page.says("answer-state", "one or more")
    lines = page.page.locator(".answer")
    for index in (2, 1, 0):
        lines.nth(index).click()
    # Three taps are one answer, which can be changed until the time is up.
    sent(page, server, 1, [0, 1, 2])
    page.says("answer-state", "Saved")
    lines.nth(1).click()
    sent(page, server, 2, [0, 2])
    # The keys do the same, and the last one stays.
    page.page.keyboard.press("1")
    sent(page, server, 3, [2])
    page.page.keyboard.press("3")
    assert page.page.locator("#answer-2").is_checked(), "nothing is chosen"
    page.page.keyboard.press("4")
    sent(page, server, 4, [2, 3])
    closing(page, "multiple")
    lines.nth(0).click(force=True)
    revealing(page, "multiple")
    page.says("verdict", "Not this time")
    marks = [lines.nth(index).get_attribute("class").split() for index in range(4)]
    assert [("right" in names, "missed" in names, "wrong" in names) for names in marks] == [
        (True, True, False), (False, False, False), (True, False, False), (False, False, True)], marks
    assert "right answer, 9 players" in lines.nth(0).inner_text(), lines.nth(0).inner_text()
    sent(page, server, 4, [2, 3])


def partly(page, server):
    page.join()
    asked = QUESTIONS["many"] | {"partial": True}
    page.show(state={"phase": "asking", "question": asked})
    for index in (1, 8, 11):
        page.page.locator(".answer").nth(index).click()
    sent(page, server, 1, [1, 8, 11])
    page.show(state={"phase": "results", "question": asked, "result": RESULTS["many"]})
    page.says("verdict", "Partly right")


def poll(page, server):
    page.join()
    asking(page, "poll")
    page.page.locator(".answer").nth(1).click()
    sent(page, server, 1, 1)
    page.says("answer-state", "Saved")
    revealing(page, "poll")
    page.says("verdict", "What everybody chose")
    assert page.page.locator(".answer:is(.right, .wrong)").count() == 0, "an answer of a poll is right or wrong"
    assert page.page.locator(".answer .count").all_inner_texts() == ["4", "9", "1"]
    page.says("spoken", "Films: 9 players.")


def live(page, server):
    """The counts of a live poll come while it is open, until its result."""
    page.join()
    counts = page.page.locator(".answer .count")
    server.state["question"] = {"guid": QUESTIONS["poll"]["guid"], "number": 2, "opensAt": 15, "closesAt": 60, "voided": False, "counts": [0, 2, 1]}
    asking(page, "poll")
    page.until(lambda: counts.all_inner_texts() == ["0", "2", "1"], lambda: counts.all_inner_texts())
    page.page.locator(".answer").nth(0).click()
    page.says("answer-state", "Saved")
    server.state["question"]["counts"] = [1, 1_234, 1]
    asked = len(server.asked("GET /v1/games/g1/state"))
    page.until(lambda: counts.all_inner_texts() == ["1", "1,234", "1"], lambda: counts.all_inner_texts())
    assert page.page.locator("#answer-0").is_checked(), "the own answer is gone"
    assert "1,234 players" in page.page.locator(".answer").nth(1).text_content()
    # A page among 100,000 asks as seldom as in other questions.
    server.state["players"] = 100_000
    asked = len(server.asked("GET /v1/games/g1/state"))
    page.until(lambda: len(server.asked("GET /v1/games/g1/state")) > asked, lambda: "the page does not ask")
    asked = len(server.asked("GET /v1/games/g1/state"))
    page.wait(7_000)
    assert len(server.asked("GET /v1/games/g1/state")) <= asked + 1, "the page asks too often"
    # The server has shown the result already: this picture is behind it, and keeps what it has.
    del server.state["question"]["counts"]
    page.wait(20_000)
    assert counts.all_inner_texts() == ["1", "1,234", "1"], counts.all_inner_texts()
    revealing(page, "poll")
    page.until(lambda: counts.all_inner_texts() == ["4", "9", "1"], lambda: counts.all_inner_texts())
    # Another question has none.
    asking(page, "multiple")
    page.wait(20_000)
    assert counts.count() == 0, counts.all_inner_texts()


def prediction(page, server):
    page.join()
    asking(page, "prediction")
    page.says("answer-state", "what you think will happen")
    page.page.keyboard.press("1")
    sent(page, server, 1, 0)
    page.says("answer-state", "Saved")
    revealing(page, "prediction")
    page.says("verdict", "known later")
    assert page.page.locator(".answer:is(.right, .wrong)").count() == 0
    revealing(page, "prediction", correctAnswer=0)
    page.says("verdict", "Right!")


def numbers(page, server):
    page.join()
    asking(page, "number")
    field, slider = page.part("number-field"), page.part("number-slider")
    # The first step shows the middle; the next ones go from there.
    page.page.get_by_role("button", name="Larger").click()
    sent(page, server, 1, 250)
    page.page.get_by_role("button", name="Larger").click()
    page.page.get_by_role("button", name="Larger").click()
    sent(page, server, 2, 251)
    field.fill("324.5")
    sent(page, server, 3, 324.5)
    assert slider.input_value() == "324.5" and slider.get_attribute("aria-valuetext") == "324.5 m", slider.get_attribute("aria-valuetext")
    # What the question does not take is not sent, and the page says why.
    field.fill("324.7")
    field.press("Tab")
    page.until(lambda: page.page.locator(".number .problem").is_visible(), "the range is said")
    field.fill("9000")
    field.press("Tab")
    slider.focus()
    page.page.keyboard.press("ArrowRight")
    sent(page, server, 4, 325)
    assert field.input_value() == "325" and not page.page.locator(".number .problem").is_visible()
    page.says("answer-state", "Saved")
    closing(page, "number")
    page.page.keyboard.press("ArrowRight")
    assert field.input_value() == "325", field.input_value()
    revealing(page, "number")
    page.says("verdict", "Right!")
    text = page.page.locator(".number-result").inner_text()
    assert "330 m" in text and "5 m away" in text, text
    assert page.page.locator(".histogram li").count() == 20 and page.page.locator(".histogram li.right").count() == 1
    page.says("spoken", "The right answer is 330 m.")
    sent(page, server, 4, 325)


def nearest(page, server):
    """Where only the nearest numbers are right, a page cannot know whether the own one is: it says how far it is away."""
    page.join()
    other = {key: value for key, value in QUESTIONS["number"].items() if key != "within"}
    page.show(state={"phase": "asking", "question": other})
    page.part("number-field").fill("320")
    sent(page, server, 1, 320)
    page.says("answer-state", "Saved")
    page.show(state={"phase": "results", "question": other, "result": RESULTS["number"]})
    page.says("verdict", "10 m away")


def written(page, server):
    """A text is sent by the button, by Enter, or by leaving the field, once each, without what does not show."""
    page.join()
    asking(page, "text")
    page.says("answer-state", "Write your answer.")
    field, send = page.part("text-field"), page.page.get_by_role("button", name="Send")
    assert field.get_attribute("maxlength") == "64" and send.get_attribute("aria-disabled") == "true", "an empty text can be sent"
    send.click(force=True)
    # Digits and letters are signs of the text here, not keys of answers.
    field.press_sequentially(" Venus  2 ")
    assert page.text("text-count") == "10 / 64", page.text("text-count")
    assert not server.asked("POST /v1/games/g1/answers"), "a text is sent while it is written"
    send.click()
    sent(page, server, 1, "Venus 2")
    page.says("answer-state", "Saved")
    field.fill("m\u200bars!")
    field.press("Enter")
    sent(page, server, 2, "mars!")
    field.press("Enter")
    field.press("Tab")
    page.page.wait_for_timeout(200)
    sent(page, server, 2, "mars!")
    page.says("answer-state", "Saved")
    closing(page, "text")
    assert not field.is_editable() and send.get_attribute("aria-disabled") == "true", "a text can be sent when the time is up"
    revealing(page, "text")
    page.says("verdict", "Right!")
    page.says("spoken", "The right answer is Mars.")
    lines = [text.split("\n")[0] for text in page.page.locator(".answer .answer-text").all_inner_texts()]
    assert lines[:4] == ["Mars", "Venus", "Marz", "<b>Jupiter</b>"] and len(lines) == 5, lines
    assert page.page.locator(".answer.right").count() == 2 and page.page.locator(".answer.mine").count() == 1
    assert "Other answers: 7" in page.text("answers"), page.text("answers")


def judged(page, server):
    """Whether a text that is not among those of the result has few enough wrong letters, only the server knows: the page says neither right nor wrong."""
    page.join()
    for own, tolerance, verdict in (("Marss", 1, "The answer"), ("Saturn", 0, "Not this time"), ("THE PLANET MARS", 0, "Right!")):
        page.show(state={"phase": "waiting"})
        other = QUESTIONS["text"] | {"guid": f"{GUID[:-2]}{0x20 + len(own):02x}", "tolerance": tolerance}
        page.show(state={"phase": "asking", "question": other})
        page.part("text-field").fill(own)
        page.part("text-field").press("Enter")
        page.says("answer-state", "Saved")
        page.show(state={"phase": "results", "question": other, "result": RESULTS["text"]})
        page.says("verdict", verdict)


def polled(page, server):
    page.join()
    asking(page, "words")
    page.part("text-field").fill("fun")
    page.part("text-field").press("Enter")
    sent(page, server, 1, "fun")
    revealing(page, "words")
    page.says("verdict", "What everybody chose")
    assert page.page.locator(".answer:is(.right, .wrong)").count() == 0 and page.page.locator(".answer.mine").count() == 1
    page.says("spoken", "Fun: 9 players.")


def texts(page):
    return page.page.locator(".order-list .answer-text").all_inner_texts()


def order(page, server):
    page.join()
    asking(page, "order")
    # The order that there is can be the own one.
    page.page.locator(".take").click()
    sent(page, server, 1, [0, 1, 2, 3])
    page.says("answer-state", "Saved")
    down = page.page.get_by_role("button", name="Move down: Mars")
    down.focus()
    for _ in range(5):
        page.page.keyboard.press("Enter")
    sent(page, server, 2, [1, 2, 3, 0])
    assert texts(page) == ["Mercury", "Earth", "Venus", "Mars"], texts(page)
    assert down.evaluate("(button) => button === document.activeElement"), "the button has lost the focus"
    page.says("spoken", "Mars: place 4 of 4")
    page.page.get_by_role("button", name="Move up: Venus").click()
    sent(page, server, 3, [1, 3, 2, 0])
    closing(page, "order")
    page.page.get_by_role("button", name="Move up: Mars").click(force=True)
    assert texts(page)[3] == "Mars", texts(page)
    revealing(page, "order")
    page.says("verdict", "Right!")
    page.says("spoken", "Mercury → Venus → Earth → Mars")


def center(page, text):
    box = page.page.locator(".order-list .answer", has_text=text).bounding_box()
    return box["x"] + box["width"] / 3, box["y"] + box["height"] / 2


def dragged(page, server):
    # What one drags is where the picture has it: the card does not come in.
    page.page.emulate_media(reduced_motion="reduce")
    page.join()
    asking(page, "order")
    page.page.mouse.move(*center(page, "Mars"))
    page.page.mouse.down()
    x, y = center(page, "Earth")
    for step in range(1, 12):
        page.page.mouse.move(x, y - 50 + 6 * step)
    page.page.mouse.up()
    assert texts(page) == ["Mercury", "Earth", "Mars", "Venus"], texts(page)
    sent(page, server, 1, [1, 2, 0, 3])
    revealing(page, "order")
    page.says("verdict", "Partly right")
    assert texts(page) == ["Mercury", "Venus", "Earth", "Mars"], texts(page)
    assert "your place: 3" in page.page.locator(".order-list .answer").nth(3).inner_text()
    assert page.page.locator(".order-list .answer.right").count() == 1


def touched(page, server):
    """A finger on the grip moves the item, and not the page."""
    page.page.set_viewport_size({"width": 320, "height": 568})
    page.page.emulate_media(reduced_motion="reduce")
    page.join()
    asking(page, "order")
    box = page.page.locator(".order-list .grip").first.bounding_box()
    [x, y] = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    session = page.context.new_cdp_session(page.page)
    touch = lambda kind, *points: session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": at} for at in points]})
    touch("touchStart", y)
    for step in range(1, 9):
        touch("touchMove", y + 9 * step)
    touch("touchEnd")
    assert texts(page)[:2] == ["Mercury", "Mars"], texts(page)
    sent(page, server, 1, [1, 0, 2, 3])


def unknown(page, server):
    page.join()
    for name in ("unknown", "bare"):
        asking(page, name)
        page.says("question-text", QUESTIONS[name]["text"])
        page.says("answer-state", "cannot take an answer")
        page.page.keyboard.press("1")
        assert page.page.locator("#answers input").count() == 0
        revealing(page, name)
        page.says("verdict", "What everybody chose" if RESULTS[name] else "The answer")
        page.says("answer-state", "")
    assert not server.asked("POST /v1/games/g1/answers"), "an answer is sent"


def edge(page, server):
    page.page.set_viewport_size({"width": 320, "height": 568})
    page.join()
    asking(page, "many")
    page.until(lambda: page.page.locator(".below").is_visible(), "the edge says that more answers follow")
    page.page.locator(".answer").last.scroll_into_view_if_needed()
    page.page.mouse.wheel(0, 2000)
    page.until(lambda: page.page.locator(".below").is_hidden(), "all answers are in sight")


def sight(page, server):
    """At every size, all answers are in sight, or the edge says that more follow."""
    page.page.emulate_media(reduced_motion="reduce")
    page.join()
    for width, height in SHAPES.values():
        page.page.set_viewport_size({"width": width, "height": height})
        for name in QUESTIONS:
            page.page.evaluate("scrollTo(0, 0)")
            for show in (asking, revealing):
                show(page, name)
                if name != "bare":
                    page.until(
                        lambda: page.page.evaluate(LAST) or page.page.locator(".below").is_visible(),
                        f"at {width} x {height} one sees all of {name} when {show.__name__}, or that more follows")


def reloaded(page, server):
    """A reload shows the own answer again."""
    page.join()
    asking(page, "order")
    page.page.get_by_role("button", name="Move down: Mars").click()
    sent(page, server, 1, [1, 0, 2, 3])
    page.says("answer-state", "Saved")
    page.page.reload()
    page.see("#show")
    asking(page, "order")
    page.says("answer-state", "Saved")
    assert texts(page)[0] == "Mercury", texts(page)


def still(page, server):
    page.page.emulate_media(reduced_motion="reduce")
    page.join()
    for name in QUESTIONS:
        asking(page, name)
        revealing(page, name)
        assert page.page.evaluate("document.getAnimations().filter(({ animationName }) => animationName !== 'leave').length") == 0, f"{name} moves"


def fits(page, server):
    page.page.set_viewport_size({"width": 320, "height": 568})
    page.join()
    wrong = []
    for name in QUESTIONS:
        asking(page, name)
        wrong += [f"{name}: {text}" for text in [*page.page.evaluate(TIGHT, False), *page.page.evaluate(BROKEN)]]
        revealing(page, name)
        wrong += [f"{name}, result: {text}" for text in [*page.page.evaluate(TIGHT, False), *page.page.evaluate(BROKEN)]]
    assert not wrong, wrong[:8]


FACTS = {
    "several answers are chosen with boxes or keys, sent as one list, and changed": several,
    "a part of the right answers is partly right": partly,
    "a poll has no right answer, and shows what everybody chose": poll,
    "a live poll shows its counts while it is open, asked for the less often the more players there are": live,
    "a prediction is known later, and then right or wrong": prediction,
    "a number is given with buttons, the keyboard and the slider, and shown with the right one": numbers,
    "a number of which only the nearest is right says how far it is away": nearest,
    "a text is written, sent once, and shown with those that most players gave": written,
    "a text is called right or wrong only where the page can know it": judged,
    "a poll of words has no right answer, and shows the most frequent ones": polled,
    "an order is made with buttons, by keyboard, and read out": order,
    "an order is made with the mouse": dragged,
    "an order is made with a finger": touched,
    "a question of an unknown kind is shown and takes no answer": unknown,
    "of twelve answers the edge says that more follow": edge,
    "at every size, from a narrow phone to a wide window and 400 %, all answers are in sight, or the edge says that more follow": sight,
    "a reload restores an order": reloaded,
    "nothing moves where motion is not wanted": still,
    "everything has room on a narrow phone": fits,
}


def give(page, name):
    """The own answer, as if it had been given."""
    own = OWN.get(name)
    guid = QUESTIONS[name]["guid"]
    if own is not None:
        page.page.evaluate(
            "([guid, answer]) => new BroadcastChannel('cuelight-player').postMessage({ game: 'g1', player: 4, chosen: { [guid]: { answer, counted: answer, outcome: 'recorded' } } })",
            [guid, own])


def picture(browser, options):
    for shape, (width, height) in SHAPES.items():
        for look in ("dark", "light") if shape == "phone" else ("dark",):
            for language in ("en", "ar") if shape == "phone" and look == "dark" else ("en",):
                page = Page(browser, page_languages.Server(options.pages))
                page.page.emulate_media(color_scheme=look, reduced_motion="reduce")
                page.page.set_viewport_size({"width": width, "height": height})
                page.page.goto(f"{ORIGIN}/play?code=RED7&lang={language}")
                page.part("nickname").fill("Ann")
                page.page.locator("#join-form button.big").click()
                page.see("#show")
                for name in QUESTIONS:
                    asking(page, name)
                    shoot = lambda state: page.page.screenshot(path=options.folder / f"{shape}-{look}-{language}-{name}-{state}.png")
                    shoot("open")
                    give(page, name)
                    page.wait(80)
                    shoot("given")
                    revealing(page, name)
                    page.page.evaluate("scrollTo(0, 0)")
                    page.wait(80)
                    shoot("result")
                page.close()


def run(lines, options):
    with pages.chromium() as browser:
        if options.pictures:
            return picture(browser, options)

        def open_page():
            server = page_languages.Server(options.pages)
            # Taps that follow each other are one answer: the page's clock stands between them.
            return Page(browser, server).steer(), server

        pages.prove_facts(lines, options.folder, "pages, kinds", FACTS, open_page)


if __name__ == "__main__":
    prove_and_end(run, "pages", pictures=False)
