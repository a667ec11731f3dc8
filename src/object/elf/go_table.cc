// SPDX-License-Identifier: Apache-2.0
#include "object/elf/go_table.h"

#include <elf.h>

#include "object/elf/elf_file.h"

namespace wick {
namespace {

enum : std::uint32_t {
  kGo12 = 0xfffffffb,
  kGo116 = 0xfffffffa,
  kGo118 = 0xfffffff0,
  kGo120 = 0xfffffff1,
};
// A description is the address again, nine or ten numbers of 32 bits, the
// second that of the name and the fifth that of the stack sizes, then a byte
// and flags.
constexpr std::uint32_t kNumbers = 8, kNumbersOf120 = 9;
// Flags: nothing calls it; it changes the stack pointer by other than a
// constant.
constexpr std::uint8_t kTopFrame = 1, kWritesSp = 2;

std::uint64_t read_number(ByteReader& in, std::uint32_t width) {
  return width == 4 ? in.read<std::uint32_t>() : in.read<std::uint64_t>();
}

std::string_view from(std::string_view bytes, std::uint64_t offset) {
  return offset < bytes.size() ? bytes.substr(offset) : std::string_view();
}

// In a position-independent program, what a pointer at `elf_addr` will be may
// only be in its relocation.
std::optional<std::uint64_t> relocated(const ElfFile& file,
                                       std::uint64_t elf_addr) {
  const ElfFile::Section* section = file.section(".rela.dyn");
  if (section == nullptr || !file.is_64()) return {};
  ByteReader in = file.reader(file.bytes(*section));
  while (in.fits(1, sizeof(Elf64_Rela))) {
    const auto address = in.read<std::uint64_t>();
    in.read<std::uint64_t>();
    const auto addend = in.read<std::uint64_t>();
    if (address == elf_addr) return addend;
  }
  return {};
}

std::uint64_t text_address(const ElfFile& file, std::uint64_t stored,
                           std::uint64_t stored_at) {
  if (stored != 0) return stored;
  if (const auto address = relocated(file, stored_at)) return *address;
  const ElfFile::Section* text = file.section(".text");
  return text == nullptr ? 0 : text->address;
}

}  // namespace

std::optional<GoTable> GoTable::find(const ElfFile& file) {
  for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab"})
    if (const ElfFile::Section* section = file.section(name))
      return read(file, file.bytes(*section), section->address);
  // Other linkers than Go's add it to what else is relocated.
  const ElfFile::Section* section = file.section(".data.rel.ro");
  if (section == nullptr || file.section(".go.buildinfo") == nullptr) return {};
  const std::string_view bytes = file.bytes(*section);
  constexpr std::uint64_t kAlignment = 32;
  for (std::uint64_t at = -section->address % kAlignment; at < bytes.size();
       at += kAlignment)
    if (auto table = read(file, bytes.substr(at), section->address + at))
      return table;
  return {};
}

std::optional<GoTable> GoTable::read(const ElfFile& file,
                                     std::string_view bytes,
                                     std::uint64_t elf_addr) {
  ByteReader in = file.reader(bytes);
  const auto magic = in.read<std::uint32_t>();
  if (in.read<std::uint16_t>() != 0) return {};
  in.read<std::uint8_t>();
  const std::uint32_t pointer = in.read<std::uint8_t>();
  if (in.failed() || (pointer != 4 && pointer != 8)) return {};
  const bool has_text = magic == kGo118 || magic == kGo120;
  if (!has_text && magic != kGo116 && magic != kGo12) return {};
  GoTable table(file);
  table.size_ = read_number(in, pointer);
  table.width_ = has_text ? 4 : pointer;
  if (magic == kGo12) {
    table.index_ = in.rest();
    table.names_ = table.values_ = table.descriptions_ = bytes;
  } else {
    read_number(in, pointer);  // files
    if (has_text) {
      const std::uint64_t at = bytes.size() - in.rest().size();
      table.text_ = text_address(file, read_number(in, pointer), elf_addr + at);
    }
    table.names_ = from(bytes, read_number(in, pointer));
    read_number(in, pointer);  // units
    read_number(in, pointer);  // file names
    table.values_ = from(bytes, read_number(in, pointer));
    table.index_ = table.descriptions_ = from(bytes, read_number(in, pointer));
    table.flag_at_ =
        table.width_ + 4 * (magic == kGo120 ? kNumbersOf120 : kNumbers) + 1;
  }
  // With the end of the code.
  const bool fits =
      file.reader(table.index_).fits(table.size_, 2 * table.width_) &&
      table.index_.size() - table.size_ * 2 * table.width_ >= table.width_;
  return in.failed() || !fits ? std::nullopt : std::optional(table);
}

std::uint64_t GoTable::start_of(std::uint64_t row) const {
  ByteReader in = file_->reader(index_.substr(row * 2 * width_));
  return text_ + read_number(in, width_);
}

GoTable::Function GoTable::function(std::uint64_t row) const {
  ByteReader in = file_->reader(index_.substr(row * 2 * width_));
  const std::uint64_t start = read_number(in, width_);
  const std::uint64_t description = read_number(in, width_);
  return {text_ + start, text_ + read_number(in, width_), description};
}

std::optional<GoTable::Function> GoTable::function_at(
    std::uint64_t elf_addr) const {
  std::uint64_t first = 0, count = size_;
  while (count > 0) {  // the first that starts after the address
    const std::uint64_t half = count / 2;
    const bool is_before = start_of(first + half) <= elf_addr;
    if (is_before) first += half + 1;
    count = is_before ? count - half - 1 : half;
  }
  if (first == 0) return {};
  const Function found = function(first - 1);
  if (elf_addr < found.start || elf_addr >= found.end) return {};
  return found;
}

ByteReader GoTable::fields(const Function& function) const {
  ByteReader in = file_->reader(from(descriptions_, function.description));
  read_number(in, width_);
  return in;
}

std::string_view GoTable::name(const Function& function) const {
  ByteReader in = fields(function);
  const std::uint64_t at = in.read<std::uint32_t>();
  return in.failed() ? std::string_view() : from(names_, at);
}

ByteReader GoTable::stack_sizes(const Function& function) const {
  ByteReader in = fields(function);
  for (int i = 0; i < 3; ++i) in.read<std::uint32_t>();
  const std::uint64_t at = in.read<std::uint32_t>();
  return file_->reader(in.failed() || at == 0 ? std::string_view()
                                              : from(values_, at));
}

bool GoTable::is_root(const Function& function) const {
  if (flag_at_ == 0) return false;
  const std::string_view description =
      from(descriptions_, function.description);
  return flag_at_ < description.size() &&
         (static_cast<std::uint8_t>(description[flag_at_]) &
          (kTopFrame | kWritesSp)) != 0;
}

}  // namespace wick
