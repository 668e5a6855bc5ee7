#!/bin/bash
# Makes Debian packages of the archives of a release for Linux.
#
#   deb.sh VERSION RELEASE
#
# RELEASE is the folder that release.sh has made. Only dpkg-deb is needed.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
version=$1
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
maintainer=$(git log -1 --format='%an <%ae>')
revision=${version//-/\~}-1 # 1.0.0~rc1 is before 1.0.0
release=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

made=0
for archive in "$release/dagscope-$version"-linux-*.tar.gz; do
  [ -f "$archive" ] || continue
  processor=${archive##*-linux-}
  processor=${processor%.tar.gz}
  case $processor in ppc64le) debian=ppc64el ;; *) debian=$processor ;; esac
  root=$work/$debian
  mkdir -p "$root/usr" "$root/DEBIAN"
  tar -xzf "$archive" -C "$root/usr" --strip-components=1

  # Where and how Debian keeps them.
  mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
  gzip -9 -n "$root"/usr/share/man/man1/*.1
  doc=$root/usr/share/doc/dagscope
  gzip -9 -n <"$doc/CHANGELOG.md" >"$doc/changelog.gz"
  rm "$doc/CHANGELOG.md"
  gzip -9 -n >"$doc/changelog.Debian.gz" <<TEXT
dagscope ($revision) unstable; urgency=medium

  * Version $version: see changelog.gz.

 -- $maintainer  $(date -u -d "@$SOURCE_DATE_EPOCH" -R)
TEXT
  cat >"$doc/copyright" <<TEXT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: dagscope
Comment: The modules that are compiled in have licenses of their own; their texts
 are in /usr/share/doc/dagscope/THIRD_PARTY_LICENSES.txt.

Files: *
Copyright: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y) the authors of dagscope
License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0.
TEXT
  rm "$doc/LICENSE"

  cat >"$root/DEBIAN/control" <<TEXT
Package: dagscope
Version: $revision
Architecture: $debian
Maintainer: $maintainer
Installed-Size: $(du -k --apparent-size -s "$root/usr" | cut -f1)
Section: science
Priority: optional
Suggests: gcc | clang
Description: see where the time of a task-based program went
 dagscope reads traces of task-based HPC programs (StarPU and other Paje
 traces), or records an OpenMP program, and says where their time went:
 bounds, waits, outliers, figures and a live view. It also predicts runs with
 other schedulers, machines and sizes.
 .
 A C compiler builds the recorder of OpenMP programs when it is needed.
TEXT
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  find "$root" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 -r touch -h -d "@$SOURCE_DATE_EPOCH"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$release/dagscope_${revision}_$debian.deb"
  made=$((made + 1))
done
[ "$made" -gt 0 ] || { echo "deb: found no archive for Linux of version $version in $release, want one: make release" >&2; exit 1; }
if command -v lintian >/dev/null; then
  lintian --fail-on error --suppress-tags statically-linked-binary "$release"/dagscope_"$revision"_*.deb
else
  echo "deb: lintian is not installed, the packages are not checked with it"
fi
