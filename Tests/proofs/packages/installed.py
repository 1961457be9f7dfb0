"""Installs the Debian package in a fresh Debian, stamps a clip there, plays a whole show from it, and goes the way from Excel and OBS to a phone;
prints a line for each fact.

    python3 -m proofs.packages.installed --packages FOLDER --clip CLIP --folder FOR_ITS_FILES [--releases bookworm,trixie] [--only PROOF...]

Each release is made by debootstrap, and has neither Swift nor FFmpeg's headers. Needs root, since it works in a chroot, with a mount namespace of
its own.
"""

import os
import sys
import time
from pathlib import Path

from proofs.facts import proof_parser, run_proof
from proofs.packages.contents import only
from proofs.processes import finished, new_folder

TESTS = Path(__file__).resolve().parents[2]
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org") + "/debian"
UNIT = "cuelight.service"
# A network with nobody else in it: a loopback, and where the system has such devices, an address as in a local network.
ALONE = """
ip link set lo up
ip link add phones type dummy 2>/dev/null && ip addr add 192.0.2.1/24 dev phones && ip link set phones up
exec "$@"
"""


class Debian:
    """A Debian in a folder, in which nothing but what it brings is installed."""

    def __init__(self, release, folder):
        self.release, self.folder = release, folder
        self.root = folder / f"root-{release}"
        finished("debootstrap", "--variant=minbase", release, self.root, MIRROR)
        for source, options in (("/proc", "--rbind"), ("/dev", "--rbind"), (TESTS, "--bind"), (folder, "--bind")):
            target = self.root / str(source).lstrip("/")
            target.mkdir(parents=True, exist_ok=True)
            finished("mount", options, source, target)

    def run(self, *command, network=True, **options):
        """Runs a command in there; without the network in one of its own."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root", "LANG": "C.UTF-8"}
        alone = [] if network else ["unshare", "--net", "sh", "-c", ALONE, "sh"]
        return finished(*alone, "chroot", self.root, *command, env=environment, **options)

    def proof(self, module, *options, **how):
        """Runs a proof with the programs that are installed in there; its facts."""
        said = self.run("env", f"PYTHONPATH={TESTS}", "python3", "-B", "-m", f"proofs.{module}", *options, **how).stdout
        facts = [line.removeprefix("ok").strip() for line in said.splitlines() if line.startswith("ok")]
        assert facts and "broken:" not in said, said
        return facts

    def install(self, package):
        """Installs a package of ours with what it depends on and recommends."""
        (self.root / package.name).write_bytes(package.read_bytes())
        for name in ("resolv.conf", "hosts"):
            (self.root / "etc" / name).write_bytes(Path("/etc", name).read_bytes())
        self.run("apt-get", "-q", "update")
        self.run("apt-get", "-q", "install", "-y", f"/{package.name}")


def installs(debian, options):
    package, began = only(options.packages, "cuelight_*.deb"), time.monotonic()
    debian.install(package)
    took = time.monotonic() - began
    for absent in ("swift", "swiftc", "clang"):
        debian.run("sh", "-c", f"! command -v {absent}")
    version = debian.run("cuelight", "--version").stdout.strip()
    assert "commit " in version and "FFmpeg " in version and "no FFmpeg" not in version, version
    # The proofs are in Python, and ffmpeg stands in for encoders.
    debian.run("apt-get", "-q", "install", "-y", "--no-install-recommends", "python3", "ffmpeg")
    return f"in {took:.0f} s, with what it depends on and recommends: {version}"


def stamps(debian, options):
    (options.folder / "cues.yaml").write_bytes((TESTS.parent / "samples/quick-round.yaml").read_bytes())
    folder = options.folder
    output = folder / f"{debian.release}.ts"
    debian.run("cuelight", "stamp", folder / "clip.mp4", "--cues", folder / "cues.yaml", "-o", output)
    said = debian.run("cuelight", "verify", output, "--cues", folder / "cues.yaml").stdout
    assert "every event exactly once" in said, said
    return said.strip().rsplit("/", 1)[-1]


def show(debian, options):
    """The proof of a whole show, in there."""
    facts = debian.proof(
        "hosting.show", "--server", "/usr/bin/cuelight-server", "--cuelight", "/usr/bin/cuelight", "--clip", options.folder / "clip.mp4",
        "--folder", options.folder / "show")
    return f"a whole show from the installed programs, {len(facts)} facts"


def steps(debian, options):
    """The way from Excel and OBS to phones, which counts steps and takes times."""
    return "; ".join(debian.proof(
        "packages.first_show", "--server", "/usr/bin/cuelight-server", "--folder", options.folder / f"first-{debian.release}", network=False))


def is_there(path):
    return path.exists() or path.is_symlink()


def serves(debian, options):
    """What the package tells systemd: in there a program that writes down what it is told stands in for systemctl."""
    root, package = debian.root, only(options.packages, "cuelight_*.deb")
    state, link = root / "var/lib/private/cuelight", root / f"etc/systemd/system/multi-user.target.wants/{UNIT}"
    systemctl, log = root / "usr/bin/systemctl", root / "var/log/systemctl"
    assert not is_there(systemctl) and not is_there(link), "systemd is there already, or the service was enabled without being asked for"
    systemctl.write_text('#!/bin/sh\necho "$*" >>/var/log/systemctl\n')
    systemctl.chmod(0o755)
    (root / "run/systemd/system").mkdir(parents=True)

    def told(*command):
        """What systemctl is told meanwhile."""
        log.write_text("")
        debian.run(*command)
        return log.read_text().splitlines()

    def has(lines, verb):
        return any(verb in line.split() and (verb == "daemon-reload" or UNIT in line.split()) for line in lines)

    # What `systemctl enable --now` leaves, and what the service writes.
    for folder in (state, link.parent, root / "etc/cuelight"):
        new_folder(folder)
    (state / "games").write_text("games\n")
    (root / "var/lib/cuelight").symlink_to("private/cuelight")
    (root / "etc/cuelight/cuelight.yaml").write_text("streams: {}\n")
    link.symlink_to(f"/usr/lib/systemd/system/{UNIT}")
    upgrade = told("dpkg", "--install", f"/{package.name}")
    assert has(upgrade, "daemon-reload") and has(upgrade, "try-restart") and not has(upgrade, "stop"), f"at an upgrade systemctl is told {upgrade}"
    assert not has(upgrade, "start") and not has(upgrade, "restart"), f"at an upgrade systemctl is told {upgrade}"
    removal = told("apt-get", "-q", "remove", "-y", "cuelight")
    assert has(removal, "stop") and has(removal, "daemon-reload"), f"at a removal systemctl is told {removal}"
    assert (state / "games").exists(), "a removal takes what the service remembers"
    again = told("dpkg", "--install", f"/{package.name}")
    assert not has(again, "start") and not has(again, "restart"), f"at an installation systemctl is told {again}"
    told("apt-get", "-q", "purge", "-y", "cuelight")
    left = [str(path) for path in (state, root / "var/lib/cuelight", link) if is_there(path)]
    assert not left, f"left behind: {left}"
    assert (root / "etc/cuelight/cuelight.yaml").exists(), "a purge takes the operator's configuration"
    return "an upgrade restarts the service if it runs; a removal stops it; a purge takes its link and what it remembers, and no settings"


def removes(debian, options):
    debian.run("dpkg", "--purge", "cuelight")
    left = [path for path in ("usr/bin/cuelight", "usr/share/doc/cuelight", "usr/share/man/man1/cuelight.1.gz", f"usr/lib/systemd/system/{UNIT}")
            if is_there(debian.root / path)]
    assert not left, f"left behind: {left}"
    return "nothing is left behind"


PROOFS = {"installed": installs, "stamped": stamps, "show": show, "steps": steps, "service": serves, "removed": removes}


def run(lines, options):
    (options.folder / "clip.mp4").write_bytes(options.clip.read_bytes())
    # What others need is always done.
    proofs = {name: proof for name, proof in PROOFS.items() if name in options.only or name == "installed"}
    for release in options.releases.split(","):
        try:
            debian = Debian(release, options.folder)
        except AssertionError as error:
            lines.fails(f"{release}: {error}")
            continue
        lines.prove_all(release, proofs, debian, options)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("installing packages in a Debian of their own needs root")
    if "--apart" not in sys.argv:
        # The mounts end with the process.
        apart = ["unshare", "--mount", "--propagation", "private"]
        os.execvp("unshare", [*apart, sys.executable, "-B", "-m", "proofs.packages.installed", "--apart", *sys.argv[1:]])
    run_proof(run, proof_parser("packages", "clip", "folder", apart=False, releases="bookworm,trixie", only=PROOFS))
