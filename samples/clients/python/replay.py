"""Plays the game of a stream, and prints its transitions, a line of JSON for each. With --items it prints what the stream carries instead.

    CUELIGHT_LIBRARY=lib/libCuelightC.so python3 replay.py [--items] show.ts
"""

import json
import sys

import cuelight


def replay(path, items=False):
    """The transitions of the game in a stream, or its items."""
    with open(path, "rb") as file, cuelight.Reader() as reader, cuelight.Game() as game:
        while data := file.read(65_536):
            found = reader.push(data)
            yield from found if items else game.play(reader)
        found = reader.finish()
        yield from found if items else game.play(reader) + game.finish(reader.end or 0)


if __name__ == "__main__":
    *options, path = sys.argv[1:]
    try:
        for line in replay(path, items=options == ["--items"]):
            print(json.dumps(line, ensure_ascii=False))
    except cuelight.CuelightError as error:
        sys.exit(f"{error.name}: {error}")
