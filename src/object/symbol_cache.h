// SPDX-License-Identifier: Apache-2.0
// Resolved addresses, kept between runs: one file for each build id in
// ~/.cache/wick/symbols (XDG_CACHE_HOME is respected). Files are replaced
// atomically, so concurrent runs do not disturb each other; one that is
// damaged, of another version or made from other sources is ignored. The least
// recently used files are removed to keep the folder below a size.
//
// A cache that somebody else can fill would give functions the names they like,
// and one that they can fill with links would lead wick's writes elsewhere. So
// it is used only if its folder belongs to the effective user, nobody else can
// write to it, and all folders on the way belong to that user or root: with
// somebody else's HOME there is no cache. Within it, only regular files of that
// user are read, replaced or removed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/output_name.h"
#include "object/resolved.h"

namespace wick {

class SymbolCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  explicit SymbolCache(OutputName folder, std::uint64_t max_bytes = kMaxBytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // Empty without a home directory.
  static OutputName default_folder();

  // What was stored for this build id with the same `sources`, a text that
  // identifies the files it was made from.
  std::optional<Resolved> load(std::string_view build_id,
                               std::string_view sources) const;

  // Best effort: a full disk or a lack of permission is not an error.
  void store(std::string_view build_id, std::string_view sources,
             const Resolved& resolved) const;

 private:
  void remove_oldest(int folder) const;

  OutputName folder_;
  std::uint64_t max_bytes_;
};

}  // namespace wick
