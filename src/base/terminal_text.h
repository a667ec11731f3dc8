// SPDX-License-Identifier: Apache-2.0
// Text for a terminal. Names come from files of strangers, and a terminal obeys
// what it is sent: escape sequences move the cursor over other lines, change
// the window's title, or make some terminals type.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace wick {

// `text` with control characters (other than line ends and tabs), characters
// that change the direction of writing, and bytes that are not UTF-8 made
// visible: "\x1b", "\u202e".
std::string for_terminal(std::string_view text);

// A message in one line, whatever names it contains: line ends become "\\n".
std::string in_one_line(std::string_view text);

// A stream buffer that passes everything through for_terminal(). Characters may
// arrive in pieces.
class TerminalBuffer : public std::streambuf {
 public:
  // `terminal` must outlive this object.
  explicit TerminalBuffer(std::streambuf& terminal);
  ~TerminalBuffer() override;

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool put(std::string_view text);

  std::streambuf& terminal_;
  std::string pending_;  // the beginning of a character
};

}  // namespace wick
