// SPDX-License-Identifier: Apache-2.0
// Which file is this pc in, for user code.
//
// A trace says nothing about files. But a page of code is as good as a
// fingerprint: what is executed on it (PageEvidence) agrees with one page of
// one file and no other. Each page that is decided tells where its whole file
// is mapped, so its other pages are proposed and need only not be contradicted.
// Other processes map the same files, often at the same places (fork): what was
// found once is proposed everywhere.
//
// Decisions are per page of an address space and cost nothing afterwards, but
// are tested whenever user code begins to run and now and then in between:
//   - with satp, an address space is a page table. If what runs contradicts
//     what was learnt, its page table has a new owner and all is learnt anew;
//   - without, all processes share one space as long as nothing contradicts,
//     which is for good if their addresses are random. Where something does
//     (programs with fixed addresses), the space is looked for in which what
//     runs now makes sense, or a new one begins.
//
// Code with fixed addresses may also run in M-mode or S-mode, without a system
// under it: what privileged instructions show where such a file has code is
// collected in the same way, as pages that every address space has.
//
// A page that two files could explain stays undecided until they differ or a
// neighbour tells which it is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "itrace/code/code_map.h"
#include "itrace/code/page_evidence.h"
#include "itrace/code/user_pages.h"

namespace wick {

class AddressSpaces : public UserCode {
 public:
  // As of UserPages.
  AddressSpaces(CodeMap& map, const TraceInfo& info, std::string sysroot = {});

  void learn(const TraceBlock& block,
             std::vector<SpaceChange>& changes) override;
  std::optional<Place> find(SpaceId space, std::uint64_t page_pc) override {
    return pages_.place(space, page_pc);
  }
  std::uint32_t generation() const override { return pages_.generation(); }
  std::string name(SpaceId space) const override;

  // How often what was learnt was contradicted and learnt anew: a whole space,
  // or one page.
  std::uint64_t spaces_relearnt() const { return spaces_relearnt_; }
  std::uint64_t pages_relearnt() const override { return pages_relearnt_; }
  std::size_t space_count() const { return pages_.space_count() - 1; }

 private:
  struct Hart {
    SpaceId space = SpaceId::kNone;
    ContextChange context;
    bool in_kernel = true;
  };
  // Whole pages that are no user code: the map knows them by themselves.
  struct FixedRange {
    std::uint64_t start = 0, end = 0;
    std::uint64_t size() const { return end - start; }
  };
  // What the loop over a block has at hand.
  struct Run {
    const TraceBlock& block;
    Hart& hart;
    std::vector<SpaceChange>& changes;
  };
  // How steps agree with what is known of a space.
  struct Agreement {
    std::uint32_t agreeing = 0, contradicting = 0;
  };
  // Of pages that are not kUndecided; a loop through a handful of pages costs
  // no hashing.
  struct CachedPage {
    SpaceId space = SpaceId::kNone;
    UserPageId id{};
    bool is_settled = false;
    std::uint64_t page_pc = 0;
  };

  void learn_block(Hart& hart, const TraceBlock& block,
                   std::vector<SpaceChange>& changes);
  void learn_context(Run& run, std::uint32_t from, std::uint32_t to);
  void learn_privileged(Run& run, std::uint32_t from, std::uint32_t to);
  void visit(Run& run, std::uint32_t from, std::uint32_t to);
  void look_at(const Run& run, std::uint32_t from, std::uint32_t to,
               SpaceId space, Layer layer);
  void collect(const Run& run, std::uint32_t from, std::uint32_t to,
               UserPageId id, Layer layer);
  void recheck(const Run& run, std::uint32_t from, std::uint32_t to,
               UserPageId id);
  void begin_user(Run& run, std::uint32_t from);
  void switch_to(Run& run, std::uint32_t from, SpaceId space);
  void apply(Run& run, const SideBandFact& fact);

  Agreement agreement(const Run& run, std::uint32_t from, SpaceId space) const;
  CodeStep step_at(const Run& run, std::uint32_t i) const;
  std::uint64_t satp_at(const Run& run, std::uint32_t from) const;
  const FixedRange* fixed_range(std::uint64_t pc) const;
  const CachedPage& page_at(SpaceId space, std::uint64_t page_pc);

  SpaceId first_space();
  SpaceId space_of_satp(std::uint64_t satp);
  SpaceId fresh_space_of_satp(std::uint64_t satp);

  UserPages pages_;
  std::vector<FixedRange> fixed_;
  // From the first to the last of the programs with fixed addresses that are
  // not in fixed_; empty without one.
  FixedRange programs_;
  int unknown_pc_bits_;
  absl::flat_hash_map<std::uint32_t, Hart> harts_;
  absl::flat_hash_map<std::uint64_t, SpaceId> by_page_table_;
  absl::flat_hash_map<SpaceId, std::uint64_t> satps_;
  std::array<CachedPage, 1024> cache_;
  std::uint32_t entries_ = 0;  // into pages that are not checked each time
  std::uint64_t spaces_relearnt_ = 0, pages_relearnt_ = 0;
};

}  // namespace wick
