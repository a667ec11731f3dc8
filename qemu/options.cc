// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <elf.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "qemu_plugin_abi.h"

namespace wick_qemu {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(copy.c_str(), &end, 0);
  if (errno != 0 || copy.empty() || *end != 0) return std::nullopt;
  return value;
}

// From lines "ADDRESS TYPE NAME", as in System.map.
std::optional<std::uint64_t> find_in_map(const std::string& content,
                                         const std::string& name) {
  std::istringstream in(content);
  std::string line;
  while (std::getline(in, line)) {
    if (line.size() <= name.size() + 3 || !line.ends_with(' ' + name)) continue;
    return number("0x" + line.substr(0, line.find(' ')));
  }
  return std::nullopt;
}

template <class T>
bool read_at(const std::string& content, std::uint64_t at, T& value) {
  if (at > content.size() || content.size() - at < sizeof(T)) return false;
  std::memcpy(&value, content.data() + at, sizeof(T));
  return true;
}

// From the symbol table of an ELF file. For a position-independent program,
// adds the address at which user-mode QEMU loaded it.
std::optional<std::uint64_t> find_in_elf(const std::string& content,
                                         const std::string& name) {
  Elf64_Ehdr header;
  if (!read_at(content, 0, header)) return std::nullopt;
  std::uint64_t moved_by = 0;
  if (header.e_type == ET_DYN) {
    if (!qemu_plugin_start_code) return std::nullopt;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr part;
      if (read_at(content, header.e_phoff + i * sizeof(part), part) &&
          part.p_type == PT_LOAD && part.p_flags & PF_X) {
        moved_by = qemu_plugin_start_code() - part.p_vaddr;
        break;
      }
    }
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr table, strings;
    if (!read_at(content, header.e_shoff + i * sizeof(table), table)) break;
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (!read_at(content, header.e_shoff + table.sh_link * sizeof(strings),
                 strings))
      continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size;
         at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!read_at(content, table.sh_offset + at, symbol)) break;
      const std::uint64_t text = strings.sh_offset + symbol.st_name;
      if (symbol.st_shndx != SHN_UNDEF && text < content.size() &&
          content.compare(text, name.size() + 1, name.c_str(),
                          name.size() + 1) == 0)
        return symbol.st_value + moved_by;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> find_symbol(const std::string& file,
                                         const std::string& name) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string content = buffer.str();
  return content.starts_with(
             "\x7f"
             "ELF")
             ? find_in_elf(content, name)
             : find_in_map(content, name);
}

// insn:VALUE[/MASK], pc:ADDRESS or symbol:NAME, optionally followed by #N.
std::string parse_trigger(std::string_view text, const std::string& elf,
                          std::optional<Trigger>& result) {
  Trigger trigger;
  const std::string whole(text);
  if (const auto hash = text.rfind('#'); hash != std::string_view::npos) {
    const auto hit = number(text.substr(hash + 1));
    if (!hit || *hit == 0)
      return whole + ": expected a number from 1 on after #";
    trigger.hit = *hit;
    text = text.substr(0, hash);
  }
  if (text.starts_with("insn:")) {
    text.remove_prefix(5);
    const auto slash = text.find('/');
    const auto value = number(text.substr(0, slash));
    const auto mask = slash == std::string_view::npos
                          ? std::optional<std::uint64_t>(0xffffffff)
                          : number(text.substr(slash + 1));
    if (!value || !mask || *value > 0xffffffff || *mask > 0xffffffff)
      return whole + ": expected insn:VALUE or insn:VALUE/MASK";
    trigger.value = static_cast<std::uint32_t>(*value);
    trigger.mask = static_cast<std::uint32_t>(*mask);
  } else if (text.starts_with("pc:")) {
    const auto pc = number(text.substr(3));
    if (!pc) return whole + ": expected pc:ADDRESS";
    trigger.by_pc = true;
    trigger.pc = *pc;
  } else if (text.starts_with("symbol:")) {
    if (elf.empty())
      return whole + ": the symbol's file is missing; give it as elf=FILE";
    const auto pc = find_symbol(elf, std::string(text.substr(7)));
    if (!pc) return whole + ": no such symbol in " + elf;
    trigger.by_pc = true;
    trigger.pc = *pc;
  } else {
    return whole + ": expected insn:VALUE/MASK, pc:ADDRESS or symbol:NAME";
  }
  result = trigger;
  return "";
}

bool is_on(std::string_view text) {
  return text == "on" || text == "true" || text == "yes" || text == "1";
}

}  // namespace

std::string parse_options(int argc, char** argv, Options& options) {
  std::string elf, start, stop;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string_view key = argument.substr(0, equals);
    const std::string value(equals == std::string_view::npos
                                ? std::string_view("on")
                                : argument.substr(equals + 1));
    if (key == "out")
      options.out = wick::OutputName::typed(value);
    else if (key == "elf")
      elf = value;
    else if (key == "start")
      start = value;
    else if (key == "stop")
      stop = value;
    else if (key == "offsets")
      options.offsets = value;
    else if (key == "once")
      options.once = is_on(value);
    else if (key == "markers") {
      // FireSim's: addi x0, x1, 0 and addi x0, x2, 0.
      if (start.empty() && is_on(value)) start = "insn:0x00008013";
      if (stop.empty() && is_on(value)) stop = "insn:0x00010013";
    } else {
      return "unknown option '" + std::string(key) +
             "'; expected out, start, stop, elf, markers, once or offsets";
    }
  }
  std::string wrong;
  if (!start.empty()) wrong = parse_trigger(start, elf, options.start);
  if (wrong.empty() && !stop.empty())
    wrong = parse_trigger(stop, elf, options.stop);
  return wrong;
}

}  // namespace wick_qemu
