// SPDX-License-Identifier: Apache-2.0
#include "base/regex.h"

#include <re2/re2.h>

#include "base/error.h"

namespace wick {
namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Regex::Regex(std::string_view pattern, bool ignore_case) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_case_sensitive(!ignore_case);
  // Names may hold bytes that are not UTF-8, which must still be matched.
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  compiled_ = std::make_unique<re2::RE2>(piece(pattern), options);
  if (!compiled_->ok())
    fail_usage("'{}' is not a valid regular expression: {}", pattern,
               compiled_->error());
}

Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

bool Regex::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(piece(text), *compiled_);
}

std::string Regex::replace_all(std::string_view text,
                               std::string_view with) const {
  std::string out(text);
  re2::RE2::GlobalReplace(&out, *compiled_, piece(with));
  return out;
}

}  // namespace wick
