// SPDX-License-Identifier: Apache-2.0
// ext2, ext3 and ext4 file systems, through libext2fs. Only its readers of
// directories, inodes and block maps are used, in a confined process: an image
// may be hostile.
#pragma once

#include <cstdint>

#include "sysroot/file_list.h"

namespace wick {

struct ExtImage {
  int fd = -1;
  std::uint64_t start = 0;  // of the file system in it
  std::uint64_t size = 0;   // of the whole image
};

// Lists the ELF files of the file system. Pieces are parts of the image.
void list_ext_image(const ExtImage& image, FileListWriter& list);

}  // namespace wick
