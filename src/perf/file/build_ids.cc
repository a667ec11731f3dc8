// SPDX-License-Identifier: Apache-2.0
#include "perf/file/build_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/error.h"
#include "io/open_regular.h"
#include "object/elf/elf_file.h"
#include "object/kernel/running_kernel.h"

namespace wick {
namespace {

// The host, not a guest.
constexpr std::int32_t kHost = -1;

// "" if it is not an ELF file: fonts and databases are mapped as well.
template <class Open>
std::string build_id_of(Open&& open) {
  try {
    return open()->build_id();
  } catch (const Error&) {
    return "";
  }
}

std::string build_id_of_file(const SampledFile& file) {
  // A deleted file's name may belong to another one by now.
  if (!file.path.starts_with('/') || file.path.ends_with(" (deleted)"))
    return "";
  if (file.pid > 0) {
    const std::string root = fmt::format("/proc/{}/root", file.pid);
    if (UniqueFd fd = open_regular_in(root, file.path))
      return build_id_of(
          [&] { return ElfFile::from_fd(std::move(fd), file.path); });
  }
  UniqueFd fd = open_regular(file.path);
  if (!fd) return "";
  return build_id_of(
      [&] { return ElfFile::from_fd(std::move(fd), file.path); });
}

std::string read_build_id(const SampledFile& file) {
  const std::string_view path = file.path;
  if (path == "[vdso]") {
    const auto vdso = own_vdso();
    return vdso ? vdso->build_id() : "";
  }
  if (path.starts_with("[kernel")) return kernel_build_id();
  if (file.in_kernel && path.starts_with('[') && path.ends_with(']'))
    return kernel_module_build_id(file.path.substr(1, path.size() - 2));
  return build_id_of_file(file);
}

}  // namespace

std::vector<PerfHeader::BuildId> read_build_ids(
    std::span<const SampledFile> files) {
  std::vector<PerfHeader::BuildId> result;
  std::set<std::string_view> seen;
  for (const SampledFile& file : files) {
    if (seen.contains(file.path)) continue;
    std::string id = read_build_id(file);
    if (id.empty()) continue;  // it may be found by another process
    seen.insert(file.path);
    result.push_back(
        {.path = file.path,
         .build_id = std::move(id),
         .pid = kHost,
         .cpu_mode = file.in_kernel ? misc::kKernel : misc::kUser});
  }
  return result;
}

}  // namespace wick
