// SPDX-License-Identifier: Apache-2.0
// What can happen to a file: its process is killed, the disk is full, bytes are
// damaged, another version wrote it, somebody put a link in its place.
#include "server/store/sqlite_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/error.h"
#include "builders/batch_builder.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kBegin = 1'699'999'200'000'000'000;
constexpr std::int64_t kOneMinute = 60'000'000'000;

Batch some_batch(std::uint64_t sequence) {
  BatchBuilder builder(sequence);
  builder.at(kBegin + static_cast<std::int64_t>(sequence) * kOneMinute)
      .metric("load.1", "", 1, 2);
  for (int i = 0; i < 20; ++i)
    builder.sample("a;main;f" + std::to_string((sequence * 7 + i) % 300), 10);
  return builder.batch();
}

class SqliteStoreTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const SqliteOptions& options = {}) {
    return open_sqlite_store(path_, options);
  }
  std::int64_t total(Store& store) {
    const Profile profile = store.profile({});
    EXPECT_EQ(check(profile), "");
    std::int64_t sum = 0;
    for (const Sample& sample : profile.samples) sum += sample.weight;
    return sum;
  }
  // The first value that SQL gives, while no store has the file open.
  std::string sql(const std::string& text) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    std::string result;
    const auto keep = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0] != nullptr ? values[0] : "";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, text.c_str(), keep, &result, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return result;
  }

  TestFolder folder_;
  const std::string path_ = folder_.path() + "/store.db";
};

// --- whose file it is

TEST_F(SqliteStoreTest, OnlyItsOwnerMayReadIt) {
  const ::mode_t before = ::umask(0);
  const auto store = open();
  store->put(some_batch(1));
  ::umask(before);
  for (const char* suffix : {"", "-wal", "-shm", "-ballast"}) {
    struct stat found {};
    ASSERT_EQ(::stat((path_ + suffix).c_str(), &found), 0) << suffix;
    EXPECT_EQ(found.st_mode & 0777, 0600u) << suffix;
  }
}

TEST_F(SqliteStoreTest, ALinkInItsPlaceIsRefused) {
  std::ofstream(folder_.path() + "/precious") << "text";
  fs::create_symlink(folder_.path() + "/precious", path_);
  EXPECT_THAT([&] { open(); }, ThrowsMessage<Error>(HasSubstr("link")));
  fs::remove(path_);
  fs::create_symlink(folder_.path() + "/nothing", path_);
  EXPECT_THAT([&] { open(); }, ThrowsMessage<Error>(HasSubstr("link")));
  EXPECT_FALSE(fs::exists(folder_.path() + "/nothing"));
}

TEST_F(SqliteStoreTest, ALinkToItsFolderIsFollowed) {
  fs::create_directory_symlink(folder_.path(), folder_.path() + "/home");
  const auto store = open_sqlite_store(folder_.path() + "/home/store.db");
  store->put(some_batch(1));
  EXPECT_EQ(total(*store), 200);
}

// --- which version wrote it

TEST_F(SqliteStoreTest, ALaterVersionIsRefusedAndNotTouched) {
  open()->put(some_batch(1));
  sql("PRAGMA user_version = 2");
  EXPECT_THAT([&] { open(); },
              ThrowsMessage<Error>(HasSubstr("written by a later wick")));
  EXPECT_EQ(sql("SELECT count(*) FROM bucket"), "2");
  EXPECT_EQ(sql("PRAGMA user_version"), "2");
  sql("PRAGMA user_version = 1");
  EXPECT_EQ(total(*open()), 200);
}

TEST_F(SqliteStoreTest, AnEarlierVersionIsRefusedAndNotTouched) {
  open()->put(some_batch(1));
  sql("PRAGMA user_version = 0");
  EXPECT_THAT([&] { open(); },
              ThrowsMessage<Error>(HasSubstr("written by an earlier wick")));
  sql("PRAGMA user_version = 1");
  EXPECT_EQ(total(*open()), 200);
}

TEST_F(SqliteStoreTest, AnotherProgramsDatabaseIsRefused) {
  sql("CREATE TABLE bookmarks(url TEXT)");
  EXPECT_THAT([&] { open(); },
              ThrowsMessage<Error>(HasSubstr("of another program")));
  EXPECT_EQ(sql("SELECT count(*) FROM bookmarks"), "0");
}

TEST_F(SqliteStoreTest, WhatIsNoDatabaseIsRefused) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT([&] { open(); }, ThrowsMessage<Error>(HasSubstr("damaged")));
  EXPECT_EQ(fs::file_size(path_), 5000u);
}

// --- it is damaged

TEST_F(SqliteStoreTest, EachPageMayBeDamaged) {
  {
    const auto store = open({.ballast_bytes = 0});
    for (std::uint64_t i = 1; i <= 30; ++i) store->put(some_batch(i));
  }
  const std::string good = path_ + ".good";
  fs::copy_file(path_, good);
  const std::uint64_t pages = fs::file_size(good) / 4096;
  ASSERT_GT(pages, 20u);
  int partial = 0, refused = 0;
  for (std::uint64_t page = 0; page < pages; ++page)
    for (const char filler : {'\0', '\xa5'}) {
      fs::remove(path_ + "-wal");
      fs::remove(path_ + "-shm");
      fs::copy_file(good, path_, fs::copy_options::overwrite_existing);
      {
        std::fstream file(path_, std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(page * 4096 + 8));
        const std::string bytes(4000, filler);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      }
      try {
        const auto store = open({.ballast_bytes = 0});
        const Profile profile = store->profile({});
        EXPECT_EQ(check(profile), "") << "page " << page;
        store->metrics({});
        store->hosts();
        store->put(some_batch(100));
        store->retain({.minutes_after_ns = 0}, kBegin + 100 * kOneMinute);
        ++partial;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("store.db")) << "page " << page;
        ++refused;
      }
    }
  EXPECT_GT(refused, 0);
  EXPECT_GT(partial, 0);
}

