// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

// A symbolic link stays, and its target is written.
std::string link_target(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

// Creates a new file next to `path`; O_EXCL, so that nobody else's file or link
// is overwritten.
std::string create_beside(const std::string& path) {
  for (int attempt = 0;; ++attempt) {
    std::string name = fmt::format("{}.{}.{}.part", path, ::getpid(), attempt);
    const UniqueFd fd(
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd) return name;
    if (errno != EEXIST || attempt > 100)
      fail("cannot write: {}", last_system_error());
  }
}

}  // namespace

bool is_special_file(const std::string& path) {
  struct stat info {};
  const bool names_open_file =
      (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) ||
      path.starts_with("/proc/");
  return names_open_file ||
         (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode));
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  in_context(path, [&] {
    struct stat info {};
    if (::stat(path_.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
      fail("is a directory, not a file");
    if (!is_special_file(path_)) {
      path_ = link_target(path_);
      if (!is_special_file(path_)) temporary_ = create_beside(path_);
    }
    auto file = std::make_unique<std::ofstream>(
        temporary_.empty() ? path_ : temporary_, std::ios::binary);
    if (!*file) fail("cannot write: {}", last_system_error());
    stream_ = std::move(file);
  });
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::commit() {
  in_context(path_, [&] {
    stream_->flush();
    if (!*stream_) fail("cannot write: {}", last_system_error());
    stream_.reset();
    if (temporary_.empty()) return;
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
      fail("cannot write: {}", last_system_error());
    temporary_.clear();
  });
}

void finish_standard_output(std::ostream& out) {
  out.flush();
  if (!out) fail("standard output: cannot write: {}", last_system_error());
}

}  // namespace wick
