// SPDX-License-Identifier: Apache-2.0
// User-mode QEMU runs one program in its own process. The guest's memory is
// part of QEMU's, at a constant distance that follows from the program's own
// mapping, so /proc/self/maps shows which files are mapped where.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "itrace/formats/instruction.h"

namespace wick_qemu {

class UserProcess {
 public:
  // The calling thread and the mapped files.
  std::vector<wick::SideBandFact> thread_facts();
  std::vector<wick::SideBandFact> mapping_facts();

  void look_again() { changed_ = true; }
  bool changed() const { return changed_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> changed_ = false;
};

}  // namespace wick_qemu
