"""How proofs are started, and how they say their facts: a line for each."""

import argparse
import sys
from pathlib import Path


class Lines:
    """Prints a line for each fact, and remembers whether one is broken."""

    def __init__(self):
        self.broken = 0

    def fact(self, text):
        print(f"ok  {text}", flush=True)

    def fails(self, text):
        self.broken += 1
        print(f"broken: {text}", flush=True)

    def prove(self, name, body, *arguments):
        """Runs a proof that returns its line, or says what is wrong."""
        try:
            self.fact(f"{name}: {body(*arguments)}")
        except Exception as error:  # A proof that cannot be made is a broken one.
            self.fails(f"{name}: {type(error).__name__ + ': ' if not isinstance(error, AssertionError) else ''}{error}")


def proof_parser(*inputs, seed=True):
    """The options that proofs have: the server, the folder to work in, and those inputs among clip, cuelight, library and day."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    for name in inputs:
        parser.add_argument(f"--{name}", required=True, type=str if name == "cuelight" else Path)
    parser.add_argument("--folder", required=True, type=Path)
    if seed:
        parser.add_argument("--seed", type=int, default=1)
    return parser


def end_proof(lines):
    """Ends a proof: with status 1 where a line is broken."""
    sys.exit(1 if lines.broken else 0)


def prove_and_end(run, parser):
    """The whole of a proof that says its lines by itself."""
    lines = Lines()
    run(lines, parser.parse_args())
    end_proof(lines)
