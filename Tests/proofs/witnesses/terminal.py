"""Plays `cuelight play` through a pseudo-terminal, with pyte as the terminal, and compares what a person sees.

    python3 -m proofs.witnesses.terminal --cuelight PROGRAM --folder FOR_ITS_FILES
"""

import difflib
import fcntl
import importlib.metadata
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import termios
import time

import pyte

from proofs.facts import prove_and_end
from proofs.witnesses import media

# Every wait ends as soon as what it waits for is there; so long only where something is wrong.
PATIENCE = 90
# Each screen that is waited for stands for some seconds, so that a busy machine sees it.
SPEED = "1"

CUES = [
    (1, "startGame", {"startsIn": 3}),
    (5, "askQuestion", {"question": "Which metal is liquid at room temperature?", "answers": ["Iron", "Mercury", "水銀 🧪 \x1b[31mGold"],
                        "correct": "Mercury", "allottedTime": 14}),
    (23, "showResults", {"counts": [31, 402, 67], "explanation": "Mercury melts at minus 39 degrees, and boils at 357 degrees."}),
    (36, "askQuestion", {"question": "How many legs does a spider have?", "answers": ["6", "8"], "correct": "8", "allottedTime": 14}),
    (52, "showResults", {"counts": [1, 2]}),
    (59, "endGame", {"winners": ["Ada", "Ben"]}),
]

HEADER = f"{'Terminal Quiz':<52}"

RESULT = HEADER + """\
Question 1 of 2, 1 of 1 right

Which metal is liquid at room temperature?

  1  Iron   31
> 2  Mercury   ✓ right, your answer, 402
  3  水銀 🧪 [31mGold   67

✓ Right: the answer is 2 (Mercury).

Mercury melts at minus 39 degrees, and boils at 357 degrees.

Too late: the time is up, and answer 1 does not count.

q leaves"""

RESULT_IN_36_COLUMNS = """\
Question 1 of 2, 1 of 1 right
Which metal is liquid at room
temperature?
  1  Iron   31
✓ 2  Mercury
     ✓ right, your answer, 402
  3  水銀 🧪 [31mGold   67
✓ Right: the answer is 2 (Mercury).
Mercury melts at minus 39 degrees,
and boils at 357 degrees.
Too late: the time is up, and
answer 1 does not count."""

RESULT_IN_5_ROWS = """\
Which metal is liquid at room
  1  Iron   31
✓ 2  Mercury
  3  水銀 🧪 [31mGold   67
✓ Right: the answer is 2 (Mercury)."""

WRONG = HEADER + """\
Question 2 of 2, 0 of 1 right

How many legs does a spider have?

> 1  6   x wrong, your answer, 1
  2  8   + right, 2

x Wrong: the right answer is 2 (8).

q leaves"""

ENDING = f"{'Terminal Quiz':<69}" + """\
0 of 1 right

The game is over.

Your result: 0 of 2.

The winners are Ada, Ben.

Press any key to leave."""


