"""Compiles CuelightClient and Tests/Players/client to one module of WebAssembly, for a page.

    page_client.py OUTPUT
"""

import re
import sys
from pathlib import Path

from embedded import SCRATCH, TOP, Broken, compile_all_embedded, embedded_flags, embedded_unicode, modules_for, read_modules, run

TARGET = "wasm32-unknown-none-wasm"
SOURCE = TOP / "Tests" / "Players" / "client" / "Client.swift"


def make(output):
    unicode = embedded_unicode(TARGET)
    if unicode is None:
        raise Broken(f"this toolchain has no Embedded Swift for {TARGET}")
    modules = modules_for("CuelightClient", read_modules())
    folder = SCRATCH / "page"
    flags = embedded_flags(TARGET, "-Osize")
    compile_all_embedded(modules, folder, flags)
    run(["swiftc", *flags, "-module-name", "Client", "-I", folder, "-c", SOURCE, "-o", folder / "Client.o"], f"{SOURCE} does not compile")
    # What the page calls is exported; what the module needs of a C library, the page gives to it.
    exports = [f"--export={name}" for name in re.findall(r'@_cdecl\("(\w+)"\)', SOURCE.read_text())]
    output.parent.mkdir(parents=True, exist_ok=True)
    run(["wasm-ld", "--no-entry", "--allow-undefined", "--gc-sections", "--strip-all", "-z", "stack-size=1048576", *exports, folder / "Client.o",
         *(folder / f"{module.name}.o" for module in modules), unicode, "-o", output], "the module of the page does not link")
    print(f"{output.stat().st_size} bytes")


try:
    make(Path(sys.argv[1]))
except Broken as broken:
    sys.exit(f"failed: {broken}")
