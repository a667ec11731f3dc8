// SPDX-License-Identifier: Apache-2.0
// What a request asks for. Whatever is wrong with it is said in a sentence: an
// unknown parameter, one that is there twice, a value that cannot be used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "server/http/message.h"
#include "server/store/store.h"

namespace wick {

// The request cannot be answered, and its sender can change that.
class RequestError : public Error {
 public:
  RequestError(int status, const std::string& message)
      : Error(message), status_(status) {}
  ~RequestError() override;
  int status() const { return status_; }

 private:
  int status_;
};

class Parameters {
 public:
  // `now_ns` is what times are relative to.
  Parameters(const HttpTarget& target, std::span<const std::string_view> known,
             std::int64_t now_ns);

  // Nothing also for an empty value, as forms send it.
  std::optional<std::string_view> text(std::string_view name) const;
  std::string text_or(std::string_view name, std::string_view otherwise) const;
  // "a,b", and several of the same name.
  std::vector<std::string> list(std::string_view name) const;
  std::int64_t number(std::string_view name, std::int64_t otherwise,
                      std::pair<std::int64_t, std::int64_t> limits) const;
  // In nanoseconds.
  std::optional<std::int64_t> duration(std::string_view name) const;
  // From the parameters "from" and "to", with this in front of their names. By
  // default, from so long before now until now.
  TimeSpan span(std::int64_t default_ns, std::string_view prefix = "") const;
  std::optional<std::int64_t> time(std::string_view name) const;

  // One of several words; the first one by default.
  template <class T, std::size_t N>
  T choice(std::string_view name,
           const std::pair<std::string_view, T> (&choices)[N]) const {
    const auto value = text(name);
    if (!value) return choices[0].second;
    std::vector<std::string_view> words;
    for (const auto& [word, choice] : choices) {
      if (word == *value) return choice;
      words.push_back(word);
    }
    fail_choice(name, *value, words);
  }

  std::int64_t now_ns() const { return now_ns_; }

 private:
  [[noreturn]] static void fail_choice(
      std::string_view name, std::string_view value,
      const std::vector<std::string_view>& words);

  const HttpTarget& target_;
  std::int64_t now_ns_;
};

}  // namespace wick