TEST_F(SqliteStoreTest, ADamagedBucketIsNotedAndTheOthersCount) {
  {
    const auto store = open();
    store->put(some_batch(1));
    store->put(some_batch(2));
  }
  sql("UPDATE bucket SET data = x'ff00' WHERE kind = 0 AND id = "
      "(SELECT min(id) FROM bucket WHERE kind = 0)");
  const auto store = open();
  EXPECT_EQ(total(*store), 200);
  EXPECT_EQ(store->profile({}).diagnostics.count(Problem::kBadRecord), 1u);
}

TEST_F(SqliteStoreTest, WeightOfLostNamesIsKept) {
  open()->put(some_batch(1));
  sql("DELETE FROM stack WHERE id = 1");
  const auto store = open();
  EXPECT_EQ(total(*store), 200);
  EXPECT_EQ(store->profile({}).diagnostics.count(Problem::kBadRecord), 1u);
}

// --- there is no room

TEST_F(SqliteStoreTest, AtItsLargestSizeItSaysSoAndRetainMakesRoom) {
  const RetainPolicy policy{.max_bytes = 600'000};
  const auto store = open({.max_bytes = policy.max_bytes, .ballast_bytes = 0});
  std::uint64_t put = 0;
  const auto put_one = [&] {
    Batch batch = some_batch(put + 1);
    for (int i = 0; i < 40; ++i)  // texts that are new each time
      batch.losses.push_back({"reason " + std::to_string(put * 40 + i), 1});
    store->put(batch);
    ++put;
  };
  EXPECT_THROW(
      {
        while (put < 10'000) put_one();
      },
      StoreFull);
  ASSERT_GT(put, 10u);
  EXPECT_EQ(total(*store), static_cast<std::int64_t>(put) * 200);
  const std::int64_t until = store->hosts().at(0).stored_until_ns;
  EXPECT_EQ(until, kBegin + static_cast<std::int64_t>(put) * kOneMinute +
                       10'000'000'000);

  for (int i = 0; i < 100; ++i)
    if (!store->retain(policy, until)) break;
  put_one();
  EXPECT_LT(total(*store), static_cast<std::int64_t>(put) * 200);
  EXPECT_GT(store->hosts().at(0).stored_until_ns, until);
  EXPECT_LE(store->size(), policy.max_bytes);
}

// Runs `body` in a process of its own that has a small disk at `folder`; what
// it returns is the result, 77 if this machine does not allow that.
template <class Body>
int on_a_small_disk(const std::string& folder, const char* size, Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool may = ::unshare(CLONE_NEWNS) == 0 ||
                     ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (!may ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", folder.c_str(), "tmpfs", 0, size) != 0)
      ::_exit(77);
    try {
      ::_exit(body());
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
      ::_exit(99);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST_F(SqliteStoreTest, OnAFullDiskItSaysSoAndRetainMakesRoom) {
  const int result = on_a_small_disk(folder_.path(), "size=3m", [&] {
    const auto store = open({.ballast_bytes = 1 << 20});
    std::uint64_t put = 0;
    try {
      for (; put < 10'000; ++put) {
        Batch batch = some_batch(put + 1);
        for (int i = 0; i < 40; ++i)
          batch.losses.push_back({"reason " + std::to_string(put * 40 + i), 1});
        store->put(batch);
      }
      return 1;
    } catch (const StoreFull&) {
    }
    if (total(*store) != static_cast<std::int64_t>(put) * 200) return 2;
    for (int i = 0; i < 3; ++i)
      store->retain({}, kBegin + static_cast<std::int64_t>(put) * kOneMinute);
    store->put(some_batch(put + 1));
    return total(*store) < static_cast<std::int64_t>(put) * 200 ? 0 : 3;
  });
  if (result == 77) GTEST_SKIP() << "no right to mount a small disk";
  EXPECT_EQ(result, 0);
}

// --- it is killed

TEST_F(SqliteStoreTest, WhatWasPutIsThereAfterAKill) {
  std::mt19937 random(1);
  std::uint64_t known = 0;  // put, as far as the child could say
  for (int round = 0; round < 8; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const auto store = open({.ballast_bytes = 0});
      for (std::uint64_t i = known + 1;; ++i) {
        store->put(some_batch(i));
        if (i % 5 == 0)
          store->retain({.minutes_after_ns = 0},
                        kBegin + static_cast<std::int64_t>(i) * kOneMinute);
        if (::write(ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::uint64_t put = 0;
    const std::uint64_t enough = known + 1 + random() % 20;
    while (::read(ends[0], &put, sizeof put) == sizeof put && put < enough) {
    }
    ::usleep(random() % 8000);
    ::kill(child, SIGKILL);
    while (::read(ends[0], &put, sizeof put) == sizeof put) {
    }
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);

    const auto store = open({.ballast_bytes = 0});
    // One more may be there than the child could say.
    const std::int64_t batches = total(*store) / 200;
    EXPECT_GE(batches, static_cast<std::int64_t>(put));
    EXPECT_LE(batches, static_cast<std::int64_t>(put) + 1);
    EXPECT_FALSE(store->put(some_batch(put)));
    known = static_cast<std::uint64_t>(batches);
  }
  EXPECT_EQ(sql("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace wick
