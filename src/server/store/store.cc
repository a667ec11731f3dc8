// SPDX-License-Identifier: Apache-2.0
#include "server/store/store.h"

#include <algorithm>

namespace wick {

StoreFull::~StoreFull() = default;
TooMuch::~TooMuch() = default;
Store::~Store() = default;

bool MetricQuery::wants(std::string_view name) const {
  if (names.empty()) return true;
  return std::ranges::any_of(names, [&](std::string_view wanted) {
    return wanted.ends_with('*')
               ? name.starts_with(wanted.substr(0, wanted.size() - 1))
               : name == wanted;
  });
}

}  // namespace wick
