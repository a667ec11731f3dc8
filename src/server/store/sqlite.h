// SPDX-License-Identifier: Apache-2.0
// The part of SQLite that wick uses, as values that close themselves. Errors
// are thrown: StoreFull if there is no room, else Error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace wick {

class Statement;

class Database {
 public:
  // Opens a file that is there.
  explicit Database(const std::string& path);
  // The same for the first connection of a process: makes the file if there is
  // none, for its owner alone. Fails if it is a link or somebody else's.
  static std::unique_ptr<Database> open_or_create(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  // The first column of the first row.
  std::int64_t number(const std::string& sql);
  Statement prepare(const std::string& sql);
  std::int64_t last_row() const;
  int changes() const;

 private:
  friend class Statement;
  [[noreturn]] void fail_with(int code) const;

  std::string path_;
  sqlite3* handle_ = nullptr;
};

// A statement that is used again and again:
//
//   for (statement.bind(1, 2); statement.step();) use(statement.number(0));
//
// Its texts and blobs are valid until the next step() or bind().
class Statement {
 public:
  // Begins anew with these values, in the order of the question marks.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int at = 0;
    (bind_one(++at, values), ...);
    return *this;
  }
  // False after the last row.
  bool step();
  void run() {
    while (step()) {
    }
  }

  std::int64_t number(int column) const;
  std::string_view blob(int column) const;

  void reset();

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(Database& database, sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}
  void bind_one(int at, std::int64_t value);
  void bind_one(int at, std::string_view value);  // as a blob

  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// Undone unless it is committed.
class Transaction {
 public:
  enum class Kind : std::uint8_t { kRead, kWrite };
  Transaction(Database& database, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace wick
