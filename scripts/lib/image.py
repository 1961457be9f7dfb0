"""Makes an image for containers without Docker: an archive that is an OCI image layout and what `docker save` writes, at once.

    image.py ROOT TREE CONFIGURATION OUTPUT --version V --commit C --architecture A --epoch SECONDS

ROOT has what Debian brings, TREE what lies under /usr of ours, and CONFIGURATION is what the server runs with unless another one is mounted: a layer
of what is Debian's and one of what is ours, so that only the second changes from version to version. The health check is Docker's, for which OCI's
configuration has no field: Docker and Podman take it, and others ignore it.
"""

import argparse
import hashlib
import io
import json
import tarfile
from datetime import datetime, timezone
from pathlib import Path

from archives import compressed, entry, packed

# The user of the servers, who has no name on the host.
OWNER = 10001
DATA = "data"
NAME = "cuelight-server"
CONFIGURATION = "etc/cuelight/cuelight.yaml"
# The server of the configuration, and those of the commands `live` and `serve`, which may be run in its place.
HEALTH = ["CMD", f"/usr/bin/{NAME}", "health", "--config", f"/{CONFIGURATION}", "http://127.0.0.1:8080", "http://127.0.0.1:8090"]


class Blobs:
    """The contents of an image by their digests."""

    def __init__(self):
        self.contents = {}

    def add(self, contents, media_type):
        digest = hashlib.sha256(contents).hexdigest()
        self.contents[digest] = contents
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(contents)}

    def add_object(self, value, media_type):
        return self.add(json.dumps(value, sort_keys=True, separators=(",", ":")).encode(), media_type)


def tree_layer(tree, configuration, epoch):
    """The layer of the programs: what lies under /usr, their configuration, a folder for data, which its user owns, and one for what passes."""
    bytes_ = io.BytesIO(packed(tree, epoch, "usr"))
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.addfile(entry(DATA, epoch, mode=0o700, owner=OWNER))
        archive.addfile(entry(str(Path(CONFIGURATION).parent), epoch))
        with configuration.open("rb") as file:
            archive.addfile(entry(CONFIGURATION, epoch, configuration, mode=0o644), file)
        archive.addfile(entry("tmp", epoch, mode=0o1777))
        with tarfile.open(fileobj=bytes_) as programs:
            for member in programs:
                archive.addfile(member, programs.extractfile(member) if member.isfile() else None)
    return made.getvalue()


def configuration(options, created, layers):
    """The configuration of the image (OCI Image Format, config.md), with Docker's health check."""
    return {
        "architecture": options.architecture, "os": "linux", "created": created,
        "config": {
            "User": f"{OWNER}:{OWNER}", "Entrypoint": [f"/usr/bin/{NAME}"], "Cmd": ["run", "--config", f"/{CONFIGURATION}"], "WorkingDir": f"/{DATA}", "StopSignal": "SIGTERM",
            "Env": ["PATH=/usr/bin", f"HOME=/{DATA}", "LANG=C.UTF-8"],
            "Volumes": {f"/{DATA}": {}}, "ExposedPorts": {"8080/tcp": {}, "8090/tcp": {}}, "Labels": labels(options),
            "Healthcheck": {
                "Test": HEALTH, "Interval": 30_000_000_000, "Timeout": 10_000_000_000, "StartPeriod": 30_000_000_000, "Retries": 3}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer, _ in layers]},
        "history": [{"created": created, "created_by": text} for _, text in layers]}


def labels(options):
    return {
        "org.opencontainers.image.title": NAME, "org.opencontainers.image.version": options.version,
        "org.opencontainers.image.revision": options.commit, "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.description": "Game events inside live video: the server of Cuelight."}


def main():
    parser = argparse.ArgumentParser()
    for name in ("root", "tree", "configuration", "output"):
        parser.add_argument(name, type=Path)
    for name in ("version", "commit", "architecture"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    options = parser.parse_args()
    created = datetime.fromtimestamp(options.epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    layers = [
        (packed(options.root, options.epoch), "packages of Debian"),
        (tree_layer(options.tree, options.configuration, options.epoch), f"cuelight {options.version}")]
    blobs = Blobs()
    described = [blobs.add(compressed(layer), "application/vnd.oci.image.layer.v1.tar+gzip") for layer, _ in layers]
    config = blobs.add_object(configuration(options, created, layers), "application/vnd.oci.image.config.v1+json")
    manifest = blobs.add_object(
        {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": described,
         "annotations": {"org.opencontainers.image.created": created, **labels(options)}},
        "application/vnd.oci.image.manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": options.version, "io.containerd.image.name": f"{NAME}:{options.version}"}
    manifest["platform"] = {"architecture": options.architecture, "os": "linux"}
    files = {
        "oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode(),
        "index.json": json.dumps(
            {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest]}, sort_keys=True).encode(),
        # What `docker load` and `podman load` read.
        "manifest.json": json.dumps([{
            "Config": place(config), "RepoTags": [f"{NAME}:{options.version}"], "Layers": [place(layer) for layer in described]}]).encode(),
        **{f"blobs/sha256/{digest}": contents for digest, contents in sorted(blobs.contents.items())}}
    with tarfile.open(options.output, "w", format=tarfile.GNU_FORMAT) as archive:
        for folder in ("blobs", "blobs/sha256"):
            archive.addfile(entry(folder, options.epoch))
        for name, contents in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(contents), options.epoch, 0o644
            archive.addfile(info, io.BytesIO(contents))


def place(described):
    """The name of a blob's file."""
    return f"blobs/sha256/{described['digest'].removeprefix('sha256:')}"


main()
