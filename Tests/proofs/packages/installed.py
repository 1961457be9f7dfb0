"""Installs the Debian package in a fresh Debian, stamps a clip there, and plays a whole show from it; prints a line for each fact.

    python3 -m proofs.packages.installed --packages FOLDER --clip CLIP --folder FOR_ITS_FILES [--releases bookworm,trixie]

Each release is made by debootstrap, and has neither Swift nor FFmpeg's headers. Needs root, since it works in a chroot, with a mount namespace of
its own.
"""

import os
import sys
from pathlib import Path

from proofs.facts import proof_parser, run_proof
from proofs.packages.contents import only
from proofs.processes import finished

TESTS = Path(__file__).resolve().parents[2]
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org") + "/debian"


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

    def run(self, *command, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root", "LANG": "C.UTF-8"}
        return finished("chroot", self.root, *command, env=environment, **options)

    def install(self, package):
        """Installs a package of ours with what it depends on and recommends."""
        (self.root / package.name).write_bytes(package.read_bytes())
        for name in ("resolv.conf", "hosts"):
            (self.root / "etc" / name).write_bytes(Path("/etc", name).read_bytes())
        self.run("apt-get", "-q", "update")
        self.run("apt-get", "-q", "install", "-y", f"/{package.name}")


def installs(debian, options):
    package = only(options.packages, "cuelight_*.deb")
    debian.install(package)
    for absent in ("swift", "swiftc", "clang"):
        debian.run("sh", "-c", f"! command -v {absent}")
    version = debian.run("cuelight", "--version").stdout.strip()
    assert "commit " in version and "FFmpeg " in version and "no FFmpeg" not in version, version
    return version


def stamps(debian, options):
    (options.folder / "cues.yaml").write_bytes((TESTS.parent / "samples/quick-round.yaml").read_bytes())
    folder = options.folder
    output = folder / f"{debian.release}.ts"
    debian.run("cuelight", "stamp", folder / "clip.mp4", "--cues", folder / "cues.yaml", "-o", output)
    said = debian.run("cuelight", "verify", output, "--cues", folder / "cues.yaml").stdout
    assert "every event exactly once" in said, said
    return said.strip().rsplit("/", 1)[-1]


def removes(debian, options):
    debian.run("apt-get", "-q", "purge", "-y", "cuelight")
    left = [path for path in ("usr/bin/cuelight", "usr/share/doc/cuelight", "usr/share/man/man1/cuelight.1.gz") if (debian.root / path).exists()]
    assert not left, f"left behind: {left}"
    return "nothing is left behind"


def show(debian, options):
    """The proof of a whole show, in there: it needs Python and the program ffmpeg besides."""
    debian.run("apt-get", "-q", "install", "-y", "--no-install-recommends", "python3", "ffmpeg")
    said = debian.run(
        "env", f"PYTHONPATH={TESTS}", "python3", "-B", "-m", "proofs.hosting.show", "--server", "/usr/bin/cuelight-server",
        "--cuelight", "/usr/bin/cuelight", "--clip", options.folder / "clip.mp4", "--folder", options.folder / "show").stdout
    facts = [line for line in said.splitlines() if line.startswith("ok")]
    assert facts, said
    return f"a whole show from the installed programs, {len(facts)} facts"


def run(lines, options):
    (options.folder / "clip.mp4").write_bytes(options.clip.read_bytes())
    for number, release in enumerate(options.releases.split(",")):
        proofs = {"installed": installs, "stamped": stamps, **({"show": show} if number == 0 else {}), "removed": removes}
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
    run_proof(run, proof_parser("packages", "clip", "folder", apart=False, releases="bookworm,trixie"))
