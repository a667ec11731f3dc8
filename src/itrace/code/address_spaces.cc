// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/address_spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace wick {
namespace {

// Steps compared when user code starts to run, and on a decided page each
// kRecheckEvery-th time that control enters one.
constexpr std::uint32_t kWindow = 32;
constexpr std::uint32_t kRecheckSteps = 8;
constexpr std::uint32_t kRecheckEvery = 64;
// A trace may report satp some instructions late, and a program may be patched.
constexpr std::uint32_t kTolerated = 2;

constexpr std::size_t kMaxSpacesTried = 64;

// A trace may also report late that a user program continues: fewer privileged
// instructions in a row than this prove nothing.
constexpr std::uint32_t kLeastPrivileged = 16;

// After this many visits of a page without new evidence, most visits are
// skipped; and after this many instructions, the rest of a visit is.
constexpr std::uint8_t kQuietVisits = 16;
constexpr std::uint32_t kQuietSteps = 128;

// satp holds the mode, the ASID and the number of the page table, which alone
// identifies the address space: the kernel reassigns ASIDs.
constexpr std::uint64_t page_table(std::uint64_t satp) {
  return satp & ((std::uint64_t{1} << 44) - 1);
}

// The first instruction from `i` on that is not between `start` and
// start + size. Every instruction goes through this, so it looks at four at a
// time.
std::uint32_t end_of_run(std::span<const Retired> all, std::uint32_t i,
                         std::uint64_t start, std::uint64_t size) {
  const auto outside = [&](std::uint32_t at) {
    return static_cast<unsigned>(all[at].pc - start >= size);
  };
  while (i + 4 <= all.size() &&
         (outside(i) | outside(i + 1) | outside(i + 2) | outside(i + 3)) == 0)
    i += 4;
  while (i < all.size() && outside(i) == 0) ++i;
  return i;
}

}  // namespace

AddressSpaces::AddressSpaces(CodeMap& map, const TraceInfo& info,
                             Sysroot sysroot)
    : pages_(map, std::move(sysroot)),
      unknown_pc_bits_(64 - std::clamp(info.pc_bits, 1, 64)) {
  for (std::uint32_t i = 1; i < map.image_count(); ++i) {
    const CodeImage& image = map.image(CodeImageId{i});
    if (!image.fixed || image.text_end <= image.text_start) continue;
    const std::uint64_t start = (image.text_start + image.bias) & map.pc_mask();
    const std::uint64_t end = start + (image.text_end - image.text_start);
    const FixedRange pages{start & ~kTextPageMask,
                           (end + kTextPageMask) & ~kTextPageMask};
    if (image.layer != Layer::kUser)
      fixed_.push_back(pages);
    else if (programs_.size() == 0)
      programs_ = pages;
    else
      programs_ = {std::min(programs_.start, pages.start),
                   std::max(programs_.end, pages.end)};
  }
}

void AddressSpaces::learn(const TraceBlock& block,
                          std::vector<SpaceChange>& changes) {
  Hart& hart = harts_[block.hart];
  const Hart before = hart;
  const std::size_t size_before = changes.size();
  const std::uint32_t separated = pages_.separated();
  learn_block(hart, block, changes);
  // Two processes were mistaken for one and can be told apart now.
  if (pages_.separated() == separated || !block.facts.empty()) return;
  changes.resize(size_before);
  hart = before;
  cache_.fill({});
  learn_block(hart, block, changes);
}

void AddressSpaces::learn_block(Hart& hart, const TraceBlock& block,
                                std::vector<SpaceChange>& changes) {
  Run run{block, hart, changes};
  hart.visit_from = 0;
  const auto size = static_cast<std::uint32_t>(block.instructions.size());
  auto context = block.contexts.begin();
  auto fact = block.facts.begin();
  for (std::uint32_t from = 0; from < size;) {
    for (; fact != block.facts.end() && fact->from <= from; ++fact)
      apply(run, *fact);
    for (; context != block.contexts.end() && context->from <= from; ++context)
      hart.context = *context;
    std::uint32_t to = size;
    if (fact != block.facts.end()) to = std::min(to, fact->from);
    if (context != block.contexts.end()) to = std::min(to, context->from);
    learn_context(run, from, to);
    from = to;
  }
  for (; fact != block.facts.end(); ++fact) apply(run, *fact);
  for (; context != block.contexts.end(); ++context) hart.context = *context;
  pages_.settle();
}

