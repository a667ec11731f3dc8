// SPDX-License-Identifier: Apache-2.0
#include "perf/file/notes.h"

#include <algorithm>

#include "base/text.h"

namespace wick {
namespace {

constexpr std::string_view kFinished = "wick notes 1";
constexpr std::string_view kUnfinished = "wick notes 1, recording";
constexpr std::size_t kMaxNotes = 1000;

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return line;
}

}  // namespace

void Notes::set(std::string_view key, std::string_view value) {
  std::string name = one_line(key);
  std::ranges::replace(name, ':', '.');
  for (auto& [existing, text] : lines_)
    if (existing == name) {
      text = one_line(value);
      return;
    }
  lines_.emplace_back(std::move(name), one_line(value));
}

std::string Notes::encode(bool finished) const {
  std::string out(finished ? kFinished : kUnfinished);
  out += '\n';
  for (const auto& [key, value] : lines_) {
    out += key;
    out += ": ";
    out += value;
    out += '\n';
  }
  return out;
}

std::optional<ReadNotes> read_notes(std::string_view text) {
  const std::string_view first = take_line(text);
  if (first != kFinished && first != kUnfinished) return std::nullopt;
  ReadNotes notes;
  notes.finished = first == kFinished;
  while (!text.empty() && notes.lines.size() < kMaxNotes) {
    std::string_view line = take_line(text);
    const std::string_view key = take_until(line, ':');
    if (!key.empty()) notes.lines.emplace_back(key, trim_left(line));
  }
  return notes;
}

}  // namespace wick
