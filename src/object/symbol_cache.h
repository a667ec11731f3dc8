// SPDX-License-Identifier: Apache-2.0
// Resolved addresses, kept between runs: one file for each build id in
// ~/.cache/wick/symbols (XDG_CACHE_HOME is respected). Files are replaced
// atomically, so concurrent runs do not disturb each other; one that is
// damaged, of another version or made from other sources is ignored. The least
// recently used files are removed to keep the folder below a size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "object/resolved.h"

namespace wick {

class SymbolCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  explicit SymbolCache(std::string folder, std::uint64_t max_bytes = kMaxBytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // "" without a home directory.
  static std::string default_folder();

  // What was stored for this build id with the same `sources`, a text that
  // identifies the files it was made from.
  std::optional<Resolved> load(std::string_view build_id,
                               std::string_view sources) const;

  // Best effort: a full disk or a lack of permission is not an error.
  void store(std::string_view build_id, std::string_view sources,
             const Resolved& resolved) const;

 private:
  std::string path(std::string_view build_id) const;
  void remove_oldest() const;

  std::string folder_;
  std::uint64_t max_bytes_;
};

}  // namespace wick
