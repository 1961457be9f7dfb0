"""Looks at the packages of scripts/package with programs that nobody here wrote, and prints a line for each fact.

    python3 -m proofs.packages.contents --packages FOLDER --again FOLDER --top FOLDER --folder FOR_ITS_FILES [--elsewhere] [--given]
        [--only PROOF...]

AGAIN has the same packages, made a second time, and TOP is where they were made. With --elsewhere the second ones are of programs that were built in
another folder. With --given the programs were built by somebody else, who may have left paths in them. Needs lintian, mandoc, skopeo, umoci, dpkg-deb,
readelf and openssl, and root for the image.
"""

import hashlib
import json
import re
from pathlib import Path

from proofs.facts import prove_and_end
from proofs.processes import finished, new_folder

PROGRAMS = ("cuelight", "cuelight-server")
CONFIGURATION = "etc/cuelight/cuelight.yaml"
HEALTH = ["CMD", "/usr/bin/cuelight-server", "health", "--config", f"/{CONFIGURATION}", "http://127.0.0.1:8080", "http://127.0.0.1:8090"]
# What the programs have from elsewhere, through packages and Swift's own libraries, and words of each licence or notice.
CONTAINED = {
    "libyaml": "Kirill Simonov", "BoringSSL": "The OpenSSL Project Authors", "fiat-crypto": "the fiat-crypto authors", "SHA-1": "WIDE Project",
    "XKCP": "eXtended Keccak Code Package", "brg_endian.h": "Brian Gladman", "zlib": "Jean-loup Gailly and Mark Adler", "llhttp": "Fedor Indutny",
    "uSHET": "Thomas Nixon", "musl": "Rich Felker", "nghttp2": "Tatsuhiro Tsujikawa", "ICU": "UNICODE LICENSE V3", "GRDB": "Gwendal Roué",
    "Yams": "JP Simard", "Swift": "Apple Inc. and the Swift project authors", "ICU's dictionaries": "TaBE Project"}


def only(folder, pattern):
    """The one file of a name."""
    found = sorted(folder.glob(pattern))
    assert len(found) == 1, f"{pattern} is there {len(found)} times"
    return found[0]


