"""Chromium without a window, driven over the DevTools protocol through a pair of pipes."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class BrowserError(Exception):
    """Chromium does not start, ends too early, or refuses a command."""


def start(attempts=3):
    """A Chromium that answers; on a busy machine its start may take more than one attempt."""
    for attempt in range(1, attempts + 1):
        browser = Browser()
        try:
            browser.version = browser.call("Browser.getVersion", 30)["product"]
            return browser
        except BrowserError as error:
            said = browser.close()
            if attempt == attempts:
                raise BrowserError(f"Chromium does not start: {error}\n{said}") from error


class Browser:
    """A running Chromium with an empty profile. `close` ends it; so does the end of a `with` statement."""

    OPTIONS = [
        "--headless", "--remote-debugging-pipe", "--autoplay-policy=no-user-gesture-required", "--mute-audio", "--no-first-run",
        "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ]

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="players-")
        # Chromium refuses to run as root with its sandbox.
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        read_commands, self.commands = self.pipe()
        self.answers, write_answers = self.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to descriptor 4; a shell puts the pipes there.
        shell = ["bash", "-c", f'exec "$@" 3<&{read_commands} 4>&{write_answers}', "bash"]
        with open(os.path.join(self.profile, "log"), "wb") as log:
            self.process = subprocess.Popen(
                [*shell, "chromium", *self.OPTIONS, *sandbox, f"--user-data-dir={self.profile}", "about:blank"],
                pass_fds=(read_commands, write_answers), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        os.close(read_commands)
        os.close(write_answers)
        self.received = b""
        self.number = 0
        self.events = []

    @staticmethod
    def pipe():
        """The two ends of a new pipe, neither of them where Chromium expects one."""
        ends = []
        for end in os.pipe():
            ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20))
            os.close(end)
        return ends

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends Chromium and all its processes, and gives the end of what it wrote."""
        try:
            self.call("Browser.close", 5)
            self.process.wait(5)
        except (BrowserError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        with open(os.path.join(self.profile, "log"), "rb") as log:
            said = log.read().decode(errors="replace")[-2_000:]
        shutil.rmtree(self.profile, ignore_errors=True)
        return said

    def message(self, deadline):
        """The next message of Chromium's."""
        while b"\0" not in self.received:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError("no answer in time")
            data = os.read(self.answers, 1 << 16)
            if not data:
                raise BrowserError("it ended")
            self.received += data
        message, _, self.received = self.received.partition(b"\0")
        return json.loads(message)

    def call(self, method, seconds, session=None, **parameters):
        """Sends a command and gives its result; what happens meanwhile is added to `events`."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        try:
            os.write(self.commands, json.dumps(command).encode() + b"\0")
        except BrokenPipeError as error:
            raise BrowserError("it ended") from error
        deadline = time.monotonic() + seconds
        while True:
            message = self.message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def evaluate(self, address, expression, seconds):
        """Opens a page, waits for the value of an expression, and gives it with what the page's console said meanwhile."""
        target = self.call("Target.createTarget", 20, url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", 20, targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable", 20, session)
        self.events = []
        self.call("Page.navigate", 20, session, url=address)
        deadline = time.monotonic() + 20
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message(deadline))
        result = self.call("Runtime.evaluate", seconds, session, expression=expression, awaitPromise=True, returnByValue=True)
        self.call("Target.closeTarget", 20, targetId=target)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return result["result"]["value"], list(self.console(session))

    def console(self, session):
        """What the page's console shows: warnings, errors and exceptions."""
        for event in self.events:
            details = event.get("params", {})
            if event.get("sessionId") != session:
                continue
            if event["method"] == "Runtime.consoleAPICalled" and details["type"] in ("warning", "error", "assert"):
                words = (str(argument.get("value", argument.get("description", ""))) for argument in details["args"])
                yield f"{details['type']}: {' '.join(words)}"
            elif event["method"] == "Runtime.exceptionThrown":
                exception = details["exceptionDetails"]
                yield f"error: {exception.get('exception', {}).get('description', exception['text'])}"
            elif event["method"] == "Log.entryAdded" and details["entry"]["level"] in ("warning", "error"):
                yield f"{details['entry']['level']}: {details['entry']['text']} {details['entry'].get('url', '')}"
