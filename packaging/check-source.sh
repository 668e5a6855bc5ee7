#!/bin/bash
# Builds a release from its archives as its recipes do, where Spack and Apptainer
# are not installed: the commands of %post of the definition, and the phases of the
# recipe, in clean directories, without network, modules and caches of the user.
#
#   check-source.sh VERSION RELEASE
#
# It does not try what the recipes say to Spack and Apptainer themselves.
set -euo pipefail
version=$1
here=$(cd "$(dirname "$0")" && pwd)
release=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
clean() { # nothing of the user's environment
  env -i PATH="$PATH" HOME="$work/home" GOCACHE="$(go env GOCACHE)" GOMODCACHE="$work/none" "$@"
}
mkdir "$work/home"

echo "check-source: %post of dagscope.def"
mkdir "$work/src"
cp "$release/dagscope-$version.tar.gz" "$release/dagscope-$version-vendor.tar.gz" "$work/src"
awk '/^%/ { on = $1 == "%post" } on && !/^%/' "$release/dagscope.def" | awk '/^Bootstrap:/ { exit } { print }' |
  sed -e "s|/src\b|$work/src|" -e "s|DESTDIR=/image|DESTDIR=$work/image|" >"$work/post"
grep -q "make install" "$work/post"
clean sh "$work/post"
"$here/check.sh" "$work/image/usr/local"

echo "check-source: phases of spack-package.py"
clean python3 "$here/spack/try.py" "$release/spack-package.py" "$release" "$work/spack" "$work/prefix"
"$here/check.sh" "$work/prefix"
