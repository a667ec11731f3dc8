// SPDX-License-Identifier: Apache-2.0
// Regular expressions for untrusted names: RE2 takes linear time and bounded
// memory. (std::regex recurses for each character and overflows the stack on a
// long name.)
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
  // An invalid pattern is a UsageError.
  explicit Regex(std::string_view pattern, bool ignore_case = false);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // Whether the pattern occurs anywhere in `text`.
  bool found_in(std::string_view text) const;
  // Replaces every occurrence in `text`.
  std::string replace_all(std::string_view text, std::string_view with) const;

 private:
  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace wick
