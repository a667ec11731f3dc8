// SPDX-License-Identifier: Apache-2.0
#include "server/store/sqlite_store.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "io/unique_fd.h"
#include "server/store/buckets.h"
#include "server/store/metric_sums.h"
#include "server/store/queries.h"
#include "server/store/sample_sums.h"

namespace wick {
namespace {

constexpr std::int64_t kApplication = 0x7769636b;  // "wick"
constexpr std::int64_t kSchema = 1;
constexpr std::uint64_t kPageSize = 4096;

constexpr std::int64_t kHourNs = std::int64_t{3600} * 1'000'000'000;
// What one step of retain() may delete, so that it takes milliseconds.
constexpr std::int64_t kBucketsPerStep = 1000, kItemsPerStep = 2000;
// The same of buckets that are not old, when there is no room.
constexpr std::int64_t kBucketsPerNeed = 200;

// --- the schema

void create_schema(Database& database) {
  // These two must come before the first table, and not in a transaction.
  database.run("PRAGMA page_size = " + std::to_string(kPageSize));
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  Transaction transaction(database, Transaction::Kind::kWrite);
  database.run(
      "CREATE TABLE fact(name TEXT PRIMARY KEY, value BLOB NOT NULL)"
      " WITHOUT ROWID");
  database.run(
      "CREATE TABLE host(id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, "
      "stored_until INTEGER NOT NULL)");
  database.run(
      "CREATE TABLE received(agent BLOB NOT NULL, first INTEGER NOT NULL, "
      "last INTEGER NOT NULL, PRIMARY KEY(agent, first)) WITHOUT ROWID");
  Buckets::create(database);
  create_dictionary(database);
  char key[16];
  if (::getrandom(key, sizeof key, 0) != sizeof key)
    fail("no random numbers: {}", last_system_error());
  database.prepare("INSERT INTO fact(name, value) VALUES('hash key', ?)")
      .bind(std::string_view(key, sizeof key))
      .run();
  database.run("PRAGMA application_id = " + std::to_string(kApplication));
  database.run("PRAGMA user_version = " + std::to_string(kSchema));
  transaction.commit();
}

void check_schema(Database& database, const std::string& path) {
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (application != kApplication)
    fail("{}: this is a database of another program", path);
  if (version > kSchema)
    fail(
        "{}: written by a later wick (schema {}; this one reads {}); update "
        "wick, or move the file away to begin a new one",
        path, version, kSchema);
  if (version < kSchema)
    fail(
        "{}: written by an earlier wick (schema {}; this one reads {}); move "
        "the file away to begin a new one",
        path, version, kSchema);
}

SipKey hash_key(Database& database) {
  Statement row =
      database.prepare("SELECT value FROM fact WHERE name = 'hash key'");
  SipKey key;
  if (!row.step() || row.blob(0).size() != sizeof key)
    fail(
        "the database is damaged (it has no key); move it away to begin a "
        "new one");
  std::memcpy(&key, row.blob(0).data(), sizeof key);
  return key;
}

std::unique_ptr<Database> open_writer(const std::string& path) {
  auto database = Database::open_or_create(path);
  const bool is_new =
      database->number("PRAGMA application_id") == 0 &&
      database->number("SELECT count(*) FROM sqlite_schema") == 0;
  if (is_new)
    create_schema(*database);
  else
    check_schema(*database, path);
  database->run("PRAGMA journal_mode = WAL");
  // A batch is acknowledged when it is on the disk.
  database->run("PRAGMA synchronous = FULL");
  database->run("PRAGMA journal_size_limit = 8388608");
  // Overwriting what is deleted would double what retain() writes.
  database->run("PRAGMA secure_delete = OFF");
  database->run("PRAGMA cell_size_check = ON");
  database->run("PRAGMA temp_store = MEMORY");
  database->run("PRAGMA cache_size = -4000");
  return database;
}

std::unique_ptr<Database> open_reader(const std::string& path) {
  auto database = std::make_unique<Database>(path);
  database->run("PRAGMA query_only = ON");
  database->run("PRAGMA cell_size_check = ON");
  database->run("PRAGMA temp_store = MEMORY");
  database->run("PRAGMA cache_size = -4000");
  return database;
}

// --- which batches are there

// False if the last of its numbers is there already.
bool mark_received(Database& database, const Batch& batch) {
  const std::string_view agent = batch.agent;
  const auto sequence = static_cast<std::int64_t>(batch.sequence);
  Statement before = database.prepare(
      "SELECT first, last FROM received WHERE agent = ? AND first <= ? ORDER "
      "BY first DESC LIMIT 1");
  std::int64_t first = sequence - static_cast<std::int64_t>(batch.numbers) + 1;
  std::int64_t last = sequence;
  if (before.bind(agent, sequence).step()) {
    if (before.number(1) >= sequence) return false;
    if (before.number(1) >= first - 1)
      first = std::min(first, before.number(0));
  }
  before.reset();
  Statement after = database.prepare(
      "SELECT last FROM received WHERE agent = ? AND first = ?");
  if (after.bind(agent, sequence + 1).step()) last = after.number(0);
  after.reset();
  database
      .prepare(
          "DELETE FROM received WHERE agent = ? AND first > ? AND first <= ?")
      .bind(agent, first, last)
      .run();
  database
      .prepare(
          "INSERT OR REPLACE INTO received(agent, first, last) VALUES(?, ?, ?)")
      .bind(agent, first, last)
      .run();
  return true;
}

// --- the room for deleting

class Ballast {
 public:
  Ballast(std::string path, std::uint64_t bytes)
      : path_(std::move(path)), bytes_(bytes) {}

