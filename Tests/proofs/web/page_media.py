"""Shows questions with a picture and a sound on the viewer's page in Chromium, without a server and without video (see page_states): nothing moves when the
picture is loaded, its text is there where it cannot be, a sound waits for its button, and the answers are in sight. With --pictures, it also makes pictures
of the page in each shape. Prints a line for each fact.

    python3 -m proofs.web.page_media --pages FOLDER_OF_THE_PAGES --folder FOR_ITS_FILES [--pictures]
"""

import math
import struct
import wave
import zlib
from io import BytesIO

from proofs.facts import prove_and_end
from proofs.web import page_languages, pages
from proofs.web.page_kinds import LAST
from proofs.web.page_languages import TIGHT
from proofs.web.page_states import GUID, Page

WIDTH, HEIGHT = 640, 400
SHAPES = {"narrow": (320, 568), "phone": (390, 664), "tablet": (768, 1024), "window": (1280, 720), "side": (568, 320)}
QUESTION = {
    "guid": GUID, "number": 2, "total": 6, "opensAt": 15, "closesAt": 60, "text": "Which country is this?", "answers": ["Chad", "Romania", "Moldova", "Andorra"],
    "picture": "/media/flag.png", "pictureText": "Three upright bands: blue, yellow and red", "pictureSize": [WIDTH, HEIGHT]}


def png():
    row = b"\0" + b"".join(color * (WIDTH // 3 + (index == 2)) for index, color in enumerate([b"\0\x2b\x7f", b"\xfc\xd1\x16", b"\xce\x11\x26"]))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(row * HEIGHT)) + chunk(b"IEND", b"")


def tone():
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, 8_000, 0, "NONE", ""))
        sound.writeframes(b"".join(struct.pack("<h", int(9_000 * math.sin(index / 3))) for index in range(16_000)))
    return file.getvalue()


class Server(page_languages.Server):
    """Also has media; a picture waits until the proof lets it go."""

    def __init__(self, folder):
        super().__init__(folder)
        self.held, self.loaded = None, []

    def send_file(self, route, path):
        if not path.startswith("/media/"):
            return super().send_file(route, path)
        self.loaded.append(path)
        if path.endswith(".wav"):
            return route.fulfill(content_type="audio/wav", body=tone())
        if path.endswith("missing.png"):
            return route.fulfill(status=404, body="")
        if self.held is not None:
            self.held.append(route)
            return None
        return route.fulfill(content_type="image/png", body=png())

    def let_go(self):
        held, self.held = self.held, None
        for route in held:
            route.fulfill(content_type="image/png", body=png())


def asking(page, **changes):
    page.show(state={"phase": "asking", "question": QUESTION | changes})
    page.see("#question")


def boxes(page):
    return page.page.evaluate("[...document.querySelectorAll('#answers .answer')].map((one) => one.getBoundingClientRect()).map(({ top, left }) => [top, left])")


def is_loaded(page):
    return page.page.evaluate("document.querySelector('.picture img')?.naturalWidth > 0")


def still(page, server):
    page.page.emulate_media(reduced_motion="reduce")
    for size in SHAPES.values():
        page.page.set_viewport_size(dict(zip(("width", "height"), size)))
        server.held = []
        if size == SHAPES["narrow"]:
            page.join()
        # Each size asks for a picture of its own, so that none is known already.
        asking(page, guid=f"{GUID[:-4]}{size[0]:04d}", picture=f"/media/flag-{size[0]}.png")
        page.until(lambda: server.held, "the picture is asked for")
        before = boxes(page)
        server.let_go()
        page.until(lambda: is_loaded(page), "the picture is shown")
        assert boxes(page) == before, f"{size}: the answers move from {before} to {boxes(page)}"


def in_sight(page, server):
    page.page.emulate_media(reduced_motion="reduce")
    page.join()
    wrong = []
    for name, (width, height) in SHAPES.items():
        page.page.set_viewport_size({"width": width, "height": height})
        asking(page, guid=f"{GUID[:-4]}{width:04d}")
        page.until(lambda: is_loaded(page), "the picture is shown")
        page.page.evaluate("scrollTo(0, 0)")
        page.page.wait_for_timeout(150)
        if not page.page.evaluate(LAST) and not page.page.locator(".below").is_visible():
            wrong.append(f"{name}: answers are below the edge, and nothing says so")
        wrong += [f"{name}: {text}" for text in page.page.evaluate(TIGHT, False)]
    assert not wrong, wrong


