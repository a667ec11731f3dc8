# What `make install` adds besides the program: man pages, completions and a unit
# of systemd that it accepts. `make uninstall` leaves only what wick serve stored.
. "$(dirname "$0")/lib.bash"
tools=$SOURCE/tools
dest=$PWD/dest
mkdir -p "$dest/usr/bin" "$dest/var/lib/wick"
ln -s "$WICK" "$dest/usr/bin/wick"
ln -s wick "$dest/usr/bin/cargo-wick"
echo x >"$dest/var/lib/wick/wick.sqlite"
"$tools/install-pages" "$WICK" "$dest" /usr
[ -s "$dest/usr/share/man/man1/wick-serve.1" ] || complain 'no page for wick serve'
unit=$dest/usr/lib/systemd/system/wick.service
has 'the unit' "$(cat "$unit")" 'ExecStart=/usr/bin/wick serve'

if command -v systemd-analyze >/dev/null; then
  # Neither the program nor its page is where it is going to be.
  sed "s|^ExecStart=/usr/bin/wick|ExecStart=$WICK|; /^Documentation/d" "$unit" \
    >wick.service
  systemd-analyze verify ./wick.service >verify.txt 2>&1 ||
    complain "systemd does not accept the unit: $(cat verify.txt)"
  same 'warnings about the unit' "$(grep wick.service verify.txt)" ''
fi

said=$("$tools/uninstall" "$dest" /usr)
same 'what is left' "$(cd "$dest" && find . ! -type d)" ./var/lib/wick/wick.sqlite
has 'what is said' "$said" "$dest/var/lib/wick is still there"
finish