  // Takes the room if there is some.
  void take() {
    if (bytes_ == 0 || taken_) return;
    UniqueFd fd(::open(path_.c_str(),
                       O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    taken_ =
        fd && ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes_)) == 0;
    if (!taken_) ::unlink(path_.c_str());
  }
  void give_up() {
    ::unlink(path_.c_str());
    taken_ = false;
  }

 private:
  std::string path_;
  std::uint64_t bytes_;
  bool taken_ = false;
};

void check_batch(const Batch& batch) {
  constexpr std::size_t kLongestName = 255;
  if (batch.host.empty() || batch.host.size() > kLongestName ||
      batch.agent.empty() || batch.agent.size() > kLongestName)
    fail("a batch without the name of a host or an agent");
  if (batch.from_ns >= batch.to_ns || batch.to_ns - batch.from_ns > kHourNs)
    fail("a batch of more than an hour or of no time");
  if (batch.sequence == 0 || batch.numbers == 0 ||
      batch.numbers > batch.sequence ||
      batch.sequence >
          std::uint64_t{std::numeric_limits<std::int64_t>::max()} / 2)
    fail("a batch without a number");
}

// --- the store

class SqliteStore : public Store {
 public:
  SqliteStore(const std::string& path, const SqliteOptions& options)
      : path_(path),
        database_(open_writer(path)),
        key_(hash_key(*database_)),
        dictionary_(*database_, key_),
        ballast_(path + "-ballast", options.ballast_bytes) {
    limit_size(options.max_bytes);
    ballast_.take();
  }

  bool put(const Batch& batch) override;
  std::vector<StoredHost> hosts() override;
  Profile profile(const ProfileQuery& query) override;
  MetricColumns metrics(const MetricQuery& query) override;
  std::vector<StoredProcess> processes(const HostQuery& query) override;
  std::vector<StoredLoss> losses(const HostQuery& query) override;
  bool retain(const RetainPolicy& policy, std::int64_t now_ns) override;
  std::uint64_t size() override;

 private:
  void limit_size(std::uint64_t max_bytes);
  std::uint64_t used_bytes();
  std::int64_t host_id(const std::string& name, std::int64_t until_ns);
  void put_parts(const Batch& batch, std::int64_t host);
  void put_samples(const Batch& batch, std::int64_t host, std::int64_t day);
  void put_metrics(const Batch& batch, std::int64_t host, std::int64_t day);
  bool retain_step(const RetainPolicy& policy, std::int64_t now_ns);
  bool drop_oldest();
  bool thin(const RetainPolicy& policy, std::int64_t now_ns);
  bool forget();

  // Runs `change` as one transaction, under the lock.
  template <class Change>
  auto write(Change change) {
    try {
      Transaction transaction(*database_, Transaction::Kind::kWrite);
      const auto result = change();
      transaction.commit();
      return result;
    } catch (const StoreFull&) {
      is_full_ = true;
      dictionary_.forget_numbers();
      throw;
    } catch (...) {
      dictionary_.forget_numbers();
      throw;
    }
  }

  // Runs `query` on a connection of its own, in one view of the store.
  template <class Query>
  auto read(Query query) {
    auto connection = take_reader();
    auto result = [&] {
      Transaction transaction(*connection, Transaction::Kind::kRead);
      return query(*connection);
    }();
    const std::lock_guard lock(readers_mutex_);
    if (readers_.size() < kMostReaders)
      readers_.push_back(std::move(connection));
    return result;
  }
  std::unique_ptr<Database> take_reader();

