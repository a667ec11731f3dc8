// SPDX-License-Identifier: Apache-2.0
#include "object/kernel/running_kernel.h"

#include <sys/auxv.h>

#include <cstdint>

#include "base/bytes.h"
#include "base/text.h"
#include "io/read_file.h"

namespace wick {
namespace {

std::string build_id_in_file(const std::string& path) {
  const auto notes = read_small_file(path, 1 << 20);
  return notes ? build_id_in_notes(ByteReader(*notes)) : "";
}

}  // namespace

std::string kernel_build_id() { return build_id_in_file("/sys/kernel/notes"); }

std::string kernel_module_build_id(const std::string& module) {
  if (module.empty() || module.find('/') != std::string::npos) return "";
  return build_id_in_file("/sys/module/" + module +
                          "/notes/.note.gnu.build-id");
}

std::string boot_id() {
  const auto text = read_small_file("/proc/sys/kernel/random/boot_id", 64);
  std::string id(text ? trim(*text) : "");
  std::erase(id, '-');
  return all_hex_digits(id) ? id : "";
}

std::shared_ptr<const ElfFile> own_vdso() {
  const auto start = ::getauxval(AT_SYSINFO_EHDR);
  const auto maps = read_small_file("/proc/self/maps", std::uint64_t{16} << 20);
  if (start == 0 || !maps) return nullptr;
  std::string_view rest = *maps;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (!line.ends_with("[vdso]")) continue;
    const auto from = to_number<std::uint64_t>(take_until(line, '-'), 16);
    const auto to = to_number<std::uint64_t>(take_until(line, ' '), 16);
    if (!from || !to || *from != start || *to < start) return nullptr;
    return ElfFile::from_memory(
        "[vdso]",
        std::string(reinterpret_cast<const char*>(start), *to - *from));
  }
  return nullptr;
}

}  // namespace wick
