#!/bin/bash
# Makes everything that is published of a version: binaries, sources, bills of
# materials, recipes and their checksums.
#
#   release.sh VERSION OUT
#
# It builds the commit that is checked out, from its own source archive and not
# from the working tree. The same commit, version and Go release give the same
# bytes, wherever and whenever: nothing depends on paths, time, locale or user.
# It needs git, GNU tar, gzip and Go, and modules that are downloaded already or
# the network. PLATFORMS may name fewer platforms.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022

version=$1
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.]+)?$ ]] || { echo "release: found version \"$version\", want x.y.z" >&2; exit 2; }
cd "$(dirname "$0")/.."
commit=$(git rev-parse --short=12 HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
moment=$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
[ -z "$(git status --porcelain)" ] || echo "release: changes that are not committed are left out" >&2

rm -rf "$2"
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d) # not below the repository, whose tools would look into it
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
say() { echo "release: $*"; }

pack() { # NAME FOLDER WHAT: packs WHAT, which is in FOLDER below work
  tar --create --directory "$work/$2" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" --mode=u+rwX,go=rX "$3" | gzip -n -9 >"$out/$1"
}

# Nothing of the user's settings reaches the compiler.
unset GOEXPERIMENT GODEBUG
export GOFLAGS="-trimpath -buildvcs=false" CGO_ENABLED=0 GOWORK=off GOAMD64=v1 GOARM64=v8.0 GOPPC64=power8 GO386=sse2
stamp="-s -w -X dagscope/read.Version=$version -X dagscope/cli.commit=$commit -X dagscope/cli.date=$day"

name=dagscope-$version
source=$work/source/$name
mkdir -p "$work/source"
git archive --prefix="$name/" HEAD | tar -x -C "$work/source"
echo "$version $commit $day" >"$source/VERSION"
pack "$name.tar.gz" source "$name"
say "$name.tar.gz: sources"

cd "$source"
mkdir -p "$work/vendor/$name"
go mod vendor -o "$work/vendor/$name/vendor"
pack "$name-vendor.tar.gz" vendor "$name"
say "$name-vendor.tar.gz: modules, for builds without network"

make --no-print-directory engine
mkdir -p "$work/tools"
go build -ldflags="$stamp" -o "$work/tools/" ./cmd/dagscope ./cmd/manpages ./cmd/sbom
"$work/tools/manpages" -date "$day" "$work/pages"

for platform in ${PLATFORMS:-$(cat packaging/platforms)}; do
  system=${platform%/*} processor=${platform#*/}
  full=$name-$system-$processor
  suffix=
  [ "$system" != windows ] || suffix=.exe
  GOOS=$system GOARCH=$processor go build -ldflags="$stamp" -o "$work/bin/$full/dagscope$suffix" ./cmd/dagscope
  mkdir -p "$work/$full/$full"
  packaging/install.sh "$work/tools/dagscope" "$work/bin/$full/dagscope$suffix" "$work/pages" "$work/$full/$full"
  "$work/tools/sbom" -version "$version" -date "$moment" "$work/bin/$full/dagscope$suffix" >"$out/$full.cdx.json"
  pack "$full.tar.gz" "$full" "$full"
  say "$full.tar.gz: $(wc -c <"$out/$full.tar.gz") bytes"
done

sum() { sha256sum "$out/$1" | cut -d' ' -f1; }
fill() { # recipes know the checksums of what they download
  sed -e "s/@VERSION@/$version/g" -e "s/@SHA256@/$(sum "$name.tar.gz")/g" -e "s/@VENDOR_SHA256@/$(sum "$name-vendor.tar.gz")/g" "$1" >"$2"
}
fill packaging/spack/package.py.in "$out/spack-package.py"
fill packaging/apptainer/dagscope.def.in "$out/dagscope.def"

# What runs here is tried, from its archive.
own=$name-$(go env GOHOSTOS)-$(go env GOHOSTARCH)
if [ -f "$out/$own.tar.gz" ]; then
  mkdir "$work/try"
  tar -xzf "$out/$own.tar.gz" -C "$work/try"
  packaging/check.sh "$work/try/$own"
fi
cd "$out"
sha256sum -- * >SHA256SUMS
say "$(wc -l <SHA256SUMS) files in $out, see SHA256SUMS"
