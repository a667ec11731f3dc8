// SPDX-License-Identifier: Apache-2.0
#include "builders/go_table_builder.h"

#include "base/bytes.h"

namespace wick {
namespace {

void put(std::string& out, std::uint64_t value, int width) {
  if (width == 8)
    append_raw(out, value);
  else
    append_raw(out, static_cast<std::uint32_t>(value));
}

}  // namespace

std::string GoTableBuilder::bytes() const {
  const bool is_12 = version == k12, has_text = version >= k118;
  const int width = has_text ? 4 : pointer;
  const std::uint64_t base = has_text ? 0 : kText;
  const std::size_t header =
      8 + static_cast<std::size_t>(pointer * (is_12      ? 1
                                              : has_text ? 8
                                                         : 7));
  // A description has eight or nine numbers after the address, and two bytes.
  const int numbers = version == k120 ? 9 : 8;
  const auto description = static_cast<std::size_t>(width + 4 * numbers + 2);
  const std::size_t index_size =
      static_cast<std::size_t>(width) * (2 * functions.size() + 1);
  const std::size_t values_at =
      header + index_size + description * functions.size();
  std::string values(1, '\0');  // nothing is at 0
  for (const Function& function : functions) values += function.stack_sizes;
  const std::size_t names_at = values_at + values.size();

  std::string index, descriptions, names;
  std::size_t value_at = 1;
  for (const Function& function : functions) {
    put(index, base + function.start, width);
    put(index, (is_12 ? header : 0) + index_size + descriptions.size(), width);
    put(descriptions, base + function.start, width);
    put(descriptions, (is_12 ? names_at : 0) + names.size(), 4);
    put(descriptions, 0, 4);
    put(descriptions, 0, 4);
    const bool has_sizes = !function.stack_sizes.empty();
    put(descriptions, has_sizes ? (is_12 ? values_at : 0) + value_at : 0, 4);
    for (int i = 4; i < numbers; ++i) put(descriptions, 0, 4);
    descriptions += '\0';
    descriptions += static_cast<char>(function.flags);
    value_at += function.stack_sizes.size();
    if (name_of_all.empty()) names += function.name + '\0';
  }
  names += name_of_all;
  put(index, base + end, width);

  static constexpr std::uint32_t kMagics[] = {0xfffffffb, 0xfffffffa,
                                              0xfffffff0, 0xfffffff1};
  std::string out;
  append_raw(out, kMagics[version]);
  out += std::string("\0\0\1", 3) + static_cast<char>(pointer);
  put(out, functions.size(), pointer);
  if (!is_12) {
    put(out, 0, pointer);
    if (has_text) put(out, text, pointer);
    put(out, names_at, pointer);
    put(out, 0, pointer);
    put(out, 0, pointer);
    put(out, values_at, pointer);
    put(out, header, pointer);
  }
  return out + index + descriptions + values + names;
}

ElfBuilder GoTableBuilder::program(const std::string& table,
                                   const std::string& section) {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = kText,
                   .content = std::string(0x80, '\x90')});
  elf.add_section({.name = section,
                   .flags = SHF_ALLOC,
                   .address = kTable,
                   .content = table});
  return elf;
}

}  // namespace wick
