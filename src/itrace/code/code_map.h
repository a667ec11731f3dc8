// SPDX-License-Identifier: Apache-2.0
// Finds the code at a pc: its page of text, with the flow kind and the function
// of every instruction, prepared when the page is first used.
//
// Three kinds of code are tried in this order:
//   - files with the same addresses in every address space: the kernel
//     (vmlinux, System.map), its modules, the SBI, programs without an
//     operating system;
//   - user code, which UserCode finds by address space, and ROMs and programs
//     without an operating system at the addresses of user code;
//   - unknown code, on pages of its own, whose flow kinds are learnt from the
//     trace.
//
// A source may have only the low bits of a pc (TraceInfo::pc_bits). Files are
// placed by these bits alone, so a pc is never extended by a guess.
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
#include "io/input_file.h"
#include "itrace/code/riscv.h"
#include "itrace/formats/instruction.h"
#include "itrace/formats/trace_reader.h"
#include "object/debug_files.h"
#include "object/elf/elf_file.h"
#include "object/elf/symbol_table.h"
#include "object/module_symbols.h"
#include "object/symbol_cache.h"
#include "profile/diagnostics.h"
#include "profile/format.h"

namespace wick {

enum class CodeImageId : std::uint32_t { kNone = 0 };
enum class FunctionId : std::uint32_t { kNone = 0 };
// Address spaces that harts run in; kNone if not known.
enum class SpaceId : std::uint32_t { kNone = 0 };

// Who runs the code, least privileged first.
enum class Layer : std::uint8_t { kUnknown, kUser, kKernel, kMachine };

// The name of code without one: "[unknown user code]".
std::string_view unknown_name(Layer layer);

// A file of code; `path` is as the user gave it.
struct CodeImage {
  std::string path;
  // Null for a System.map, which has names but no text.
  std::shared_ptr<const ElfFile> elf;
  // What its code is called, also by its separate debug file; null for a
  // System.map and for stripped firmware.
  std::unique_ptr<ModuleSymbols> names;
  SymbolTable system_map;  // empty for an ELF file
  Layer layer = Layer::kUnknown;
  // At the same address in every address space: pc = elf_addr + bias.
  bool fixed = false;
  std::uint64_t bias = 0;
  // The executable part, in elf_addr.
  std::uint64_t text_start = 0, text_end = 0;

  // Up to `size` bytes of text at `elf_addr`: fewer at the end, none without a
  // file.
  std::string_view text(std::uint64_t elf_addr, std::uint64_t size) const;

  // With the start addresses of the ELF file (see SymbolTable), or of the
  // System.map.
  const SymbolTable& symbols() const {
    return names == nullptr ? system_map : names->symbols();
  }
};

struct CodeFunction {
  CodeImageId image = CodeImageId::kNone;
  Layer layer = Layer::kUnknown;
  std::uint64_t start = 0, size = 0;  // elf_addr
  // Mangled, as in the file; "" for code without a symbol. Lives as long as the
  // map.
  std::string_view name;
};

// 4 KiB of code; instruction slots are 2 bytes. Address spaces share the pages
// of a file. Memory traffic dominates: each instruction reads one byte of its
// page, and a transfer two more.
struct CodePage {
  static constexpr std::uint64_t kBytes = 4096;
  static constexpr std::size_t kSlots = kBytes / 2;
  static std::size_t slot(std::uint64_t pc) { return pc % kBytes / 2; }
  static constexpr std::uint16_t kNoPlace = 0xffff;

  CodeImageId image = CodeImageId::kNone;
  Layer layer = Layer::kUnknown;
  std::uint64_t elf_addr = 0;  // of its first byte; the pc of unknown code
  // The instruction that would begin in each slot. For unknown or patched text,
  // what the trace has shown. Two more slots at the end, which are entries,
  // catch code that runs on past the page.
  std::array<Flow, kSlots + 2> flow{};
  // A function and one of its places (see Places).
  struct Spot {
    FunctionId function = FunctionId::kNone;
    std::uint16_t place = kNoPlace;
    // All slots around it that are of the function, without a gap.
    std::uint16_t first = 0, end = kSlots;
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

// The hart runs in this space from instruction `from` of the block on.
struct SpaceChange {
  std::uint32_t from = 0;
  SpaceId space = SpaceId::kNone;
};

// Finds which file is mapped where in which address space.
class UserCode {
 public:
  virtual ~UserCode() = default;

  // Called with every block in order, before it is tracked. Appends the changes
  // of the address space, by `from`; a hart's last row applies to its next
  // block, too.
  virtual void learn(const TraceBlock& block,
                     std::vector<SpaceChange>& changes) = 0;

