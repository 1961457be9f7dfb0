"""Tables of figures that grow with each run, as comma-separated values."""

import csv


def read(path):
    """The rows so far, each by the names of its columns."""
    return list(csv.DictReader(path.open())) if path.exists() else []


def append(path, columns, rows):
    """Adds rows, below the names of the columns where the table is new."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows] if is_new else rows)
