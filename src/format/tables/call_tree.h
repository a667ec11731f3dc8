// SPDX-License-Identifier: Apache-2.0
// A call tree as profilers print it: a line for each function, callees below
// their caller and further to the right, each with the weight of the function
// and of all it calls.
//
//   10 main
//     7 parse
//       3 read
//     2 write
//
// The indentation says who calls whom by its order alone: any number of blanks
// may stand for a level.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "profile/tables.h"

namespace wick {

class CallTree {
 public:
  struct Line {
    std::size_t indent = 0;
    StackId stack = StackId::kRoot;
    std::int64_t total = 0;    // of the function and all it calls
    std::int64_t callees = 0;  // the sum of the totals of the lines below
    bool is_leaf = true;

    std::int64_t self() const {
      return std::max<std::int64_t>(total - callees, 0);
    }
  };

  // Adds the next line; it is called by the last line that stands further to
  // the left. `done(line)` is called for each line that is now complete,
  // callees before callers.
  template <class Done>
  StackId push(StackTable& stacks, std::size_t indent, FrameId frame,
               std::int64_t total, Done done) {
    const StackId caller = open(indent, total, done);
    return open_.back().stack = stacks.push(caller, frame);
  }

  // Adds a line that is no function: a thread, above all that it calls.
  template <class Done>
  void push_thread(std::size_t indent, std::int64_t total, Done done) {
    open(indent, total, done);
  }

  // Completes the lines that stand at `indent` or further to the right.
  template <class Done>
  void close(std::size_t indent, Done done) {
    while (!open_.empty() && open_.back().indent >= indent) {
      done(open_.back());
      open_.pop_back();
    }
  }

 private:
  // Returns the stack of the caller, which the new line has at first.
  template <class Done>
  StackId open(std::size_t indent, std::int64_t total, Done done) {
    close(indent, done);
    StackId caller = StackId::kRoot;
    if (!open_.empty()) {
      Line& parent = open_.back();
      parent.callees = saturating_add(parent.callees, total);
      parent.is_leaf = false;
      caller = parent.stack;
    }
    open_.push_back({.indent = indent, .stack = caller, .total = total});
    return caller;
  }

  std::vector<Line> open_;  // the path from the root to the last line
};

}  // namespace wick
