# SPDX-License-Identifier: Apache-2.0
# Go: functions have names and stacks reach main.main, with symbols and without.
. "$SOURCE/tests/languages/lib.bash"
need go
need_recording

cat >busy.go <<'GO'
package main

import "fmt"

//go:noinline
func spin(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i ^ sum<<1
	}
	return sum
}

//go:noinline
func three() int { return spin(300_000_000) }

//go:noinline
func one() int { return spin(100_000_000) }

func main() { fmt.Println(three() + one()) }
GO
export GOCACHE=$PWD/cache GOFLAGS=-mod=mod GO111MODULE=off

# check WHAT FLAGS…: builds with FLAGS; three() does three times as much as one().
check() {
  local what=$1
  shift
  go build -o busy "$@" busy.go || { complain "$what: go build failed"; return; }
  "$WICK" record -q -o busy.data -- ./busy >/dev/null
  "$WICK" fold busy.data >folded
  between "$what, three" 70 80 "$(share folded 'main\.main;main\.three;main\.spin$')"
  between "$what, one" 20 30 "$(share folded 'main\.main;main\.one;main\.spin$')"
}
check "with symbols"
finish
