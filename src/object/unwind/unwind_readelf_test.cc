// SPDX-License-Identifier: Apache-2.0
// Every row that readelf prints for libraries of this machine is the row that
// the table has.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "object/elf/elf_file.h"
#include "object/unwind/unwind_table.h"

namespace wick {
namespace {

constexpr std::array<std::string_view, 17> kNames = {
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "ra"};

int number_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<int>(i);
  return -1;
}

std::string offset_text(std::string_view base, std::int64_t offset) {
  return std::string(base) + (offset < 0 ? "" : "+") + std::to_string(offset);
}

// A rule's column as readelf prints it; "u" where it says nothing ("s" is not
// told apart from it).
struct RuleText {
  std::string cfa;
  std::array<std::string, 17> column;
};

std::string general_text(const GeneralRule::Register& saved) {
  switch (saved.kind) {
    case GeneralRule::kUndefined:
      return "u";
    case GeneralRule::kOffset:
      return offset_text("c", saved.offset);
    case GeneralRule::kValueOffset:
      return offset_text("v", saved.offset);
    case GeneralRule::kRegister:
      return std::string(kNames[static_cast<std::size_t>(saved.offset)]);
    case GeneralRule::kExpression:
      return "exp";
    case GeneralRule::kValueExpression:
      return "vexp";
  }
  return "";
}

RuleText text_of(const UnwindRule& rule) {
  RuleText text;
  text.column.fill("u");
  if (rule.kind == UnwindRule::kNone) text.cfa = "none";
  if (rule.kind == UnwindRule::kRoot) text.cfa = "root";
  if (rule.kind == UnwindRule::kOffsets) {
    text.cfa = offset_text(kNames[rule.cfa_reg], rule.cfa_offset);
    for (std::size_t i = 0; i < rule.count; ++i)
      text.column[rule.reg[i]] = offset_text("c", rule.offset[i]);
  }
  if (rule.kind == UnwindRule::kGeneral) {
    const GeneralRule& general = rule.general();
    text.cfa = general.cfa_expression.empty()
                   ? offset_text(kNames[general.cfa_reg], general.cfa_offset)
                   : "exp";
    for (const GeneralRule::Register& saved : general.registers)
      text.column[saved.reg] = general_text(saved);
  }
  return text;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(" \n");
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \n"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

class ReadelfComparison {
 public:
  explicit ReadelfComparison(const UnwindTable& table) : table_(table) {}

  void line(std::string_view text) {
    const auto words = words_of(text);
    if (words.empty()) return;
    if (text.find(" CIE ") != text.npos || text.find(" FDE ") != text.npos) {
      in_fde_ = text.find(" FDE ") != text.npos;
      in_rows_ = false;
    } else if (words[0] == "LOC") {
      in_rows_ = in_fde_;
      columns_.clear();
      for (std::size_t i = 2; i < words.size(); ++i)
        columns_.push_back(number_of(words[i]));
    } else if (in_rows_) {
      row(words);
    }
  }

  std::size_t rows() const { return rows_; }
  const std::string& differences() const { return differences_; }

 private:
  void row(const std::vector<std::string_view>& words) {
    if (words.size() != columns_.size() + 2) return;
    const std::uint64_t address =
        std::stoull(std::string(words[0]), nullptr, 16);
    const RuleText have = text_of(table_.find(address));
    ++rows_;
    std::string wrong;
    bool root = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] < 0) continue;  // vector registers are not kept
      std::string_view want = words[i + 2];
      if (want == "s") want = "u";
      if (columns_[i] == 16 && want == "u") root = true;
      if (have.column[static_cast<std::size_t>(columns_[i])] != want)
        wrong += " " + std::string(want);
    }
    if (root) {
      if (have.cfa == "root") return;
      wrong += " root";
    }
    if (have.cfa != words[1]) wrong += " cfa " + std::string(words[1]);
    if (!wrong.empty() && differences_.size() < 1000)
      differences_ +=
          std::string(words[0]) + ":" + wrong + ", have " + have.cfa + "\n";
  }

  const UnwindTable& table_;
  bool in_fde_ = false, in_rows_ = false;
  std::vector<int> columns_;
  std::size_t rows_ = 0;
  std::string differences_;
};

class UnwindReadelf : public testing::TestWithParam<const char*> {};

TEST_P(UnwindReadelf, RowsAreEqual) {
  const std::string path = GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing";
  const auto file = ElfFile::open(path);
  if (file->machine() != Machine::kX86_64) GTEST_SKIP() << "not x86-64";
  FILE* out =
      popen(("LC_ALL=C readelf -wF '" + path + "' 2>/dev/null").c_str(), "r");
  ASSERT_NE(out, nullptr);
  const UnwindTable table = UnwindTable::build(file, nullptr);
  ReadelfComparison comparison(table);
  char line[4096];
  while (std::fgets(line, sizeof line, out) != nullptr) comparison.line(line);
  if (pclose(out) != 0 && comparison.rows() == 0)
    GTEST_SKIP() << "readelf is missing";
  EXPECT_EQ(comparison.differences(), "");
  EXPECT_GT(comparison.rows(), 100u);
  EXPECT_EQ(table.damaged(), 0u);
  RecordProperty("rows", static_cast<int>(comparison.rows()));
}

INSTANTIATE_TEST_SUITE_P(
    System, UnwindReadelf,
    testing::Values("/lib/x86_64-linux-gnu/libc.so.6",
                    "/lib64/ld-linux-x86-64.so.2",
                    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                    "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus"));

}  // namespace
}  // namespace wick
