// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/user_pages.h"

#include <algorithm>
#include <functional>

namespace wick {
namespace {

// The score (Fit::score) that decides for a page if it is the only one that
// agrees; with 2^18 candidates, the chance of an error is one in millions.
constexpr std::uint32_t kSureScore = 40;
// The same if the file is expected exactly there.
constexpr std::uint32_t kProposedScore = 10;
// With fewer steps, a search is not worth its cost.
constexpr std::size_t kLeastSteps = 4;
// With this many, a decision is not put off to the end of the block.
constexpr std::size_t kEarlySteps = 32;

// A damaged trace has any number of pages and spaces.
constexpr std::size_t kMaxPages = 1 << 19;
constexpr std::size_t kMaxOpenEvidence = 8192;
constexpr std::size_t kMaxSpaces = 1 << 16;
constexpr std::size_t kMaxBiases = 1024;
constexpr std::size_t kMaxTold = 4096;

template <class T>
void move_to_front(std::vector<T>& list, const T& value, std::size_t limit) {
  auto found = std::ranges::find(list, value);
  if (found == list.end()) {
    if (list.size() >= limit) list.pop_back();
    found = list.insert(list.end(), value);
  }
  std::rotate(list.begin(), found, found + 1);
}

}  // namespace

UserPages::UserPages(CodeMap& map, Sysroot sysroot)
    : map_(map), pc_mask_(map.pc_mask()), files_(std::move(sysroot)) {
  pages_.emplace_back().state = Page::State::kForeign;
  // It is never divided between processes.
  spaces_[index(SpaceId::kNone)].has_page_table = true;
  for (std::uint32_t i = 1; i < map.image_count(); ++i) {
    const CodeImage& image = map.image(CodeImageId{i});
    if (image.elf == nullptr) continue;
    if (image.layer == Layer::kKernel) files_.add_kernel(*image.elf);
    if (image.layer != Layer::kUser) continue;
    if (const auto id = files_.add(image.path, image.elf))
      image_of_.try_emplace(*id, CodeImageId{i});
  }
}

SpaceId UserPages::new_space(bool has_page_table) {
  if (spaces_.size() < kMaxSpaces)
    spaces_.emplace_back().has_page_table = has_page_table;
  return SpaceId{static_cast<std::uint32_t>(spaces_.size() - 1)};
}

// ---- Pages ----------------------------------------------------------------

UserPageId UserPages::find_or_make(SpaceId space_id, std::uint64_t page_pc) {
  Space& space = spaces_[index(space_id)];
  if (const auto found = space.pages.find(page_pc); found != space.pages.end())
    return found->second;
  if (pages_.size() >= kMaxPages) return UserPageId::kTooMany;
  const UserPageId id{static_cast<std::uint32_t>(pages_.size())};
  Page& page = pages_.emplace_back();
  page.space = space_id;
  page.page_pc = page_pc;
  space.pages.emplace(page_pc, id);
  // The page of privileged code is no longer the answer for this space.
  if (find(SpaceId::kNone, page_pc) != nullptr) ++generation_;
  if (apply_told(page)) return id;
  if (open_evidence_ >= kMaxOpenEvidence) {
    page.state = Page::State::kForeign;
    return id;
  }
  ++open_evidence_;
  page.evidence = std::make_unique<PageEvidence>();
  return id;
}

const UserPages::Page* UserPages::find(SpaceId space_id,
                                       std::uint64_t page_pc) const {
  const Space& space = spaces_[index(space_id)];
  const auto found = space.pages.find(page_pc);
  if (found == space.pages.end()) return nullptr;
  const Page& page = pages_[index(found->second)];
  return page.state == Page::State::kDecided ? &page : nullptr;
}

// With random addresses, only one process has a page. It may be about to run,
// or have run too little to show that this is another space than before.
const UserPages::Page* UserPages::find_elsewhere(std::uint64_t page_pc) const {
  const auto found = elsewhere_.find(page_pc);
  return found == elsewhere_.end() ? nullptr : find(found->second, page_pc);
}

const UserPages::Page* UserPages::decided(SpaceId space,
                                          std::uint64_t page_pc) const {
  const Page* page = find(space, page_pc);
  return page != nullptr && !page->is_told ? page : nullptr;
}

std::optional<UserCode::Place> UserPages::place(SpaceId space,
                                                std::uint64_t page_pc) const {
  const Page* page = find(space, page_pc);
  if (page == nullptr && !spaces_[index(space)].has_page_table)
    page = find_elsewhere(page_pc);
  // A page on which the process ran its own code counts, even if unknown.
  if (page == nullptr && !spaces_[index(space)].pages.contains(page_pc))
    page = find(SpaceId::kNone, page_pc);
  if (page == nullptr) return {};
  return UserCode::Place{image_of_.at(page->place.binary),
                         page->place.elf_page};
}

void UserPages::touch(UserPageId id) {
  Page& page = pages_[index(id)];
  if (page.is_touched) return;
  page.is_touched = true;
  touched_.push_back(id);
}

void UserPages::forget(const Page& page) {
  // The row stays but cannot be found any more.
  spaces_[index(page.space)].pages.erase(page.page_pc);
  ++generation_;
}

// ---- What is told ---------------------------------------------------------

void UserPages::tell(SpaceId space_id, const Mapping& mapping,
                     std::string_view path) {
  Space& space = spaces_[index(space_id)];
  if (mapping.end <= mapping.start) return;
  const Told told{mapping.start & pc_mask_, ((mapping.end - 1) & pc_mask_) + 1,
                  mapping.file_off, files_.find(path)};
  std::erase_if(space.told, [&](const Told& old) {
    return old.start >= told.start && old.end <= told.end;
  });
  if (space.told.size() >= kMaxTold) return;
  space.told.push_back(told);
  for (const auto& [page_pc, id] : space.pages)
    if (page_pc >= told.start && page_pc < told.end) apply_told(page(id));
}

// Whether a mapping from tell() decides the page.
bool UserPages::apply_told(Page& page) {
  const std::vector<Told>& all = spaces_[index(page.space)].told;
  const auto told =
      std::find_if(all.rbegin(), all.rend(), [&](const Told& mapping) {
        return page.page_pc >= mapping.start && page.page_pc < mapping.end;
      });
  if (told == all.rend()) return false;
  // A missing file may be present under another name.
  if (!told->binary) return false;
  const auto place = files_.index().page_of(
      *told->binary, told->file_off + (page.page_pc - told->start));
  if (!place) return false;
  page.is_told = true;
  decide(page, *place);
  return true;
}

// ---- Decisions ------------------------------------------------------------

void UserPages::decide_early(Page& page) {
  const std::size_t size = page.evidence->size();
  if (size >= kEarlySteps && size >= page.searched_at * 2) settle(page, true);
}

// A decided page may decide its neighbours, so the others are tried again until
// nothing changes.
void UserPages::settle() {
  std::vector<UserPageId> open = std::move(touched_);
  touched_.clear();
  for (const UserPageId id : open) page(id).is_touched = false;
  std::ranges::sort(open, std::greater(), [&](UserPageId id) {
    return page(id).evidence ? page(id).evidence->size() : 0;
  });
  bool search_all = true;
  for (int rounds = 0; rounds < 8 && !open.empty(); ++rounds) {
    const std::size_t settled = std::erase_if(
        open, [&](UserPageId id) { return settle(page(id), search_all); });
    if (settled == 0) break;
    search_all = false;
  }
}

// Whether the page is settled.
bool UserPages::settle(Page& page, bool search_all) {
  if (page.state != Page::State::kUndecided) return true;
  if (page.evidence->size() == 0) return false;
  if (const auto place = proposed(page)) {
    decide(page, *place);
    return true;
  }
  return search_all && search(page);
}

std::optional<BinaryPage> UserPages::at_bias(const Bias& bias,
                                             std::uint64_t page_pc) const {
  const BinaryPage place{bias.binary, (page_pc - bias.bias) & pc_mask_};
  if (!files_.index().has_page(place)) return {};
  return place;
}

// A file that is known to be mapped around here only must not be contradicted.
// One that is expected for other reasons (a program with fixed addresses, what
// other processes have here) must be the only one that agrees.
std::optional<BinaryPage> UserPages::proposed(const Page& page) const {
  const TextIndex& text = files_.index();
  const PageEvidence& evidence = *page.evidence;
  const std::uint32_t tolerated = evidence.tolerated();
  for (const Bias& bias : spaces_[index(page.space)].biases)
    if (const auto place = at_bias(bias, page.page_pc))
      if (evidence.fit(text.view(*place), tolerated).contradictions <=
          tolerated)
        return place;

  // A boot ROM often has the addresses of programs.
  const bool is_privileged = page.layer != Layer::kUser;
  std::optional<BinaryPage> only;
  bool several = false;
  const auto consider = [&](const BinaryPage& place, std::uint32_t least) {
    if (only && *only == place) return;
    const Fit fit = evidence.fit(text.view(place), tolerated);
    if (fit.contradictions > tolerated || fit.score < least) return;
    several |= only.has_value();
    only = place;
  };
  for (const BinaryId id : text.fixed_at(page.page_pc))
    consider({id, page.page_pc}, is_privileged ? kProposedScore : 1);
  for (const Bias& bias : all_biases_)
    if (const auto place = at_bias(bias, page.page_pc))
      consider(*place, kProposedScore);
  return several ? std::nullopt : only;
}

// Searches all files. Each search requires a quarter more evidence than the
// last one, so that code that is in no file costs a few searches and not one
// per block.
bool UserPages::search(Page& page) {
  const std::size_t size = page.evidence->size();
  if (size < kLeastSteps || size < page.searched_at + page.searched_at / 4 + 1)
    return false;
  page.searched_at = size;
  const auto all = [&] { return files_.index().matches(*page.evidence, 2); };
  std::vector<TextIndex::Match> found = all();
  if (found.empty() && files_.open_sysroot()) found = all();
  if (found.size() == 1 && found[0].fit.score >= kSureScore) {
    decide(page, found[0].page);
    return true;
  }
  if (!found.empty() || !page.evidence->full()) return false;
  close(page, Page::State::kForeign);
  return true;
}

// A process has one program. If code of another program with fixed addresses
// ran in the same space, that was another process: the page goes to the space
// of its program and becomes undecided here.
bool UserPages::separate(Page& page, const BinaryPage& place) {
  Space& here = spaces_[index(page.space)];
  if (here.has_page_table || page.is_told ||
      !files_.index()[place.binary].fixed)
    return false;
  if (!here.program) here.program = place.binary;
  if (here.program == place.binary) return false;
  std::uint32_t other = 1;
  while (other < spaces_.size() && (spaces_[other].has_page_table ||
                                    spaces_[other].program != place.binary))
    ++other;
  if (other == spaces_.size()) {
    if (new_space() != SpaceId{other}) return false;  // too many
    spaces_[other].program = place.binary;
  }
  Page& there = this->page(find_or_make(SpaceId{other}, page.page_pc));
  if (there.state == Page::State::kUndecided) decide(there, place);
  page.evidence = std::make_unique<PageEvidence>();
  page.searched_at = 0;
  ++separated_;
  return true;
}

void UserPages::decide(Page& page, const BinaryPage& place) {
  if (separate(page, place)) return;
  close(page, Page::State::kDecided);
  page.place = place;
  const Bias bias{place.binary, (page.page_pc - place.elf_page) & pc_mask_};
  move_to_front(spaces_[index(page.space)].biases, bias, kMaxBiases);
  move_to_front(all_biases_, bias, kMaxBiases);
  if (!spaces_[index(page.space)].has_page_table &&
      !files_.index()[place.binary].fixed)
    elsewhere_[page.page_pc] = page.space;
  if (!image_of_.contains(place.binary)) {
    const TextIndex::Binary& binary = files_.index()[place.binary];
    image_of_.emplace(place.binary, map_.add_elf(binary.elf, binary.path));
  }
  map_.raise_layer(image_of_.at(place.binary), page.layer);
}

void UserPages::close(Page& page, Page::State state) {
  if (page.evidence) --open_evidence_;
  page.evidence.reset();
  page.state = state;
  ++generation_;
}

}  // namespace wick
