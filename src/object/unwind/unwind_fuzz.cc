// SPDX-License-Identifier: Apache-2.0
// Any bytes as .eh_frame and as .debug_frame, and stacks unwound by the rules
// they give.
//
// An input is: a byte of flags, two bytes each for the size of the stack copy
// and of .eh_frame_hdr (0: one without a table), 16 bytes that choose
// registers, the stack, the header, and the rest as .eh_frame.
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fuzz_target.h"
#include "object/elf/elf_file.h"
#include "object/unwind/cfi_program.h"
#include "object/unwind/frame_index.h"
#include "object/unwind/function_ranges.h"
#include "object/unwind/straight_code.h"
#include "object/unwind/unwinder.h"

namespace wick {
namespace {

constexpr std::uint64_t kCode = 0x1000;  // 60 kB
constexpr std::uint64_t kHeader = 0x10000;
constexpr std::uint64_t kFuzzStack = 0x7fff0000;

void require(bool good) {
  if (!good) std::abort();
}

// A file without sections, as a vDSO may be: code, and the frames behind it.
std::string wrap(std::uint16_t machine, std::string_view header,
                 std::string_view frames) {
  std::string content;
  if (header.empty()) {
    content = "\x01\x1b\xff\xff";  // .eh_frame comes next; no table
    append_raw(content, std::uint32_t{4});
  } else {
    content = header;
  }
  content += frames;
  const std::size_t offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr);
  Elf64_Ehdr file = {};
  std::memcpy(file.e_ident,
              "\x7f"
              "ELF\x02\x01\x01",
              7);
  file.e_type = ET_DYN;
  file.e_machine = machine;
  file.e_version = 1;
  file.e_phoff = sizeof(Elf64_Ehdr);
  file.e_ehsize = sizeof(Elf64_Ehdr);
  file.e_phentsize = sizeof(Elf64_Phdr);
  file.e_phnum = 3;
  const Elf64_Phdr code = {.p_type = PT_LOAD,
                           .p_flags = PF_R | PF_X,
                           .p_offset = 0,
                           .p_vaddr = kCode,
                           .p_paddr = kCode,
                           .p_filesz = 0,
                           .p_memsz = kHeader - kCode,
                           .p_align = 1};
  Elf64_Phdr data = {.p_type = PT_LOAD,
                     .p_flags = PF_R,
                     .p_offset = offset,
                     .p_vaddr = kHeader,
                     .p_paddr = kHeader,
                     .p_filesz = content.size(),
                     .p_memsz = content.size(),
                     .p_align = 1};
  std::string out;
  append_raw(out, file);
  append_raw(out, code);
  append_raw(out, data);
  data.p_type = PT_GNU_EH_FRAME;
  append_raw(out, data);
  return out + content;
}

class OneModule : public UnwindMap {
 public:
  explicit OneModule(UnwindTable table) : table_(std::move(table)) {}
  CodeRange find(std::uint64_t address, CodePlace) const override {
    if (address < kCode || address >= kHeader) return {};
    return {.start = kCode, .end = kHeader, .table = &table_};
  }
  const UnwindTable& table() const { return table_; }

 private:
  UnwindTable table_;
};

// What the compiler gives of a section, whatever the index says.
void compile(std::string_view frames, bool eh, bool swap) {
  const CfiSection section = {
      .bytes = frames, .address = kHeader, .eh = eh, .swap = swap};
  const FrameIndex index = index_from_section(section, 0, ~std::uint64_t{0});
  CfiCompiler compiler(section);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < index.starts.size(); ++i) {
    const std::uint64_t start = index.starts[i];
    const std::uint64_t limit = i + 1 < index.starts.size()
                                    ? index.starts[i + 1]
                                    : std::uint64_t{1} << 32;
    require(start < limit);
    const std::size_t before = compiler.rows().size();
    compiler.compile(index.offsets[i], start, limit);
    require(compiler.rows().size() > before);
    for (std::size_t row = before; row < compiler.rows().size(); ++row) {
      const std::uint64_t at = compiler.rows()[row].start;
      require(at >= start && at < limit && (row == 0 || at > last));
      last = at;
    }
  }
}

void fuzz_unwind(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto flags = reader.read<std::uint8_t>();
  const auto stack_size = reader.read<std::uint16_t>();
  const auto header_size = reader.read<std::uint16_t>();
  const std::string_view seed = reader.read_bytes(16);
  const std::string_view stack = reader.read_bytes(stack_size);
  const std::string_view header = reader.read_bytes(header_size);
  if (reader.failed()) return;
  const std::string_view frames = reader.rest();
  compile(frames, (flags & 4) == 0, (flags & 8) != 0);
  for (const Machine machine : {Machine::kX86_64, Machine::kAArch64})
    for (std::size_t at = 0; at < std::min<std::size_t>(frames.size(), 64);
         ++at)
      for (const CodePlace place : {CodePlace::kInstruction, CodePlace::kCall})
        rule_of_straight_code(machine, {frames, at, place});

  constexpr std::uint16_t kMachines[] = {EM_X86_64, EM_AARCH64, EM_RISCV,
                                         EM_X86_64};
  // An unwinder's cache takes longer to make than all the rest.
  static Unwinder unwinders[] = {
      Unwinder(Machine::kX86_64), Unwinder(Machine::kAArch64),
      Unwinder(Machine::kRiscV), Unwinder(Machine::kX86_64)};
  static std::uint64_t version = 0;
  ++version;
  const auto file =
      ElfFile::from_memory("fuzz", wrap(kMachines[flags & 3], header, frames));
  const OneModule module(UnwindTable::build(file, nullptr));
  const FunctionRanges ranges(file);
  Unwinder& unwinder = unwinders[flags & 3];
  Registers registers;
  registers.sp = kFuzzStack;
  registers.known = flags & 16 ? ~std::uint64_t{0} : 0x3fffffff;
  for (std::size_t i = 0; i < Registers::kCount; ++i)
    registers.value[i] =
        kFuzzStack +
        std::uint64_t{8} * static_cast<std::uint8_t>(seed[i % seed.size()]);
  std::vector<std::uint64_t> out;
  for (std::uint64_t pc = kCode; pc < kHeader; pc += 251) {
    const auto start = ranges.start_of(pc);
    require(!start || *start <= pc);
    registers.pc = registers.value[16] = pc;
    registers.value[30] = registers.value[1] = pc + 77;
    out.clear();
    const UnwindEnd end =
        unwinder.unwind(registers, stack, module, version, out);
    require(end < UnwindEnd::kCount && !out.empty() && out[0] == pc &&
            out.size() <= std::size_t{Unwinder::kMaxFrames});
  }
  module.table().compile_all(1);
  require(module.table().rows() <= 2 * bytes.size() + 64);
}

}  // namespace

extern const FuzzTarget unwind_fuzz = {.name = "unwind", .run = fuzz_unwind};

}  // namespace wick
