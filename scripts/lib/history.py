"""Tables of figures that grow with each run, as comma-separated values."""

import argparse
import csv
from pathlib import Path


def parser(description):
    """The options of all that add to a table: a folder for files, the table, and the commit that is measured."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--scratch", required=True, type=Path)
    options.add_argument("--history", required=True, type=Path)
    options.add_argument("--commit", required=True)
    return options


def read(path):
    """The rows so far, each by the names of its columns."""
    return list(csv.DictReader(path.open())) if path.exists() else []


def append(path, columns, rows):
    """Adds rows, below the names of the columns where the table is new."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows] if is_new else rows)
