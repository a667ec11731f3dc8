// SPDX-License-Identifier: Apache-2.0
#include "perf/session/side_band.h"

#include <algorithm>

#include "base/text.h"

namespace wick {
namespace {

// The pid of records about the kernel.
constexpr std::uint32_t kKernelPid = 0xffffffff;
constexpr std::uint32_t kProtExec = 4;

}  // namespace

SideBand::SideBand(Images& images, BeforeChange before_change,
                   std::shared_ptr<MemoryBudget> memory)
    : images_(images),
      before_change_(std::move(before_change)),
      wants_jit_names_(memory == nullptr),
      jit_rules_limits_{.memory = memory},
      tasks_(std::move(memory)) {
  kernel_.version = next_map_version();
}

void SideBand::add_build_id(std::string path, std::string build_id) {
  build_ids_.emplace(std::move(path), std::move(build_id));
}

std::string SideBand::known_build_id(const std::string& path) const {
  const auto known = build_ids_.find(path);
  return known == build_ids_.end() ? "" : known->second;
}

bool SideBand::visit(const PerfRecord& record) {
  const auto decoded = [](const auto& value, auto use) {
    if (value) use(*value);
    return value.has_value();
  };
  switch (record.type) {
    case RecordType::kMmap:
    case RecordType::kMmap2:
      return decoded(decode_mmap(record), [&](const MmapRecord& mmap) {
        on_mmap(mmap, record.cpu_mode());
      });
    case RecordType::kComm:
      return decoded(decode_comm(record), [&](const CommRecord& comm) {
        if (comm.exec) {
          before_change_(tasks_.space(comm.pid));
          tasks_.exec(comm.pid);
          tasks_.space(comm.pid).jit.set_began(record.time);
        }
        tasks_.comm(comm.pid, comm.tid, comm.name);
      });
    case RecordType::kFork:
      return decoded(decode_task(record), [&](const TaskRecord& fork) {
        // perf describes existing processes as forks, too.
        on_fork(fork, (record.misc & misc::kForkExec) == 0);
      });
    case RecordType::kExit:
      return decoded(decode_task(record),
                     [&](const TaskRecord& exit) { on_exit(exit); });
    case RecordType::kKsymbol:
      return decoded(decode_ksymbol(record), [&](const KsymbolRecord& symbol) {
        on_kernel_symbol(symbol);
      });
    default:
      return true;
  }
}

void SideBand::changed(Space& space) {
  space.version = next_map_version();
  space.cache.clear();
}

void SideBand::runs(Space& space) {
  if (space.old_map.empty()) return;
  before_change_(space);
  space.old_map.clear();
  tasks_.account(space);
  changed(space);
}

void SideBand::on_mmap(const MmapRecord& mmap, std::uint16_t cpu_mode) {
  if (mmap.pid == kKernelPid || cpu_mode == misc::kKernel)
    return on_kernel_mmap(mmap);
  const std::uint64_t end = mmap.start + mmap.size;
  Space& space = tasks_.space(mmap.pid);
  const bool is_code = !mmap.is_data && (mmap.protection & kProtExec) != 0;
  // A data mapping replaces code that was mapped there.
  if (!is_code && !space.map.has_any(mmap.start, end)) return;
  before_change_(space);
  if (is_code)
    map_code(space, mmap);
  else
    space.map.unmap(mmap.start, end);
  tasks_.account(space);
  changed(space);
}

void SideBand::map_code(Space& space, const MmapRecord& mmap) {
  const std::uint64_t end = mmap.start + mmap.size;
  const auto claim = [&] { return claim_of(space); };
  const bool is_too_many = space.map.size() >= AddressSpace::kMaxMappings;
  if (is_too_many || !tasks_.has_room(space, mmap.path.size(), claim)) {
    // What was there is gone all the same.
    space.map.unmap(mmap.start, end);
    if (is_too_many) ++refused_;
    return;
  }
  if (ProcessJit::is_jitdump(mmap.path)) announce_jitdump(space, mmap);
  const ImageId image = image_of(mmap);
  if (image == ImageId::kNone) tasks_.refuse(space);
  space.map.map({mmap.start, end, mmap.page_offset, image});
}

void SideBand::announce_jitdump(Space& space, const MmapRecord& mmap) {
  if (wants_jit_names_) space.jit.announce_jitdump(mmap.pid, mmap.path);
  if (!space.jit_rules)
    space.jit_rules = std::make_shared<JitRules>(jit_rules_limits_);
  space.jit_rules->announce(mmap.pid, mmap.path);
}

std::uint64_t SideBand::claim_of(const Space& space) const {
  std::uint64_t sum = 0;
  for (const Mapping& mapping : space.map)
    sum += Tasks::kMappingBytes + images_.file(mapping.image).path.size();
  return sum;
}

void SideBand::forget_unmapped_images() {
  std::vector<bool> needed(images_.size());
  const auto need = [&](const AddressSpace& map) {
    for (const Mapping& mapping : map) needed[index(mapping.image)] = true;
  };
  need(kernel_.map);
  tasks_.for_each_space([&](const Space& space) {
    need(space.map);
    need(space.old_map);
  });
  images_.forget_all_but(needed);
}

CodeFile mapped_file(const MmapRecord& mmap) {
  const std::string_view path = without_deleted_mark(mmap.path);
  return {.path = std::string(path),
          .build_id = to_hexadecimal(mmap.build_id),
          .pid = static_cast<std::int32_t>(mmap.pid),
          .kind = kind_of_mapping(path),
          .mapped_start = mmap.start,
          .mapped_end = mmap.start + mmap.size,
          .inode = {.dev_major = mmap.dev_major,
                    .dev_minor = mmap.dev_minor,
                    .number = mmap.inode,
                    .generation = mmap.inode_generation},
          .is_deleted = path.size() < mmap.path.size()};
}

ImageId SideBand::image_of(const MmapRecord& mmap) {
  CodeFile file = mapped_file(mmap);
  // A build id of the same path is that of the successor if it was deleted.
  if (file.build_id.empty()) file.build_id = known_build_id(marked_path(file));
  return images_.intern(file);
}

ImageId SideBand::kernel_image() {
  const std::string path(kKernelPath);
  return images_.intern({.path = path,
                         .build_id = known_build_id(path),
                         .kind = CodeKind::kKernel});
}

void SideBand::on_kernel_mmap(const MmapRecord& mmap) {
  if (kernel_.map.size() >= AddressSpace::kMaxMappings) {
    ++refused_;
    return;
  }
  before_change_(kernel_);
  CodeFile file{.path = std::string(mmap.path),
                .kind = CodeKind::kKernelModule};
  if (file.path.starts_with(kKernelPath)) {
    // "[kernel.kallsyms]_text": the offset is the address of that symbol.
    kernel_start_ = mmap.page_offset != 0 ? mmap.page_offset : mmap.start;
    images_.kernel_began_at(kernel_start_);
    file.path = kKernelPath;
    file.kind = CodeKind::kKernel;
  }
  file.build_id = known_build_id(file.path);
  kernel_.map.map(
      {mmap.start, mmap.start + mmap.size, 0, images_.intern(file)});
  changed(kernel_);
}

// A BPF program (or other generated code) was loaded or unloaded. Unloaded code
// stays known: samples of it may still come from other CPUs' buffers.
void SideBand::on_kernel_symbol(const KsymbolRecord& symbol) {
  if (symbol.unregister) return;
  if (kernel_.map.size() >= AddressSpace::kMaxMappings) {
    ++refused_;
    return;
  }
  before_change_(kernel_);
  kernel_.map.map({symbol.start, symbol.start + symbol.size, 0,
                   images_.intern({.path = std::string(kBpfPath),
                                   .build_id = std::string(symbol.name),
                                   .kind = CodeKind::kAnonymous})});
  changed(kernel_);
}

void SideBand::on_fork(const TaskRecord& fork, bool is_real) {
  if (fork.pid != fork.parent_pid) before_change_(tasks_.space(fork.pid));
  if (!tasks_.fork(fork.parent_pid, fork.parent_tid, fork.pid, fork.tid,
                   is_real))
    ++refused_;
  if (is_real && fork.pid != fork.parent_pid)
    tasks_.space(fork.pid).jit.set_began(fork.time);
}

void SideBand::on_exit(const TaskRecord& exit) {
  if (Space* space = tasks_.exit(exit.pid, exit.tid)) {
    before_change_(*space);
    tasks_.remove_space(exit.pid);
  }
  // A sample in the kernel on behalf of an ended process created a new space
  // for it.
  while (const auto pid = tasks_.forget_oldest()) {
    Space* late = tasks_.find_space(*pid);
    if (late == nullptr) continue;
    before_change_(*late);
    tasks_.remove_space(*pid);
  }
}

}  // namespace wick