void AddressSpaces::learn_context(Run& run, std::uint32_t from,
                                  std::uint32_t to) {
  Hart& hart = run.hart;
  SpaceId space = hart.space;
  if (hart.context.has_satp) {
    const std::uint64_t satp = satp_at(run, from);
    const bool is_user = hart.context.privilege == Privilege::kUser;
    space = satp == 0 && !is_user ? SpaceId::kNone : space_of_satp(satp);
  } else if (space == SpaceId::kNone) {
    space = first_space();
  }
  if (space != hart.space) {
    switch_to(run, from, space);
    hart.in_kernel = true;
  }
  if (hart.context.privilege != Privilege::kUser &&
      hart.context.privilege != Privilege::kUnknown) {
    hart.in_kernel = true;
    if (programs_.size() > 0) learn_privileged(run, from, to);
    return;
  }
  const std::span<const Retired> all =
      std::span(run.block.instructions).first(to);
  for (std::uint32_t i = from; i < to;) {
    if (const FixedRange* range = fixed_range(all[i].pc)) {
      hart.in_kernel = true;
      i = end_of_run(all, i, range->start, range->size());
      continue;
    }
    const std::uint32_t end =
        end_of_run(all, i, all[i].pc & ~kTextPageMask, kTextPageSize);
    visit(run, i, end);
    i = end;
  }
}

void AddressSpaces::learn_privileged(Run& run, std::uint32_t from,
                                     std::uint32_t to) {
  const std::span<const Retired> all =
      std::span(run.block.instructions).first(to);
  const Layer layer = run.hart.context.privilege == Privilege::kMachine
                          ? Layer::kMachine
                          : Layer::kKernel;
  for (std::uint32_t i = from; i < to;) {
    // Skips everything outside the programs: a range that wraps around.
    i = end_of_run(all, i, programs_.end, 0 - programs_.size());
    const std::uint32_t end =
        end_of_run(all, i, programs_.start, programs_.size());
    const bool counts = end - i >= kLeastPrivileged;
    while (i < end) {
      const std::uint64_t page_pc = all[i].pc & ~kTextPageMask;
      const std::uint32_t page_end =
          std::min(end, end_of_run(all, i, page_pc, kTextPageSize));
      if (counts && fixed_range(page_pc) == nullptr)
        look_at(run, i, page_end, SpaceId::kNone, layer);
      i = page_end;
    }
  }
}

// Instructions of one page.
void AddressSpaces::visit(Run& run, std::uint32_t from, std::uint32_t to) {
  Hart& hart = run.hart;
  if (hart.in_kernel) {
    hart.in_kernel = false;
    begin_user(run, from);
  }
  if (hart.space == SpaceId::kNone) return;
  check_owner(run, from, to);
  look_at(run, from, to, hart.space, Layer::kUser);
}

// A page table may be reused by another process, which at first executes pages
// that the one before it did not. So the first instructions on each page are
// compared when the space is entered, until a page is as it was. Pages decided
// since then cannot tell.
void AddressSpaces::check_owner(Run& run, std::uint32_t from,
                                std::uint32_t to) {
  Hart& hart = run.hart;
  if (run.block.bits.empty() || hart.is_owner_known) return;
  CachedPage& cached =
      page_at(hart.space, run.block.instructions[from].pc & ~kTextPageMask);
  if (!cached.is_settled) {
    cached.checked_at = hart.visit;
    return;
  }
  if (cached.checked_at == hart.visit || to - from < kRecheckSteps) return;
  cached.checked_at = hart.visit;
  const UserPages::Page& page = pages_.page(cached.id);
  const auto satp = satps_.find(hart.space);
  if (satp == satps_.end() || page.is_told ||
      page.state != UserPages::Page::State::kDecided)
    return;
  const TextPageView text = pages_.text(page);
  Fit fit;
  for (std::uint32_t i = from; i < from + kRecheckSteps; ++i)
    check_step(step_at(run, i), text, fit);
  if (fit.contradictions == 0) hart.is_owner_known = true;
  if (fit.score > 0 || fit.contradictions < kTolerated) return;
  ++spaces_relearnt_;
  const SpaceId fresh = fresh_space_of_satp(satp->second);
  const std::uint32_t since = hart.visit_from;
  if (!run.changes.empty() && run.changes.back().from >= since)
    run.changes.pop_back();
  switch_to(run, since, fresh);
}

