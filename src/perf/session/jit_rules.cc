// SPDX-License-Identifier: Apache-2.0
#include "perf/session/jit_rules.h"

#include <sys/uio.h>

#include <algorithm>
#include <utility>

#include "object/jit/jit_files.h"
#include "object/unwind/straight_code.h"

namespace wick {
namespace {

constexpr std::uint64_t kPage = 4096;

// What is around an address of a running process.
class CodeInMemory {
 public:
  CodeInMemory(std::uint32_t pid, std::uint64_t address, CodePlace place)
      : pid_(pid), address_(address), place_(place) {
    if (address < kPage || address > UINT64_MAX - kPage) return;
    read_from(place == CodePlace::kInstruction ? address
                                               : address - kStraightCodeBefore);
    // There may be nothing before its page.
    if (size_ == 0 && address % kPage < kStraightCodeBefore)
      read_from(address - address % kPage);
  }

  // Empty if its memory cannot be read.
  StraightCode code() const {
    return {
        {bytes_, size_}, static_cast<std::size_t>(address_ - start_), place_};
  }

 private:
  // The second of two pages may be unmapped.
  void read_from(std::uint64_t start) {
    start_ = start;
    const std::size_t first =
        std::min<std::uint64_t>(sizeof bytes_, kPage - start % kPage);
    const iovec here{bytes_, sizeof bytes_};
    const iovec there[2] = {
        {reinterpret_cast<void*>(start), first},
        {reinterpret_cast<void*>(start + first), sizeof bytes_ - first}};
    const ssize_t got =
        ::process_vm_readv(static_cast<pid_t>(pid_), &here, 1, there,
                           first < sizeof bytes_ ? 2 : 1, 0);
    size_ = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }

  std::uint32_t pid_;
  std::uint64_t address_, start_ = 0;
  CodePlace place_;
  char bytes_[kStraightCodeBefore + kStraightCodeAfter];
  std::size_t size_ = 0;
};

}  // namespace

JitRules::JitRules(const JitRulesLimits& limits)
    : memory_(limits.memory), open_files_(limits.open_files, kMostDumps) {}

void JitRules::announce(std::uint32_t pid, std::string_view path) {
  const std::scoped_lock lock(mutex_);
  if (std::ranges::find(dumps_, path, &Dump::path) != dumps_.end() ||
      dumps_.size() == kMostDumps || !open_files_.take(1))
    return;
  UniqueFd fd = open_jitdump(pid, std::string(path));
  if (!fd) return open_files_.give_back(1);
  dumps_.push_back({.path = std::string(path), .fd = std::move(fd)});
}

std::optional<UnwindRule> JitRules::find(Machine machine,
                                         std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  for (Dump& dump : dumps_) {
    if (!dump.file)
      dump.file =
          std::make_unique<JitUnwindFile>(machine, std::move(dump.fd), memory_);
    if (const auto rule = dump.file->find(address)) return rule;
  }
  return {};
}

std::optional<UnwindRule> rule_from_memory(std::uint32_t pid,
                                           std::uint64_t address,
                                           CodePlace place) {
  const CodeInMemory memory(pid, address, place);
  return rule_of_straight_code(own_machine(), memory.code());
}

bool is_call_in_memory(std::uint32_t pid, std::uint64_t address) {
  const CodeInMemory memory(pid, address, CodePlace::kCall);
  return is_call(own_machine(), memory.code());
}

}  // namespace wick
