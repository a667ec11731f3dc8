// SPDX-License-Identifier: Apache-2.0
// Resolved addresses of files, kept between runs: one file for each build id
// in ~/.cache/wick/symbols (XDG_CACHE_HOME is respected). Files are replaced as
// a whole, so runs side by side do not disturb each other; one that is damaged,
// of another version or made from other sources counts as not there. The
// folder is kept below a size by removing what was not used for longest.
#pragma once

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

  // "" if there is no home.
  static std::string default_folder();

  // What was stored for this build id and made from the same `sources`: a text
  // that names the files that were used.
  std::optional<Resolved> load(std::string_view build_id,
                               std::string_view sources) const;

  // Does its best: a full disk or a missing right is no error.
  void store(std::string_view build_id, std::string_view sources,
             const Resolved& resolved) const;

 private:
  std::string path(std::string_view build_id) const;
  void remove_oldest() const;

  std::string folder_;
  std::uint64_t max_bytes_;
};

}  // namespace wick
