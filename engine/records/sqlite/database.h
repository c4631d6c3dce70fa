/// A connection to an SQLite file, and its prepared statements, with our errors.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/support/base/error.h"

namespace tw::records {

class Database;

/// One use of a prepared statement: values in the order of its question marks, then rows. What is
/// bound must live as long as this does.
class Statement {
public:
  Statement(Database& database, sqlite3_stmt* raw) : database_(&database), raw_(raw) {}
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();  ///< the next use finds it empty

  Statement& bind(int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view text);

  /// True: there is a row, whose columns count from 0.
  Result<bool> step();
  Status run();  ///< to the end

  int64_t integer(int column) const { return sqlite3_column_int64(raw_, column); }
  double real(int column) const { return sqlite3_column_double(raw_, column); }
  std::string text(int column) const;

private:
  Database* database_;
  sqlite3_stmt* raw_;
  int bound_ = 0;
  int failure_ = SQLITE_OK;  ///< of a bind
};

class Database {
public:
  /// Makes the file where it is missing, but writes nothing to it.
  static Result<Database> open(std::filesystem::path const& path, int milliseconds_to_wait);

  /// Statements without rows that matter, separated by semicolons.
  Status execute(std::string const& statements);
  /// Compiled once for each text.
  Result<Statement> prepare(std::string const& text);
  /// The first column of the first row; 0 when there is none.
  Result<int64_t> number(std::string const& text);
  Result<std::string> word(std::string const& text);

  bool is_read_only() const { return sqlite3_db_readonly(raw_.get(), "main") == 1; }
  bool in_transaction() const { return sqlite3_get_autocommit(raw_.get()) == 0; }
  /// A file that is not (yet) ours is not even tidied when it is closed.
  void tidy_when_closed(bool tidy);

  /// What went wrong last, in our words. `code`: SQLite's.
  std::unexpected<Error> failed(int code) const;
  std::unexpected<Error> corrupt(std::string const& why) const;
  std::filesystem::path const& path() const { return path_; }

private:
  struct Close {
    void operator()(sqlite3* raw) const { sqlite3_close_v2(raw); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* raw) const { sqlite3_finalize(raw); }
  };

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> raw_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
};

/// Everything between `begin` and `commit` is there, or nothing of it.
class Transaction {
public:
  /// The only writer of the file from here on.
  static Result<Transaction> begin(Database& database);
  /// Sees one state of the file, whatever others write.
  static Result<Transaction> begin_to_read(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace tw::records
