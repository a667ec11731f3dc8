// SPDX-License-Identifier: Apache-2.0
// The code of all files that a program might have mapped, to be asked which of
// their pages agrees with what a trace shows of a page in memory.
//
// Asking goes over every page: the first or second step that is compared rules
// a wrong page out, so the 300 pages of a libc cost a microsecond, the 50,000
// of a whole distribution a millisecond, and it is asked a few times for each
// page that is met first. An index by instruction would cost several times the
// text itself in memory and could not answer without instruction words.
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

// A page of a file's code; `elf_page` is its address as the file counts, a
// multiple of the page size.
struct BinaryPage {
  BinaryId binary{};
  std::uint64_t elf_page = 0;
  friend bool operator==(const BinaryPage&, const BinaryPage&) = default;
};

class TextIndex {
 public:
  // More code than this is not looked at: a distribution has 200 MB.
  static constexpr std::uint64_t kMaxText = 1 << 30;

  struct Binary {
    std::string path;
    std::shared_ptr<const ElfFile> elf;
    bool fixed = false;  // runs at the addresses that it has in its file
  };

  // Whether it has RISC-V code of a program or library. One that is there
  // already, by build id or by its text, is not added again; the same id is
  // given. Nothing for others, and for what is beyond kMaxText.
  std::optional<BinaryId> add(std::string path,
                              std::shared_ptr<const ElfFile> elf);

  std::size_t size() const { return binaries_.size(); }
  const Binary& operator[](BinaryId id) const { return binaries_[id]; }
  bool has_page(const BinaryPage& page) const {
    return find_text(page) != nullptr;
  }
  // An empty view where the file has no code there.
  TextPageView view(const BinaryPage& page) const;

  struct Match {
    BinaryPage page;
    Fit fit;
  };
  // The pages that agree with the evidence; at most `limit`.
  std::vector<Match> matches(const PageEvidence& evidence,
                             std::size_t limit) const;
  // The page of code that a mapping of this page of the file has; nothing where
  // it is no code.
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
