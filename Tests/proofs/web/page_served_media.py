"""Plays a quiz whose question has a picture beside it, through a game server and its stream, on the viewer's page in Chromium. Strangers ask the server for other
files. Prints a line for each fact.

    python3 -m proofs.web.page_served_media --server PROGRAM --package FOLDER --library FOLDER --folder FOR_ITS_FILES
"""

import re

from proofs.facts import prove_and_end
from proofs.processes import new_folder
from proofs.web import pages
from proofs.web.page_media import HEIGHT, WIDTH, png, tone
from proofs.web.pages import Show, Viewer

QUIZ = """
questions:
  - question: Which country is this?
    answers: [Chad, Romania]
    correct: Romania
    picture: pictures/my flag.png
    pictureText: Three upright bands
    sound: bell.wav
    soundText: Two bells
"""
BAD = {
    "../secret.png": "which is no address", "link.png": "a link to a file that does not lie beside the questions", "none.png": "cannot be read",
    "page.svg": "neither a picture", "bell.wav": "is a sound", "http://a.example/b.png": "which is no address"}


def write(folder):
    new_folder(folder)
    (folder / "pictures").mkdir()
    (folder / "pictures" / "my flag.png").write_bytes(png())
    (folder / "bell.wav").write_bytes(tone())
    (folder / "page.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    (folder.parent / "secret.png").write_bytes(png())
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    (folder / "quiz.yaml").write_text(QUIZ + "".join(
        f"  - {{ question: Q{index}, answers: [A, B], correct: A, pictureText: x, picture: '{name}' }}\n" for index, name in enumerate(BAD)))


def run(lines, options):
    def claim(fact, wrong):
        lines.tell(not wrong, fact, wrong)

    quiz = options.folder / "quiz"
    write(quiz)
    options.cuelight, options.clip = None, options.folder / "clip.mp4"
    pages.make_clip(options.clip, 60)
    arguments = ["--quiz", quiz / "quiz.yaml", "--skip-mistakes", "--hosted", "--time", 40, "--delay", 30]
    with Show(options, options.folder / "show", None, *arguments) as show, pages.chromium() as browser:
        said = "\n".join(show.server.messages)
        claim("each file that cannot be served is a mistake with its place", [f"{name}: {words}" for name, words in BAD.items() if not re.search(rf"quiz.yaml:\d+.*{re.escape(words)}", said)])
        viewer = Viewer(browser, show)
        viewer.join("Ann").phase("lobby")
        asked = []
        viewer.page.on("request", lambda request: asked.append(("media", viewer.page.evaluate("document.body.dataset.phase"))) if "/media/" in request.url else None)
        show.command("next")
        viewer.phase("asking")
        image = viewer.page.get_by_role("img", name="Three upright bands")
        viewer.until(lambda: image.count() == 1 and image.evaluate("(one) => one.naturalWidth") == WIDTH, "the picture is on the page")
        size = image.evaluate("(one) => [one.width / one.height, one.getAttribute('width'), one.getAttribute('height')]")
        claim("the picture is shown with its own size", [] if abs(size[0] - WIDTH / HEIGHT) < 0.02 and size[1:] == [str(WIDTH), str(HEIGHT)] else size)
        address = image.evaluate("(one) => new URL(one.src).pathname")
        claim("its name tells nothing", [] if re.fullmatch(r"/media/[0-9a-f]{32}\.png", address) else [address])
        claim("the picture was asked for before the question opened", [] if asked and asked[0][1] != "asking" else asked)
        viewer.page.get_by_role("button", name="Play the sound").click()
        viewer.until(lambda: viewer.page.evaluate("document.querySelector('#media audio').currentTime > 0.1"), "the sound plays")
        lines.fact("the sound plays from the server")
        viewer.page.screenshot(path=options.folder / "page.png")
        screen = viewer.tab()
        screen.goto(show.page.replace("/play", "/screen"))
        screen.get_by_role("img", name="Three upright bands").wait_for()
        screen.screenshot(path=options.folder / "screen.png")
        lines.fact("the screen shows the picture")
        with show.server.client() as client:
            answer = client.get(address)
            names = {name.lower(): value for name, value in answer.headers.items()}
            claim("the file is told to be what it is, to stay, and to run nothing", [
                f"{name}: {names.get(name)}" for name, value in {
                    "content-type": "image/png", "cache-control": "public, max-age=31536000, immutable", "x-content-type-options": "nosniff",
                    "content-security-policy": "default-src 'none'; sandbox"}.items() if names.get(name) != value] + ([] if answer.body == png() else ["another file"]))
            found = [path for path in ("/media/", "/media/../quiz.yaml", "/media/%2e%2e/quiz.yaml", "/media/secret.png", "/pictures/my%20flag.png", "/media/" + 32 * "0" + ".png")
                     if client.get(path).status != 404]
            claim("no other file is served", found)
        with show.server.client(show.server.operator_token) as client:
            body = {"quiz": {"questions": [{"question": "Q", "answers": ["A", "B"], "correct": "A", "picture": "map.png", "pictureText": "A map"}]}}
            answer = client.call("POST", "/v1/games", body)
            notices = [notice["detail"] for notice in answer.object.get("notices", [])]
            claim("a quiz that is sent says what was left out", [] if len(notices) == 1 and "map.png was not sent" in notices[0] else [answer.status, notices])
        claim("the console says nothing", viewer.problems)


if __name__ == "__main__":
    prove_and_end(run, "server", "package", "library")
