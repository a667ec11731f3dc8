// SPDX-License-Identifier: Apache-2.0
// The files of code in a recording, each once. A file is opened on first use,
// and never used if its build id is not the recorded one.
//
// A recorder bounds what they hold, since programs map as many files as they
// like: with names of 4 KB, with huge unwind sections, for a moment each. What
// nothing needs any more is forgotten; what needs more than its share is not
// used.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "base/memory_budget.h"
#include "object/address_space.h"
#include "object/debug_files.h"
#include "object/kept_names.h"
#include "object/unwind/unwind_table.h"

namespace wick {

struct ImagesMemory {
  std::shared_ptr<MemoryBudget> files;  // contents; also that of the DebugFiles
  std::shared_ptr<MemoryBudget> names;  // paths and build ids
};

class Images {
 public:
  // Nothing is bounded if `memory` is empty.
  explicit Images(DebugFiles& files, ImagesMemory memory = {})
      : files_(files),
        memory_(std::move(memory)),
        names_(memory_.names, MemoryBudget::kNoLimit) {}

  // The image of this file, made if it is new; kNone if there is no memory for
  // its name. A file that was not found is looked for again when another
  // process has it.
  ImageId intern(const CodeFile& file);
  const CodeFile& file(ImageId id) const { return images_[index(id)].file; }
  // No id is larger.
  std::size_t size() const { return images_.size(); }
  std::int64_t recorded_until() const { return files_.recorded_until(); }
  void kernel_began_at(std::uint64_t start) { files_.kernel_began_at(start); }

  // Names that the recording keeps, or null. Before anything is interned; they
  // outlive this object.
  void use_kept(const KeptNames* names) { kept_ = names; }
  const KeptNames* kept_names() const { return kept_; }
  // What they have of the image's file; null if nothing.
  const KeptModule* kept(ImageId id) const { return images_[index(id)].kept; }

  // Null if no file was found; state() has the reason, or kFound if the file
  // was refused because of its size. Thread-safe.
  std::shared_ptr<const ElfFile> elf(ImageId id);
  FileState state(ImageId id);

  // The address in the file's own terms; without the file, the offset in it.
  // The file of kept names is not opened for this.
  std::uint64_t elf_addr(ImageId id, std::uint64_t file_off);

  // Null if there is no file. Thread-safe.
  const UnwindTable* unwind_table(ImageId id);

  // Closes files to stay within the memory for files; they are reopened on next
  // use. First those not used since the last call, if all hold more than a
  // quarter; then, if they still hold more than three quarters, the largest,
  // which stay closed for good. Returns whether it closed any; then what the
  // functions above returned, and every rule copied from a table, is invalid.
  // For recordings of a whole machine over hours, which see new files all the
  // time.
  bool trim();
  // Whether trim() is urgent.
  bool is_short_of_memory() const;

  // Whether there are so many names that it is time to forget_all_but().
  bool has_many_names() const { return names_.used() > names_limit_; }
  // Forgets images that are not `needed`, by id; their ids are reused.
  void forget_all_but(const std::vector<bool>& needed);

  // Files that were not used, or not in full, because of their size.
  std::uint64_t refused_files() const;

 private:
  struct Contents {
    std::once_flag opened, compiled;
    FoundFile found;
    std::shared_ptr<const ElfFile> debug;  // of its unwind table
    UnwindTable table;
    std::atomic<bool> is_used = false;
    bool was_looked_for = false;

    std::uint64_t bytes() const;  // of memory
    bool exceeded_own_limit() const;
    bool exceeded_budget() const;
  };
  struct Image {
    CodeFile file;
    bool is_refused = false;  // because of its size
    bool is_free = false;     // no longer an image
    std::uint8_t retries = 0;
    const KeptModule* kept = nullptr;
    std::unique_ptr<Contents> contents = std::make_unique<Contents>();
  };
  bool is_program_in_memory(const CodeFile& file) const;
  static std::uint64_t bytes_of(const CodeFile& file);
  static void on_mapped_again(Image& image, const CodeFile& file);
  Contents& opened(ImageId id);
  void refuse(Image& image);
  bool close(Image& image);
  bool close_unused();
  bool close_largest();
  void add_to_index(std::uint32_t row);

  DebugFiles& files_;
  const KeptNames* kept_ = nullptr;
  ImagesMemory memory_;
  MemoryAccount names_;
  std::uint64_t names_limit_ =
      memory_.names ? memory_.names->limit() / 2 : MemoryBudget::kNoLimit;
  std::uint64_t refused_files_ = 0;
  std::deque<Image> images_{1};  // row 0: none
  std::vector<std::uint32_t> free_rows_;
  HashIndex index_;
};

}  // namespace wick
