// SPDX-License-Identifier: Apache-2.0
// A thousand calls deep.
#include <stdlib.h>

#include "work.h"

struct Node {
  virtual ~Node() = default;
  [[gnu::noinline]] virtual unsigned long depth(int left) {
    if (left == 0) return spin(200);
    const unsigned long below = this->depth(left - 1);
    if (left % 100 == 0) return below + spin(50);
    return below + 1;
  }
};

int main(int argc, char** argv) {
  const double end = now_ms() + (argc > 1 ? atof(argv[1]) : 300);
  Node node;
  Node* volatile seen = &node;
  while (now_ms() < end)
    for (int i = 0; i < 20; ++i) work_done = work_done + seen->depth(1000);
}
