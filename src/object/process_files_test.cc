// SPDX-License-Identifier: Apache-2.0
#include "object/process_files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "builders/elf_builder.h"
#include "builders/test_folder.h"
#include "io/open_regular.h"
#include "object/debug_files.h"
#include "object/images.h"

namespace wick {
namespace {

constexpr std::string_view kMappedId = "abcdefgh";
const std::string kMappedHexId = to_hexadecimal(kMappedId);

// This process maps a file, as programs do with their code.
class ProcessFilesTest : public testing::Test {
 protected:
  ~ProcessFilesTest() override { unmap(); }

  void put(const std::string& content) {
    ::unlink(path_.c_str());
    std::ofstream(path_, std::ios::binary) << content;
  }
  CodeFile map(const std::string& build_id) {
    const UniqueFd fd = open_regular(path_);
    mapped_ = ::mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    const auto start = reinterpret_cast<std::uint64_t>(mapped_);
    return {.path = path_,
            .build_id = build_id,
            .pid = ::getpid(),
            .mapped_start = start,
            .mapped_end = start + kSize};
  }
  void unmap() {
    if (mapped_ != MAP_FAILED) ::munmap(mapped_, kSize);
    mapped_ = MAP_FAILED;
  }
  // Skips if this user may not follow the links.
  static bool may_follow(const CodeFile& file) {
    return open_mapped_file(file) || errno != EPERM;
  }

