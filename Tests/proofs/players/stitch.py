"""Stitches ads into an HLS presentation, one in front and one in the middle, as a server does: between discontinuities, in the same playlist.

    python3 -m proofs.players.stitch PROGRAMME AD SEGMENT COPY

PROGRAMME and AD are media playlists, SEGMENT is the number of the programme's segment that the second ad goes before.
"""

import re
import shutil
import sys
from pathlib import Path


def read(playlist):
    """A media playlist: the tags of its head, its map if it has one, and the tags and the address of each segment."""
    head, part_map, segments, tags = [], None, [], []
    for line in playlist.read_text().splitlines():
        if line.startswith("#EXT-X-MAP"):
            part_map = line
        elif line.startswith(("#EXTINF", "#EXT-X-BYTERANGE")):
            tags.append(line)
        elif line.startswith(("#EXT-X-VERSION", "#EXT-X-TARGETDURATION")):
            head.append(line)
        elif line and not line.startswith("#"):
            segments.append([*tags, line])
            tags = []
    return head, part_map, segments


def within(folder, line):
    """A line whose address lies in a folder."""
    if line.startswith("#EXT-X-MAP"):
        return re.sub(r'URI="', f'URI="{folder}/', line)
    return line if line.startswith("#") else f"{folder}/{line}"


def number(head, tag):
    return max(int(line.partition(":")[2]) for line in head if line.startswith(tag))


def main():
    programme, ad, segment, copy = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    shutil.rmtree(copy, ignore_errors=True)
    for name, playlist in (("programme", programme), ("ad", ad)):
        shutil.copytree(playlist.parent, copy / name)
    head, programme_map, segments = read(programme)
    ad_head, ad_map, ad_segments = read(ad)
    parts = [
        ("ad", ad_map, ad_segments), ("programme", programme_map, segments[:segment]),
        ("ad", ad_map, ad_segments), ("programme", programme_map, segments[segment:]),
    ]
    head += ad_head
    lines = [
        "#EXTM3U", f"#EXT-X-VERSION:{number(head, '#EXT-X-VERSION')}", f"#EXT-X-TARGETDURATION:{number(head, '#EXT-X-TARGETDURATION')}",
        "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD",
    ]
    for index, (folder, part_map, part) in enumerate(parts):
        lines += ["#EXT-X-DISCONTINUITY"] * (index > 0)
        lines += [within(folder, part_map)] if part_map else []
        lines += [within(folder, line) for tags in part for line in tags]
    (copy / "index.m3u8").write_text("\n".join([*lines, "#EXT-X-ENDLIST", ""]))


if __name__ == "__main__":
    main()
