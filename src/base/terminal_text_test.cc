// SPDX-License-Identifier: Apache-2.0
#include "base/terminal_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <sstream>

namespace wick {
namespace {

TEST(ForTerminal, KeepsOrdinaryText) {
  EXPECT_EQ(for_terminal("a\tb\nκόσμος 漢字 🔥…"), "a\tb\nκόσμος 漢字 🔥…");
}

TEST(ForTerminal, ShowsEscapeSequences) {
  EXPECT_EQ(for_terminal("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(for_terminal("a\rb\bc\x7f"), "a\\x0db\\x08c\\x7f");
}

TEST(ForTerminal, ShowsControlCharactersOfEightBits) {
  EXPECT_EQ(for_terminal("\xc2\x9b"
                         "2J"),
            "\\u009b2J");  // as UTF-8
  EXPECT_EQ(for_terminal("\x9b"
                         "2J"),
            "\\x9b2J");  // as a byte
}

TEST(ForTerminal, ShowsChangesOfDirection) {
  EXPECT_EQ(for_terminal("a\u202eb\u2066c"), "a\\u202eb\\u2066c");
}

TEST(ForTerminal, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(for_terminal("a\xff"
                         "b\xe2\x80"),
            "a\\xffb\\xe2\\x80");
}

TEST(InOneLine, ShowsLineEnds) {
  EXPECT_EQ(in_one_line("a\nwick: b"), "a\\nwick: b");
}

std::string written_in_pieces(std::string_view text, std::size_t size) {
  std::ostringstream terminal;
  TerminalBuffer buffer(*terminal.rdbuf());
  std::ostream out(&buffer);
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size())))
    out << text.substr(0, size);
  out.flush();
  return terminal.str();
}

TEST(TerminalBuffer, KeepsCharactersThatArriveInPieces) {
  const std::string text = "κόσμος 漢字 🔥";
  for (std::size_t size = 1; size < 6; ++size)
    EXPECT_EQ(written_in_pieces(text, size), text) << size;
}

TEST(TerminalBuffer, ShowsWhatArrivesInPieces) {
  EXPECT_EQ(written_in_pieces("\x1b[2J\xc2\x9b", 1), "\\x1b[2J\\u009b");
}

TEST(TerminalBuffer, WritesAnUnfinishedCharacterAtTheEnd) {
  EXPECT_EQ(written_in_pieces("a\xe2\x80", 3), "a\\xe2\\x80");
}

TEST(TerminalBuffer, TakesSingleCharacters) {
  std::ostringstream terminal;
  TerminalBuffer buffer(*terminal.rdbuf());
  std::ostream out(&buffer);
  out.put('a').put('\x1b');
  EXPECT_EQ(terminal.str(), "a\\x1b");
}

}  // namespace
}  // namespace wick
