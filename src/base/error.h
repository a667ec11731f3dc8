// SPDX-License-Identifier: Apache-2.0
// The first of the two error channels: an operation that cannot be done throws
// wick::Error and is caught where the operation began (main, one HTTP request,
// one item of a batch). Damage in the data is never thrown; it is counted in
// profile/diagnostics.h.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace wick {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Wrong use of the command line; exit status 2 instead of 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A message says what was found, what was wanted and what to do, in lower case
// and without a full stop; in_context puts the file name in front.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format,
                             Args&&... args) {
  throw UsageError(fmt::format(format, std::forward<Args>(args)...));
}

// Runs `body` and puts "where: " in front of the message of an Error it throws.
template <class Body>
decltype(auto) in_context(std::string_view where, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", where, error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", where, error.what()));
  }
}

// strerror(errno) as a string.
std::string last_system_error();

}  // namespace wick
