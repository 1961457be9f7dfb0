"""Players on the web that watch a live server while it runs."""

import json
from pathlib import Path

from proofs.players import browser, server as pages
from proofs.processes import in_background
from proofs.stream import Stream

PAGE = Path(pages.__file__).parent / "page"


def number_of(uri):
    """The media sequence number in the name of a segment."""
    return int(uri.rpartition("/")[2].split("-")[1].split(".")[0])


class Page:
    """A page in a Chromium of its own that watches for so many seconds, and then reports."""

    def __init__(self, folders, page, expression, seconds):
        self.report, self.console, self.error = None, [], None
        self.thread = in_background(self.run, f"{pages.serve({'page': PAGE} | folders)}/page/{page}", expression, seconds)

    def run(self, address, expression, seconds):
        try:
            with browser.start() as chromium:
                self.report, self.console = chromium.evaluate(address, expression, seconds + 60)
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"

    def end(self):
        """Waits until it has watched."""
        self.thread.join()
        assert self.error is None, self.error
        return self.report


class GamePage(Page):
    """A page with the game, by the package for the web, in hls.js with interstitials."""

    def __init__(self, library, client, url, seconds, is_early=False):
        super().__init__({"library": library, "client": client}, "game.html", f"playInterstitials('{url}', {seconds}, {json.dumps(is_early)})", seconds)


class WebPlayer(Page):
    """A player that watches a presentation."""

    def __init__(self, name, library, url, seconds, **settings):
        """Further settings are those of hls.js, by its names."""
        self.name = name
        super().__init__({"library": library}, "player.html", f"play('{name}', '{url}', {seconds}, true, {json.dumps(settings)})", seconds)

    def check(self, watch):
        """Proves that it has loaded every segment since its first one, and that its page has acted once on each event in them.

        `watch` has loaded the presentation as well, longer than the player has.
        """
        segments = watch.bytes
        report = self.end()
        fatal = [error for error in report["errors"] if ", fatal" in error or self.name == "video.js"]
        assert not fatal, f"{self.name}: {fatal[:3]}"
        names = list(dict.fromkeys(name.rpartition("/")[2] for name in report["loaded"] if name.endswith(".ts")))
        assert names, f"{self.name} has loaded no segment; {report['errors'][:3]} {self.console[:3]}"
        strange = [name for name in names if name not in segments]
        assert not strange, f"{self.name} has loaded {strange[:3]}, which nobody else has seen"
        names.sort(key=number_of)
        loaded = [number_of(name) for name in names]
        latest = max(map(number_of, segments))
        gaps = {number for number, ((*_, is_gap), _) in watch.known.items() if is_gap}
        skipped = sorted(set(range(loaded[0], loaded[-1] + 1)) - set(loaded) - gaps)
        assert not skipped, f"{self.name} has loaded segments from {loaded[0]} to {loaded[-1]}, and none of {skipped}"
        # What came last may not have been looked at before the end.
        expected, sure = (list(dict.fromkeys(guid for name in some for guid in Stream(segments[name]).guids)) for some in (names, names[:-2]))
        seen = report["events"]
        assert len(seen) == len(set(seen)), f"the page of {self.name} has acted twice on an event"
        missing = [guid for guid in sure if guid not in seen]
        assert not missing, f"the page of {self.name} misses {len(missing)} of {len(sure)} events"
        assert set(seen) <= set(expected), f"the page of {self.name} has acted on events that are in no segment that it loaded"
        samples = [json.loads(sample["text"]) for sample in report["samples"]]
        keys = [(event["guid"], event["copy"], event["age"]) for event in samples]
        assert len(keys) == len(set(keys)), f"{self.name} has handed out a tag twice"
        return (f"{self.name} {report['version']} plays {report['played']:.0f} s, segments {loaded[0]} to {loaded[-1]} of {latest}; its page acts once on each of {len(seen)} events, "
                f"{len(samples) or len(report['cues'])} tags; {len(report['errors'])} errors, none of them fatal")
