"""Compiles the game of a viewer to one module of WebAssembly.

    web_client.py OUTPUT
    web_client.py --made-of

The second prints a digest of all of which the package for the web is made: sources, scripts and compiler.
"""

import hashlib
import re
import sys
from pathlib import Path

from embedded import SCRATCH, TOP, Broken, compile_all_embedded, embedded_flags, embedded_unicode, modules_for, read_modules, read_web, run

TARGET = "wasm32-unknown-none-wasm"
BOUNDARY = TOP / "Sources" / "Clients" / "GameBoundary" / "Game.swift"
# Arithmetic still traps and arrays are still bounded. What goes: a check that code of one thread cannot fail, and guards of return addresses, which
# are not in the memory of WebAssembly. All modules are optimized together when they are linked.
SMALLER = ["-enforce-exclusivity=unchecked", "-Xfrontend", "-disable-stack-protector", "-lto=llvm-full"]


def made_of():
    """A digest of all of which the package for the web is made."""
    modules = modules_for("CuelightWeb", read_web(read_modules()))
    scripts = [TOP / "scripts" / name for name in ("build-web", "lib/web_client.py", "lib/embedded.py")]
    files = [path for module in modules for path in module.files()] + [path for path in (TOP / "Sources/Web").rglob("*") if path.is_file()]
    digest = hashlib.sha256(run(["swiftc", "--version"], "swiftc --version").encode())
    for path in sorted({*files, *scripts, TOP / "Package.swift", TOP / "LICENSE"}):
        contents = path.read_bytes()
        digest.update(f"{path.relative_to(TOP)} {len(contents)}\n".encode() + contents)
    return digest.hexdigest()


def make(output):
    if embedded_unicode(TARGET) is None:
        raise Broken(f"this toolchain has no Embedded Swift for {TARGET}")
    modules = modules_for("CuelightWeb", read_web(read_modules()))
    folder = SCRATCH / "web"
    compile_all_embedded(modules, folder, [*embedded_flags(TARGET, "-Osize"), *SMALLER])
    exports = [f"--export={name}" for name in re.findall(r'@_cdecl\("(\w+)"\)', BOUNDARY.read_text())]
    # What the page gives to the module, and nothing else may be missing: not Unicode's tables either, which are a quarter of a small module. Texts are
    # compared by their bytes, and nobody counts characters.
    imports = folder / "imports.txt"
    imports.write_text("random\n")
    output.parent.mkdir(parents=True, exist_ok=True)
    run(["wasm-ld", "--no-entry", f"--allow-undefined-file={imports}", "--lto-O2", "--wrap=free", "--gc-sections", "--strip-all", "-z", "stack-size=262144", *exports,
         *(folder / f"{module.name}.o" for module in modules), "-o", output], "the module of the web does not link")


try:
    if sys.argv[1:] == ["--made-of"]:
        print(made_of())
    else:
        make(Path(sys.argv[1]))
except Broken as broken:
    sys.exit(f"failed: {broken}")
