// SPDX-License-Identifier: Apache-2.0
use std::collections::HashMap;

fn square(x: u64) -> u64 {
    x * x
}

struct Points {
    values: Vec<u64>,
}

impl Points {
    fn total(&self) -> u64 {
        self.values.iter().map(|x| square(*x)).sum()
    }
}

fn main() {
    let count = std::env::args().count() as u64;
    let mut all = HashMap::new();
    for i in 0..count * 100 {
        all.insert(i, Points { values: (0..i).collect() });
    }
    let total: u64 = all.values().map(|points| points.total()).sum();
    println!("{}", total);
}