  static constexpr std::size_t kMostReaders = 4;
  const std::string path_;
  std::mutex writer_mutex_;
  std::unique_ptr<Database> database_;
  const SipKey key_;
  DictionaryWriter dictionary_;
  Ballast ballast_;
  bool is_full_ = false;
  std::int64_t forgotten_day_ = std::numeric_limits<std::int64_t>::min();
  std::mutex readers_mutex_;
  std::vector<std::unique_ptr<Database>> readers_;
};

void SqliteStore::limit_size(std::uint64_t max_bytes) {
  const std::uint64_t pages = std::clamp<std::uint64_t>(
      max_bytes / kPageSize, 64, std::numeric_limits<std::int32_t>::max());
  database_->number("PRAGMA max_page_count = " + std::to_string(pages));
}

std::uint64_t SqliteStore::used_bytes() {
  const std::int64_t pages = database_->number("PRAGMA page_count") -
                             database_->number("PRAGMA freelist_count");
  return static_cast<std::uint64_t>(std::max<std::int64_t>(pages, 0)) *
         kPageSize;
}

std::int64_t SqliteStore::host_id(const std::string& name,
                                  std::int64_t until_ns) {
  const std::string_view text = name;
  database_
      ->prepare(
          "INSERT INTO host(name, stored_until) VALUES(?, ?) ON CONFLICT(name) "
          "DO UPDATE SET stored_until = max(stored_until, "
          "excluded.stored_until)")
      .bind(text, until_ns)
      .run();
  Statement row = database_->prepare("SELECT id FROM host WHERE name = ?");
  row.bind(text).step();
  return row.number(0);
}

bool SqliteStore::put(const Batch& batch) {
  check_batch(batch);
  const std::lock_guard lock(writer_mutex_);
  return write([&] {
    if (!mark_received(*database_, batch)) return false;
    put_parts(batch, host_id(batch.host, batch.to_ns));
    return true;
  });
}

void SqliteStore::put_parts(const Batch& batch, std::int64_t host) {
  const std::int64_t day = day_of(batch.from_ns);
  const BucketTime time{batch.from_ns, batch.to_ns};
  Buckets buckets(*database_);
  put_samples(batch, host, day);
  put_metrics(batch, host, day);
  ProcessSums processes;
  for (const ProcessMetrics& process : batch.busiest)
    processes.add(dictionary_.add_text(process.name, day), process);
  if (!batch.busiest.empty())
    buckets.add(host, BucketKind::kProcesses, BucketLevel::kBatch, time,
                processes.packed(kStoredProcesses));
  LossSums losses;
  for (const Loss& loss : batch.losses)
    losses.add(dictionary_.add_text(loss.reason, day), loss.count);
  if (!batch.losses.empty())
    buckets.add(host, BucketKind::kLosses, BucketLevel::kBatch, time,
                losses.packed());
}

void SqliteStore::put_samples(const Batch& batch, std::int64_t host,
                              std::int64_t day) {
  const Profile& profile = batch.profile;
  if (profile.samples.empty() && profile.diagnostics.empty()) return;
  std::vector<bool> wanted(profile.stacks.size());
  for (const Sample& sample : profile.samples)
    wanted[index(sample.stack)] = sample.stack != StackId::kRoot;
  const auto stacks = dictionary_.add_stacks(profile, wanted, day);
  const auto text = [&](std::string_view text) {
    return dictionary_.add_text(text, day);
  };

  std::map<std::int32_t, const BatchProcess*> processes;
  for (const BatchProcess& process : batch.processes)
    processes.emplace(process.pid, &process);
  std::vector<SampleSums::Thread> threads;
  for (const Thread& thread : profile.threads) {
    SampleSums::Thread row{.pid = thread.pid,
                           .tid = thread.tid,
                           .comm = text(profile.strings[thread.comm])};
    if (const auto found = processes.find(thread.pid);
        found != processes.end()) {
      row.process = text(found->second->name);
      row.cgroup = text(found->second->cgroup);
      row.container = text(found->second->container);
    }
    threads.push_back(row);
  }
  std::vector<SampleSums::Event> events;
  for (const Event& event : profile.events)
    events.push_back({.name = text(profile.strings[event.name]),
                      .unit = text(profile.strings[event.unit]),
                      .decimals = event.decimals,
                      .role = event.role,
                      .time = event.time});

  SampleSums sums;
  for (std::size_t i = 0; i < profile.samples.size(); ++i) {
    const Sample& sample = profile.samples[i];
    sums.add(events[index(sample.event)], threads[index(sample.thread)],
             stacks[sample.stack], sample.weight,
             i < profile.sample_counts.size() ? profile.sample_counts[i] : 1);
  }
  for (const Diagnostics::Entry& entry : profile.diagnostics.entries())
    sums.note(text(info(entry.problem).key), entry.count, entry.weight);
  Buckets(*database_)
      .add(host, BucketKind::kSamples, BucketLevel::kBatch,
           {batch.from_ns, batch.to_ns}, sums.packed());
}

void SqliteStore::put_metrics(const Batch& batch, std::int64_t host,
                              std::int64_t day) {
  if (batch.metrics.empty()) return;
  const BucketTime time{batch.from_ns, batch.to_ns};
  MetricSums sums;
  for (const BatchMetric& metric : batch.metrics)
    sums.add(dictionary_.add_text(series_text(metric.name, metric.label), day),
             metric.mean, metric.max, time.seconds());
  const std::string packed = sums.packed(
      [&](std::string_view text) { return dictionary_.add_text(text, day); });
  Buckets(*database_)
      .add(host, BucketKind::kMetrics, BucketLevel::kBatch, time, packed);
}

// --- queries

std::unique_ptr<Database> SqliteStore::take_reader() {
  {
    const std::lock_guard lock(readers_mutex_);
    if (!readers_.empty()) {
      auto reader = std::move(readers_.back());
      readers_.pop_back();
      return reader;
    }
  }
  return open_reader(path_);
}

std::vector<StoredHost> SqliteStore::hosts() {
  return read([](Database& database) { return stored_hosts(database); });
}

Profile SqliteStore::profile(const ProfileQuery& query) {
  return read([&](Database& database) {
    return stored_profile(database, key_, query);
  });
}

MetricColumns SqliteStore::metrics(const MetricQuery& query) {
  return read(
      [&](Database& database) { return stored_metrics(database, query); });
}

std::vector<StoredProcess> SqliteStore::processes(const HostQuery& query) {
  return read(
      [&](Database& database) { return stored_processes(database, query); });
}

std::vector<StoredLoss> SqliteStore::losses(const HostQuery& query) {
  return read(
      [&](Database& database) { return stored_losses(database, query); });
}

// --- making room

bool SqliteStore::retain(const RetainPolicy& policy, std::int64_t now_ns) {
  const std::lock_guard lock(writer_mutex_);
  limit_size(policy.max_bytes);
  const bool was_full = is_full_;
  if (was_full) ballast_.give_up();
  bool more = false;
  try {
    more = write([&] { return retain_step(policy, now_ns); });
  } catch (const StoreFull&) {
    if (was_full) throw;
    return true;  // there was no room to thin: the next step makes some
  }
  database_->run("PRAGMA incremental_vacuum(2000)");
  if (was_full) database_->number("PRAGMA wal_checkpoint(TRUNCATE)");
  is_full_ = false;
  ballast_.take();
  return more;
}

bool SqliteStore::retain_step(const RetainPolicy& policy, std::int64_t now_ns) {
  // A tenth is left free, so that there is room until the next call.
  const bool is_too_large = used_bytes() > policy.max_bytes / 10 * 9;
  bool more = false;
  if (is_full_ || is_too_large) more |= drop_oldest();
  more |= Buckets(*database_).drop(now_ns - policy.keep_ns, kBucketsPerStep);
  if (!more) more |= thin(policy, now_ns);
  more |= forget();
  return more;
}

bool SqliteStore::drop_oldest() {
  Buckets buckets(*database_);
  const auto oldest = buckets.oldest();
  if (!oldest) return false;
  buckets.drop(*oldest + kHourNs + 1, kBucketsPerNeed);
  return true;
}

bool SqliteStore::thin(const RetainPolicy& policy, std::int64_t now_ns) {
  Buckets buckets(*database_);
  for (const std::int64_t host : buckets.hosts())
    for (const BucketKind kind : kBucketKinds) {
      if (buckets.thin_an_hour(host, kind, BucketLevel::kBatch,
                               now_ns - policy.minutes_after_ns, dictionary_))
        return true;
      if (buckets.thin_an_hour(host, kind, BucketLevel::kMinute,
                               now_ns - policy.hours_after_ns, dictionary_))
        return true;
    }
  return false;
}

// Once a day is gone, so are rows that were referred to last on it.
bool SqliteStore::forget() {
  const auto oldest = Buckets(*database_).oldest();
  const std::int64_t day =
      oldest ? day_of(*oldest) : std::numeric_limits<std::int64_t>::max();
  if (day <= forgotten_day_) return false;
  const bool more = forget_before(*database_, day, kItemsPerStep);
  dictionary_.forget_numbers();
  if (!more && oldest) forgotten_day_ = day;
  return more;
}

std::uint64_t SqliteStore::size() {
  const std::lock_guard lock(writer_mutex_);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(
             database_->number("PRAGMA page_count"), 0)) *
         kPageSize;
}

}  // namespace

std::unique_ptr<Store> open_sqlite_store(const std::string& path,
                                         const SqliteOptions& options) {
  return std::make_unique<SqliteStore>(path, options);
}

}  // namespace wick
