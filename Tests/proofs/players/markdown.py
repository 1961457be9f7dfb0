"""Tables in Markdown."""


def table(titles, rows):
    """A table of rows of as many cells as there are titles."""
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in [titles, ["---"] * len(titles), *rows])
