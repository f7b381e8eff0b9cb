"""Making a release, and looking at it as those do who get it.

    python -m tests.shipped.release [--tag vX.Y.Z] [--out FOLDER]

builds the wheel and the source release, lets twine check what PyPI will show, compares their
contents with the checkout, and installs the wheel into an environment of its own, where it has to
find something. With a tag, the version and the changelog have to be those of that tag. It needs
what `pip install -e ".[release]"` installs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.command import DISCARDED, ROOT
from tests.shipped.changelog import releases
from tests.shipped.contents import wrong_in_sdist, wrong_in_wheel
from torchdev_lint import __version__


def main() -> int:
    """Make a release, and return 1 if anything is wrong with it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tag", help="the tag that it is made for")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="where to leave it")
    options = parser.parse_args()
    wrong = wrong_for_tag(options.tag) if options.tag is not None else []
    with tempfile.TemporaryDirectory() as folder:
        out = options.out or Path(folder) / "dist"
        wheel, sdist = built(out)
        run("twine", "check", "--strict", str(wheel), str(sdist))
        wrong += wrong_in_wheel(wheel) + wrong_in_sdist(sdist)
        wrong += wrong_when_installed(wheel, Path(folder))
    print(*wrong or [f"torchdev-lint {__version__} is fit to be published"], sep="\n")
    return bool(wrong)


def wrong_for_tag(tag: str) -> list[str]:
    """Say what keeps the checkout from being what a tag says."""
    wrong = [f"the tag is {tag}, and the version {__version__}"] if tag != f"v{__version__}" else []
    if not any(each.version == __version__ and each.date for each in releases()):
        wrong.append(f"CHANGELOG.md tells of no {__version__} with a date")
    return wrong


def built(out: Path) -> tuple[Path, Path]:
    """Build the wheel, by way of the source release, and return both."""
    run("build", "--outdir", str(out), str(ROOT))
    name = f"torchdev_lint-{__version__}"
    return out / f"{name}-py3-none-any.whl", out / f"{name}.tar.gz"


def wrong_when_installed(wheel: Path, folder: Path) -> list[str]:
    """Say what goes wrong for those who install a wheel."""
    run("venv", str(folder / "venv"))
    scripts = next(path for path in (folder / "venv").iterdir() if path.name in ("bin", "Scripts"))
    subprocess.run([scripts / "python", "-m", "pip", "install", "-q", wheel], check=True)
    (folder / "train.py").write_text(DISCARDED)
    done = subprocess.run(
        [scripts / "torchdev-lint", "train.py"], cwd=folder, capture_output=True, text=True
    )
    if done.returncode == 1 and "train.py:4:1: TDL001" in done.stdout:
        return []
    return [f"{wheel.name}: once installed, it says: {done.stdout}{done.stderr}"]


def run(module: str, *arguments: str) -> None:
    """Run a module, which has to succeed."""
    subprocess.run([sys.executable, "-m", module, *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())
