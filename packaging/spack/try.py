"""Runs a Spack recipe without Spack: checks the archives against its checksums,
unpacks them where Spack would, and runs its phases. Stands in for the few names of
spack.package that the recipe uses; whatever else it uses fails.

    try.py PACKAGE.py RELEASE STAGE PREFIX
"""
import hashlib
import os
import subprocess
import sys
import tarfile
import types
from pathlib import Path

recipe, release, stage, prefix = sys.argv[1], *(Path(p).resolve() for p in sys.argv[2:5])
archives = []  # (url, sha256, folder)


class MakefilePackage:
    """Phases edit, build and install, as Spack's."""

    stage = types.SimpleNamespace(path=str(stage), source_path=str(stage / "spack-src"))


def version(number, sha256):
    archives.append((None, sha256, ""))


def resource(name, url, sha256, destination):
    archives.append((url, sha256, destination))


def unpack(url, sha256, folder):
    path = release / url.rsplit("/", 1)[1]
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        sys.exit(f"{path}: found checksum {found}, want {sha256}")
    target = Path(MakefilePackage.stage.source_path) / folder
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path) as tar:
        tar.extractall(target)
    if not folder:  # Spack leaves the one folder of the sources out
        (only,) = target.iterdir()
        for entry in only.iterdir():
            entry.rename(target / entry.name)
        only.rmdir()


def find(root, name, recursive, max_depth):
    return [str(p) for p in Path(root).rglob(name) if len(p.relative_to(root).parts) <= max_depth]


def make(*arguments):
    subprocess.run(["make", *arguments], cwd=MakefilePackage.stage.source_path, check=True)


package = types.ModuleType("spack.package")
package.__dict__.update(
    MakefilePackage=MakefilePackage, version=version, resource=resource, find=find, make=make,
    license=lambda name: None, depends_on=lambda spec, type: None, join_path=os.path.join, symlink=os.symlink,
)
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package
names = {}
exec(compile(Path(recipe).read_text(), recipe, "exec"), names)
Dagscope = names["Dagscope"]
for url, sha256, folder in archives:
    unpack(url or Dagscope.url, sha256, folder)
one = Dagscope()
one.setup_build_environment(types.SimpleNamespace(set=os.environ.setdefault))
one.edit(None, str(prefix))
make()
one.install(None, str(prefix))
