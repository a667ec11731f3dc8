// SPDX-License-Identifier: Apache-2.0
// Finds the file that a pc of user code is in.
//
// A trace does not mention files. But a page of code is as good as a
// fingerprint: what is executed on it (PageEvidence) agrees with one page of
// one file and no other. Each decided page shows where its whole file is
// mapped, so the file's other pages are proposed and only must not be
// contradicted. Other processes map the same files, often at the same addresses
// (fork), so what was found once is proposed everywhere.
//
// Decisions are made per page of an address space and cost nothing afterwards,
// but are checked whenever user code starts to run and from time to time:
//   - With satp, an address space is a page table. If what runs contradicts
//     what was learnt, the page table has a new owner and everything is learnt
//     anew.
//   - Without satp, all processes share one space until something contradicts,
//     which never happens if their addresses are random. If something does
//     (programs with fixed addresses), the space in which the current code
//     makes sense is looked up, or a new one is made.
//
// Code with fixed addresses may also run in M-mode or S-mode without an
// operating system. Evidence from privileged instructions at the addresses of
// such a file is collected in the same way, as pages of every address space.
//
// A page that two files could explain stays undecided until the evidence tells
// them apart or a neighbouring page does.
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
#include "profile/format.h"

namespace wick {

class AddressSpaces : public UserCode {
 public:
  // See UserPages.
  AddressSpaces(CodeMap& map, const TraceInfo& info, Sysroot sysroot = {});

  void learn(const TraceBlock& block,
             std::vector<SpaceChange>& changes) override;
  std::optional<Place> find(SpaceId space, std::uint64_t page_pc) override {
    return pages_.place(space, page_pc);
  }
  std::uint32_t generation() const override { return pages_.generation(); }
  std::string name(SpaceId space) const override;

  // How often a whole space, or one page, was contradicted and learnt anew.
  std::uint64_t spaces_relearnt() const { return spaces_relearnt_; }
  std::uint64_t pages_relearnt() const override { return pages_relearnt_; }
  std::size_t space_count() const { return pages_.space_count() - 1; }

 private:
  struct Hart {
    SpaceId space = SpaceId::kNone;
    ContextChange context;
    bool in_kernel = true;
    // How often it changed its space, and where in the block it last did.
    std::uint32_t visit = 0, visit_from = 0;
    bool is_owner_known = false;  // since then; see check_owner
  };
  // Whole pages of code that is not user code and that CodeMap places itself.
  struct FixedRange {
    std::uint64_t start = 0, end = 0;
    std::uint64_t size() const { return end - start; }
  };
  // State of the loop over a block.
  struct Run {
    const TraceBlock& block;
    Hart& hart;
    std::vector<SpaceChange>& changes;
  };
  // How many steps agree with, or contradict, what is known about a space.
  struct Agreement {
    std::uint32_t agreeing = 0, contradicting = 0;
  };
  // Caches settled pages, so that a loop over a handful of pages needs no
  // hashing.
  struct CachedPage {
    SpaceId space = SpaceId::kNone;
    UserPageId id{};
    bool is_settled = false;
    std::uint64_t page_pc = 0;
    std::uint32_t checked_at = 0;  // Hart::visit
  };

  void learn_block(Hart& hart, const TraceBlock& block,
                   std::vector<SpaceChange>& changes);
  void learn_context(Run& run, std::uint32_t from, std::uint32_t to);
  void learn_privileged(Run& run, std::uint32_t from, std::uint32_t to);
  void visit(Run& run, std::uint32_t from, std::uint32_t to);
  void look_at(const Run& run, std::uint32_t from, std::uint32_t to,
               SpaceId space, Layer layer);
  void check_owner(Run& run, std::uint32_t from, std::uint32_t to);
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
  CachedPage& page_at(SpaceId space, std::uint64_t page_pc);

  SpaceId first_space();
  SpaceId space_of_satp(std::uint64_t satp);
  SpaceId fresh_space_of_satp(std::uint64_t satp);

  UserPages pages_;
  std::vector<FixedRange> fixed_;
  // From the first to the last program with fixed addresses that is not in
  // fixed_; empty if there is none.
  FixedRange programs_;
  int unknown_pc_bits_;
  absl::flat_hash_map<std::uint32_t, Hart> harts_;
  absl::flat_hash_map<std::uint64_t, SpaceId> by_page_table_;
  absl::flat_hash_map<SpaceId, std::uint64_t> satps_;
  std::array<CachedPage, 1024> cache_;
  std::uint32_t entries_ = 0;  // visits of pages that are checked only at times
  std::uint64_t spaces_relearnt_ = 0, pages_relearnt_ = 0;
};

}  // namespace wick
