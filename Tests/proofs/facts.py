"""How proofs are started, and how they say their facts: a line for each."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from proofs.processes import new_folder


class Lines:
    """Prints a line for each fact, and remembers whether one is broken."""

    def __init__(self):
        self.broken = 0

    def fact(self, text):
        print(f"ok  {text}", flush=True)

    def fails(self, text):
        self.broken += 1
        print(f"broken: {text}", flush=True)

    def tell(self, is_so, fact, wrong=""):
        """Says a fact, or that it is not so and what is wrong."""
        if is_so:
            self.fact(fact)
        else:
            self.fails(f"{fact}: {wrong}" if wrong != "" else fact)

    def prove(self, name, body, *arguments):
        """Runs a proof that returns its line, or says what is wrong."""
        try:
            self.fact(f"{name}: {body(*arguments)}")
        except Exception as error:  # A proof that cannot be made is a broken one.
            self.fails(f"{name}: {type(error).__name__ + ': ' if not isinstance(error, AssertionError) else ''}{error}")

    def prove_all(self, name, proofs, *arguments, at_once=1):
        """Runs proofs by their names, so many at once: a dictionary, or pairs."""
        with ThreadPoolExecutor(at_once) as pool:
            for proof in [pool.submit(self.prove, f"{name}, {each}", body, *arguments) for each, body in dict(proofs).items()]:
                proof.result()


def as_path(text):
    """A path that stays what it is where a program works in another folder."""
    return Path(text).absolute()


def proof_parser(*paths, **options):
    """The options of a proof: paths that must be named, and others with what they are where they are not named.

    That is a number or a text, False for a flag, the proofs by their names where only some of them may be wanted, or what reads the text of an option
    that has no such value.
    """
    parser = argparse.ArgumentParser()
    for name in paths:
        parser.add_argument(f"--{name}", required=True, type=as_path)
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is False:
            parser.add_argument(option, action="store_true")
        elif isinstance(value, dict):
            parser.add_argument(option, nargs="*", choices=list(value), default=list(value))
        elif callable(value):
            parser.add_argument(option, type=value)
        else:
            parser.add_argument(option, type=type(value), default=value)
    return parser


def run_proof(run, parser, keeps_folder=False):
    """Runs a proof, in an empty folder where it has one, or in what it keeps there; ends with status 1 where a line is broken."""
    options = parser.parse_args()
    if not __debug__:
        parser.error("without assertions nothing is proved: take -O or PYTHONOPTIMIZE away")
    if keeps_folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    elif "folder" in options:
        new_folder(options.folder)
    lines = Lines()
    run(lines, options)
    sys.exit(1 if lines.broken else 0)


def prove_and_end(run, *paths, keeps_folder=False, **options):
    """The whole of a proof with these options, and the folder for its files."""
    run_proof(run, proof_parser(*paths, "folder", **options), keeps_folder)
