// SPDX-License-Identifier: Apache-2.0
// What code a pc is: the page of text that it lies in, with the flow kind and
// the function of every instruction, prepared when the page is met first.
//
// Three kinds of code answer in this order:
//   - files at addresses that are the same in every address space: the kernel
//     (vmlinux, System.map), its modules, the SBI, programs without an
//     operating system;
//   - user code, which UserCode finds by address space; also the code of ROMs
//     and of programs without an operating system that lies where user code
//     does;
//   - unknown code: pages of their own, whose flow kinds are learnt from the
//     trace as it goes.
//
// A source may have only the low bits of a pc (TraceInfo::pc_bits). Files
// are put where their addresses are with these bits alone, so a pc is never
// widened by a guess: it is wherever something fits.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/id.h"
#include "itrace/code/riscv.h"
#include "itrace/formats/instruction.h"
#include "itrace/formats/trace_reader.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table.h"
#include "profile/diagnostics.h"

namespace wick {

enum class CodeImageId : std::uint32_t { kNone = 0 };
enum class FunctionId : std::uint32_t { kNone = 0 };
// Address spaces that a trace's harts run in; kNone where nothing is known.
enum class SpaceId : std::uint32_t { kNone = 0 };

// Who runs the code, from the least privileged on.
enum class Layer : std::uint8_t { kUnknown, kUser, kKernel, kMachine };

// What code without a name is called: "[unknown user code]".
std::string_view unknown_name(Layer layer);

// A file of code, as the user named it.
struct CodeImage {
  std::string path;
  // Null for a System.map: names are known, text is not.
  std::shared_ptr<const ElfFile> elf;
  // With the start addresses of the ELF file (see SymbolTable), or of the
  // System.map.
  SymbolTable symbols;
  Layer layer = Layer::kUnknown;
  // Same place in every address space: pc = elf_addr + bias.
  bool fixed = false;
  std::uint64_t bias = 0;
  // The executable part, in elf_addr.
  std::uint64_t text_start = 0, text_end = 0;

  // Up to `size` bytes of text at `elf_addr`; fewer at the end, none without
  // a file.
  std::string_view text(std::uint64_t elf_addr, std::uint64_t size) const;
};

struct CodeFunction {
  CodeImageId image = CodeImageId::kNone;
  Layer layer = Layer::kUnknown;
  std::uint64_t start = 0, size = 0;  // elf_addr
  // As in the file: mangled; "" for code without a symbol. Lives as long as
  // the map.
  std::string_view name;
};

// 4 KiB of code; instruction slots are 2 bytes. Several address spaces share
// the pages of one file. A trace goes through as many of them as the code has
// that it ran, and waits for each to come from memory: what every instruction
// asks is one byte, what transfers ask are two more.
struct CodePage {
  static constexpr std::uint64_t kBytes = 4096;
  static constexpr std::size_t kSlots = kBytes / 2;
  static std::size_t slot(std::uint64_t pc) { return pc % kBytes / 2; }
  static constexpr std::uint16_t kNoPlace = 0xffff;

  CodeImageId image = CodeImageId::kNone;
  Layer layer = Layer::kUnknown;
  std::uint64_t elf_addr = 0;  // of its first byte; of unknown code the pc
  // The instruction that would begin in each slot. Of unknown text, what the
  // trace has shown; patched text is overwritten by what the trace shows.
  // Behind the last slot are two more, into which code may run on: entries.
  std::array<Flow, kSlots + 2> flow{};
  // A function, and one of its places (inlined calls, lines; for Accounts).
  struct Spot {
    FunctionId function = FunctionId::kNone;
    std::uint16_t place = kNoPlace;
  };
  std::vector<Spot> spots;
  std::array<std::uint16_t, kSlots> spot{};  // of each slot, in `spots`

  CodePage() { flow[kSlots] = flow[kSlots + 1] = Flow().as_entry(); }
  FunctionId function(std::size_t slot) const {
    return spots[spot[slot]].function;
  }
  std::uint16_t place(std::size_t slot) const {
    return spots[spot[slot]].place;
  }
};

// From instruction `from` of a block on, the hart runs in this space.
struct SpaceChange {
  std::uint32_t from = 0;
  SpaceId space = SpaceId::kNone;
};

// Finds user code: which file is mapped where in which address space.
class UserCode {
 public:
  virtual ~UserCode() = default;

  // Is shown every block before it is tracked, in order. Adds where the
  // address space changes, by `from`; across blocks, the last row of a hart
  // holds on.
  virtual void learn(const TraceBlock& block,
                     std::vector<SpaceChange>& changes) = 0;

