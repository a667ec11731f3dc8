// SPDX-License-Identifier: Apache-2.0
#include "server/store/sqlite.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "io/unique_fd.h"
#include "server/store/store.h"

namespace wick {
namespace {

// Makes the file, or checks the one that is there. SQLite gives its companions
// (-wal, -shm) the same rights. Not while this process has the database open:
// closing any descriptor of a file drops the locks that SQLite has on it.
void prepare_file(const std::string& path) {
  const UniqueFd fd(
      ::open(path.c_str(),
             O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  struct stat found {};
  if (!fd || ::fstat(fd.get(), &found) != 0)
    fail("{}: cannot open it: {}", path,
         errno == ELOOP ? "it is a symbolic link" : last_system_error());
  if (!S_ISREG(found.st_mode)) fail("{}: not a regular file", path);
  if (found.st_uid != ::geteuid()) fail("{}: belongs to another user", path);
  if ((found.st_mode & 077) != 0 && ::fchmod(fd.get(), 0600) != 0)
    fail("{}: others may read it, and that cannot be changed: {}", path,
         last_system_error());
}

// SQLite refuses links anywhere in a path, but a home is often behind one.
std::string with_resolved_folder(const std::string& path) {
  const std::filesystem::path file(path);
  std::error_code error;
  const auto folder = std::filesystem::canonical(
      std::filesystem::absolute(file).parent_path(), error);
  if (error) fail("{}: {}", path, error.message());
  return (folder / file.filename()).string();
}

}  // namespace

Database::Database(const std::string& path)
    : path_(with_resolved_folder(path)) {
  const int code = sqlite3_open_v2(
      path_.c_str(), &handle_,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX,
      nullptr);
  if (code != SQLITE_OK) {
    const std::string reason = sqlite3_errstr(code);
    sqlite3_close_v2(handle_);
    fail("{}: {}", path_, reason);
  }
  sqlite3_busy_timeout(handle_, 5000);
  // The file may be damaged or made by somebody: nothing in it is run, and
  // pages are checked before they are used.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

std::unique_ptr<Database> Database::open_or_create(const std::string& path) {
  prepare_file(with_resolved_folder(path));
  return std::make_unique<Database>(path);
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::fail_with(int code) const {
  const std::string reason = sqlite3_errmsg(handle_);
  const int system = sqlite3_system_errno(handle_);
  if ((code & 0xff) == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT))
    code = SQLITE_FULL;
  switch (code & 0xff) {
    case SQLITE_FULL:
      throw StoreFull(fmt::format("{}: no room", path_));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      fail("{}: the database is damaged ({}); move it away to begin a new one",
           path_, reason);
    default:
      fail("{}: {}", path_, reason);
  }
}

void Database::run(const std::string& sql) {
  const int code =
      sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail_with(code);
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.number(0) : 0;
}

Statement Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) fail_with(code);
  return {*this, statement};
}

std::int64_t Database::last_row() const {
  return sqlite3_last_insert_rowid(handle_);
}

int Database::changes() const { return sqlite3_changes(handle_); }

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  // Without this, a statement keeps its view of the database.
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) database_->fail_with(code);
  return false;
}

void Statement::bind_one(int at, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), at, value);
}

void Statement::bind_one(int at, std::string_view value) {
  // A null pointer would be NULL.
  const char* bytes = value.data() != nullptr ? value.data() : "";
  const int code = sqlite3_bind_blob64(statement_.get(), at, bytes,
                                       value.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) database_->fail_with(code);
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr || size <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.run(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (done_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {
    // SQLite has rolled back already, because of the error that brought us
    // here.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  done_ = true;
}

}  // namespace wick
