// SPDX-License-Identifier: Apache-2.0
// The embedded store: one SQLite file.
//
//   fact ── what the store is; the key of its hashes
//   host ── a row for each
//   received ── which batches of each agent are there, as ranges of numbers
//   bucket ── a row for each bucket and kind, with the packed content
//   text, module, frame, stack ── what buckets refer to (dictionary.h)
//
// A day of 8,640 batches with 2,000 stacks each takes 36 MB as packed buckets
// and 274 MB as rows, and an hour of it is summed up thirty times as fast. That
// is why SQL sees no sample.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "server/store/store.h"

namespace wick {

struct SqliteOptions {
  // put() fails with StoreFull beyond this size; retain() sets it anew.
  std::uint64_t max_bytes = std::uint64_t{2} << 30;
  // SQLite needs room to delete. So much is set aside in a file of its own
  // and given up when the disk is full.
  std::uint64_t ballast_bytes = std::uint64_t{8} << 20;
};

// Opens the database, or makes one that only its owner may read; its companions
// (-wal, -shm, -ballast) are next to it. Fails if it is damaged, something else
// or of another version, and does not change it then. Only one process may have
// it open.
std::unique_ptr<Store> open_sqlite_store(const std::string& path,
                                         const SqliteOptions& options = {});

}  // namespace wick
