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

# The garbage collector works on stacks of its own, which nothing calls.
cat >garbage.go <<'GO'
package main

type node struct {
	next *node
	data [64]byte
}

func main() {
	for i := 0; i < 60; i++ {
		var head *node
		for j := 0; j < 100_000; j++ {
			head = &node{next: head}
		}
	}
}
GO
for flags in '' '-s -w'; do
  go build -o garbage -ldflags="$flags" garbage.go || complain 'go build failed'
  flame "garbage with '$flags'" ./garbage
  [ "$(weight folded '^[^;]*;runtime\.systemstack')" -gt 0 ] ||
    complain "garbage with '$flags': nothing is collected"
  same "garbage with '$flags': callers of systemstack" \
    "$(weight folded '^[^;]*;[^;]+;.*runtime\.systemstack')" 0
  # Symbols have the names that stripped programs show.
  same "garbage with '$flags': suffixes of the linker" "$(weight folded '\.abi(0|internal)')" 0
done
finish
