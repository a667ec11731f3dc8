// SPDX-License-Identifier: Apache-2.0
#include "linux_guest.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>

namespace wick_qemu {
namespace {

using wick::SideBandFact;

constexpr std::uint64_t kPageSize = 4096;
constexpr std::uint64_t kExecutable = 4;  // VM_EXEC
constexpr std::size_t kMaxAreas = 1 << 16;
constexpr int kMaxPathParts = 64;

template <class T>
T read(Guest& guest, std::uint64_t addr) {
  T value{};
  guest.read_memory(addr, &value, sizeof(value));
  return value;
}

bool is_kernel_address(std::uint64_t addr) { return addr >> 63; }

std::string text_at(Guest& guest, std::uint64_t addr, std::size_t size) {
  std::string text(size, '\0');
  if (!guest.read_memory(addr, text.data(), size)) return "";
  return text.substr(0, text.find('\0'));
}

// The page table in satp, without the ASID, which the kernel reassigns.
std::uint64_t page_table(std::uint64_t satp) {
  return satp & ((std::uint64_t{1} << 44) - 1);
}

SideBandFact thread_fact(const ThreadState& state) {
  SideBandFact fact;
  fact.kind = SideBandFact::Kind::kThread;
  fact.satp = state.satp;
  fact.pid = state.pid;
  fact.tid = state.tid;
  fact.name = state.name;
  return fact;
}

}  // namespace

std::string LinuxGuest::load(const std::string& path) {
  // Not a stream: if QEMU loads two plugins that each contain libstdc++, the
  // second one's streams do not work.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(
      std::fopen(path.c_str(), "r"), std::fclose);
  if (!in) return path + ": cannot be read";
  char name[64];
  std::uint64_t offset = 0;
  while (std::fscanf(in.get(), "%63s %" SCNu64, name, &offset) == 2)
    offsets_[name] = offset;
  for (const char* wanted :
       {"task.pid", "task.tgid", "task.comm", "task.mm", "mm.exec_vm",
        "mm.map_count", "vma.start", "vma.end", "vma.flags", "vma.pgoff",
        "vma.file", "file.dentry", "file.mnt", "dentry.parent", "dentry.name"})
    if (!has(wanted))
      return path + ": no line for " + wanted +
             "; create the file with 'wick kernel-offsets VMLINUX'";
  if (!has("mm.maple_root") && !has("mm.mmap"))
    return path + ": no line for mm.maple_root or mm.mmap";
  return "";
}

void LinuxGuest::look(Guest& guest, ThreadState& state, bool leaving) {
  const std::uint64_t tp = guest.tp();
  // During the first instructions of a trap, it is still the program's.
  if (is_kernel_address(tp) && tp != state.task) {
    state.task = tp;
    read_thread(guest, state);
  }
  if (state.task == 0 || !leaving) return;
  // exec changes the task's mm and then its name.
  if (read<std::uint64_t>(guest, state.task + at("task.mm")) != state.mm ||
      text_at(guest, state.task + at("task.comm"), 16) != state.name)
    read_thread(guest, state);
  state.satp = guest.satp();
  if (state.mm != 0) read_mappings(guest, state);
}

void LinuxGuest::read_thread(Guest& guest, ThreadState& state) {
  state.tid = read<std::int32_t>(guest, state.task + at("task.pid"));
  state.pid = read<std::int32_t>(guest, state.task + at("task.tgid"));
  state.mm = read<std::uint64_t>(guest, state.task + at("task.mm"));
  state.name = text_at(guest, state.task + at("task.comm"), 16);
  state.satp = guest.satp();
  state.news.push_back(thread_fact(state));
}

void LinuxGuest::tell_again(ThreadState& state) {
  const std::lock_guard lock(mutex_);
  ++generation_;
  state.news.clear();
  if (state.task == 0) return;
  state.news.push_back(thread_fact(state));
  const auto found = spaces_.find(state.mm);
  if (found == spaces_.end()) return;
  found->second.told = 0;
  // Its mappings are known; the next return from the kernel would be too late.
  for (const Mapping& mapping : found->second.mappings) {
    SideBandFact fact;
    fact.kind = SideBandFact::Kind::kMapping;
    fact.satp = found->second.satp;
    fact.pid = state.pid;
    fact.start = mapping.start;
    fact.end = mapping.end;
    fact.file_off = mapping.file_off;
    fact.name = mapping.path;
    state.news.push_back(fact);
  }
  found->second.told = generation_;
}

void LinuxGuest::read_mappings(Guest& guest, ThreadState& state) {
  const auto exec_vm = read<std::uint64_t>(guest, state.mm + at("mm.exec_vm"));
  const auto map_count =
      read<std::uint32_t>(guest, state.mm + at("mm.map_count"));
  const std::lock_guard lock(mutex_);
  Space& space = spaces_[state.mm];
  const bool other = space.pid != state.pid ||
                     page_table(space.satp) != page_table(state.satp);
  if (!other && space.told == generation_ && space.exec_vm == exec_vm &&
      space.map_count == map_count && space.satp == state.satp)
    return;
  SideBandFact fact;
  fact.satp = state.satp;
  fact.pid = state.pid;
  if (other || space.told != generation_ || space.satp != state.satp) {
    fact.kind = SideBandFact::Kind::kUnmapAll;
    state.news.push_back(fact);
    space.mappings.clear();
  }
  space.satp = state.satp;
  space.pid = state.pid;
  space.told = generation_;
  space.exec_vm = exec_vm;
  space.map_count = map_count;
  fact.kind = SideBandFact::Kind::kMapping;
  for (Mapping& mapping : walk(guest, state.mm)) {
    fact.start = mapping.start;
    fact.end = mapping.end;
    fact.file_off = mapping.file_off;
    fact.name = mapping.path;
    if (space.mappings.insert(std::move(mapping)).second)
      state.news.push_back(fact);
  }
}

