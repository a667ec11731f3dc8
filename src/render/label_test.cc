// SPDX-License-Identifier: Apache-2.0
#include "render/label.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/text.h"
#include "builders/stored_inputs.h"
#include "render/svg_text.h"

namespace wick {
namespace {

// The label as a picture has it: the whole name if there is room, nothing if
// there is too little.
std::string label(std::string_view name, std::size_t room, LabelCut cut) {
  const std::size_t length = characters_in(name);
  if (length <= room) return std::string(name);
  return room < 5 ? "" : cut_label(name, room, cut);
}

// tests/labels.txt explains itself.
TEST(Label, IsCutAsInThePage) {
  std::ifstream file(stored_file("labels.txt"));
  std::string line, name;
  LabelCut cut = LabelCut::kQualifiers;
  int count = 0;
  bool is_in_block = false;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    if (line.empty()) {
      is_in_block = false;
      continue;
    }
    std::string_view text = line;
    if (!is_in_block) {
      is_in_block = true;
      cut = text.starts_with('!') ? LabelCut::kEnd : LabelCut::kQualifiers;
      name = text.substr(cut == LabelCut::kEnd ? 1 : 0);
      continue;
    }
    const auto room = take_number<std::size_t>(text, 10);
    ASSERT_TRUE(room) << line;
    EXPECT_EQ(label(name, *room, cut), trim(text)) << name;
    ++count;
  }
  EXPECT_GT(count, 70);
}

TEST(Label, CountsCharactersNotBytes) {
  EXPECT_EQ(cut_label("größer", 5, LabelCut::kEnd), "grö..");
  EXPECT_EQ(cut_label("größe::äöü", 5, LabelCut::kQualifiers), "..äöü");
}

TEST(Label, OfAHugeNameIsThatOfItsBeginning) {
  const std::string many(60'000, '(');
  EXPECT_EQ(cut_label(many, 10, LabelCut::kQualifiers), "((((((((..");
}

}  // namespace
}  // namespace wick
