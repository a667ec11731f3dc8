// SPDX-License-Identifier: Apache-2.0
// Tables for a terminal. Names come from untrusted files, so nothing in them
// may move the cursor, change colours or reverse the direction of writing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wick {

// `text` with control characters, invisible ones and invalid bytes replaced by
// '?', cut with "…" if it is wider than `width` (0: never).
std::string printable(std::string_view text, int width = 0);

// Columns that `text` takes on a terminal: East Asian characters take two,
// combining ones none.
int display_width(std::string_view text);

class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Heading {
    std::string text;
    Align align = Align::kRight;
  };
  explicit TextTable(std::vector<Heading> headings);

  // One printable cell for each heading.
  void add(std::vector<std::string> cells);
  std::size_t size() const { return rows_.size() - 1; }
  // Lines, indented by two, without trailing blanks.
  std::string text() const;

 private:
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;  // row 0: the headings
};

}  // namespace wick
