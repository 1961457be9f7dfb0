"""The modules of Package.swift, and how they are compiled with Embedded Swift."""

import json
import os
import re
import subprocess
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
SCRATCH = TOP / ".build" / "architecture"


class Broken(Exception):
    """A rule that does not hold; the text says where."""


class Module:
    def __init__(self, target):
        self.name = target["name"]
        self.path = TOP / (target.get("path") or f"Sources/{self.name}")
        self.floor = self.path.relative_to(TOP).parts[1]
        names = [next(iter(dependency.values())) for dependency in target["dependencies"]]
        # A product of another package comes with that package's name.
        self.modules = {name[0] for name in names if not (len(name) > 1 and name[1])}
        self.products = {name[0] for name in names if len(name) > 1 and name[1]}

        self.flags = []

    def files(self):
        return sorted(self.path.rglob("*.swift"))


def run(arguments, what, **options):
    result = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise Broken(f"{what}:\n{(result.stdout + result.stderr).strip()}")
    return result.stdout


def read_modules(folder="Sources/"):
    """The targets of Package.swift that lie in a folder, in their order."""
    package = json.loads(run(
        ["swift", "package", "--package-path", TOP, "--scratch-path", SCRATCH / "package", "dump-package"], "swift package dump-package"))
    targets = [target for target in package["targets"] if (target.get("path") or "Sources/").startswith(folder)]
    return {target["name"]: Module(target) for target in targets}


def read_web(modules):
    """What takes the C library's place in the package for the web. SwiftPM does not know it: for this machine it would take the place of the C library, too."""
    imports = ["GameBoundary"]
    web = Module({"name": "CuelightWeb", "path": "Sources/Web/CuelightWeb", "dependencies": [{"byName": [name, None]} for name in imports]})
    web.flags = ["-enable-experimental-feature", "Extern"]
    return modules | {web.name: web}


def modules_for(name, modules):
    """A module with all that it imports, in their order."""
    needed = {name}
    for module in reversed(modules.values()):
        if module.name in needed:
            needed |= module.modules
    return [module for module in modules.values() if module.name in needed]


def embedded_unicode(target):
    """The library that has Unicode's tables for Embedded Swift on a target; `None` where the toolchain does not have the target."""
    information = json.loads(run(["swiftc", "-print-target-info"], "swiftc -print-target-info"))
    folder = Path(information["paths"]["runtimeResourcePath"]) / "embedded"
    library = folder / target / "libswiftUnicodeDataTables.a"
    return library if (folder / "Swift.swiftmodule" / f"{target}.swiftmodule").exists() and library.exists() else None


def language_flags():
    """The features of Package.swift, as the compiler takes them."""
    text = (TOP / "Package.swift").read_text()
    flags = ["-swift-version", "6", "-strict-memory-safety", "-warnings-as-errors", "-package-name", "cuelight"]
    for kind in ("Upcoming", "Experimental"):
        for feature in re.findall(rf'\.enable{kind}Feature\("(\w+)"\)', text):
            flags += [f"-enable-{kind.lower()}-feature", feature]
    return flags


def embedded_flags(target, optimization):
    """What the compiler needs for Embedded Swift."""
    return [*language_flags(), "-target", target, "-enable-experimental-feature", "Embedded", optimization, "-wmo", "-no-emit-module-separately-wmo", "-parse-as-library"]


def compile_embedded(module, folder, flags):
    """Compiles a module against those before it."""
    run(["swiftc", *flags, *module.flags, "-module-name", module.name, "-I", folder, "-emit-module", "-emit-module-path", folder / f"{module.name}.swiftmodule",
         "-c", *module.files(), "-o", folder / f"{module.name}.o"], f"{module.name} does not compile with Embedded Swift")
    return module.name


def compile_all_embedded(modules, folder, flags):
    """Compiles modules, each as soon as those that it imports are there."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting, done, running = list(modules), set(), set()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while waiting or running:
            ready = [module for module in waiting if module.modules <= done]
            waiting = [module for module in waiting if module not in ready]
            running |= {pool.submit(compile_embedded, module, folder, flags) for module in ready}
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            done |= {compilation.result() for compilation in finished}
