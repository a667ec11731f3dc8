// SPDX-License-Identifier: Apache-2.0
// The first of the two error channels: an operation that cannot be done throws
// wick::Error and is caught where the operation began (main, one HTTP request,
// one item of a batch). Damage in the data is never thrown; it is counted in
// profile/diagnostics.h.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/setting.h"

namespace wick {

// What the user could change. The front end spells the settings.
struct Advice {
  std::optional<Setting> wrong;  // the message is about its value
  Settings helps;                // changing these may help
  // How much of the message tells where, as in "a.txt: ".
  std::size_t context_size = 0;
};

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Advice advice = {});
  ~Error() override;

  const Advice& advice() const { return advice_; }
  // The message with its advice: "a.txt: --time: the end is before the start".
  std::string text(SettingNames names) const;

 private:
  Advice advice_;
};

// The user asked for something impossible: exit status 2 instead of 1.
class UsageError : public Error {
 public:
  using Error::Error;
  ~UsageError() override;
};

// What the templates below call.
[[noreturn]] void throw_error(fmt::string_view format, fmt::format_args args,
                              Settings helps);
[[noreturn]] void throw_usage_error(fmt::string_view format,
                                    fmt::format_args args, Advice advice);

// A message says what was found, what was expected and what to do, in lower
// case and without a full stop; in_context puts the file name in front.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw_error(format, fmt::make_format_args(args...), {});
}

// The same, with the settings that may help.
template <class... Args>
[[noreturn]] void fail(Settings helps, fmt::format_string<Args...> format,
                       Args&&... args) {
  throw_error(format, fmt::make_format_args(args...), helps);
}

template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> format,
                             Args&&... args) {
  throw_usage_error(format, fmt::make_format_args(args...), {});
}

template <class... Args>
[[noreturn]] void fail_usage(Settings helps, fmt::format_string<Args...> format,
                             Args&&... args) {
  throw_usage_error(format, fmt::make_format_args(args...),
                    {.wrong = std::nullopt, .helps = helps});
}

// The value of setting `wrong` cannot be used.
template <class... Args>
[[noreturn]] void fail_setting(Setting wrong,
                               fmt::format_string<Args...> format,
                               Args&&... args) {
  throw_usage_error(format, fmt::make_format_args(args...),
                    {.wrong = wrong, .helps = {}});
}

// Throws the Error that is being handled again, with "where: " in front.
[[noreturn]] void rethrow_in_context(std::string_view where);

// Runs `body` and puts "where: " in front of the message of an Error it throws.
template <class Body>
decltype(auto) in_context(std::string_view where, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error&) {
    rethrow_in_context(where);
  }
}

// strerror(errno) as a string.
std::string last_system_error();

}  // namespace wick
