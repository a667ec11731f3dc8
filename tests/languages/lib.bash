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

# weight STACKS REGEX: of the folded STACKS that match REGEX.
weight() {
  regex=$2 awk '{ weight = $NF; sub(/ [0-9]+$/, "") }
    $0 ~ ENVIRON["regex"] { sum += weight } END { printf "%d\n", sum }' "$1"
}

# share STACKS REGEX: the same as a percentage of all; 0 of nothing.
share() {
  local all
  all=$(weight "$1" .)
  echo $((all > 0 ? 100 * $(weight "$1" "$2") / all : 0))
}

# between WHAT LEAST MOST GOT
between() {
  [ "$4" -ge "$2" ] && [ "$4" -le "$3" ] ||
    complain "$1: $4 %, not between $2 and $3"
}

# Sets trixie to a folder with Debian 13 and its Python, made on first use.
need_trixie() {
  trixie=${CACHE:?is set by tests/languages/run}/trixie
  [ ! -e "$trixie" ] || return 0
  [ "$(id -u)" = 0 ] || skip "only root can make a Debian 13 with debootstrap"
  need debootstrap
  rm -rf "$trixie.part"
  debootstrap --variant=minbase --include=python3 trixie "$trixie.part" \
    >"$CACHE/debootstrap.log" 2>&1 ||
    skip "debootstrap failed: $(tail -n 1 "$CACHE/debootstrap.log")"
  mv "$trixie.part" "$trixie"
}

# hidden WHAT: the last recording shows an interpreter only, and wick says so.
hidden() {
  has "$1" "$(cat said)" "samples are in .*the names of .*see 'wick help languages'"
}

# shown WHAT: and the opposite.
shown() {
  ! grep 'wick help languages' said || complain "$1 is hidden"
}

# flame WHAT COMMAND…: records it into `folded`, with wick's messages in `said`.
flame() {
  local what=$1
  shift
  "$WICK" flame -o out.folded -- "$@" >printed 2>said ||
    complain "$what: $(cat printed said)"
  mv out.folded folded
}

# three_to_one WHAT THREE ONE: of the samples that match either expression, THREE
# has three quarters.
three_to_one() {
  local three one
  three=$(weight folded "$2") one=$(weight folded "$3")
  [ $((three + one)) -gt 0 ] || { complain "$1: no stack matches $2 or $3"; return; }
  between "$1" 68 82 $((100 * three / (three + one)))
}
