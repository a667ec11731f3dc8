// SPDX-License-Identifier: Apache-2.0
#include "builders/traced_code.h"

#include <elf.h>
#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "base/text.h"
#include "builders/elf_builder.h"

namespace wick {
namespace {

constexpr std::uint64_t kStarts[] = {0x10000, 0x20000, 0xffffffff80002000,
                                     0x80000000};

std::uint32_t word_of(std::string_view name) {
  static const std::map<std::string_view, std::uint32_t> words = {
      {"nop", 0x00000013},    {"call", 0x000000ef},  {"ret", 0x00008067},
      {"j", 0x0000006f},      {"beq", 0x00000063},   {"jr", 0x00078067},
      {"jalr", 0x000780e7},   {"ecall", 0x00000073}, {"sret", 0x10200073},
      {"mret", 0x30200073},   {"wfi", 0x10500073},   {"csrw", 0x18079073},
      {"callt0", 0x000002ef}, {"rett0", 0x00028067}, {"li139", 0x08b00893}};
  return words.at(name);
}

std::string symbol_of(const std::string& name) {
  return name.substr(0, name.find_first_of("#:"));
}

// The immediate of jal and j.
std::uint32_t distance_bits(std::uint64_t from, std::uint64_t to) {
  const auto distance = static_cast<std::uint32_t>(to - from);
  return (distance >> 20 & 1) << 31 | (distance >> 1 & 0x3ff) << 21 |
         (distance >> 11 & 1) << 20 | (distance >> 12 & 0xff) << 12;
}

}  // namespace

void TracedCode::function(const std::string& name,
                          std::string_view instructions) {
  static const std::set<std::string> kernel = {
      "handle_exception", "ret_from_exception", "__switch_to", "ret_from_fork",
      "wake_up_new_task", "sys_rt_sigreturn",   "do_exit",     "do_task_dead"};
  const Part part = name.starts_with("k_") || kernel.contains(name) ? kKernel
                    : name.starts_with("m_") || name == "_trap_handler"
                        ? kMachine
                    : name.starts_with("o_") ? kOther
                                             : kUser;
  std::vector<Function>& functions = parts_[part];
  Function& added = functions.emplace_back();
  added.name = name;
  added.start = kStarts[part] + 0x40 * (functions.size() - 1);
  while (!(instructions = trim(instructions)).empty()) {
    const std::size_t end =
        std::min(instructions.find(' '), instructions.size());
    std::string_view target = instructions.substr(0, end);
    std::uint32_t word = word_of(take_until(target, '>'));
    const std::uint64_t pc = added.start + 4 * added.words.size();
    if (!target.empty())
      word |= distance_bits(pc, starts_.at(std::string(target)));
    words_[pc] = word;
    added.words.push_back(word);
    instructions.remove_prefix(end);
  }
  if (added.words.size() > 16) throw std::length_error(name);
  starts_[name] = added.start;
}

TraceBlock TracedCode::trace(std::string_view text) const {
  TraceBlock block;
  std::uint64_t cycle = 100, step = 1;
  while (!(text = trim(text)).empty()) {
    std::size_t end = 0;
    while (end < text.size() && !is_space(text[end])) ++end;
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (word.front() == '@' || word.front() == '+') {
      const auto number = to_number<std::uint64_t>(word.substr(1)).value();
      (word.front() == '@' ? cycle : step) = number;
      continue;
    }
    if (word.front() == '!') {
      word.remove_prefix(1);
      block.traps.push_back(
          {.at = static_cast<std::uint32_t>(block.instructions.size())});
    }
    const std::size_t colon = word.rfind(':');
    const std::uint64_t start = starts_.at(std::string(word.substr(0, colon)));
    std::string_view range = word.substr(colon + 1);
    const auto first = to_number<std::uint64_t>(take_until(range, '-')).value();
    const auto last =
        range.empty() ? first : to_number<std::uint64_t>(range).value();
    for (std::uint64_t i = first; i <= last; ++i, cycle += step)
      block.instructions.push_back({cycle, start + 4 * i});
  }
  return block;
}

std::vector<std::uint32_t> TracedCode::bits(const TraceBlock& block) const {
  std::vector<std::uint32_t> bits;
  for (const Retired& instruction : block.instructions)
    bits.push_back(words_.at(instruction.pc));
  return bits;
}

void TracedCode::add_to(CodeMap& map) const {
  for (const Part part : {kUser, kOther, kKernel, kMachine}) {
    if (parts_[part].empty()) continue;
    ElfBuilder elf({.machine = EM_RISCV, .type = ET_EXEC});
    std::string text(0x40 * parts_[part].size(), '\0');
    for (const Function& function : parts_[part]) {
      std::string words;
      for (const std::uint32_t word : function.words) elf.put(words, word);
      text.replace(function.start - kStarts[part], words.size(), words);
      if (function.name.ends_with("#0")) continue;
      const bool is_label = function.name.ends_with(':');
      elf.add_symbol({.name = symbol_of(function.name),
                      .value = function.start,
                      .size = is_label ? 0 : 4 * function.words.size(),
                      .type = is_label ? STT_NOTYPE : STT_FUNC});
    }
    elf.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = kStarts[part],
                     .content = text});
    const char* const names[] = {"program", "other", "vmlinux", "fw.elf"};
    map.add_elf(elf.file(), names[part]);
  }
}

void TracedCode::add_as_system_map(CodeMap& map) const {
  std::string text;
  for (const auto& part : parts_)
    for (const Function& function : part)
      if (!function.name.ends_with("#0"))
        text += fmt::format("{:016x} T {}\n", function.start,
                            symbol_of(function.name));
  map.add_system_map(std::move(text), "System.map");
}

}  // namespace wick
