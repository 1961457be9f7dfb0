"""Looks at the packages of scripts/package with programs that nobody here wrote, and prints a line for each fact.

    python3 -m proofs.packages.contents --packages FOLDER --again FOLDER --top FOLDER --folder FOR_ITS_FILES

AGAIN has the same packages, made a second time, and TOP is where they were made. Needs lintian, mandoc, skopeo, umoci and dpkg-deb.
"""

import hashlib
import json
import tarfile
from pathlib import Path

from proofs.facts import prove_and_end
from proofs.processes import finished, new_folder

HEALTH = ["CMD", "/usr/bin/cuelight-server", "health"]


def only(folder, pattern):
    """The one file of a name."""
    found = sorted(folder.glob(pattern))
    assert len(found) == 1, f"{pattern} is there {len(found)} times"
    return found[0]


def digests(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def unpacked(options):
    """What the Debian package installs."""
    folder = options.folder / "debian"
    if not folder.exists():
        finished("dpkg-deb", "--extract", only(options.packages, "cuelight_*.deb"), folder)
    return folder / "usr"


def same_bytes(options):
    first, again = digests(options.packages), digests(options.again)
    assert first == again, f"differ: {', '.join(sorted(name for name in first.keys() | again.keys() if first.get(name) != again.get(name)))}"
    listed = dict(reversed(line.split()) for line in (options.packages / "SHA256SUMS").read_text().splitlines())
    assert listed == {name: digest for name, digest in first.items() if name != "SHA256SUMS"}, "SHA256SUMS says something else"
    return f"{len(listed)} packages have the same bytes when they are made again, and SHA256SUMS has their digests"


def no_places(options):
    """Where the packages were made is in none of their files."""
    place = str(options.top).encode()
    for path in unpacked(options).rglob("*"):
        assert not path.is_file() or place not in path.read_bytes(), f"{path.name} has {options.top} in it"
    return "no file has a path of the machine that made it"


def debian(options):
    package = only(options.packages, "cuelight_*.deb")
    said = finished("lintian", "--fail-on", "error,warning", "--tag-display-limit", 0, package).stdout.strip()
    depends = finished("dpkg-deb", "--field", package, "Depends").stdout.strip()
    assert "libav" not in depends and "libcurl" not in depends, f"depends on {depends}"
    return f"lintian finds {len(said.splitlines())} errors and warnings; it depends on {depends}"


def linked(options):
    """What is opened at run time is linked to nothing."""
    allowed = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libsqlite3.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    found = set()
    for program in ("cuelight", "cuelight-server"):
        lines = finished("readelf", "--dynamic", unpacked(options) / "bin" / program).stdout.splitlines()
        found |= {line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line}
        assert not any("RPATH" in line or "RUNPATH" in line for line in lines), f"{program} looks for libraries in a place of its own"
    assert found <= allowed, f"linked to {', '.join(sorted(found - allowed))}"
    return f"the programs are linked to {', '.join(sorted(found))} alone"


def manuals(options):
    pages = sorted((unpacked(options) / "share/man/man1").glob("*.1.gz"))
    for page in pages:
        said = finished("mandoc", "-T", "lint", "-W", "warning", page).stdout
        assert said == "", f"{page.name}: {said[:300]}"
    commands = finished(unpacked(options) / "bin/cuelight", "--help").stdout.split("SUBCOMMANDS:")[1]
    names = {line.split()[0] for line in commands.splitlines() if line.startswith("  ") and not line.startswith("   ")}
    missing = {f"cuelight-{name}.1.gz" for name in names} - {page.name for page in pages}
    assert not missing, f"missing: {', '.join(sorted(missing))}"
    return f"{len(pages)} manual pages, one for each command; mandoc finds nothing wrong"


def completions(options):
    share = unpacked(options) / "share"
    scripts = [share / "bash-completion/completions" / name for name in ("cuelight", "cuelight-server")]
    for script in scripts:
        finished("bash", "-n", script)
    ask = f'source {scripts[0]}; COMP_WORDS=(cuelight st); COMP_CWORD=1; COMP_LINE="cuelight st"; COMP_POINT=11; _cuelight; echo "${{COMPREPLY[@]}}"'
    reply = finished("bash", "-O", "extglob", "-c", ask).stdout.split()
    assert reply == ["stamp", "strip"], f"`cuelight st` is completed to {reply}"
    for path in ("zsh/vendor-completions/_cuelight", "zsh/vendor-completions/_cuelight-server", "fish/vendor_completions.d/cuelight.fish",
                 "fish/vendor_completions.d/cuelight-server.fish"):
        assert (share / path).stat().st_size > 1_000, f"{path} is empty"
    return f"bash completes `cuelight st` to {' and '.join(reply)}"


def archive(options):
    folder = new_folder(options.folder / "archive")
    with tarfile.open(only(options.packages, "cuelight-*-linux-*.tar.gz")) as tar:
        tar.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    installed, found = digests(unpacked(options)), digests(top)
    assert {"LICENSE", "README.md"} <= found.keys() - installed.keys(), "it has no licence"
    assert installed.items() <= found.items(), "it has other files than the Debian package"
    return f"{top.name} has the {len(installed)} files of the Debian package"


def web(options):
    folder = new_folder(options.folder / "npm")
    with tarfile.open(options.packages / "cuelight-client.tgz") as tar:
        tar.extractall(folder, filter="data")
    package = folder / "package"
    described = json.loads((package / "package.json").read_text())
    version = only(options.packages, "cuelight_*.deb").name.split("_")[1]
    assert described["version"] == version, f"its version is {described['version']}"
    targets = [described["types"], *described["exports"]["."].values(), described["exports"]["./cuelight-client.wasm"], "LICENSE"]
    missing = [target for target in targets if not (package / target).is_file()]
    assert not missing, f"missing: {missing}"
    return f"cuelight-client.tgz {version} has {', '.join(sorted(digests(package)))}"


def image(options):
    path = only(options.packages, "cuelight-server-*.oci.tar")
    for kind in ("oci-archive", "docker-archive"):
        config = json.loads(finished("skopeo", "inspect", "--config", f"{kind}:{path}").stdout)
        said = config["config"]
        assert said["Entrypoint"] == ["/usr/bin/cuelight-server"] and said["User"].split(":")[0] not in ("", "0", "root"), f"{kind}: {said}"
        assert list(said["Volumes"]) == ["/data"], f"{kind}: {said['Volumes']}"
    raw = json.loads(finished("skopeo", "inspect", "--config", "--raw", f"docker-archive:{path}").stdout)
    assert raw["config"]["Healthcheck"]["Test"] == HEALTH, "Docker has no health check"
    layout = options.folder / "layout"
    finished("skopeo", "copy", "--insecure-policy", f"oci-archive:{path}", f"oci:{layout}:image")
    bundle = options.folder / "bundle"
    finished("umoci", "unpack", "--image", f"{layout}:image", bundle)
    root = bundle / "rootfs"
    apart = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={root}/proc"]
    inside = [*apart, "chroot", "--userspec", said["User"], root, "/usr/bin/cuelight-server"]
    version = finished(*inside, "--version").stdout.strip()
    assert "commit " in version and "FFmpeg " in version and "no FFmpeg" not in version, version
    # Nobody listens there, which libcurl finds out.
    finished(*inside, "health", "http://127.0.0.1:1", status=1)
    size = sum(each.stat().st_size for each in root.rglob("*") if each.is_file() and not each.is_symlink()) >> 20
    return f"skopeo and umoci read it; {size} MiB without a shell; {version}"


PROOFS = {
    "twice": same_bytes, "places": no_places, "lintian": debian, "libraries": linked, "manuals": manuals, "completions": completions,
    "archive": archive, "npm": web, "image": image}


def run(lines, options):
    for name, proof in PROOFS.items():
        lines.prove(name, proof, options)


if __name__ == "__main__":
    prove_and_end(run, "packages", "again", "top")