def texts(page, server):
    page.join()
    asking(page)
    image = page.page.get_by_role("img", name=QUESTION["pictureText"])
    page.until(lambda: image.count() == 1, "the picture has its text")
    page.says("spoken", QUESTION["pictureText"])
    asking(page, guid=GUID[:-1] + "b", picture="/media/missing.png")
    page.until(lambda: page.page.locator(".picture p").count() == 1, "the text is in the place of the picture")
    assert page.page.locator(".picture p").inner_text() == QUESTION["pictureText"]
    asking(page, guid=GUID[:-1] + "c", picture="/media/missing.png", pictureText=None)
    page.until(lambda: page.page.locator(".picture p").count() == 1 and "cannot be loaded" in page.page.locator(".picture p").inner_text(), "it says that there is no picture")
    # What is no address of the web is not asked for.
    for address in ("javascript:alert(1)", "data:image/png;base64,AA", "http://elsewhere.test/a.png"):
        asking(page, guid=GUID[:-1] + "d", picture=address)
        assert page.page.locator(".picture img[src]").count() == 0, address
    asking(page, guid=GUID[:-1] + "e", **{key: None for key in ("picture", "pictureText", "pictureSize")})


def sound(page, server):
    page.join()
    page.show(state={"phase": "playing"})
    assert not any(path.endswith(".wav") for path in server.loaded), "the sound is loaded before its question"
    asking(page, sound="/media/bell.wav", soundText="Two bells", picture=None)
    button = page.page.get_by_role("button", name="Play the sound")
    page.until(lambda: button.count() == 1 and "Two bells" in button.inner_text(), "the sound has a button")
    paused = "document.querySelector('#media audio').paused"
    assert page.page.evaluate(paused), "the sound plays by itself"
    button.click()
    page.until(lambda: not page.page.evaluate(paused), "the sound plays")
    page.page.evaluate("globalThis.before = document.querySelector('#media audio')")
    asking(page, guid=GUID[:-1] + "b", sound="/media/bell.wav", picture=None)
    assert page.page.evaluate("before.paused"), "the sound goes on over the next question"


def ahead(page, server):
    """The tags of a segment name a picture before its question opens."""
    page.join()
    page.page.evaluate("""async () => (await import("/web/media.mjs")).loadAhead([
      { data: new TextEncoder().encode('ID3 {"eventType":"askQuestion","picture":"/media/ahead.png","pictureText":"x"}') },
      { data: new TextEncoder().encode('{"picture":"javascript:alert(1)"}{"picture":"\\\\x"}{"picture":"http://elsewhere.test/b.png"}') }])""")
    page.until(lambda: server.loaded == ["/media/ahead.png"], lambda: f"the picture is loaded: {server.loaded}")


FACTS = {
    "nothing moves when a picture is loaded": still,
    "answers beside or below a picture are in sight, or the edge says that more follow": in_sight,
    "a picture has its text, also where it cannot be loaded": texts,
    "a sound plays by its button alone, and ends with its question": sound,
    "a picture is loaded from the tag before its question opens": ahead,
}


def picture(browser, options):
    for name, (width, height) in SHAPES.items():
        page = Page(browser, Server(options.pages))
        page.page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        page.page.set_viewport_size({"width": width, "height": height})
        page.join()
        asking(page, sound="/media/bell.wav", soundText="Its anthem")
        page.until(lambda: is_loaded(page), "the picture is shown")
        page.page.wait_for_timeout(200)
        page.page.screenshot(path=options.folder / f"{name}.png")
        page.show(state={"phase": "results", "question": QUESTION, "result": {"correctAnswer": 1, "counts": [2, 9, 1, 0]}})
        page.page.wait_for_timeout(200)
        page.page.screenshot(path=options.folder / f"{name}-result.png")
        page.close()


def run(lines, options):
    with pages.chromium() as browser:
        if options.pictures:
            return picture(browser, options)

        def open_page():
            server = Server(options.pages)
            return Page(browser, server), server

        pages.prove_facts(lines, options.folder, "pages, media", FACTS, open_page)


if __name__ == "__main__":
    prove_and_end(run, "pages", pictures=False)
