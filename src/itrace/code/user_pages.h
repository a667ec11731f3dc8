// SPDX-License-Identifier: Apache-2.0
// What is known of the pages of user code in every address space: the file and
// page that each is, or the evidence that is collected until that is decided.
#pragma once

#include <array>
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

namespace wick {

enum class UserPageId : std::uint32_t { kTooMany = 0 };

class UserPages {
 public:
  // Looks for user code among the files of `map`, which must outlive this, and
  // those of the sysroot; files that turn out to be used are added to `map`.
  UserPages(CodeMap& map, std::string sysroot);

  // Without a page table of its own, it may turn out to be that of several
  // processes; see separate().
  SpaceId new_space(bool has_page_table = false);
  // kNone is where privileged code runs, the same for every process. How many
  // there are, with it:
  std::size_t space_count() const { return spaces_.size(); }

  // The file `path` is mapped at start..end, from file_off on. If it is there,
  // its pages are not doubted.
  void tell(SpaceId space, const Mapping& mapping, std::string_view path);

  struct Page {
    enum class State : std::uint8_t {
      kUndecided,  // evidence is collected
      kDecided,
      kForeign,  // as much evidence as is kept, and no file agrees
    };
    State state = State::kUndecided;
    bool is_told = false;     // by tell(), not by evidence
    bool is_touched = false;  // is in touched_
    std::uint8_t quiet = 0;   // visits in a row that showed nothing new
    SpaceId space = SpaceId::kNone;
    Layer layer = Layer::kUser;  // who runs it
    std::uint64_t page_pc = 0;
    BinaryPage place;                        // if kDecided
    std::unique_ptr<PageEvidence> evidence;  // if kUndecided
    std::size_t searched_at =
        0;  // evidence's size when all files were searched
  };
  Page& page(UserPageId id) { return pages_[index(id)]; }
  UserPageId find_or_make(SpaceId space, std::uint64_t page_pc);
  // Null if it is not known there, or told.
  const Page* decided(SpaceId space, std::uint64_t page_pc) const;
  TextPageView text(const Page& page) const {
    return files_.index().view(page.place);
  }
  // Of this space, or of what privileged code has there if no code of this
  // space ran there.
  std::optional<UserCode::Place> place(SpaceId space,
                                       std::uint64_t page_pc) const;

  // A page that is not decided and runs now: to be settled, early with
  // decide_early() if there is plenty of evidence, else by settle().
  void touch(UserPageId id);
  void decide_early(Page& page);
  void settle();
  // Begins anew with this page.
  void forget(const Page& page);

  // Grows when an answer of place() may have changed.
  std::uint32_t generation() const { return generation_; }
  // Grows when pages turned out to be of another space than they ran in.
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
    std::vector<Told> told;  // a later one hides those before
    bool has_page_table = false;
    std::optional<BinaryId> program;  // with fixed addresses
  };

  const Page* find(SpaceId space, std::uint64_t page_pc) const;
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
  std::vector<UserPageId> touched_;
  std::size_t open_evidence_ = 0;
  std::uint32_t generation_ = 1, separated_ = 0;
};

}  // namespace wick
