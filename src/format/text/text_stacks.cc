// SPDX-License-Identifier: Apache-2.0
#include "format/text/text_stacks.h"

#include <algorithm>
#include <array>

#include "profile/tidy.h"

namespace wick {

std::string_view without_offset(std::string_view symbol) {
  const std::size_t plus = symbol.rfind('+');
  if (plus == symbol.npos || plus == 0) return symbol;
  std::string_view offset = symbol.substr(plus + 1);
  offset = offset.substr(0, offset.find('/'));
  const bool is_number = offset.starts_with("0x")
                             ? all_hex_digits(offset.substr(2))
                             : all_digits(offset);
  return is_number ? symbol.substr(0, plus) : symbol;
}

std::string without_separator(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, ';', ':');
  return out;
}

std::string symbol_name(std::string_view symbol, const ReadOptions& options) {
  const bool like_perl = options.compat == Compat::kPerl;
  if (!options.include_offset && !like_perl) symbol = without_offset(symbol);
  if (like_perl) return without_separator(symbol);
  std::string name = without_separator(rust_demangled(symbol));
  // An offset that is kept follows the arguments.
  if (options.full_names || options.include_offset) return name;
  std::size_t size = without_arguments(name).size();
  if (name.substr(0, size).ends_with("operator") &&
      name.substr(size).starts_with("()"))
    size += 2;  // the brackets are part of the name
  name.resize(size);
  return name;
}

bool is_kernel_entry(std::string_view symbol) {
  static constexpr std::array<std::string_view, 13> kEntries = {
      "entry_SYSCALL",     "entry_INT80", "asm_",         "ret_from_fork",
      "secondary_start",   "el0t_",       "el0_",         "start_kernel",
      "ret_to_user",       "error_entry", "x86_64_start", "handle_exception",
      "ret_from_exception"};
  return std::ranges::any_of(kEntries, [&](std::string_view entry) {
    return symbol.starts_with(entry);
  });
}

void StackBuffer::push(std::string_view name, Frame frame) {
  frame.function = name.find(';') == name.npos
                       ? profile_.strings.intern(name)
                       : profile_.strings.intern(without_separator(name));
  frames_.push_back(frame);
}

void StackBuffer::push_symbol(std::string_view symbol, Frame frame) {
  push(symbol_name(symbol, options_), frame);
}

StackId StackBuffer::take_stack() {
  StackId stack = StackId::kRoot;
  for (std::size_t i = frames_.size(); i-- > 0;)
    stack = profile_.stacks.push(stack, profile_.frames.intern(frames_[i]));
  frames_.clear();
  return stack;
}

void StackBuffer::add(Sample sample) {
  if (frames_.empty()) profile_.diagnostics.note(Problem::kNoStack);
  sample.stack = take_stack();
  samples_.add(sample);
}

void StackBuffer::add_one(ThreadId thread) {
  add({.weight = 1, .thread = thread, .event = profile_.event_id("samples")});
}

void StackBuffer::end_thread(std::optional<ThreadId>& thread) {
  if (thread) add_one(*thread);
  thread.reset();
}

}  // namespace wick