def digests(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def extracted(packages, folder):
    """What a Debian package installs."""
    if not folder.exists():
        finished("dpkg-deb", "--extract", only(packages, "cuelight_*.deb"), folder)
    return folder / "usr"


def unpacked(options):
    """What the Debian package installs."""
    return extracted(options.packages, options.folder / "debian")


def archive_in(path, folder):
    """The contents of an archive, by tar: the tarfile of Python 3.11 does not know which entries do harm."""
    finished("tar", "--extract", "--file", path, "--directory", new_folder(folder))
    return folder


def sections(path):
    """The digests of the sections of a program."""
    data, found = path.read_bytes(), {}
    for line in finished("readelf", "--section-headers", "--wide", path).stdout.splitlines():
        match = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+(\S+)\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s", line)
        if match and match[2] != "NOBITS":
            start, size = int(match[3], 16), int(match[4], 16)
            found[match[1]] = hashlib.sha256(data[start:start + size]).hexdigest()
    return found


def differing_sections(options):
    """Where the programs of both packages differ."""
    again = extracted(options.again, options.folder / "again")
    for program in PROGRAMS:
        one, other = (sections(folder / "bin" / program) for folder in (unpacked(options), again))
        differing = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        if differing:
            yield f"{program} in {', '.join(differing)}"


def same_bytes(options):
    first, again = digests(options.packages), digests(options.again)
    differing = ", ".join(sorted(name for name in first.keys() | again.keys() if first.get(name) != again.get(name)))
    assert first == again, f"differ: {differing}; the programs: {'; '.join(differing_sections(options)) or 'equal'}"
    listed = dict(reversed(line.split()) for line in (options.packages / "SHA256SUMS").read_text().splitlines())
    assert listed == {name: digest for name, digest in first.items() if name != "SHA256SUMS"}, "SHA256SUMS says something else"
    of = "of programs that were built in another folder" if options.elsewhere else "of the same programs"
    return f"{len(listed)} packages have the same bytes when they are made again, {of}, and SHA256SUMS has their digests"


def no_places(options):
    """Where the packages were made is in none of their files, and no other folder in which Swift builds."""
    for path in unpacked(options).rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        assert str(options.top).encode() not in data, f"{path.name} has {options.top} in it"
        for match in re.finditer(rb"/\.build/", data):
            start = re.search(rb"[!-~]*\Z", data[max(0, match.start() - 200):match.start()])[0]
            assert not start.startswith(b"/"), f"{path.name} has {start.decode()}/.build in it"
    return "no file has a path of the machine that made it"


def debian(options):
    package = only(options.packages, "cuelight_*.deb")
    said = finished("lintian", "--fail-on", "error,warning", "--tag-display-limit", 0, package).stdout.strip()
    depends = finished("dpkg-deb", "--field", package, "Depends").stdout.strip()
    assert "libc6 (>= " in depends and "libav" not in depends and "libcurl" not in depends, f"depends on {depends!r}"
    return f"lintian finds {len(said.splitlines())} errors and warnings; it depends on {depends}"


def size(options):
    """As dpkg-gencontrol counts: whole KiB of each file, and one for each folder, that of the package included."""
    root = unpacked(options).parent
    paths = [root, *root.rglob("*")]
    counted = sum(-(-path.lstat().st_size // 1024) if path.is_file() or path.is_symlink() else 1 for path in paths)
    said = finished("dpkg-deb", "--field", only(options.packages, "cuelight_*.deb"), "Installed-Size").stdout.strip()
    assert said == str(counted), f"Installed-Size is {said}, and {counted} is counted"
    return f"Installed-Size is {said} KiB, of the sizes of {len(paths)} files and folders"


def linked(options):
    """What is opened at run time is linked to nothing."""
    allowed = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libsqlite3.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    found = set()
    for program in PROGRAMS:
        lines = finished("readelf", "--dynamic", unpacked(options) / "bin" / program).stdout.splitlines()
        found |= {line.split("[")[1].rstrip("]") for line in lines if "(NEEDED)" in line}
        assert not any("RPATH" in line or "RUNPATH" in line for line in lines), f"{program} looks for libraries in a place of its own"
    assert found <= allowed, f"linked to {', '.join(sorted(found - allowed))}"
    return f"the programs are linked to {', '.join(sorted(found))} alone"


def newest(text, name):
    """The newest version of a library's symbols in what readelf says of versions."""
    found = {tuple(map(int, version.split("."))) for version in re.findall(rf"Name: {name}_([0-9.]+)\s", text)}
    return ".".join(map(str, max(found)))


def c_library(options):
    """Which C library the programs need is what their symbols say, what the package depends on, and what the page says."""
    said = "".join(finished("readelf", "--version-info", "--wide", unpacked(options) / "bin" / program).stdout for program in PROGRAMS)
    needed = newest(said, "GLIBC")
    depends = finished("dpkg-deb", "--field", only(options.packages, "cuelight_*.deb"), "Depends").stdout
    stated = re.search(r"libc6 \(>= ([0-9.]+)\)", depends)[1]
    assert stated == needed, f"the programs need glibc {needed}, and the package {stated}"
    page = next((options.top / "Sources").rglob("Installing.md")).read_text()
    told = re.search(r"any Linux with glibc ([0-9.]+) or later", page)[1]
    assert told == needed, f"the programs need glibc {needed}, and the page says {told}"
    return f"the programs need symbols of glibc {needed} and of libstdc++ {newest(said, 'GLIBCXX')}, and none newer; the package and the page say so"


def licences(options):
    """All that the programs have from elsewhere is named with its licence, and what nobody has named is refused."""
    text = (unpacked(options) / "share/doc/cuelight/copyright").read_text()
    pins = json.loads((options.top / "Package.resolved").read_text())["pins"]
    packages = {pin["location"].rstrip("/").removesuffix(".git").rsplit("/", 1)[1] for pin in pins if "docc" not in pin["identity"]}
    missing = sorted(name for name in packages if f"Files: {name}/*" not in text) + [name for name, words in CONTAINED.items() if words not in text]
    assert not missing, f"without a licence: {', '.join(missing)}"
    checkouts = next(folder for folder in (options.top / ".build/package/build/checkouts", options.top / ".build/checkouts") if folder.is_dir())
    folder = new_folder(options.folder / "checkouts")
    for path in checkouts.iterdir():
        (folder / path.name).symlink_to(path)
    stranger, resolved = folder / "stranger", options.folder / "resolved.json"
    resolved.write_text(json.dumps({"pins": [*pins, {"location": "https://stranger.example/stranger.git"}]}))
    (stranger / "Sources/CStranger").mkdir(parents=True)
    swift = checkouts / "swift-system/LICENSE.txt"
    collect = ["python3", "-B", options.top / "scripts/lib/licences.py", folder, resolved, swift, options.folder / "copyright"]
    refusals = [finished(*collect, status=1).stderr]
    (stranger / "LICENSE.txt").write_text(swift.read_text())
    finished(*collect)
    (stranger / "Sources/CStranger/other.c").write_text("/* Copyright (c) 2001 Somebody Else */\n")
    refusals.append(finished(*collect, status=1).stderr)
    assert "stranger has no licence" in refusals[0] and "stranger/Sources/CStranger/other.c" in refusals[1], refusals
    return f"{len(packages)} packages and {len(CONTAINED)} others are there; one without a licence is refused, and so is a source of somebody else's"


def manuals(options):
    pages = sorted((unpacked(options) / "share/man/man1").glob("*.1.gz"))
    for page in pages:
        said = finished("mandoc", "-T", "lint", "-W", "warning", page).stdout
        assert said == "", f"{page.name}: {said[:300]}"
    commands = finished(unpacked(options) / "bin/cuelight", "--help").stdout.split("SUBCOMMANDS:")[1]
    # A line as wide as these says how to get help.
    names = set(re.findall(r"^  ([a-z]\S*)", commands, re.MULTILINE))
    missing = {f"cuelight-{name}.1.gz" for name in names} - {page.name for page in pages}
    assert not missing, f"missing: {', '.join(sorted(missing))}"
    return f"{len(pages)} manual pages, one for each command; mandoc finds nothing wrong"


def completions(options):
    share = unpacked(options) / "share"
    scripts = [share / "bash-completion/completions" / name for name in PROGRAMS]
    for script in scripts:
        finished("bash", "-n", script)
    # As bash calls it: with the command, the word that is begun, and the one before it.
    ask = (f'source {scripts[0]}; COMP_WORDS=(cuelight st); COMP_CWORD=1; COMP_LINE="cuelight st"; COMP_POINT=11; _cuelight cuelight st cuelight; '
           'echo "${COMPREPLY[@]}"')
    reply = finished("bash", "-O", "extglob", "-c", ask).stdout.split()
    assert reply == ["stamp", "strip"], f"`cuelight st` is completed to {reply}"
    for path in ("zsh/vendor-completions/_cuelight", "zsh/vendor-completions/_cuelight-server", "fish/vendor_completions.d/cuelight.fish",
                 "fish/vendor_completions.d/cuelight-server.fish"):
        assert (share / path).stat().st_size > 1_000, f"{path} is empty"
    return f"bash completes `cuelight st` to {' and '.join(reply)}"


def archive(options):
    (top,) = archive_in(only(options.packages, "cuelight-*-linux-*.tar.gz"), options.folder / "archive").iterdir()
    installed, found = digests(unpacked(options)), digests(top)
    assert {"LICENSE", "README.md"} <= found.keys() - installed.keys(), "it has no licence"
    assert installed.items() <= found.items(), "it has other files than the Debian package"
    return f"{top.name} has the {len(installed)} files of the Debian package"


def web(options):
    package = archive_in(options.packages / "cuelight-client.tgz", options.folder / "npm") / "package"
    described = json.loads((package / "package.json").read_text())
    version = only(options.packages, "cuelight_*.deb").name.split("_")[1]
    assert described["version"] == version, f"its version is {described['version']}"
    exported = [each for target in described["exports"].values() for each in (target.values() if isinstance(target, dict) else [target])]
    targets = [described["types"], *exported, "LICENSE"]
    missing = [target for target in targets if not (package / target).is_file()]
    assert not missing, f"missing: {missing}"
    made = finished("python3", "-B", options.top / "scripts/lib/web_client.py", "--made-of").stdout
    assert (options.top / ".build/web/made-of").read_text() == made, "it was made of other sources than these"
    return f"cuelight-client.tgz {version} has {', '.join(sorted(digests(package)))}, made of these sources"


# In namespaces of its own, with a loopback that is up: starts the server with the arguments, asks for its health until it lives, and ends it.
LIVES = """
ip link set lo up
mount --rbind /dev "$root/dev"
chroot --userspec "$user" "$root" /usr/bin/cuelight-server "$@" >"$log" 2>&1 &
server=$!
for _ in $(seq 150); do
  said=$(chroot --userspec "$user" "$root" $health 2>&1) && break
  kill -0 "$server" || break
  sleep 0.2
done
echo "$said"
kill -TERM "$server"
wait "$server"
"""


def image(options):
    path = only(options.packages, "cuelight-server-*.oci.tar")
    for kind in ("oci-archive", "docker-archive"):
        said = json.loads(finished("skopeo", "inspect", "--config", f"{kind}:{path}").stdout)["config"]
        assert said["Entrypoint"] == ["/usr/bin/cuelight-server"] and said["User"] == "10001:10001", f"{kind}: {said}"
        assert said["Cmd"] == ["run", "--config", f"/{CONFIGURATION}"] and list(said["Volumes"]) == ["/data"], f"{kind}: {said}"
    raw = json.loads(finished("skopeo", "inspect", "--config", "--raw", f"docker-archive:{path}").stdout)
    assert raw["config"]["Healthcheck"]["Test"] == HEALTH, "Docker has no health check"
    layout = options.folder / "layout"
    finished("skopeo", "copy", "--insecure-policy", f"oci-archive:{path}", f"oci:{layout}:image")
    bundle = options.folder / "bundle"
    finished("umoci", "unpack", "--image", f"{layout}:image", bundle)
    root = bundle / "rootfs"
    apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={root}/proc"]
    inside = [*apart, "chroot", "--userspec", said["User"], root, "/usr/bin/cuelight-server"]
    version = finished(*inside, "--version").stdout.strip()
    assert "commit " in version and "FFmpeg " in version and "no FFmpeg" not in version, version
    # Nobody listens there, which libcurl finds out.
    finished(*inside, "health", "http://127.0.0.1:1", status=1)
    size = sum(each.stat().st_size for each in root.rglob("*") if each.is_file() and not each.is_symlink()) >> 20

    def lives(*arguments):
        """What the health check of the image says of a server that it starts with these arguments."""
        log = options.folder / "image.log"
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "root": str(root), "user": said["User"], "log": str(log), "health": " ".join(HEALTH[1:]),
            "HOME": "/data", "LANG": "C.UTF-8"}
        return finished("unshare", "--net", *apart[1:], "sh", "-c", LIVES, "sh", *arguments, env=environment).stdout.strip()

    assert lives(*said["Cmd"]) == "http://127.0.0.1:8080 lives", (options.folder / "image.log").read_text()[-500:]
    data = root / "data"
    owners = {each.stat().st_uid for each in data.rglob("*")}
    assert owners == {10001}, f"what is in /data belongs to {owners}"
    serve = ["serve", "--data", "/data/show", "--listen", "0.0.0.0:8090", "--input", "rtmp://127.0.0.1:1935/live"]
    assert lives(*serve) == "http://127.0.0.1:8090 lives", (options.folder / "image.log").read_text()[-500:]
    # An own configuration in its place, with another port and TLS.
    key, certificate = data / "key.pem", data / "certificate.pem"
    finished("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
             "-days", 2, "-subj", "/CN=stream.example")
    for each in (key, certificate):
        each.chmod(0o600)
        finished("chown", said["User"], each)
    (root / CONFIGURATION).write_text(
        "listen: 0.0.0.0:8443\ntls: { certificate: /data/certificate.pem, key: /data/key.pem }\ndata: /data\n"
        "streams: { news: { input: \"rtmp://127.0.0.1:1935/news\" } }\n")
    assert lives(*said["Cmd"]) == "https://127.0.0.1:8443 lives", (options.folder / "image.log").read_text()[-500:]
    return (f"skopeo and umoci read it; {size} MiB without a shell; it lives with its own configuration, with `serve` in its place, and with one "
            f"that is mounted and has TLS; {version}")


PROOFS = {
    "twice": same_bytes, "places": no_places, "lintian": debian, "size": size, "libraries": linked, "glibc": c_library, "licences": licences,
    "manuals": manuals, "completions": completions, "archive": archive, "npm": web, "image": image}


def run(lines, options):
    for name, proof in PROOFS.items():
        if name == "places" and options.given:
            print("left out: places: the programs were built by somebody else than scripts/package")
        elif name in options.only:
            lines.prove(name, proof, options)


if __name__ == "__main__":
    prove_and_end(run, "packages", "again", "top", elsewhere=False, given=False, only=PROOFS)
