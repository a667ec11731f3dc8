// SPDX-License-Identifier: Apache-2.0
// The lines of folded text, read and written.
#pragma once

#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "profile/fold.h"

namespace wick {

// The numbers at the end of a line; the second only with two columns.
struct FoldedWeights {
  Decimal value[2];
};

// Takes the numbers (and the blanks before them) from the end of `line`, which
// leaves the stack.
std::optional<FoldedWeights> take_folded_weights(std::string_view& line,
                                                 int columns);

// 2 if every line of `head` ends in two numbers: a difference. Otherwise a
// number before the last one belongs to a name ("worker 7").
int folded_columns(std::string_view head);

// Cuts `text` after line ends into at most `count` pieces of similar size.
std::vector<std::string_view> pieces_at_lines(std::string_view text, int count);

// A line for each stack with a weight of its own, sorted by the bytes of the
// text; two numbers for a difference.
void write_folded(const FlameGraph& graph, std::ostream& out);

}  // namespace wick
