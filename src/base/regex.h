// SPDX-License-Identifier: Apache-2.0
// Regular expressions over untrusted names: RE2, whose time is linear in the
// text and whose memory is bounded. (std::regex recurses once per character
// and overflows the stack on a long name.)
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace wick {

class Regex {
 public:
  // A UsageError names the pattern and what is wrong with it.
  explicit Regex(std::string_view pattern, bool ignore_case = false);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // Whether the pattern occurs anywhere in `text`.
  bool found_in(std::string_view text) const;
  // `text` with every occurrence replaced.
  std::string replace_all(std::string_view text, std::string_view with) const;

 private:
  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace wick
