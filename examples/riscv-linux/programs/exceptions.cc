// SPDX-License-Identifier: Apache-2.0
// 30 exceptions through 4 frames each.
#include <stdexcept>

#define KEEP __attribute__((noipa))

static volatile int sink;

KEEP void dig(int depth) {
  if (depth == 0) throw std::runtime_error("found");
  dig(depth - 1);
  sink = sink + 1;
}

KEEP void catch_one() {
  try {
    dig(3);
  } catch (const std::exception&) {
    sink = sink + 1;
  }
}

int main() {
  for (int i = 0; i < 30; ++i) catch_one();
  return sink == 30 ? 0 : 1;
}