void AddressSpaces::look_at(const Run& run, std::uint32_t from,
                            std::uint32_t to, SpaceId space, Layer layer) {
  const std::uint64_t page_pc =
      run.block.instructions[from].pc & ~kTextPageMask;
  const CachedPage& page = page_at(space, page_pc);
  if (!page.is_settled)
    collect(run, from, to, page.id, layer);
  else if (++entries_ % kRecheckEvery == 0)
    recheck(run, from, to, page.id);
}

void AddressSpaces::collect(const Run& run, std::uint32_t from,
                            std::uint32_t to, UserPageId id, Layer layer) {
  UserPages::Page& page = pages_.page(id);
  page.layer = layer;
  pages_.touch(id);
  PageEvidence& evidence = *page.evidence;
  if (evidence.full() ||
      (page.quiet >= kQuietVisits && ++entries_ % kQuietVisits != 0))
    return;
  bool any_new = false;
  std::uint32_t quiet = 0;
  for (std::uint32_t i = from; i < to && quiet < kQuietSteps; ++i) {
    const bool is_new = evidence.add(step_at(run, i));
    any_new |= is_new;
    quiet = is_new ? 0 : quiet + 1;
  }
  page.quiet = any_new ? 0 : std::min<int>(page.quiet + 1, kQuietVisits);
  pages_.decide_early(page);
}

// Decisions may become outdated: a library is unloaded and another one takes
// its place.
void AddressSpaces::recheck(const Run& run, std::uint32_t from,
                            std::uint32_t to, UserPageId id) {
  const UserPages::Page& page = pages_.page(id);
  if (page.is_told || page.state != UserPages::Page::State::kDecided) return;
  const TextPageView text = pages_.text(page);
  Fit fit;
  for (std::uint32_t i = from; i < std::min(to, from + kRecheckSteps); ++i)
    check_step(step_at(run, i), text, fit);
  if (fit.contradictions <= kTolerated) return;
  ++pages_relearnt_;
  pages_.forget(page);
  cache_.fill({});
  const CachedPage& anew = page_at(page.space, page.page_pc);
  if (!anew.is_settled) collect(run, from, to, anew.id, page.layer);
}

// User code runs after something else did: is it still what was learnt?
void AddressSpaces::begin_user(Run& run, std::uint32_t from) {
  const SpaceId space = run.hart.space;
  if (space == SpaceId::kNone) return;
  const Agreement here = agreement(run, from, space);
  const bool contradicted =
      here.contradicting > kTolerated && here.contradicting * 4 > here.agreeing;
  if (const auto satp = satps_.find(space); satp != satps_.end()) {
    if (!contradicted) return;
    ++spaces_relearnt_;
    switch_to(run, from, fresh_space_of_satp(satp->second));
    return;
  }
  if (here.agreeing > 0 && here.contradicting == 0) return;
  const std::size_t last = pages_.space_count() - 1;
  for (std::size_t i = 0; i < std::min(last, kMaxSpacesTried); ++i) {
    const SpaceId other{static_cast<std::uint32_t>(last - i)};
    if (other == space || satps_.contains(other)) continue;
    const Agreement there = agreement(run, from, other);
    if (there.agreeing <= kTolerated || there.contradicting > 0) continue;
    switch_to(run, from, other);
    return;
  }
  if (contradicted) switch_to(run, from, pages_.new_space());
}

AddressSpaces::Agreement AddressSpaces::agreement(const Run& run,
                                                  std::uint32_t from,
                                                  SpaceId space) const {
  Agreement result;
  const auto size = static_cast<std::uint32_t>(run.block.instructions.size());
  std::uint64_t page_pc = 1;  // none
  const UserPages::Page* page = nullptr;
  for (std::uint32_t i = from; i < std::min(size, from + kWindow); ++i) {
    const std::uint64_t pc = run.block.instructions[i].pc;
    if ((pc & ~kTextPageMask) != page_pc) {
      if (fixed_range(pc) != nullptr) break;
      page_pc = pc & ~kTextPageMask;
      page = pages_.decided(space, page_pc);
    }
    if (page == nullptr) continue;
    // Where a trap leads is not what the text says.
    if (i + 1 < size &&
        fixed_range(run.block.instructions[i + 1].pc) != nullptr)
      break;
    Fit fit;
    check_step(step_at(run, i), pages_.text(*page), fit);
    result.contradicting += fit.contradictions;
    result.agreeing += fit.score > 0 ? 1 : 0;
  }
  return result;
}

