// SPDX-License-Identifier: Apache-2.0
// What is known about the pages of user code in every address space: the file
// and page that each one is, or the evidence collected until that is decided.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "itrace/code/code_map.h"
#include "itrace/code/page_evidence.h"
#include "itrace/code/text_index.h"
#include "itrace/code/user_files.h"
#include "object/address_space.h"
#include "profile/format.h"

namespace wick {

enum class UserPageId : std::uint32_t { kTooMany = 0 };

class UserPages {
 public:
  // Looks for user code in the files of `map`, which must outlive this object,
  // and in those of the sysroot. Files that turn out to be used are added to
  // `map`.
  UserPages(CodeMap& map, Sysroot sysroot);

  // A space without a page table of its own may turn out to hold several
  // processes; see separate().
  SpaceId new_space(bool has_page_table = false);
  // Includes SpaceId::kNone, where privileged code runs for every process.
  std::size_t space_count() const { return spaces_.size(); }

  // The trace says that the file `path` is mapped at start..end, from file_off
  // on. If the file is found, its pages are not doubted.
  void tell(SpaceId space, const Mapping& mapping, std::string_view path);

  struct Page {
    enum class State : std::uint8_t {
      kUndecided,  // evidence is collected
      kDecided,
      kForeign,  // the evidence is complete, and no file agrees
    };
    State state = State::kUndecided;
    bool is_told = false;     // by tell(), not by evidence
    bool is_touched = false;  // is in touched_
    std::uint8_t quiet = 0;   // consecutive visits without new evidence
    SpaceId space = SpaceId::kNone;
    Layer layer = Layer::kUser;  // who runs it
    std::uint64_t page_pc = 0;
    BinaryPage place;                        // if kDecided
    std::unique_ptr<PageEvidence> evidence;  // if kUndecided
    // The size of the evidence when all files were last searched.
    std::size_t searched_at = 0;
  };
  Page& page(UserPageId id) { return pages_[index(id)]; }
  UserPageId find_or_make(SpaceId space, std::uint64_t page_pc);
  // Null if the page is unknown, or known from tell().
  const Page* decided(SpaceId space, std::uint64_t page_pc) const;
  TextPageView text(const Page& page) const {
    return files_.index().view(page.place);
  }
  // The page of this space; else, without a page table, what another process
  // has there; else, if no code of this space ran there, that of privileged
  // code.
  std::optional<UserCode::Place> place(SpaceId space,
                                       std::uint64_t page_pc) const;

  // Call touch() for an undecided page that runs. It is decided by settle() at
  // the end of the block, or by decide_early() if there is plenty of evidence.
  void touch(UserPageId id);
  void decide_early(Page& page);
  void settle();
  // Starts again with this page.
  void forget(const Page& page);

  // Increases when a result of place() may have changed.
  std::uint32_t generation() const { return generation_; }
  // Increases when pages turn out to belong to another space.
  std::uint32_t separated() const { return separated_; }

 private:
  // A file's code is at elf_addr + bias, modulo 2^pc_bits.
  struct Bias {
    BinaryId binary{};
    std::uint64_t bias = 0;
    friend bool operator==(const Bias&, const Bias&) = default;
  };
  struct Told {
    std::uint64_t start = 0, end = 0, file_off = 0;
    std::optional<BinaryId> binary;
  };
  struct Space {
    absl::flat_hash_map<std::uint64_t, UserPageId> pages;
    std::vector<Bias> biases;
    std::vector<Told> told;  // later ones hide earlier ones
    bool has_page_table = false;
    std::optional<BinaryId> program;  // with fixed addresses
  };

  const Page* find(SpaceId space, std::uint64_t page_pc) const;
  const Page* find_elsewhere(std::uint64_t page_pc) const;
  bool apply_told(Page& page);
  bool settle(Page& page, bool search_all);
  bool search(Page& page);
  std::optional<BinaryPage> proposed(const Page& page) const;
  std::optional<BinaryPage> at_bias(const Bias& bias,
                                    std::uint64_t page_pc) const;
  void decide(Page& page, const BinaryPage& place);
  bool separate(Page& page, const BinaryPage& place);
  void close(Page& page, Page::State state);

  CodeMap& map_;
  std::uint64_t pc_mask_;
  UserFiles files_;
  absl::flat_hash_map<BinaryId, CodeImageId> image_of_;
  std::deque<Space> spaces_{1};   // row 0: of privileged code
  std::deque<Page> pages_;        // row 0: too many
  std::vector<Bias> all_biases_;  // of every space
  // The last space without a page table in which a page that is not at a fixed
  // address was decided.
  absl::flat_hash_map<std::uint64_t, SpaceId> elsewhere_;
  std::vector<UserPageId> touched_;
  std::size_t open_evidence_ = 0;
  std::uint32_t generation_ = 1, separated_ = 0;
};

}  // namespace wick
