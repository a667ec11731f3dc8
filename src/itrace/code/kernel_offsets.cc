// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/kernel_offsets.h"

#include <fmt/format.h>

#include <iterator>

#include "base/append.h"
#include "base/error.h"
#include "io/input_file.h"
#include "object/kernel/btf.h"

namespace wick {
namespace {

struct Wanted {
  const char *name = "", *type = "", *member = "";
  bool always = true;  // false: only in some versions
};

constexpr Wanted kWanted[] = {
    {"task.pid", "task_struct", "pid"},
    {"task.tgid", "task_struct", "tgid"},
    {"task.comm", "task_struct", "comm"},
    {"task.mm", "task_struct", "mm"},
    {"mm.exec_vm", "mm_struct", "exec_vm"},
    {"mm.map_count", "mm_struct", "map_count"},
    {"mm.maple_root", "mm_struct", "mm_mt.ma_root", false},  // from 6.1 on
    {"mm.mmap", "mm_struct", "mmap", false},                 // before
    {"mm.vdso", "mm_struct", "context.vdso", false},
    {"vma.start", "vm_area_struct", "vm_start"},
    {"vma.end", "vm_area_struct", "vm_end"},
    {"vma.flags", "vm_area_struct", "vm_flags"},
    {"vma.pgoff", "vm_area_struct", "vm_pgoff"},
    {"vma.file", "vm_area_struct", "vm_file"},
    {"vma.next", "vm_area_struct", "vm_next", false},
    {"file.dentry", "file", "f_path.dentry"},
    {"file.mnt", "file", "f_path.mnt"},
    {"dentry.parent", "dentry", "d_parent"},
    {"dentry.name", "dentry", "d_name.name"},
    {"mount.mnt", "mount", "mnt", false},
    {"mount.parent", "mount", "mnt_parent", false},
    {"mount.mountpoint", "mount", "mnt_mountpoint", false},
};

}  // namespace

std::string kernel_offsets(const std::string& path) {
  InputFile file = InputFile::open(path);
  return in_context(path, [&] {
    const auto btf = Btf::find(file.bytes(), "task_struct");
    if (!btf)
      fail(
          "has no kernel BTF; expected an uncompressed kernel, or its vmlinux, "
          "built with CONFIG_DEBUG_INFO_BTF");
    std::string lines;
    for (const Wanted& wanted : kWanted) {
      const auto offset = btf->offset(wanted.type, wanted.member);
      if (offset)
        append(lines, "{} {}\n", wanted.name, *offset);
      else if (wanted.always)
        fail("struct {} of this kernel has no {}", wanted.type, wanted.member);
    }
    return lines;
  });
}

}  // namespace wick