CodeStep AddressSpaces::step_at(const Run& run, std::uint32_t i) const {
  const TraceBlock& block = run.block;
  const std::uint64_t pc = block.instructions[i].pc;
  CodeStep step{.offset = static_cast<std::uint16_t>(pc & kTextPageMask)};
  if (i < block.bits.size()) {
    step.has_bits = true;
    step.bits = block.bits[i];
    if ((step.bits & 3) != 3) step.bits &= 0xffff;
  } else if (i + 1 < block.instructions.size()) {
    // Shifting left and back sign-extends the known bits.
    const std::uint64_t distance = block.instructions[i + 1].pc - pc;
    step.next = CodeStep::next_of(
        static_cast<std::int64_t>(distance << unknown_pc_bits_) >>
        unknown_pc_bits_);
  }
  return step;
}

// The satp of the instructions from `from` on. User code rarely runs without
// translation: if satp is 0 and changes later, the source did not know it yet.
std::uint64_t AddressSpaces::satp_at(const Run& run, std::uint32_t from) const {
  const ContextChange& now = run.hart.context;
  if (now.satp != 0 || now.privilege != Privilege::kUser) return now.satp;
  for (const ContextChange& later : run.block.contexts)
    if (later.from > from && later.has_satp && later.satp != 0)
      return later.satp;
  return 0;
}

void AddressSpaces::apply(Run& run, const SideBandFact& fact) {
  SpaceId space = run.hart.space;
  switch (fact.kind) {
    case SideBandFact::Kind::kThread:
      return;
    case SideBandFact::Kind::kUnmapAll:
      if (fact.satp != 0)
        fresh_space_of_satp(fact.satp);  // harts switch to it at the next look
      else
        switch_to(run, fact.from, pages_.new_space());
      return;
    case SideBandFact::Kind::kMapping:
      if (fact.satp != 0) space = space_of_satp(fact.satp);
      if (space == SpaceId::kNone) space = first_space();
      pages_.tell(
          space,
          {.start = fact.start, .end = fact.end, .file_off = fact.file_off},
          fact.name);
      cache_.fill({});
  }
}

const AddressSpaces::FixedRange* AddressSpaces::fixed_range(
    std::uint64_t pc) const {
  for (const FixedRange& range : fixed_)
    if (pc - range.start < range.end - range.start) return &range;
  return nullptr;
}

AddressSpaces::CachedPage& AddressSpaces::page_at(SpaceId space,
                                                  std::uint64_t page_pc) {
  CachedPage& cached =
      cache_[(page_pc / kTextPageSize * 7 + index(space)) % cache_.size()];
  if (cached.is_settled && cached.page_pc == page_pc && cached.space == space)
    return cached;
  const bool is_same = cached.page_pc == page_pc && cached.space == space;
  const UserPageId id = pages_.find_or_make(space, page_pc);
  cached = {space, id,
            pages_.page(id).state != UserPages::Page::State::kUndecided,
            page_pc, is_same ? cached.checked_at : 0};
  return cached;
}

void AddressSpaces::switch_to(Run& run, std::uint32_t from, SpaceId space) {
  run.hart.space = space;
  ++run.hart.visit;
  run.hart.visit_from = from;
  run.hart.is_owner_known = false;
  run.changes.push_back({from, space});
}

// Without satp, all harts begin in the same space.
SpaceId AddressSpaces::first_space() {
  return pages_.space_count() > 1 ? SpaceId{1} : pages_.new_space();
}

SpaceId AddressSpaces::space_of_satp(std::uint64_t satp) {
  const auto found = by_page_table_.find(page_table(satp));
  return found != by_page_table_.end() ? found->second
                                       : fresh_space_of_satp(satp);
}

SpaceId AddressSpaces::fresh_space_of_satp(std::uint64_t satp) {
  const SpaceId id = pages_.new_space(true);
  satps_[id] = satp;
  by_page_table_[page_table(satp)] = id;
  return id;
}

std::string AddressSpaces::name(SpaceId space) const {
  const auto found = satps_.find(space);
  return found == satps_.end() ? "" : fmt::format("satp {:x}", found->second);
}

}  // namespace wick