  // A page of user code: the image, and where its first byte is in that.
  struct Place {
    CodeImageId image = CodeImageId::kNone;
    std::uint64_t elf_addr = 0;
  };
  // Nothing if it is not known (yet). `page_pc` is that of the page's first
  // byte, with pc_bits bits.
  virtual std::optional<Place> find(SpaceId space, std::uint64_t page_pc) = 0;

  // Grows when an answer of find() may have changed.
  virtual std::uint32_t generation() const = 0;

  // For the names of threads: satp, and what else is known, "" if nothing.
  virtual std::string name(SpaceId space) const = 0;

  // Answers of find() that turned out to be wrong.
  virtual std::uint64_t pages_relearnt() const { return 0; }
};

class CodeMap {
 public:
  // Opens the files of `options`: fails (wick::Error) if one cannot be read.
  CodeMap(const TraceOptions& options, const TraceInfo& info);
  ~CodeMap();
  CodeMap(const CodeMap&) = delete;
  CodeMap& operator=(const CodeMap&) = delete;

  // Adds a file that is at hand already (tests, files of a sysroot). With
  // `at`, its text begins there.
  CodeImageId add_elf(const std::shared_ptr<const ElfFile>& elf,
                      std::string path, std::optional<std::uint64_t> at = {});
  // The text of a System.map or of /proc/kallsyms.
  CodeImageId add_system_map(std::string text, std::string path);

  // Programs and libraries are found by it from now on; without, a program
  // with fixed addresses is where they say in every address space.
  void set_user_code(std::unique_ptr<UserCode> user_code);

  // To be called with each block before its instructions are looked up. The
  // answer lives until the next call.
  std::span<const SpaceChange> learn(const TraceBlock& block);

  // The page of `pc`, which lives as long as the map. There always is one.
  // The same question may have a better answer after learn(): generation()
  // grows then.
  CodePage& page(SpaceId space, std::uint64_t pc);
  std::uint32_t generation() const;
  // This image's code runs with more privilege than its addresses tell: a
  // program that has no operating system under it, or the code of a ROM.
  void raise_layer(CodeImageId id, Layer layer);
  // Of a page of unknown code: who runs it.
  static void set_layer(CodePage& page, Layer layer);

  const CodeImage& image(CodeImageId id) const { return images_[index(id)]; }
  std::size_t image_count() const { return images_.size(); }  // with kNone
  const CodeFunction& function(FunctionId id) const {
    return functions_[index(id)];
  }
  std::size_t function_count() const { return functions_.size(); }
  // The function of this name in a fixed image; kNone if there is none.
  FunctionId find_function(std::string_view name) const;
  std::string space_name(SpaceId space) const;
  std::uint64_t pages_relearnt() const {
    return user_code_ == nullptr ? 0 : user_code_->pages_relearnt();
  }

  std::uint64_t pc_mask() const { return pc_mask_; }
  Xlen xlen() const { return xlen_; }
  // What was damaged in the files, and which of them are not used.
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  struct Range {  // of a fixed image, masked
    std::uint64_t start, end;
    CodeImageId image;
  };
  CodeImageId add_image(CodeImage image);
  void index_functions(CodeImageId id);
  void add_range(CodeImageId id);
  void add_module(const std::string& spec);
  void read_module_list(const std::string& path);
  void add_file(const std::string& path);
  CodePage& make_page(SpaceId space, std::uint64_t page_pc);
  CodePage& image_page(CodeImageId image, std::uint64_t elf_addr);
  CodePage& unknown_page(SpaceId space, std::uint64_t page_pc);

  std::uint64_t pc_mask_;
  bool knows_privilege_;
  Xlen xlen_ = Xlen::k64;
  std::deque<CodeImage> images_;         // row 0: none
  std::vector<CodeFunction> functions_;  // row 0: none
  // Of each image: its nameless code, then a row for each symbol.
  std::vector<FunctionId> first_function_;
  std::vector<Range> ranges_;  // by start
  std::unique_ptr<UserCode> user_code_;
  absl::flat_hash_map<std::string, std::uint64_t> module_starts_;
  bool has_console_ = false;  // though it may list no modules
  std::uint32_t user_generation_ = 0, own_generation_ = 0;
  std::vector<SpaceChange> space_changes_;

  std::deque<CodePage> pages_;
  using PageKey = std::pair<std::uint32_t, std::uint64_t>;
  // What page() answered, by space (kNone for fixed code) and page; by image
  // and elf_addr; and the unknown ones by space and page.
  absl::flat_hash_map<PageKey, CodePage*> found_, image_pages_, unknown_pages_;
  Diagnostics diagnostics_;
};

}  // namespace wick
