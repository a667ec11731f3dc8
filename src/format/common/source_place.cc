// SPDX-License-Identifier: Apache-2.0
#include "format/common/source_place.h"

#include "base/text.h"

namespace wick {
namespace {

// Takes ":12" from the end of `text`.
std::optional<std::uint32_t> take_number_back(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return {};
  const auto number = to_number<std::uint32_t>(text.substr(colon + 1));
  if (number) text = text.substr(0, colon);
  return number;
}

}  // namespace

std::optional<SourcePlace> parse_source_place(std::string_view text) {
  const auto last = take_number_back(text);
  if (!last) return {};
  const auto before = take_number_back(text);
  return SourcePlace{text, before.value_or(*last)};
}

}  // namespace wick
