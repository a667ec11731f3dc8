// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "base/error.h"
#include "base/fuzz_target.h"
#include "sysroot/cpio.h"

namespace wick {
namespace {

// The bytes are an archive, and a list of files as a confined process sends it.
void fuzz_cpio(std::string_view bytes) {
  std::string sent;
  std::uint64_t stored = 0;
  FileListWriter writer([&](std::string_view more) { sent += more; });
  const auto store = [&](std::string_view more) {
    stored += more.size();
    return true;
  };
  try {
    list_initramfs(bytes, store, writer);
  } catch (const Error&) {
    return;  // a decompression bomb
  }
  const FileList list = read_file_list(sent);
  if (list.is_complete != list.error.empty()) std::abort();
  for (const FileList::File& file : list.files)
    if (!is_valid({.around = nullptr, .size = file.size, .pieces = file.pieces},
                  stored))
      std::abort();
  for (const FileList::Name& name : list.names)
    if (path_in_image(name.path) != name.path) std::abort();
  for (const FileList::Name& name : read_file_list(bytes).names)
    path_in_image(name.path);
}

}  // namespace

extern const FuzzTarget cpio_fuzz = {.name = "cpio", .run = fuzz_cpio};

}  // namespace wick
