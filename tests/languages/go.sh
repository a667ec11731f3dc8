# SPDX-License-Identifier: Apache-2.0
# Go: functions have names and stacks reach main.main, with symbols and without.
. "$SOURCE/tests/languages/lib.bash"
need go
need_recording

cat >busy.go <<'GO'
package main

import "fmt"

//go:noinline
func step(n int) int { return n<<1 ^ n }

//go:noinline
func spin(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += step(sum + i)
	}
	return sum
}

//go:noinline
func three() int { return spin(150_000_000) }

//go:noinline
func one() int { return spin(50_000_000) }

func main() { fmt.Println(three() + one()) }
GO
export GOCACHE=$PWD/cache GO111MODULE=off

# check WHAT FLAGS…: builds with FLAGS and records it.
check() {
  local what=$1
  shift
  go build -o busy "$@" busy.go || { complain "$what: go build failed"; return; }
  flame "$what" ./busy
  between "$what, stacks to main" 95 100 "$(share folded 'runtime\.main;main\.main;')"
  # step() calls nothing and has no frame.
  grep 'main\.step [0-9]*$' folded >leaf
  between "$what, the caller of a leaf" 95 100 "$(share leaf 'main\.spin;main\.step')"
  three_to_one "$what" 'main\.main;main\.three;main\.spin' 'main\.main;main\.one;main\.spin'
}
check 'with symbols'
check 'stripped' -ldflags='-s -w'
check 'position-independent' -buildmode=pie -ldflags='-s -w'
if command -v gcc >/dev/null; then
  check 'linked by gcc' -ldflags='-s -w -linkmode=external'
  check 'linked by gcc, position-independent' -buildmode=pie \
    -ldflags='-s -w -linkmode=external'
fi
finish
