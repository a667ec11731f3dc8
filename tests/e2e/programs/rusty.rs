// SPDX-License-Identifier: Apache-2.0
// What Rust makes of code: closures, traits, generics, iterators, panics that are
// caught, threads.
use std::collections::HashMap;
use std::time::{Duration, Instant};

trait Shape {
    fn measure(&self, rounds: u64) -> u64;
}

struct Square(u64);
struct Pair<A: Shape, B: Shape>(A, B);

impl Shape for Square {
    #[inline(never)]
    fn measure(&self, rounds: u64) -> u64 {
        (0..rounds).map(|i| std::hint::black_box(i * self.0)).fold(0, u64::wrapping_add)
    }
}

impl<A: Shape, B: Shape> Shape for Pair<A, B> {
    #[inline(never)]
    fn measure(&self, rounds: u64) -> u64 {
        self.0.measure(rounds).wrapping_add(self.1.measure(rounds))
    }
}

#[inline(never)]
fn deep(left: u32, shape: &dyn Shape) -> u64 {
    if left == 0 {
        return shape.measure(500);
    }
    std::hint::black_box(deep(left - 1, shape)).wrapping_add(1)
}

#[inline(never)]
fn words() -> usize {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for i in 0..50 {
        *counts.entry(format!("word {}", i % 7)).or_default() += i;
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1));
    sorted.len()
}

#[inline(never)]
fn caught(i: u64) -> bool {
    std::panic::catch_unwind(|| {
        if std::hint::black_box(i) % 2 == 0 {
            panic!("even");
        }
    })
    .is_err()
}

fn run(end: Instant) {
    let shape = Pair(Square(3), Pair(Square(5), Square(7)));
    let mut i = 0;
    while Instant::now() < end {
        i += 1;
        std::hint::black_box(deep(50, &shape));
        std::hint::black_box(words());
        std::hint::black_box(caught(i));
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let ms = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(300);
    let end = Instant::now() + Duration::from_millis(ms);
    let thread = std::thread::Builder::new()
        .name("other".into())
        .spawn(move || run(end))
        .unwrap();
    run(end);
    thread.join().unwrap();
}
