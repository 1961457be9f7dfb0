"""Makes archives that have the same bytes whenever they are made of the same files.

    archives.py tar|files FOLDER OUTPUT [--under NAME] [--epoch SECONDS]

The entries of a folder come in the order of their names, belong to root, have one time, and modes 0755 or 0644. The name of OUTPUT says whether it is
compressed: .tar, .tar.gz or .tgz. With --under all lie in a folder of this name. `files` leaves out folders and links, and writes plain ustar.
"""

import argparse
import gzip
import io
import tarfile
from pathlib import Path


def entry(name, epoch, path=None, mode=None, owner=0):
    """The header of an entry: of a file, a folder or a link on the disk, or of a folder of this mode."""
    info = tarfile.TarInfo(name)
    info.mtime, info.uid, info.gid, info.uname, info.gname = epoch, owner, owner, "", ""
    if path is None or (path.is_dir() and not path.is_symlink()):
        info.type, info.mode = tarfile.DIRTYPE, mode or 0o755
    elif path.is_symlink():
        info.type, info.linkname, info.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
    else:
        status = path.stat()
        info.size, info.mode = status.st_size, mode or (0o755 if status.st_mode & 0o100 else 0o644)
    return info


def packed(folder, epoch, under="", alone_files=False):
    """The bytes of an archive of all that is in a folder."""
    bytes_ = io.BytesIO()
    with tarfile.open(fileobj=bytes_, mode="w", format=tarfile.GNU_FORMAT if not alone_files else tarfile.USTAR_FORMAT) as archive:
        if under:
            archive.addfile(entry(under, epoch))
        for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
            name = path.relative_to(folder).as_posix()
            is_file = path.is_file() and not path.is_symlink()
            if alone_files and not is_file:
                continue
            info = entry(f"{under}/{name}" if under else name, epoch, path)
            if is_file:
                with path.open("rb") as file:
                    archive.addfile(info, file)
            else:
                archive.addfile(info)
    return bytes_.getvalue()


def compressed(contents):
    """The same bytes with gzip, without a name and a time."""
    return gzip.compress(contents, 9, mtime=0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["tar", "files"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--under", default="")
    parser.add_argument("--epoch", type=int, default=0)
    options = parser.parse_args()
    contents = packed(options.folder, options.epoch, options.under, options.kind == "files")
    options.output.write_bytes(compressed(contents) if options.output.suffix in (".gz", ".tgz") else contents)


if __name__ == "__main__":
    main()