  static constexpr std::size_t kSize = 4096;
  TestFolder folder_;
  std::string path_ = folder_.path() + "/program";
  void* mapped_ = MAP_FAILED;
};

#define SKIP_UNLESS_MAY_FOLLOW(file) \
  if (!may_follow(file)) GTEST_SKIP() << "only root may follow map_files"

TEST_F(ProcessFilesTest, AReplacedFileIsFoundThroughItsProcess) {
  put(code_with_id(kMappedId).bytes());
  const CodeFile file = map(kMappedHexId);
  SKIP_UNLESS_MAY_FOLLOW(file);
  put(code_with_id("another1").bytes());
  const FoundFile found = DebugFiles({}).binary(file);
  ASSERT_EQ(found.state, FileState::kFound);
  EXPECT_EQ(found.elf->build_id(), kMappedHexId);
}

TEST_F(ProcessFilesTest, ADeletedFileWithoutBuildIdIsFoundByItsMapping) {
  put(code_with_id("").bytes());
  CodeFile file = map("");
  SKIP_UNLESS_MAY_FOLLOW(file);
  ::unlink(path_.c_str());
  file.is_deleted = true;
  EXPECT_EQ(DebugFiles({}).binary(file).state, FileState::kFound);
  file.mapped_start = file.mapped_end = 0;
  EXPECT_EQ(DebugFiles({}).binary(file).state, FileState::kMissing);
}

TEST_F(ProcessFilesTest, AProcessThatBeganAfterTheRecordingIsAnother) {
  put(code_with_id("").bytes());
  CodeFile file = map("");
  SKIP_UNLESS_MAY_FOLLOW(file);
  ::unlink(path_.c_str());
  file.is_deleted = true;
  EXPECT_EQ(DebugFiles({.recorded_until = 1}).binary(file).state,
            FileState::kMissing);
}

TEST_F(ProcessFilesTest, AMappedFileWithAnotherBuildIdIsNotUsed) {
  put(code_with_id("another1").bytes());
  const CodeFile file = map(kMappedHexId);
  SKIP_UNLESS_MAY_FOLLOW(file);
  EXPECT_EQ(DebugFiles({}).binary(file).state, FileState::kOtherBuildId);
}

TEST_F(ProcessFilesTest, AMappingThatWasCutIsStillFound) {
  put(code_with_id(kMappedId).bytes());
  CodeFile file = map(kMappedHexId);
  SKIP_UNLESS_MAY_FOLLOW(file);
  file.mapped_end += kSize;
  ::unlink(path_.c_str());
  EXPECT_EQ(DebugFiles({}).binary(file).state, FileState::kFound);
}

TEST_F(ProcessFilesTest, AKeptFileOutlivesItsMappingAndItsName) {
  put(code_with_id(kMappedId).bytes());
  const CodeFile file = map(kMappedHexId);
  DebugFiles files({});
  files.keep(file);
  unmap();
  ::unlink(path_.c_str());
  EXPECT_EQ(files.binary(file).state, FileState::kFound);
}

// A memfd with these bytes, mapped.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes)
      : fd_(::memfd_create("hidden", MFD_CLOEXEC)) {
    EXPECT_EQ(::write(fd_.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
    mapped_ = ::mmap(nullptr, kSize, PROT_READ, MAP_SHARED, fd_.get(), 0);
  }
  ~MemoryFile() { ::munmap(mapped_, kSize); }
  CodeFile file() const {
    struct stat status {};
    ::fstat(fd_.get(), &status);
    const auto start = reinterpret_cast<std::uintptr_t>(mapped_);
    return {.path = "/memfd:hidden",
            .pid = ::getpid(),
            .kind = CodeKind::kAnonymous,
            .mapped_start = start,
            .mapped_end = start + kSize,
            .inode = {.dev_major = major(status.st_dev),
                      .dev_minor = minor(status.st_dev),
                      .number = status.st_ino},
            .is_deleted = true};
  }

 private:
  static constexpr std::size_t kSize = 4096;
  UniqueFd fd_;
  void* mapped_;
};

TEST_F(ProcessFilesTest, AProgramInMemoryIsAFile) {
  const MemoryFile memory(code_with_id("").bytes());
  SKIP_UNLESS_MAY_FOLLOW(memory.file());
  DebugFiles files({});
  Images images(files);
  const ImageId id = images.intern(memory.file());
  EXPECT_EQ(images.file(id).kind, CodeKind::kFile);
  EXPECT_NE(images.elf(id), nullptr);
}

TEST_F(ProcessFilesTest, GeneratedCodeInMemoryIsNoFile) {
  const MemoryFile memory("\x55\x48\x89\xe5");
  DebugFiles files({});
  files.keep(memory.file());
  Images images(files);
  const ImageId id = images.intern(memory.file());
  EXPECT_EQ(images.file(id).kind, CodeKind::kAnonymous);
}

TEST_F(ProcessFilesTest, TheProgramIsKnownByItsLink) {
  char target[4096] = {};
  ASSERT_GT(::readlink("/proc/self/exe", target, sizeof target - 1), 0);
  EXPECT_TRUE(is_program({.path = target, .pid = ::getpid()}));
  EXPECT_FALSE(is_program({.path = path_, .pid = ::getpid()}));
  EXPECT_TRUE(open_program({.pid = ::getpid()}));
}

// Executes `program`, a copy of sleep, until the test is over.
class ExecutingChild {
 public:
  explicit ExecutingChild(const std::string& program) : pid_(::fork()) {
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execl(program.c_str(), "sleep", "60", nullptr);
      ::_exit(1);
    }
    for (int i = 0; i < 10'000 && !is_program(file(program)); ++i)
      ::usleep(1000);
  }
  ~ExecutingChild() { end(); }
  CodeFile file(const std::string& program) const {
    return {.path = program, .pid = pid_};
  }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

TEST_F(ProcessFilesTest, ADeletedProgramIsKnownByItsLink) {
  std::filesystem::copy_file("/bin/sleep", path_);
  const ExecutingChild child(path_);
  CodeFile file = child.file(path_);
  ::unlink(path_.c_str());
  file.is_deleted = true;
  EXPECT_TRUE(is_program(file));
  EXPECT_TRUE(open_live_file(file));
}

TEST_F(ProcessFilesTest, AProgramThatWasOpenedInTimeIsKept) {
  std::filesystem::copy_file("/bin/sleep", path_);
  ExecutingChild child(path_);
  const CodeFile file = child.file(path_);
  DebugFiles files({});
  files.keep_program(file.pid);
  ::unlink(path_.c_str());
  child.end();
  files.end_round();
  files.keep(file);
  EXPECT_EQ(files.binary(file).state, FileState::kFound);
}

TEST_F(ProcessFilesTest, AFileThatIsNewOrGoneTellsOfMore) {
  DebugFiles files({});
  files.keep({.path = "/bin/sleep", .pid = ::getpid()});
  EXPECT_FALSE(files.sees_new_files());
  files.keep({.path = path_, .pid = ::getpid()});
  EXPECT_TRUE(files.sees_new_files());
  DebugFiles others({});
  put(code_with_id(kMappedId).bytes());
  others.keep({.path = path_, .pid = ::getpid()});
  EXPECT_TRUE(others.sees_new_files());
}

TEST_F(ProcessFilesTest, AProgramThatIsNewTellsOfMore) {
  std::filesystem::copy_file("/bin/sleep", path_,
                             std::filesystem::copy_options::overwrite_existing);
  ExecutingChild child(path_);
  DebugFiles files({});
  files.keep_program(child.file(path_).pid);
  EXPECT_TRUE(files.sees_new_files());
}

TEST_F(ProcessFilesTest, AProgramThatNobodyAsksForIsClosed) {
  std::filesystem::copy_file("/bin/sleep", path_);
  ExecutingChild child(path_);
  const CodeFile file = child.file(path_);
  DebugFiles files({});
  files.keep_program(file.pid);
  ::unlink(path_.c_str());
  child.end();
  files.end_round();
  files.end_round();
  files.keep(file);
  EXPECT_EQ(files.binary(file).state, FileState::kMissing);
}

// /proc/PID/maps has paths from the reader's root if it sees the other one.
TEST_F(ProcessFilesTest, APathThatBeginsWithTheRootOfItsProcessIsBelowIt) {
  const std::string root = folder_.path() + "/jail";
  std::filesystem::create_directories(root + "/lib");
  std::ofstream(root + "/lib/a.so") << "code";
  const std::string process = folder_.path() + "/1";
  std::filesystem::create_directory(process);
  std::filesystem::create_symlink(root, process + "/root");
  EXPECT_EQ(path_in_root(process, root + "/lib/a.so"), "/lib/a.so");
  EXPECT_EQ(path_in_root(process, root + "er/a.so"), "");
  EXPECT_EQ(path_in_root(process, "/lib/a.so"), "");
  EXPECT_TRUE(open_in_root_of(process, root + "/lib/a.so"));
  EXPECT_TRUE(open_in_root_of(process, std::string("/lib/a.so")));
}

}  // namespace
}  // namespace wick
