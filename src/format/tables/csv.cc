// SPDX-License-Identifier: Apache-2.0
#include "format/tables/csv.h"

#include <algorithm>

#include "base/text.h"

namespace wick {
namespace {

// Takes a field that begins with a quote, up to the quote that ends it.
std::string take_quoted(std::string_view& line) {
  std::string field;
  line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t quote = line.find('"');
    field += line.substr(0, quote);
    line.remove_prefix(quote == line.npos ? line.size() : quote + 1);
    if (!line.starts_with('"')) break;
    field += '"';
    line.remove_prefix(1);
  }
  return field;
}

}  // namespace

void split_csv(std::string_view line, char separator,
               std::vector<std::string>& fields) {
  fields.clear();
  while (true) {
    std::size_t blanks = 0;
    while (blanks < line.size() && line[blanks] == ' ') ++blanks;
    std::string field(line.substr(0, blanks));
    line.remove_prefix(blanks);
    if (line.starts_with('"')) field += take_quoted(line);
    const std::size_t end = line.find(separator);
    field += line.substr(0, end);
    fields.push_back(std::move(field));
    if (end == line.npos) return;
    line.remove_prefix(end + 1);
  }
}

std::optional<std::int64_t> to_grouped_number(std::string_view text) {
  std::string digits;
  for (const char c : trim(text))
    if (c != ',') digits += c;
  return to_number<std::int64_t>(digits);
}

}  // namespace wick
