// SPDX-License-Identifier: Apache-2.0
#include "object/jit/jit_unwind.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/bytes.h"
#include "object/jit/jit_map.h"
#include "object/unwind/cfi_program.h"

namespace wick {
namespace {

constexpr std::uint32_t kLoadRecord = 0, kUnwindRecord = 4;  // records
constexpr std::size_t kRecordHead = 16;
constexpr std::size_t kLoadSize = 40;        // its numbers, without the name
constexpr std::size_t kUnwindInfoSize = 24;  // its sizes
// One function's; Python's has 100 bytes, and only a crafted one has more than
// this.
constexpr std::size_t kMaxInfo = 1 << 16;
constexpr int kMaxFdes = 64;
// A node of the tree.
constexpr std::uint64_t kFunctionBytes = 96;
constexpr std::uint64_t kMostMemory = std::uint64_t{16} << 20;
// Records of the file, and of them at once: a reader must not be kept busy.
constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 22;
constexpr int kRecordsAtOnce = 1 << 12;

struct FoundFde {
  std::uint64_t offset = 0;
  Fde fde;
};

// The FDE that covers the address, or the only one.
std::optional<FoundFde> find_fde(const CfiSection& section,
                                 std::uint64_t address) {
  std::optional<FoundFde> only;
  int count = 0;
  CfiEntry entry;
  for (std::uint64_t offset = 0;
       offset < section.bytes.size() && count < kMaxFdes; offset = entry.next) {
    if (!read_entry(section, offset, entry) || entry.body.empty()) break;
    if (entry.is_cie) continue;
    Cie cie;
    FoundFde found{.offset = offset};
    if (!read_cie(section, entry.cie_offset, cie) ||
        !read_fde(section, entry, cie, found.fde))
      break;
    ++count;
    if (address >= found.fde.start && address < found.fde.end) return found;
    only = found;
  }
  return count == 1 ? only : std::nullopt;
}

// Whether the header is behind the frames: it begins with its version and three
// encodings, while frames begin with a length.
bool has_header_last(const JitUnwindInfo& info) {
  const std::string_view header =
      info.bytes.substr(info.bytes.size() - info.eh_frame_hdr_size);
  return header.starts_with('\x01');
}

CfiSection frames_of(Machine machine, const JitUnwindInfo& info) {
  const std::uint64_t behind = info.start + (info.size + 7) / 8 * 8;
  const bool is_last = has_header_last(info);
  const std::uint64_t size = info.bytes.size() - info.eh_frame_hdr_size;
  return {
      .bytes = info.bytes.substr(is_last ? 0 : info.eh_frame_hdr_size, size),
      .address = behind + (is_last ? 0 : info.eh_frame_hdr_size),
      .tracked = traits_of(machine).unwinding.tracked};
}

}  // namespace

std::optional<UnwindRule> rule_of_jit_code(Machine machine,
                                           const JitUnwindInfo& info,
                                           std::uint64_t address) {
  if (!traits_of(machine).can_unwind() || address < info.start ||
      address - info.start >= info.size ||
      info.eh_frame_hdr_size > info.bytes.size() || info.size > UINT32_MAX)
    return {};
  const CfiSection section = frames_of(machine, info);
  const auto found = find_fde(section, address);
  if (!found) return {};
  // In the terms of the FDE.
  const std::uint64_t at =
      address >= found->fde.start && address < found->fde.end
          ? address
          : address - info.start + found->fde.start;
  CfiCompiler compiler(section);
  if (!compiler.compile(found->offset, found->fde.start, found->fde.end))
    return {};
  const CfiRow* row = nullptr;
  for (const CfiRow& one : compiler.rows())
    if (one.start <= at) row = &one;
  if (row == nullptr || (row->rule.kind != UnwindRule::kOffsets &&
                         row->rule.kind != UnwindRule::kRoot))
    return {};
  return row->rule;
}

JitUnwindFile::JitUnwindFile(Machine machine, UniqueFd fd,
                             std::shared_ptr<MemoryBudget> memory)
    : machine_(machine),
      fd_(std::move(fd)),
      memory_(std::move(memory), kMostMemory) {}

std::string JitUnwindFile::read(std::uint64_t at, std::size_t size) const {
  std::string bytes(size, '\0');
  ssize_t got;
  do got = ::pread(fd_.get(), bytes.data(), size, static_cast<off_t>(at));
  while (got < 0 && errno == EINTR);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

std::optional<UnwindRule> JitUnwindFile::find(std::uint64_t address) {
  std::uint64_t start = 0;
  const Function* function = find_function(address, start);
  if (function == nullptr) {
    read_appended();
    function = find_function(address, start);
  }
  if (function == nullptr || function->info_size == 0) return {};
  const std::string bytes = read(function->info_at, function->info_size);
  if (bytes.size() != function->info_size) return {};
  return rule_of_jit_code(machine_,
                          {.start = start,
                           .size = function->size,
                           .bytes = bytes,
                           .eh_frame_hdr_size = function->eh_frame_hdr_size},
                          address);
}

const JitUnwindFile::Function* JitUnwindFile::find_function(
    std::uint64_t address, std::uint64_t& start) {
  const auto after = functions_.upper_bound(address);
  if (after == functions_.begin()) return nullptr;
  const auto found = std::prev(after);
  start = found->first;
  return address - start < found->second.size ? &found->second : nullptr;
}

void JitUnwindFile::read_appended() {
  struct stat status {};
  if (is_bad_ || ::fstat(fd_.get(), &status) != 0) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size <= read_at_size_) return;
  if (!has_header_ && !read_header()) return;
  int count = 0;
  while (count < kRecordsAtOnce && read_record(size)) ++count;
  // What is left is a record that is not complete yet.
  if (count < kRecordsAtOnce) read_at_size_ = size;
}

bool JitUnwindFile::read_header() {
  constexpr std::size_t kHeader = 12;
  const std::string head = read(0, kHeader);
  if (head.size() < kHeader) return false;
  ByteReader in(head);
  in.read<std::uint32_t>();  // magic
  in.read<std::uint32_t>();  // version
  next_ = in.read<std::uint32_t>();
  // One of the other byte order was not written by a process of this machine.
  is_bad_ = !JitMap::is_jitdump(head) || next_ < 40 || next_ > 4096;
  has_header_ = !is_bad_;
  return has_header_;
}

// False at the end, or if the next record cannot be found.
bool JitUnwindFile::read_record(std::uint64_t file_size) {
  const std::string head = read(next_, kRecordHead + kUnwindInfoSize);
  if (head.size() < kRecordHead) return false;
  ByteReader in(head);
  const auto id = in.read<std::uint32_t>();
  const auto size = in.read<std::uint32_t>();
  in.read<std::uint64_t>();  // time
  is_bad_ = size < kRecordHead || ++records_ > kMostRecords;
  if (is_bad_ || file_size < size || file_size - size < next_) return false;
  const std::uint64_t body = next_ + kRecordHead;
  next_ += size;
  if (id == kLoadRecord && size >= kRecordHead + kLoadSize) add_function(body);
  if (id != kUnwindRecord || size < kRecordHead + kUnwindInfoSize) return true;
  const auto info_size = in.read<std::uint64_t>();
  const auto header_size = in.read<std::uint64_t>();
  const auto mapped_size = in.read<std::uint64_t>();
  pending_ = {};
  // A record without content means: use frame pointers.
  if (mapped_size == 0 || info_size > size - kRecordHead - kUnwindInfoSize ||
      info_size > kMaxInfo || header_size > info_size)
    return true;
  pending_ = {.at = body + kUnwindInfoSize,
              .size = static_cast<std::uint32_t>(info_size),
              .eh_frame_hdr_size = static_cast<std::uint32_t>(header_size)};
  return true;
}

void JitUnwindFile::add_function(std::uint64_t at) {
  const Pending pending = std::exchange(pending_, {});
  const std::string numbers = read(at, kLoadSize);
  ByteReader in(numbers);
  in.read<std::uint64_t>();  // pid, tid
  in.read<std::uint64_t>();  // vma
  const auto start = in.read<std::uint64_t>();
  const auto size = in.read<std::uint64_t>();
  if (in.failed() || start + size < start) return;
  const auto known = functions_.find(start);
  if (known == functions_.end() && !memory_.take(kFunctionBytes)) return;
  functions_[start] = {.size = size,
                       .info_at = pending.at,
                       .info_size = pending.size,
                       .eh_frame_hdr_size = pending.eh_frame_hdr_size};
}

}  // namespace wick
