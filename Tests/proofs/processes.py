"""Folders, ports, programs, threads, and waiting for what they do."""

import contextlib
import os
import resource
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path


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


def in_background(function, *arguments):
    """A thread that runs a function, and that nobody has to wait for at the end."""
    thread = threading.Thread(target=function, args=arguments, daemon=True)
    thread.start()
    return thread


def finished(*command, status=0, text=True, **options):
    """What has become of a command, which must end with this status: with what it has said, as text or as bytes."""
    own = {} if "input" in options else {"stdin": subprocess.DEVNULL}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=text, errors="replace" if text else None, **own, **options)
    said = f"{done.stdout[-300:]}{done.stderr[-500:]}".strip()
    assert done.returncode == status, f"{Path(command[0]).name} {command[1]} ends with status {done.returncode}: {said}"
    return done


def processor_time(process):
    """How much processor time a process has taken, in seconds."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process):
    """The memory that a process has in use, and the most that it ever had, in bytes."""
    lines = dict(line.split(":", 1) for line in open(f"/proc/{process.pid}/status"))
    return tuple(int(lines[name].split()[0]) << 10 for name in ("VmRSS", "VmHWM"))


def reserved_by(process):
    """The addresses that a process has reserved, in bytes, whether or not there is memory for them."""
    return int(Path(f"/proc/{process.pid}/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def processor_waits(process):
    """For how long the threads of a process have wanted a processor and not had one, together, in seconds; less if a thread has ended since."""
    waits = 0
    for path in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):
            waits += int(path.read_text().split()[1])
    return waits / 1e9


def ffmpeg(*arguments):
    """Runs the system's FFmpeg, which must not fail."""
    finished("ffmpeg", "-nostdin", "-v", "error", "-y", *arguments)


class HAProxy:
    """A process of HAProxy with a configuration."""

    def __init__(self, path, text):
        path.write_text(text)
        self.log = open(path.with_suffix(".log"), "ab")
        self.process = subprocess.Popen(["haproxy", "-db", "-f", path], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def end(self):
        self.process.kill()
        self.process.wait()


def ordinary(*command):
    """A command as it is run by root of a container, or by an ordinary user: without capabilities."""
    drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all"] if os.geteuid() == 0 else []
    return [*drop, *map(str, command)]


def raise_limit(needed):
    """Allows this process, and those that it starts, as many open files as the system does."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    assert most == resource.RLIM_INFINITY or most >= needed, f"{most} open files are allowed, {needed} are needed"
