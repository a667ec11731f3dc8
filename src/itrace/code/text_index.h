// SPDX-License-Identifier: Apache-2.0
// The code of all files that a program might have mapped. It finds the pages
// that agree with the evidence from a page in memory.
//
// A search visits every page: the first or second step compared rules out a
// wrong page, so the 300 pages of a libc take a microsecond and the 50,000 of a
// whole distribution a millisecond, and there are a few searches for each new
// page. An index by instruction would take several times the memory of the text
// itself, and would be useless without instruction words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/id.h"
#include "itrace/code/page_evidence.h"
#include "object/elf/elf_file.h"

namespace wick {

enum class BinaryId : std::uint32_t {};

// A page of a file's code; `elf_page` is its elf_addr, a multiple of the page
// size.
struct BinaryPage {
  BinaryId binary{};
  std::uint64_t elf_page = 0;
  friend bool operator==(const BinaryPage&, const BinaryPage&) = default;
};

class TextIndex {
 public:
  // Code beyond this is ignored; a distribution has 200 MB.
  static constexpr std::uint64_t kMaxText = 1 << 30;

  struct Binary {
    std::string path;
    std::shared_ptr<const ElfFile> elf;
    bool fixed = false;  // runs at its link-time addresses
  };

  // Nothing unless the file is a RISC-V program or library, or beyond kMaxText.
  // A file that is already known, by its build id or its text, is not added
  // again and keeps its id.
  std::optional<BinaryId> add(std::string path,
                              std::shared_ptr<const ElfFile> elf);

  std::size_t size() const { return binaries_.size(); }
  const Binary& operator[](BinaryId id) const { return binaries_[id]; }
  bool has_page(const BinaryPage& page) const {
    return find_text(page) != nullptr;
  }
  // An empty view if the file has no code there.
  TextPageView view(const BinaryPage& page) const;

  struct Match {
    BinaryPage page;
    Fit fit;
  };
  // The pages that agree with the evidence; at most `limit`.
  std::vector<Match> matches(const PageEvidence& evidence,
                             std::size_t limit) const;
  // The page of code at this offset of the file; nothing if it is not code.
  std::optional<BinaryPage> page_of(BinaryId binary,
                                    std::uint64_t file_off) const;
  // Binaries with fixed addresses that have code on the page at `address`.
  std::vector<BinaryId> fixed_at(std::uint64_t address) const;

 private:
  struct Text {
    BinaryId binary{};
    std::uint64_t elf_addr = 0, file_off = 0;
    std::string_view bytes;  // of the binary's ELF file
    Xlen xlen = Xlen::k64;

    std::uint64_t first_page() const { return elf_addr & ~kTextPageMask; }
    std::uint64_t end() const { return elf_addr + bytes.size(); }
    TextPageView view(std::uint64_t elf_page) const {
      return {bytes, static_cast<std::int64_t>(elf_page - elf_addr), xlen};
    }
  };
  const Text* find_text(const BinaryPage& page) const;

  Column<BinaryId, Binary> binaries_;
  std::vector<Text> texts_;  // by binary
  Column<BinaryId, std::uint32_t> first_text_;
  absl::flat_hash_map<std::string, BinaryId> by_content_;
  std::vector<BinaryId> fixed_;
  std::uint64_t total_ = 0;
};

}  // namespace wick
