# wick cargo builds, records and draws targets of a real package.
. "$(dirname "$0")/lib.bash"
"$WICK" doctor | grep -q '^NO' && skip 'the kernel does not allow recording'
expect 1 'there is no Cargo.toml|there is no cargo' cargo
expect 1 'nosuch/Cargo.toml: cannot be read|there is no cargo' \
  cargo --manifest-path nosuch/Cargo.toml
cargo --version >/dev/null 2>&1 || skip 'there is no cargo'
export CARGO_NET_OFFLINE=true
unset CARGO_PROFILE_RELEASE_DEBUG

mkdir -p crate/src/bin crate/examples crate/tests
cd crate || exit
cat >Cargo.toml <<'C'
[package]
name = "burner"
version = "0.1.0"
edition = "2018"
[workspace]
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
fn unit_burns() { assert!(burn(200) != 7); }
C
for name in one two; do
  cat >src/bin/$name.rs <<C
#[inline(never)]
fn hot_in_$name() -> u64 { burner::burn(200).wrapping_add(1) }
fn main() {
    println!("$name {:?} {}", std::env::args().skip(1).collect::<Vec<_>>(), hot_in_$name());
}
C
done
sed 's/one/example/g' src/bin/one.rs >examples/ex.rs
cat >tests/it.rs <<'C'
#[test]
fn integration_burns() {
    assert!(std::path::Path::new("Cargo.toml").exists());
    assert!(burner::burn(200) != 7);
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
has 'several programs' "$(tail -1 said.txt)" 'several targets: one, two; --bin'
draw '--bin' hot_in_two --bin two -- -x 'a b'
has 'arguments' "$(cat out.txt)" '^two \["-x", "a b"\]'
has 'no debug info' "$(grep debug said.txt)" \
  '\[profile.release\] debug = true .*CARGO_PROFILE_RELEASE_DEBUG=true'
draw '--example' hot_in_example --example ex
draw '--test' integration_burns --dev --test it
same 'debug info of dev' "$(grep -c 'no debug info' said.txt)" 0
draw '--unit-test' unit_burns --dev --unit-test --unit-test-kind lib
sed -i '/^edition/a default-run = "one"' Cargo.toml
draw 'default-run' hot_in_one --
ln -s "$WICK" cargo-wick
PATH=$PWD:$PATH cargo wick --bin one -o link.svg >/dev/null 2>&1 ||
  complain 'cargo wick failed'
grep -q hot_in_one link.svg || complain 'cargo wick: no hot_in_one'
expect 2 'stand behind --' cargo run
echo 'fn main() { nosuch() }' >src/bin/one.rs
"$WICK" cargo --bin one >out.txt 2>said.txt
same 'a build that fails: status' $? 101
has 'a build that fails' "$(tail -1 said.txt)" '^wick: cargo build failed: exit status 101'
finish