std::vector<LinuxGuest::Mapping> LinuxGuest::walk(Guest& guest,
                                                  std::uint64_t mm) const {
  std::vector<Mapping> result;
  const std::uint64_t vdso =
      has("mm.vdso") ? read<std::uint64_t>(guest, mm + at("mm.vdso")) : 0;
  std::size_t seen = 0;
  if (!has("mm.maple_root")) {  // before Linux 6.1, a list
    auto area = read<std::uint64_t>(guest, mm + at("mm.mmap"));
    for (; area != 0 && seen < kMaxAreas; ++seen) {
      add_area(guest, area, vdso, result);
      area = read<std::uint64_t>(guest, area + at("vma.next"));
    }
    return result;
  }
  // A maple tree: nodes of 256 bytes, with the node's type in bits 3 to 6 of
  // the pointer to it. Slots are used up to the first pivot that is 0.
  std::vector<std::uint64_t> open = {
      read<std::uint64_t>(guest, mm + at("mm.maple_root"))};
  while (!open.empty() && ++seen < kMaxAreas) {
    const std::uint64_t entry = open.back();
    open.pop_back();
    if (!is_kernel_address(entry)) continue;
    const std::uint64_t type = entry >> 3 & 0xf;
    std::uint64_t words[32];
    if (!guest.read_memory(entry & ~std::uint64_t{0xff}, words, sizeof(words)))
      continue;
    // The parent, pivots and slots: 15 and 16 of them in range and leaf nodes,
    // 9 and 10 in allocation nodes.
    const std::size_t slots = type == 3 ? 10 : 16;
    if (type != 1 && type != 2 && type != 3) continue;
    for (std::size_t i = 0; i < slots; ++i) {
      const std::uint64_t slot = words[slots + i];
      if (type != 1 && slot != 0) open.push_back(slot);
      if (type == 1 && is_kernel_address(slot) && (slot & 7) == 0)
        add_area(guest, slot, vdso, result);
      if (i + 1 < slots && words[1 + i] == 0) break;
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

void LinuxGuest::add_area(Guest& guest, std::uint64_t area, std::uint64_t vdso,
                          std::vector<Mapping>& out) const {
  const auto flags = read<std::uint64_t>(guest, area + at("vma.flags"));
  if (!(flags & kExecutable)) return;
  Mapping mapping;
  mapping.start = read<std::uint64_t>(guest, area + at("vma.start"));
  mapping.end = read<std::uint64_t>(guest, area + at("vma.end"));
  if (mapping.start >= mapping.end || mapping.start % kPageSize != 0) return;
  const auto file = read<std::uint64_t>(guest, area + at("vma.file"));
  mapping.file_off = 0;
  if (file != 0) {
    mapping.file_off =
        read<std::uint64_t>(guest, area + at("vma.pgoff")) * kPageSize;
    mapping.path = path_of(guest, file);
  } else if (mapping.start == vdso) {
    mapping.path = "[vdso]";
  }
  if (!mapping.path.empty()) out.push_back(std::move(mapping));
}

std::string LinuxGuest::path_of(Guest& guest, std::uint64_t file) const {
  auto dentry = read<std::uint64_t>(guest, file + at("file.dentry"));
  auto mnt = read<std::uint64_t>(guest, file + at("file.mnt"));
  const bool knows_mounts =
      has("mount.mnt") && has("mount.parent") && has("mount.mountpoint");
  std::string path;
  for (int i = 0; i < kMaxPathParts && is_kernel_address(dentry); ++i) {
    const auto parent =
        read<std::uint64_t>(guest, dentry + at("dentry.parent"));
    if (parent != dentry) {
      const auto name = read<std::uint64_t>(guest, dentry + at("dentry.name"));
      // A name may end with its page, and the next one may not be mapped.
      const std::size_t size =
          std::min<std::uint64_t>(256, kPageSize - name % kPageSize);
      path = '/' + text_at(guest, name, size) + path;
      dentry = parent;
      continue;
    }
    // The root of a mount: continue at its mount point.
    if (!knows_mounts || !is_kernel_address(mnt)) break;
    const std::uint64_t mount = mnt - at("mount.mnt");
    const auto above = read<std::uint64_t>(guest, mount + at("mount.parent"));
    if (above == mount || !is_kernel_address(above)) break;
    dentry = read<std::uint64_t>(guest, mount + at("mount.mountpoint"));
    mnt = above + at("mount.mnt");
  }
  return path;
}

}  // namespace wick_qemu
