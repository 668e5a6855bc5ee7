#!/bin/sh
# Removes what install.sh has put below the prefix ROOT, and folders that are
# empty then.
#
#   uninstall.sh ROOT
set -eu
root=$1
rm -f "$root/bin/dagscope" "$root/share/man/man1/dagscope.1" "$root"/share/man/man1/dagscope-*.1 \
  "$root/share/bash-completion/completions/dagscope" "$root/share/zsh/site-functions/_dagscope" \
  "$root/share/fish/vendor_completions.d/dagscope.fish"
rm -rf "$root/lib/dagscope" "$root/share/doc/dagscope" "$root/share/dagscope"
for dir in bin lib share/man/man1 share/man share/bash-completion/completions share/bash-completion \
  share/zsh/site-functions share/zsh share/fish/vendor_completions.d share/fish share/doc share; do
  rmdir "$root/$dir" 2>/dev/null || true
done
