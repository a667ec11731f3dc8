// SPDX-License-Identifier: Apache-2.0
// Output of AIX's procstack, of one run or many; a sample for each thread.
// Addresses come with or without "0x":
//
//   15859890: /usr/sbin/syncd 60
//   ---------- tid# 41746533 (pthread ID:      1) ----------
//   0xd01d15c4  _p_nsleep(??, ??) + 0x10
//   0x10000100  __start() + 0x8c
#include <algorithm>
#include <optional>

#include "format/text/text_stacks.h"

namespace wick {
namespace {

struct AixFrame {
  std::uint64_t address = 0;
  std::string_view name;
};

// "0xd01d15c4  _p_nsleep(??, ??) + 0x10": everything before the last bracket.
std::optional<AixFrame> parse_aix_frame(std::string_view line) {
  std::string_view rest = line;
  std::string_view word = take_word(rest);
  if (word.starts_with("0x")) word.remove_prefix(2);
  const auto address = to_number<std::uint64_t>(word, 16);
  const std::size_t plus = rest.rfind(" + ");
  const std::size_t open = rest.substr(0, plus).rfind('(');
  if (!address || plus == rest.npos || open == rest.npos) return {};
  std::string_view offset = trim(rest.substr(plus + 3));
  if (offset.starts_with("0x")) offset.remove_prefix(2);
  if (!all_hex_digits(offset)) return {};
  AixFrame frame{*address, trim(rest.substr(0, open))};
  if (frame.name.empty()) return {};
  return frame;
}

// "---------- tid# 41746533 ----------".
std::optional<std::int32_t> parse_aix_thread(std::string_view line) {
  constexpr std::string_view kTid = "- tid# ";
  const std::size_t at = line.find(kTid);
  if (!line.starts_with("---") || at == line.npos) return {};
  std::string_view rest = line.substr(at + kTid.size());
  return to_number<std::int32_t>(take_word(rest));
}

struct Process {
  std::int32_t pid;
  std::string_view command;  // its first word
};

// "11928 : -sh", "15859890: /usr/sbin/syncd 60".
std::optional<Process> parse_process(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return {};
  const auto pid = to_number<std::int32_t>(trim(line.substr(0, colon)));
  std::string_view rest = line.substr(colon + 1);
  const std::string_view command = take_word(rest);
  if (!pid || command.empty()) return {};
  return Process{*pid, command};
}

bool sniff_aix(std::string_view head) {
  bool seen_process = false;
  return any_head_line(head, 50, [&](std::string_view line) {
    if (parse_process(line)) seen_process = true;
    return seen_process && parse_aix_frame(line);
  });
}

class AixReader {
 public:
  explicit AixReader(const ReadOptions& options)
      : options_(options), stack_(profile_, options) {}

  bool read_line(std::string_view line) {
    if (trim(line).empty()) return true;
    if (const auto frame = parse_aix_frame(line)) {
      stack_.push_symbol(
          frame->name,
          {.address = options_.keep_addresses ? frame->address : 0});
    } else if (const auto tid = parse_aix_thread(line)) {
      end_thread();
      thread_.tid = *tid;
    } else if (const auto process = parse_process(line)) {
      end_thread();
      thread_ = {
          .pid = process->pid,
          .comm = profile_.strings.intern(without_separator(process->command))};
    } else {
      return false;
    }
    return true;
  }

  Profile finish() {
    end_thread();
    return std::move(profile_);
  }

 private:
  void end_thread() {
    if (!stack_.empty()) stack_.add_one(profile_.thread_id(thread_));
  }

  const ReadOptions& options_;
  Profile profile_;
  StackBuffer stack_;
  Thread thread_;
};

}  // namespace

extern const InputFormat aix_input = {
    .name = "aix",
    .description = "stacks printed by AIX's procstack, one or many runs",
    .sniff = sniff_aix,
    .read = read_by_line<AixReader>,
};

}  // namespace wick
