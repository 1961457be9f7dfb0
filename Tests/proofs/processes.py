"""Folders, ports, processes, and waiting for what they do."""

import os
import resource
import shutil
import socket
import time


def new_folder(folder):
    """An empty folder in the place of any that is there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def free_port(kind=socket.SOCK_STREAM):
    """A port that nobody uses now."""
    with socket.socket(socket.AF_INET, kind) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_until(condition, seconds, what):
    """Waits until something is true, and gives back what was true about it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


def ordinary(*command):
    """A command as it is run by root of a container, or by an ordinary user: without capabilities."""
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"] if os.geteuid() == 0 else []
    return [*drop, *map(str, command)]


def raise_limit(needed):
    """Allows this process, and those that it starts, as many open files as the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    assert most == resource.RLIM_INFINITY or most >= needed, f"{most} open files are allowed, {needed} are needed"
