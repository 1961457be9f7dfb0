"""The proofs that look at the programs from outside: each is a module, which prints a line for each fact and ends with status 1 where one is broken.

    PYTHONPATH=Tests python3 -B -m proofs.live.pair --server PROGRAM --cuelight PROGRAM --clip CLIP --folder FOR_ITS_FILES

What it needs is in its own first lines, and which environment of Python in the scripts that run it. What several of them use has one place here: `facts`
(options and lines), `processes` (folders, ports, waiting), `client` (HTTP), `transport` and `stream` (MPEG transport streams), `wire` (events).
"""