  // A page of user code: the image, and the elf_addr of its first byte.
  struct Place {
    CodeImageId image = CodeImageId::kNone;
    std::uint64_t elf_addr = 0;
  };
  // Nothing if it is not known (yet). `page_pc` is the pc of the page's first
  // byte, with pc_bits bits.
  virtual std::optional<Place> find(SpaceId space, std::uint64_t page_pc) = 0;

  // Increases when a result of find() may have changed.
  virtual std::uint32_t generation() const = 0;

  // For the names of threads: satp, or "" if not known.
  virtual std::string name(SpaceId space) const = 0;

  // Results of find() that turned out to be wrong.
  virtual std::uint64_t pages_relearnt() const { return 0; }
};

class CodeMap {
 public:
  // Opens the files of `options`: fails (wick::Error) if one cannot be read.
  // Their separate debug files are looked for as `symbols` says, and in the
  // sysroot.
  CodeMap(const TraceOptions& options, const TraceInfo& info,
          const SymbolOptions& symbols = {});
  ~CodeMap();
  CodeMap(const CodeMap&) = delete;
  CodeMap& operator=(const CodeMap&) = delete;

  // Adds an open file (tests, files of a sysroot). With `at`, its text begins
  // there.
  CodeImageId add_elf(const std::shared_ptr<const ElfFile>& elf,
                      std::string path, std::optional<std::uint64_t> at = {});
  // The text of a System.map or of /proc/kallsyms.
  CodeImageId add_system_map(std::string text, std::string path);

  // From now on, `user_code` finds programs and libraries. Without it, a
  // program with fixed addresses is at these in every address space.
  void set_user_code(std::unique_ptr<UserCode> user_code);

  // Call it with each block before its instructions are looked up. The result
  // is valid until the next call.
  std::span<const SpaceChange> learn(const TraceBlock& block);

  // The page of `pc`, which always exists and lives as long as the map. After
  // learn(), there may be a better answer: then generation() increases.
  CodePage& page(SpaceId space, std::uint64_t pc);
  std::uint32_t generation() const;
  // The image's code runs with more privilege than its addresses suggest: a
  // program without an operating system, or a ROM.
  void raise_layer(CodeImageId id, Layer layer);
  // Sets who runs a page of unknown code.
  static void set_layer(CodePage& page, Layer layer);

  const CodeImage& image(CodeImageId id) const { return images_[index(id)]; }
  std::size_t image_count() const { return images_.size(); }  // with kNone
  const CodeFunction& function(FunctionId id) const {
    return functions_[index(id)];
  }
  std::size_t function_count() const { return functions_.size(); }
  // The function of this name in a fixed image; kNone if there is none.
  FunctionId find_function(std::string_view name) const;
  // As it is in folded stacks: demangled; "[libc.so.6]" if only the file is
  // known, else the unknown_name() of its layer.
  std::string shown_name(const CodeFunction& function) const;
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
  std::unique_ptr<ModuleSymbols> names_of(
      const std::shared_ptr<const ElfFile>& elf, const std::string& path);
  CodeImageId add_image(CodeImage image);
  void index_functions(CodeImageId id);
  void add_range(CodeImageId id);
  void add_module(const std::string& spec);
  void read_module_list(const std::string& path);
  void add_file(const std::string& path);
  InputFile open_input(const std::string& path) const;
  CodePage& make_page(SpaceId space, std::uint64_t page_pc);
  CodePage& image_page(CodeImageId image, std::uint64_t elf_addr);
  CodePage& unknown_page(SpaceId space, std::uint64_t page_pc);

  std::uint64_t pc_mask_;
  bool knows_privilege_;
  Xlen xlen_ = Xlen::k64;
  bool only_regular_files_;
  std::string sysroot_;
  DebugFiles debug_files_;
  std::optional<SymbolCache> symbol_cache_;  // none if it is not to be used
  std::deque<CodeImage> images_;             // row 0: none
  std::vector<CodeFunction> functions_;      // row 0: none
  // By image: its code without a symbol, followed by a row per symbol.
  std::vector<FunctionId> first_function_;
  std::vector<Range> ranges_;  // by start
  std::unique_ptr<UserCode> user_code_;
  absl::flat_hash_map<std::string, std::uint64_t> module_starts_;
  bool has_console_ = false;  // even if it lists no modules
  std::uint32_t user_generation_ = 0, own_generation_ = 0;
  std::vector<SpaceChange> space_changes_;

  std::deque<CodePage> pages_;
  using PageKey = std::pair<std::uint32_t, std::uint64_t>;
  // Results of page() by space and page; pages of images by image and elf_addr;
  // unknown pages by space and page.
  absl::flat_hash_map<PageKey, CodePage*> found_, image_pages_, unknown_pages_;
  Diagnostics diagnostics_;
};

}  // namespace wick
