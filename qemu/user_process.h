// SPDX-License-Identifier: Apache-2.0
// What user-mode QEMU runs: one program, in QEMU's own process. The guest's
// memory is part of QEMU's, moved by an amount that the program's own mapping
// shows, so /proc/self/maps tells which files are mapped where.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "itrace/formats/instruction.h"

namespace wick_qemu {

class UserProcess {
 public:
  // The calling thread, and the files that are mapped.
  std::vector<wick::SideBandFact> thread_facts();
  std::vector<wick::SideBandFact> mapping_facts();

  void look_again() { changed_ = true; }
  bool changed() const { return changed_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> changed_ = false;
};

}  // namespace wick_qemu
