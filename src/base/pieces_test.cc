// SPDX-License-Identifier: Apache-2.0
#include "base/pieces.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Pieces, WhatIsInThemStaysWhereItIs) {
  Pieces<int, 2> numbers;
  numbers[numbers.add()] = 7;
  const int* const first = &numbers[0];
  for (int i = 0; i < 100; ++i) numbers.add();
  EXPECT_EQ(&numbers[0], first);
  EXPECT_EQ(numbers[0], 7);
  EXPECT_EQ(numbers[100], 0);
  EXPECT_EQ(numbers.size(), 101);
}

TEST(Pieces, ElementsThatAreAddedTogetherAreInARow) {
  Pieces<int, 2> numbers;
  EXPECT_EQ(numbers.add(3), 0);
  EXPECT_EQ(numbers.add(3), 4);  // they do not fit into the first piece
  EXPECT_EQ(&numbers[6], &numbers[4] + 2);
  EXPECT_EQ(numbers.add(4), 8);
}

TEST(PieceColumn, IsIndexedByItsId) {
  enum class RowId : std::uint32_t {};
  PieceColumn<RowId, int, 2> rows;
  for (int i = 0; i < 9; ++i) EXPECT_EQ(rows.push_back(i * i), RowId(i));
  EXPECT_EQ(rows[RowId{7}], 49);
  int sum = 0;
  for (const RowId id : rows.ids()) sum += rows[id];
  EXPECT_EQ(sum, 204);
}

}  // namespace
}  // namespace wick
