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

// The numbers at the end of a line; the second only where there are two
// columns.
struct FoldedWeights {
  Decimal value[2];
};

// Takes the numbers (and the blanks before them) from the back of `line`,
// which is left with the stack.
std::optional<FoldedWeights> take_folded_weights(std::string_view& line,
                                                 int columns);

// 2 if every line of `head` ends in two numbers: a difference. Otherwise a
// number before the last one belongs to a name ("worker 7").
int folded_columns(std::string_view head);

// Cuts `text` into at most `count` pieces of similar size behind line ends.
std::vector<std::string_view> pieces_at_lines(std::string_view text, int count);

// One line for each stack with weight of its own, ordered by the bytes of the
// stacks as text; two numbers for a difference.
void write_folded(const FlameGraph& graph, std::ostream& out);

}  // namespace wick
