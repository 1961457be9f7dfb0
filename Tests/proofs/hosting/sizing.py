"""The arithmetic of the page "How many machines for how many players": reads what one of each thing takes from the page's first table, and computes the second
one again; prints a line for each fact.

    python3 -m proofs.hosting.sizing --page Sources/cuelight/cuelight.docc/Machines.md
"""

import math
import re
from pathlib import Path

from proofs.facts import Lines, proof_parser

# Seconds over which the answers to a question come, between two looks of a page at the state, and over which players join.
WINDOW, LOOK, JOINING = 10, 7, 600
QUESTIONS = 12
# How far what is measured may be from what the page says.
LEAST, MOST = 0.2, 2
# Of a machine's cores a node is given so many, and they are to be at work half of the time.
CORES, SHARE = 4, 0.5

# The rows of the first table, and in which unit they are.
COSTS = {
    "an answer, on the nodes": "µs", "an answer, on the primary": "µs", "a join, on the nodes": "µs", "a join, on the primary": "µs",
    "a look at the state": "µs", "a message to a listener": "µs", "a listener that hears nothing, each second": "µs", "a node without players": "MB",
    "a player, on each node": "bytes", "a connection that listens": "bytes", "an answer in PostgreSQL": "bytes", "a player in PostgreSQL": "bytes"}


def tables(text):
    """The tables of a page: lists of rows, each a list of cells."""
    found, rows = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append(rows)
            rows = []
    return found


def costs_of(page):
    """What one of each thing takes, as the page says."""
    text = Path(page).read_text()
    table = next(rows for rows in tables(text) if rows[0][0] == "one of")
    costs = {}
    for name, value, *_ in table[2:]:
        number, unit = value.split(" ")
        assert COSTS.get(name) == unit, f"the page gives {name} in {unit}"
        costs[name] = float(number.replace(",", ""))
    assert costs.keys() == COSTS.keys(), f"the page does not say what these take: {COSTS.keys() - costs.keys()}"
    return costs


def rounded(number):
    """A number with two digits that count, as the page writes it."""
    if number >= 100:
        return f"{int(round(number, 2 - len(str(int(number))))):,}"
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def size(bytes):
    return f"{rounded(bytes / 1e9)} GB" if bytes >= 1e9 else f"{rounded(bytes / 1e6)} MB"


def needs(players, costs):
    """The rows of the second table for so many players."""
    each = lambda name: costs[name] / 1e6
    answers, looks = players * each("an answer, on the nodes") / WINDOW, players * each("a look at the state") / LOOK
    machines = lambda cores: f"{math.ceil(cores / (CORES * SHARE))} + 1"
    memory = costs["a node without players"] * 1e6 + players * costs["a player, on each node"]
    return {
        "answers a second": rounded(players / WINDOW),
        "looks at the state a second": rounded(players / LOOK),
        "cores of the nodes for answers": rounded(answers),
        "cores of the nodes for looks, without a cache": rounded(looks),
        "machines of 4 cores, with a cache in front": machines(answers),
        "machines of 4 cores, without one": machines(answers + looks),
        "memory of each": size(memory),
        "cores of the primary": rounded(players * each("an answer, on the primary") / WINDOW),
        "cores of the nodes while players join": rounded(players / JOINING * each("a join, on the nodes")),
        "cores of the primary while players join": rounded(players / JOINING * each("a join, on the primary")),
        "a show in PostgreSQL": size(players * (costs["a player in PostgreSQL"] + QUESTIONS * costs["an answer in PostgreSQL"])),
    }


def arithmetic_holds(page):
    """The second table is what follows from the first one."""
    costs, table = costs_of(page), next(rows for rows in tables(Path(page).read_text()) if rows[0][0] == "players")
    columns = [int(cell.replace(",", "")) for cell in table[0][1:]]
    wanted = {players: needs(players, costs) for players in columns}
    rows = {name: cells for name, *cells in table[2:]}
    assert rows.keys() == needs(1, costs).keys(), f"the page has other rows: {rows.keys() ^ needs(1, costs).keys()}"
    for name, cells in rows.items():
        for players, cell in zip(columns, cells, strict=True):
            assert cell == wanted[players][name], f"{name} for {players:,}: the page says {cell}, and it is {wanted[players][name]}"
    return f"{len(rows)} rows for {len(columns)} numbers of players follow from {len(costs)} costs"


def is_listener(name):
    """Whether the proof of listeners measures a cost, and not that of the whole show."""
    return "listen" in name


def holds(page, measured):
    """What was measured is what the page says: no more than twice as much. Faster answers come in larger batches, and take less: then the page promises less."""
    costs = costs_of(page)
    ratios = {name: value / costs[name] for name, value in measured.items()}
    wrong = {name: f"{measured[name]:,.1f}, the page says {costs[name]:,.1f}" for name, ratio in ratios.items() if not LEAST <= ratio <= MOST}
    assert not wrong, f"{wrong}, which is not {LEAST} to {MOST} times as much"
    return ", ".join(f"{name} {measured[name]:,.1f} {COSTS[name]} ({ratio:.2f} of the page)" for name, ratio in ratios.items())


def table_of(costs, columns):
    """The second table as the page has it."""
    wanted = [needs(players, costs) for players in columns]
    lines = ["| players | " + " | ".join(f"{players:,}" for players in columns) + " |", "| --- |" + " ---: |" * len(columns)]
    return "\n".join(lines + [f"| {name} | " + " | ".join(column[name] for column in wanted) + " |" for name in wanted[0]])


def main():
    options = proof_parser("page", table=False).parse_args()
    if options.table:
        return print(table_of(costs_of(options.page), [10_000, 100_000, 1_000_000, 2_400_000, 10_000_000]))
    lines = Lines()
    lines.prove("machines, the arithmetic of the page", arithmetic_holds, options.page)
    raise SystemExit(1 if lines.broken else 0)


if __name__ == "__main__":
    main()