class Terminal:
    """A terminal in which a program runs, and what it shows."""

    def __init__(self, *command, columns=82, rows=24, environment=()):
        self.controller, self.terminal = pty.openpty()
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.sent = b""
        self.set_size(columns, rows)
        self.before = termios.tcgetattr(self.terminal)

        def own_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        variables = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "LC_ALL", "LC_CTYPE")}
        variables |= {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | dict(environment)
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=self.terminal, stdout=self.terminal, stderr=self.terminal, env=variables,
            start_new_session=True, preexec_fn=own_terminal)

    def set_size(self, columns, rows):
        """Gives the terminal another size; the system tells the program."""
        fcntl.ioctl(self.controller, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def type(self, text):
        os.write(self.controller, text.encode())

    @property
    def shown(self):
        # pyte keeps an empty cell behind a wide character, and `display` leaves it out.
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip("\n")

    def read(self, seconds):
        """Takes what the program has sent; nothing where that takes longer."""
        if select.select([self.controller], [], [], seconds)[0]:
            data = os.read(self.controller, 65_536)
            self.sent += data
            self.stream.feed(data)

    def wait(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f"{what} does not come; the terminal shows:\n{self.shown}"
            self.read(0.2)

    def wait_for(self, text):
        self.wait(lambda: text in self.shown, repr(text))

    def wait_for_match(self, pattern):
        """Waits for a line, since a screen may come in pieces; returns the match."""
        matches = []

        def is_shown():
            matches[:] = re.finditer(pattern, self.shown, re.MULTILINE)
            return matches

        self.wait(is_shown, repr(pattern))
        return matches[0]

    def wait_until_sent(self, text):
        """Waits for what may be gone again when a busy machine lets this program look."""
        self.wait(lambda: text.encode() in self.sent, repr(text))

    def wait_for_screen(self, text):
        closest = (0, "")

        def is_shown():
            nonlocal closest
            closest = max(closest, (difflib.SequenceMatcher(None, text, self.shown).ratio(), self.shown))
            return self.shown == text

        try:
            self.wait(is_shown, "the screen")
        except AssertionError as error:
            raise AssertionError(f"this screen does not come:\n{text}\nbut this one:\n{closest[1]}") from error

    def look(self, text):
        """The colour and weight of the line that contains a text."""
        row = next(row for row, line in enumerate(self.screen.display) if text in line)
        cell = self.screen.buffer[row][0]
        return cell.fg, cell.bold

    def end(self):
        """Waits until the program has ended; returns its status, and proves that the terminal is as it was."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"the program does not end; the terminal shows:\n{self.shown}"
            self.read(0.05)
        while select.select([self.controller], [], [], 0)[0]:
            self.read(0)
        self.prove_restored()
        os.close(self.controller)
        os.close(self.terminal)
        return self.process.returncode

    def prove_restored(self):
        assert termios.tcgetattr(self.terminal) == self.before, "the terminal's settings are not what they were"
        for begin, finish in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?7l", b"\x1b[?7h")):
            assert self.sent.count(begin) == self.sent.count(finish), f"{begin} was sent without {finish}"
            assert self.sent.rfind(begin) <= self.sent.rfind(finish), f"{finish} was not sent last"


def make_stream(cuelight, folder):
    """A minute with the quiz."""
    folder.mkdir(parents=True, exist_ok=True)
    cues = folder / "terminal.json"
    sheet = {"game": "terminal", "title": "Terminal Quiz", "cues": [{"at": at, "event": kind} | keys for at, kind, keys in CUES]}
    cues.write_text(json.dumps(sheet))
    stream = folder / "terminal.ts"
    media.run(cuelight, "stamp", media.generate(folder / "minute.mp4", 60), "--cues", cues, "-o", stream, "--force")
    return stream


def a_person_plays(cuelight, stream):
    """Countdown, answer, change of mind, too late, result, another size, wrong answer, result of all."""
    terminal = Terminal(cuelight, "play", "--speed", SPEED, stream)
    terminal.wait_until_sent("The game starts in")
    terminal.wait_for("Question 1 of 2")
    # A key that sends a sequence with a digit in it is no answer.
    terminal.type("\x1b[1~")
    terminal.type("1")
    terminal.wait_for("Your answer is 1 (Iron). You can change it until the time is up.")
    terminal.type("2")
    terminal.wait_for("Your answer is now 2 (Mercury).")
    bar = terminal.wait_for_match(r"^(?=[█░]{50} )(█*)(░*)  (\d+) s$")
    assert abs(len(bar[1]) - int(bar[3]) * 50 / 14) <= 5, f"{bar[0]} is a wrong bar"
    terminal.wait(lambda: "░" * (len(bar[2]) + 5) in terminal.shown, "a shorter bar")
    terminal.wait_until_sent("Time is up. Your answer is 2 (Mercury).")
    terminal.type("1")
    terminal.wait_for("Too late: the time is up, and answer 1 does not count.")
    terminal.wait_for_screen(RESULT)
    assert terminal.look("> 2  Mercury") == ("green", True)
    terminal.set_size(36, 12)
    terminal.wait_for_screen(RESULT_IN_36_COLUMNS)
    terminal.set_size(36, 5)
    terminal.wait_for_screen(RESULT_IN_5_ROWS)
    terminal.set_size(82, 24)
    terminal.wait_for_screen(RESULT)
    terminal.wait_for("Question 2 of 2")
    terminal.type("q")
    assert terminal.end() == 0
    assert b"\x1b[31mGold" not in terminal.sent, "a control sequence of the stream reached the terminal"
    assert terminal.shown.endswith("Terminal Quiz: Your result so far: 1 of 1."), terminal.shown


def the_end_comes(cuelight, stream):
    """A late beginning without colours and UTF-8, a wrong answer, the result of all, and the end of the stream."""
    plain = {"NO_COLOR": "1", "LANG": "C"}
    terminal = Terminal(cuelight, "play", "--speed", SPEED, "--from", "35", stream, environment=plain.items())
    terminal.wait_for("Question 2 of 2")
    terminal.wait_for_match(r"^(?=[#-]{50} )#+-*  \d+ s$")
    terminal.type("1")
    terminal.wait_for("Your answer is 1 (6).")
    terminal.wait_for_screen(WRONG)
    terminal.wait_for_screen(ENDING)
    assert not re.search(rb"\x1b\[[0-9;]+m", terminal.sent.replace(b"\x1b[0m", b"")), "there are colours in spite of NO_COLOR"
    terminal.type(" ")
    assert terminal.end() == 0


def every_way_out_restores(cuelight, stream, folder):
    """The terminal is as it was after each way out."""
    ways = {
        "q": (lambda terminal: terminal.type("q"), 0), "Control-C": (lambda terminal: terminal.type("\x03"), 130),
        "Control-D": (lambda terminal: terminal.type("\x04"), 0),
    }
    for name, status in (("SIGTERM", 130), ("SIGHUP", 130), ("SIGABRT", -signal.SIGABRT), ("SIGSEGV", -signal.SIGSEGV)):
        ways[name] = (lambda terminal, name=name: terminal.process.send_signal(getattr(signal, name)), status)
    for name, (leave, status) in ways.items():
        terminal = Terminal(cuelight, "play", stream)
        terminal.wait_for("q leaves")
        leave(terminal)
        assert (found := terminal.end()) == status, f"{name} ends it with status {found}"
        assert b"\x1b[?1049h" in terminal.sent
    text = folder / "text"
    text.write_text("no stream, just text\n" * 20_000)
    for source, status, message in ((folder / "missing.ts", 66, "no such file"), (text, 65, "this looks like text")):
        terminal = Terminal(cuelight, "play", source, columns=200)
        assert (found := terminal.end()) == status, f"{source.name} ends it with status {found}"
        assert message in terminal.shown, terminal.shown
    # The terminal goes away, as when a connection is lost.
    terminal = Terminal(cuelight, "play", stream)
    terminal.wait_for("q leaves")
    os.close(terminal.controller)
    assert (found := terminal.process.wait(PATIENCE)) == 130, f"a hangup ends it with status {found}"
    os.close(terminal.terminal)
    # A stream that never comes: keys are heard all the same.
    pipe = folder / "pipe"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    terminal = Terminal(cuelight, "play", pipe)
    terminal.wait_for("Waiting for the stream")
    terminal.type("q")
    assert terminal.end() == 0
    os.close(writer)
    return len(ways) + 4


def pausing_works(cuelight, stream):
    """Control-Z gives the terminal back to the shell, and `fg` goes on with the game."""
    terminal = Terminal("bash", "--norc", "--noprofile", "-i", environment={"PS1": "ready> "}.items())
    terminal.wait_for("ready>")
    terminal.type(f"{shlex.quote(str(cuelight))} play --from 4.5 --speed 0.5 {shlex.quote(str(stream))}\n")
    terminal.wait_for("Question 1 of 2")
    terminal.type("2")
    terminal.wait_for("Your answer is 2 (Mercury).")
    terminal.type("\x1a")
    terminal.wait(lambda: b"Stopped" in terminal.sent, "the shell")
    assert terminal.sent.rfind(b"\x1b[?1049l") < terminal.sent.rfind(b"Stopped")
    terminal.sent = b""
    terminal.type("stty -a; echo so-\"much\"\n")
    terminal.wait(lambda: b"so-much" in terminal.sent, "the answer of stty")
    assert b" icanon" in terminal.sent and b" echo " in terminal.sent, f"the shell has {terminal.sent}"
    terminal.sent = b""
    terminal.type("fg\n")
    terminal.wait_for("Your answer is 2 (Mercury).")
    terminal.type("1")
    terminal.wait_for("Your answer is now 1 (Iron).")
    terminal.type("q")
    terminal.wait(lambda: b"\x1b[?1049l" in terminal.sent and b"ready>" in terminal.sent, "the shell")
    terminal.type("exit\n")
    terminal.process.wait(PATIENCE)
    os.close(terminal.controller)
    os.close(terminal.terminal)


def plain_has_no_sequences(cuelight, stream):
    """`--plain` on a terminal moves no cursor and takes lines."""
    terminal = Terminal(cuelight, "play", "--plain", "--speed", SPEED, "--from", "4.5", stream, columns=200)
    terminal.wait_for("Question 1 of 2: Which metal is liquid at room temperature? Answer 1: Iron. Answer 2: Mercury.")
    terminal.type("3\n")
    terminal.wait_for("You can change it until the time is up.")
    terminal.type("2\n")
    terminal.wait_for("Your answer is now 2 (Mercury).")
    terminal.wait_for("Time is up. Your answer is 2 (Mercury).")
    terminal.wait_for("Right: the answer is 2 (Mercury). Mercury melts at minus 39 degrees, and boils at 357 degrees. So far: 1 of 1 right.")
    terminal.type("q\n")
    assert terminal.end() == 0
    assert b"\x1b" not in terminal.sent, "there are control sequences"


def facts(cuelight, folder):
    stream = make_stream(cuelight, folder)
    a_person_plays(cuelight, stream)
    the_end_comes(cuelight, stream)
    yield f"pyte {importlib.metadata.version('pyte')}: a person plays, changes an answer, is too late once, resizes the terminal; screens compared"
    count = every_way_out_restores(cuelight, stream, folder)
    pausing_works(cuelight, stream)
    yield f"the terminal is as it was after {count} ways out of play, and while it pauses"
    plain_has_no_sequences(cuelight, stream)
    yield "play --plain sends lines and nothing else"


def run(lines, options):
    started = time.monotonic()
    for fact in facts(options.cuelight, options.folder):
        lines.fact(f"{fact}  ({time.monotonic() - started:.1f} s)")


if __name__ == "__main__":
    prove_and_end(run, "cuelight", keeps_folder=True)
