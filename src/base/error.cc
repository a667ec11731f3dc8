// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace wick {

Error::Error(const std::string& message, Advice advice)
    : std::runtime_error(message), advice_(advice) {}

Error::~Error() = default;
UsageError::~UsageError() = default;

void throw_error(fmt::string_view format, fmt::format_args args,
                 Settings helps) {
  throw Error(fmt::vformat(format, args),
              {.wrong = std::nullopt, .helps = helps});
}

void throw_usage_error(fmt::string_view format, fmt::format_args args,
                       Advice advice) {
  throw UsageError(fmt::vformat(format, args), advice);
}

void rethrow_in_context(std::string_view where) {
  const std::string context = fmt::format("{}: ", where);
  const auto longer = [&](Advice advice) {
    advice.context_size += context.size();
    return advice;
  };
  try {
    throw;
  } catch (const UsageError& error) {
    throw UsageError(context + error.what(), longer(error.advice()));
  } catch (const Error& error) {
    throw Error(context + error.what(), longer(error.advice()));
  }
}

std::string Error::text(SettingNames names) const {
  std::string message = with_hint(what(), advice_.helps, names);
  if (!advice_.wrong || names == nullptr) return message;
  return message.insert(advice_.context_size,
                        fmt::format("{}: ", names(*advice_.wrong)));
}

std::string last_system_error() {
  return std::generic_category().message(errno);
}

}  // namespace wick
