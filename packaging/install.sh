#!/bin/sh
# Puts dagscope where programs are installed. It builds nothing.
#
#   install.sh RUN BINARY PAGES ROOT [LIBRARY]
#
# RUN is a dagscope that runs here and writes completions and licenses; BINARY is
# the one to install; PAGES is the folder of the manual pages; ROOT is the prefix;
# LIBRARY is the OpenMP recorder, which dagscope otherwise builds when it records.
set -eu
umask 022
run=$1 binary=$2 pages=$3 root=$4 library=${5:-}
here=$(cd "$(dirname "$0")/.." && pwd)

put() { # MODE FILE PATH
  mkdir -p "$(dirname "$root/$3")"
  cp "$2" "$root/$3.new"
  chmod "$1" "$root/$3.new"
  mv -f "$root/$3.new" "$root/$3" # a running dagscope keeps its own
}
made=$(mktemp)
trap 'rm -f "$made"' EXIT

case $binary in *.exe) program=dagscope.exe ;; *) program=dagscope ;; esac
put 755 "$binary" "bin/$program"
[ -z "$library" ] || put 755 "$library" lib/dagscope/libdagscope-ompt.so
for page in "$pages"/*.1; do put 644 "$page" "share/man/man1/${page##*/}"; done
"$run" completion bash >"$made" && put 644 "$made" share/bash-completion/completions/dagscope
"$run" completion zsh >"$made" && put 644 "$made" share/zsh/site-functions/_dagscope
"$run" completion fish >"$made" && put 644 "$made" share/fish/vendor_completions.d/dagscope.fish
"$run" licenses --full >"$made" && put 644 "$made" share/doc/dagscope/THIRD_PARTY_LICENSES.txt
for text in LICENSE README.md CHANGELOG.md SECURITY.md docs/install.md; do
  put 644 "$here/$text" "share/doc/dagscope/${text##*/}"
done
for source in "$here"/read/record/recorder/*.[ch]; do
  put 644 "$source" "share/dagscope/recorder/${source##*/}"
done
