// SPDX-License-Identifier: Apache-2.0
#include "base/hash_index.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace wick {
namespace {

// Numbers with few distinct hashes, so that many collide.
class Numbers {
 public:
  auto equals(std::uint64_t number) const {
    return
        [this, number](std::uint32_t row) { return numbers_[row] == number; };
  }
  bool contains(std::uint64_t number) const {
    return index_.find(hash(number), equals(number)) != HashIndex::kNone;
  }
  void add(std::uint64_t number) {
    index_.find_or_add(hash(number), equals(number), [&] {
      numbers_.push_back(number);
      return static_cast<std::uint32_t>(numbers_.size() - 1);
    });
  }
  void remove(std::uint64_t number) {
    index_.erase(hash(number), index_.find(hash(number), equals(number)));
  }
  std::size_t size() const { return index_.size(); }

 private:
  static std::uint64_t hash(std::uint64_t number) { return number / 4 * 3; }
  std::vector<std::uint64_t> numbers_;
  HashIndex index_;
};

TEST(HashIndex, FindsWhatIsLeftAfterOthersWereRemoved) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Numbers numbers;
  std::set<std::uint64_t> expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t number = random() % 600;
    if (expected.contains(number)) {
      numbers.remove(number);
      expected.erase(number);
    } else {
      numbers.add(number);
      expected.insert(number);
    }
    if (i % 100 != 0) continue;
    ASSERT_EQ(numbers.size(), expected.size());
    for (std::uint64_t n = 0; n < 600; ++n)
      ASSERT_EQ(numbers.contains(n), expected.contains(n)) << n;
  }
}

}  // namespace
}  // namespace wick
