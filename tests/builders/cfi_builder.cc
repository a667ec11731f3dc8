// SPDX-License-Identifier: Apache-2.0
#include "builders/cfi_builder.h"

#include <fmt/format.h>

#include "builders/elf_builder.h"

namespace wick {
namespace {

std::string special_text(const GeneralRule::Register& saved) {
  switch (saved.kind) {
    case GeneralRule::kUndefined:
      return "undefined";
    case GeneralRule::kOffset:
      return fmt::format("c{:+}", saved.offset);
    case GeneralRule::kValueOffset:
      return fmt::format("&c{:+}", saved.offset);
    case GeneralRule::kRegister:
      return fmt::format("r{}", saved.offset);
    case GeneralRule::kExpression:
      return "expression";
    case GeneralRule::kValueExpression:
      return "&expression";
  }
  return "?";
}

std::string general_text(const GeneralRule& rule) {
  std::string text = rule.cfa_expression.empty()
                         ? fmt::format("r{}{:+}", rule.cfa_reg, rule.cfa_offset)
                         : "expression";
  for (const GeneralRule::Register& saved : rule.registers)
    text += fmt::format(" r{}={}", saved.reg, special_text(saved));
  return text;
}

}  // namespace

std::string rule_text(const UnwindRule& rule) {
  std::string text;
  switch (rule.kind) {
    case UnwindRule::kNone:
      return "none";
    case UnwindRule::kUnmapped:
      return "unmapped";
    case UnwindRule::kRoot:
      return "root";
    case UnwindRule::kGeneral:
      text = general_text(rule.general());
      break;
    case UnwindRule::kOffsets:
      text = fmt::format("r{}{:+}", rule.cfa_reg, rule.cfa_offset);
      for (int i = 0; i < rule.count; ++i)
        text += fmt::format(" r{}=c{:+}", rule.reg[i], rule.offset[i]);
      if (!rule.ra_saved) text += fmt::format(" ra in r{}", rule.ra_reg);
      break;
  }
  return text + (rule.signal ? " signal" : "");
}

std::string cfa::sleb(std::int64_t value) {
  std::string out;
  while (true) {
    const auto byte = static_cast<char>(value & 0x7f);
    value >>= 7;
    const bool last = (value == 0 && (byte & 0x40) == 0) ||
                      (value == -1 && (byte & 0x40) != 0);
    out += static_cast<char>(last ? byte : byte | 0x80);
    if (last) return out;
  }
}

std::uint64_t CfiBuilder::add_entry(std::uint64_t cie, bool is_cie,
                                    const std::string& body) {
  const std::uint64_t offset = bytes_.size();
  const bool wide_id = options_.wide && !options_.eh;
  const std::uint64_t id_size = wide_id ? 8 : 4;
  if (options_.wide) {
    append_raw(bytes_, std::uint32_t{0xffffffff});
    append_raw(bytes_, std::uint64_t{body.size() + id_size});
  } else {
    append_raw(bytes_, static_cast<std::uint32_t>(body.size() + id_size));
  }
  std::uint64_t id = options_.eh ? bytes_.size() - cie : cie;
  if (is_cie) id = options_.eh ? 0 : ~std::uint64_t{0};
  if (wide_id)
    append_raw(bytes_, id);
  else
    append_raw(bytes_, static_cast<std::uint32_t>(id));
  bytes_ += body;
  return offset;
}

std::uint64_t CfiBuilder::add_cie(const CieSpec& spec) {
  std::string body(1, static_cast<char>(spec.version));
  body += spec.augmentation + '\0';
  if (spec.augmentation == "eh") body += std::string(8, '\0');
  if (spec.version == 4) body += std::string("\x08\0", 2);
  body += cfa::uleb(spec.code_align) + cfa::sleb(spec.data_align);
  body += cfa::uleb(spec.ra_reg);
  if (spec.augmentation.starts_with('z'))
    body += cfa::block(spec.augmentation_data);
  return add_entry(0, true, body + spec.program);
}

void CfiBuilder::put_pointer(std::string& out, std::uint64_t value,
                             int encoding, std::uint64_t at) const {
  if ((encoding & 0x70) == 0x10) value -= at;
  switch (encoding & 0x0f) {
    case 0x01:
      out += cfa::uleb(value);
      return;
    case 0x02:
    case 0x0a:
      append_raw(out, static_cast<std::uint16_t>(value));
      return;
    case 0x03:
    case 0x0b:
      append_raw(out, static_cast<std::uint32_t>(value));
      return;
    case 0x09:
      out += cfa::sleb(static_cast<std::int64_t>(value));
      return;
    default:
      append_raw(out, value);
  }
}

std::uint64_t CfiBuilder::add_fde(std::uint64_t cie, std::uint64_t start,
                                  std::uint64_t size,
                                  const std::string& program, int encoding) {
  const std::uint64_t at = address_ + bytes_.size() + (options_.wide ? 12 : 4) +
                           (options_.wide && !options_.eh ? 8 : 4);
  std::string body;
  put_pointer(body, start, encoding, at);
  put_pointer(body, size, encoding & 0x0f, 0);
  if (options_.eh) body += '\0';  // no augmentation data
  return add_entry(cie, false, body + program);
}

CfiSection CfiBuilder::section() const {
  return {.bytes = bytes_, .address = address_, .eh = options_.eh};
}

std::string CfiBuilder::header(
    std::uint64_t address,
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& functions)
    const {
  std::string out = "\x01\x1b\x03\x3b";
  append_raw(out, static_cast<std::uint32_t>(address_ - (address + 4)));
  append_raw(out, static_cast<std::uint32_t>(functions.size()));
  for (const auto& [start, fde] : functions) {
    append_raw(out, static_cast<std::uint32_t>(start - address));
    append_raw(out, static_cast<std::uint32_t>(address_ + fde - address));
  }
  return out;
}

std::shared_ptr<const ElfFile> CfiBuilder::file() const {
  ElfBuilder elf({.machine = options_.machine});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(0x10000, '\x90')});
  if (options_.eh)
    elf.add_section({.name = ".eh_frame",
                     .flags = SHF_ALLOC,
                     .address = address_,
                     .content = bytes_});
  else
    elf.add_section({.name = ".debug_frame", .content = bytes_});
  return elf.file();
}

UnwindTable CfiBuilder::table() const {
  return UnwindTable::build(file(), nullptr);
}

}  // namespace wick
