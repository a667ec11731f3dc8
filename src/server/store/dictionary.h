// SPDX-License-Identifier: Apache-2.0
// What buckets refer to by numbers: texts, modules, frames and stacks, each
// distinct one stored once.
//
//   stack ──► frames ──► texts, module ──► texts
//
// A row is found by a keyed hash of its content, which nobody can make collide.
// It says on which day it was referred to last, so that rows of dropped buckets
// are found without looking at the buckets: forget_before().
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/siphash.h"
#include "profile/profile.h"
#include "server/store/sqlite.h"

namespace wick {

enum class Item : std::uint8_t { kText, kModule, kFrame, kStack };
inline constexpr std::size_t kItems = 4;

std::int64_t day_of(std::int64_t unix_ns);

void create_dictionary(Database& database);

// Adds rows. Numbers that were found are remembered, which makes a second look
// at the same stacks cheap; they are forgotten with the transaction that added
// them.
class DictionaryWriter {
 public:
  DictionaryWriter(Database& database, const SipKey& key);

  // The number of this content, marked as referred to on that day.
  std::uint64_t add(Item item, std::string_view content, std::int64_t day);
  std::uint64_t add_text(std::string_view text, std::int64_t day) {
    return text.empty() ? 0 : add(Item::kText, text, day);
  }
  // Numbers of the stacks of `profile` that are wanted; others are 0.
  Column<StackId, std::uint64_t> add_stacks(const Profile& profile,
                                            const std::vector<bool>& wanted,
                                            std::int64_t day);

  // After a transaction that was undone, or after rows were deleted.
  void forget_numbers();

 private:
  struct Known {
    std::uint64_t number = 0;
    std::int64_t day = 0;
  };
  struct Statements {
    Statement find, insert, mark;
  };
  static Statements prepare(Database& database, Item item);

  Database& database_;
  const SipKey key_;
  std::array<Statements, kItems> statements_;
  std::array<absl::flat_hash_map<std::uint64_t, Known>, kItems> known_;
};

// Turns numbers back into rows of a profile.
class DictionaryReader {
 public:
  explicit DictionaryReader(Database& database) : database_(database) {}

  // "" if there is none.
  std::string text(std::uint64_t number);

  // Adds the stacks with these numbers, ascending, to `profile`, which has
  // none; the result is in the same order. A stack or a frame that cannot be
  // read is "[damaged]", and noted.
  std::vector<StackId> add_stacks(std::span<const std::uint64_t> numbers,
                                  Profile& profile);

 private:
  Database& database_;
  std::optional<Statement> text_;
};

// Deletes up to `most` rows of each kind that were last referred to before
// that day; whether there may be more.
bool forget_before(Database& database, std::int64_t day, std::int64_t most);

}  // namespace wick
