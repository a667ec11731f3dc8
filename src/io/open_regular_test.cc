// SPDX-License-Identifier: Apache-2.0
#include "io/open_regular.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "builders/open_counter.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

class OpenRegular : public testing::Test {
 protected:
  OpenRegular() {
    std::ofstream(path("file")) << "content";
    EXPECT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  }
  std::string path(const std::string& name) const {
    return folder_ + "/" + name;
  }
  void link(const std::string& target, const std::string& name) const {
    EXPECT_EQ(::symlink(target.c_str(), path(name).c_str()), 0);
  }
  static std::string content(const UniqueFd& fd) {
    char bytes[100];
    const ssize_t got = ::read(fd.get(), bytes, sizeof bytes);
    return {bytes, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

  TestFolder temporary_;
  std::string folder_ = temporary_.path();
};

TEST_F(OpenRegular, OpensAFileForReading) {
  const OpenCounter opened(path("file"));
  EXPECT_EQ(content(open_regular(path("file"))), "content");
  EXPECT_EQ(opened.count(), 1u);
}

TEST_F(OpenRegular, DoesNotOpenAFifo) {
  const OpenCounter opened(path("fifo"));
  EXPECT_FALSE(open_regular(path("fifo")));
  EXPECT_EQ(open_error(), "not a regular file");
  EXPECT_EQ(opened.count(), 0u);
}

TEST_F(OpenRegular, DoesNotOpenADeviceBehindALink) {
  if (!make_device(path("device"))) GTEST_SKIP() << "only root makes devices";
  link("device", "library.so");
  const OpenCounter opened(path("device"));
  EXPECT_FALSE(open_regular(path("library.so")));
  EXPECT_EQ(errno, EMEDIUMTYPE);
  EXPECT_EQ(opened.count(), 0u);
}

TEST_F(OpenRegular, DoesNotOpenADirectory) {
  EXPECT_FALSE(open_regular(folder_));
  EXPECT_EQ(errno, EMEDIUMTYPE);
}

TEST_F(OpenRegular, SaysThatAFileIsMissing) {
  EXPECT_FALSE(open_regular(path("none")));
  EXPECT_EQ(open_error(), "No such file or directory");
}

TEST_F(OpenRegular, RefusesALinkOnRequest) {
  link("file", "link");
  EXPECT_EQ(content(open_regular(path("link"))), "content");
  EXPECT_FALSE(open_regular(path("link"), {.follow_link = false}));
  EXPECT_EQ(errno, ELOOP);
}

TEST_F(OpenRegular, DoesNotWaitForALease) {
  const UniqueFd owner(::open(path("file").c_str(), O_RDWR | O_CLOEXEC));
  if (::fcntl(owner.get(), F_SETLEASE, F_WRLCK) != 0)
    GTEST_SKIP() << "this file system has no leases";
  ::fcntl(owner.get(), F_SETSIG, SIGURG);  // which is ignored by default
  EXPECT_FALSE(open_regular(path("file")));
  EXPECT_EQ(errno, EWOULDBLOCK);
}

TEST_F(OpenRegular, StaysInAnotherRoot) {
  ASSERT_EQ(::mkdir(path("root").c_str(), 0700), 0);
  std::ofstream(path("root/inside")) << "inside";
  link("/inside", "root/absolute");
  link("../file", "root/outside");
  EXPECT_EQ(content(open_regular_in(path("root"), "/absolute")), "inside");
  EXPECT_FALSE(open_regular_in(path("root"), "/outside"));
  EXPECT_FALSE(open_regular_in(path("root"), "/../file"));
}

TEST_F(OpenRegular, DoesNotOpenAFifoInAnotherRoot) {
  const OpenCounter opened(path("fifo"));
  EXPECT_FALSE(open_regular_in(folder_, "/fifo"));
  EXPECT_EQ(errno, EMEDIUMTYPE);
  EXPECT_EQ(opened.count(), 0u);
}

TEST(NetworkType, IsServedByAnotherMachineOrAUsersProcess) {
  for (const char* type : {"nfs", "nfs4", "cifs", "9p", "fuse", "fuse.sshfs"})
    EXPECT_TRUE(is_network_type(type)) << type;
  for (const char* type : {"ext4", "overlay", "tmpfs", "btrfs", "fuseblk"})
    EXPECT_FALSE(is_network_type(type)) << type;
}

// Mounts a file that nobody serves, so that every request to its server would
// wait forever, and opens it; in a process of its own, whose mounts vanish with
// it. Returns errno of open_regular, or the negative error of a preparation.
int open_unserved_file(const std::string& path, const OpenRules& rules) {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return -errno;
  const int server = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  if (server < 0) return -errno;
  const std::string options =
      "fd=" + std::to_string(server) + ",rootmode=100000,user_id=0,group_id=0";
  if (::mount("test", path.c_str(), "fuse", MS_NOSUID | MS_NODEV,
              options.c_str()) != 0)
    return -errno;
  return open_regular(path, rules) ? 0 : errno;
}

TEST_F(OpenRegular, AsksNoServerOfANetworkFile) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const int error = open_unserved_file(path("file"), {});
    ::_exit(error < 0 ? 200 : error);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 200)
    GTEST_SKIP() << "this machine does not allow FUSE";
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), EREMOTE);
}

}  // namespace
}  // namespace wick
