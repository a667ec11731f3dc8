# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts in this folder, which `run` starts. Besides what the
# end-to-end tests share, CACHE is a folder that stays.
. "$SOURCE/tests/e2e/lib.bash"

need() {
  command -v "$1" >/dev/null || skip "there is no $1"
}

# Skips unless wick can record here.
need_recording() {
  "$WICK" record -q -o works.data -- true >/dev/null 2>&1 ||
    skip "the kernel does not allow wick to record"
}

# share STACKS REGEX: the percentage of the samples in the folded STACKS whose
# stack matches REGEX, rounded.
share() {
  awk -v regex="$2" '
    { weight = $NF; sub(/ [0-9]+$/, ""); all += weight
      if ($0 ~ regex) part += weight }
    END { printf "%d\n", all ? 100 * part / all + 0.5 : 0 }' "$1"
}

# between WHAT LEAST MOST GOT
between() {
  [ "$4" -ge "$2" ] && [ "$4" -le "$3" ] ||
    complain "$1: $4 %, not between $2 and $3"
}

# Sets trixie to a folder with Debian 13 and its Python, made on first use.
need_trixie() {
  trixie=$CACHE/trixie
  [ ! -e "$trixie" ] || return 0
  [ "$(id -u)" = 0 ] || skip "only root can make a Debian 13 with debootstrap"
  need debootstrap
  rm -rf "$trixie.part"
  debootstrap --variant=minbase --include=python3 trixie "$trixie.part" \
    >"$CACHE/debootstrap.log" 2>&1 ||
    skip "debootstrap failed: $(tail -n 1 "$CACHE/debootstrap.log")"
  mv "$trixie.part" "$trixie"
}
