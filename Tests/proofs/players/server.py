"""A web server on loopback for the players' page, the players and what they play."""

import contextlib
import functools
import http.server
from pathlib import Path
from proofs.processes import in_background

TYPES = {
    ".html": "text/html", ".js": "text/javascript", ".m3u8": "application/vnd.apple.mpegurl", ".mpd": "application/dash+xml", ".ts": "video/mp2t", ".mp4": "video/mp4",
    ".m4s": "video/iso.segment", ".wasm": "application/wasm",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves several folders, each under a name of its own."""

    extensions_map = TYPES

    def __init__(self, *arguments, folders, **options):
        self.folders = folders
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        _, name, *rest = path.partition("?")[0].split("/")
        folder = self.folders.get(name)
        return str(Path(folder, *rest)) if folder and ".." not in rest else "/nowhere"

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def copyfile(self, source, outputfile):
        # Players break off what they no longer want.
        with contextlib.suppress(ConnectionError):
            super().copyfile(source, outputfile)

    def log_message(self, *_):
        pass


def serve(folders):
    """Starts to serve `{name: folder}` and gives the address of the server, which ends with the program."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, folders=folders))
    in_background(server.serve_forever)
    return f"http://127.0.0.1:{server.server_port}"
