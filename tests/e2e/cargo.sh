# wick cargo builds, records and draws targets of a real package.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
expect 1 'cannot find Cargo.toml|cannot find cargo' cargo
expect 1 'nosuch/Cargo.toml: cannot read|cannot find cargo' \
  cargo --manifest-path nosuch/Cargo.toml
cargo --version >/dev/null 2>&1 || skip 'there is no cargo'
export CARGO_NET_OFFLINE=true
unset CARGO_PROFILE_RELEASE_DEBUG

mkdir -p crate/src/bin crate/examples crate/tests crate/benches \
  crate/member/src
cd crate || exit
cat >Cargo.toml <<'C'
[package]
name = "burner"
version = "0.1.0"
edition = "2018"
[features]
default = ["usual"]
usual = []
extra = []
[[bin]]
name = "measured"
harness = false
[[bench]]
name = "be"
harness = false
[profile.slim]
inherits = "release"
[workspace]
members = ["member"]
C
cat >src/lib.rs <<'C'
#[inline(never)]
pub fn burn(millis: u128) -> u64 {
    let start = std::time::Instant::now();
    let mut sum = 1u64;
    while start.elapsed().as_millis() < millis {
        for i in 0..10000u64 { sum = sum.wrapping_mul(31).wrapping_add(i); }
    }
    sum
}
#[test]
fn unit_burns() { assert!(burn(100) != 7); }
C
for name in one two measured; do
  cat >src/bin/$name.rs <<C
#[inline(never)]
fn hot_in_$name() -> u64 { burner::burn(100).wrapping_add(1) }
#[cfg(feature = "usual")]
#[inline(never)]
fn usual() -> u64 { hot_in_$name().wrapping_add(2) }
#[cfg(feature = "extra")]
#[inline(never)]
fn extra() -> u64 { hot_in_$name().wrapping_add(3) }
fn main() {
    println!("$name {:?} {}", std::env::args().skip(1).collect::<Vec<_>>(), hot_in_$name());
    #[cfg(feature = "usual")]
    println!("usual {}", usual());
    #[cfg(feature = "extra")]
    println!("extra {}", extra());
}
C
done
sed 's/one/example/g' src/bin/one.rs >examples/ex.rs
sed 's/one/bench/g' src/bin/one.rs >benches/be.rs
# A library and a program of one name, each with a unit test.
cat >member/Cargo.toml <<'C'
[package]
name = "member"
version = "0.1.0"
edition = "2018"
[dependencies]
burner = { path = ".." }
C
for kind in lib main; do
  cat >member/src/$kind.rs <<C
#[test]
fn unit_of_$kind() { assert!(burner::burn(100) != 7); }
#[allow(dead_code)]
fn main() { println!("member {}", burner::burn(100)); }
C
done
cat >tests/it.rs <<'C'
#[test]
fn integration_burns() {
    assert!(std::path::Path::new("Cargo.toml").exists());
    assert!(burner::burn(100) != 7);
}
C

# draw WHAT FUNCTION WORDS…: records and finds FUNCTION in the picture.
draw() {
  local what=$1 function=$2
  shift 2
  rm -f flame.svg
  "$WICK" cargo "$@" >out.txt 2>said.txt ||
    complain "$what: failed: $(tail -3 said.txt)"
  grep -q "$function" flame.svg || complain "$what: no $function in the picture"
}
"$WICK" cargo >out.txt 2>said.txt
same 'several programs: status' $? 2
has 'several programs' "$(tail -1 said.txt)" \
  'several targets: measured, one, two; choose one with --bin'
draw '--bin' hot_in_two --bin two -- -x 'a b'
has 'arguments' "$(cat out.txt)" '^two \["-x", "a b"\]'
has 'no debug info' "$(grep debug said.txt)" \
  'debug = true in \[profile.release\] .*CARGO_PROFILE_RELEASE_DEBUG=true'
draw '--example' hot_in_example --example ex
draw '--test' integration_burns --dev --test it
same 'debug info of dev' "$(grep -c 'no debug info' said.txt)" 0
draw '--unit-test' unit_burns --dev --unit-test --unit-test-kind lib
draw '--bench' hot_in_bench --bench be -- 'a word'
has 'arguments of a benchmark' "$(cat out.txt)" '^bench \["--bench", "a word"\]'
draw '--unit-bench' hot_in_measured --unit-bench measured
has 'arguments of a unit benchmark' "$(cat out.txt)" '\["--bench"\]'

# Features; both functions call the same one.
hot='<title>[^<]*'
draw 'default features' "${hot}usual" --bin one
grep -q "${hot}extra" flame.svg && complain 'default features: extra is there'
draw '--features' "${hot}extra" --bin one --features extra
draw '--no-default-features' "${hot}extra" --bin one --no-default-features \
  --features extra
grep -q "${hot}usual" flame.svg && complain '--no-default-features: usual is there'

# Another package, whose library and program have one name.
draw '--package' burner::burn --package member
has '--package' "$(cat out.txt)" '^member [0-9]+'
draw '--unit-test-kind lib' unit_of_lib --package member --unit-test member \
  --unit-test-kind lib --dev
draw '--unit-test-kind bin' unit_of_main --package member --unit-test member \
  --unit-test-kind bin --dev
"$WICK" cargo --package member --unit-test member --dev >out.txt 2>said.txt
same 'one name for two: status' $? 2
has 'one name for two' "$(tail -1 said.txt)" \
  'several targets: member, member \(lib\); choose one with --unit-test NAME or --unit-test-kind'
draw '--manifest-path' unit_of_lib --manifest-path member/Cargo.toml --dev \
  --unit-test --unit-test-kind lib

# Where it is built, and how.
draw '--profile' hot_in_two --profile slim --bin two
[ -x target/slim/two ] || complain '--profile slim was not used'
has 'no debug info of a profile' "$(grep debug said.txt)" \
  'debug = true in \[profile.slim\] .*CARGO_PROFILE_SLIM_DEBUG=true'
host=$(rustc -vV | sed -n 's/^host: //p')
draw '--target' hot_in_two --target "$host" --bin two
[ -x "target/$host/release/two" ] || complain "--target $host was not used"
CARGO_PROFILE_RELEASE_DEBUG=true draw 'debug info' hot_in_two --bin two
same 'debug info of release' "$(grep -c 'no debug info' said.txt)" 0

sed -i '/^edition/a default-run = "one"' Cargo.toml
draw 'default-run' hot_in_one --
ln -s "$WICK" cargo-wick
PATH=$PWD:$PATH cargo wick --bin one -o link.svg >/dev/null 2>&1 ||
  complain 'cargo wick failed'
grep -q hot_in_one link.svg || complain 'cargo wick: no hot_in_one'
expect 2 'after --' cargo run
echo 'fn main() { nosuch() }' >src/bin/one.rs
"$WICK" cargo --bin one >out.txt 2>said.txt
same 'a build that fails: status' $? 101
has 'a build that fails' "$(tail -1 said.txt)" '^wick: cargo build failed: exit status 101'
finish
