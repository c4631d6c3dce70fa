#include "engine/records/sqlite/database.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace tw::records {
namespace {

Place place_of(std::filesystem::path const& path) { return {path.string(), 0, 0, {}}; }

/// With the system's reason, which SQLite's own words lack.
std::string reason_of(sqlite3* raw) {
  std::string text = sqlite3_errmsg(raw);
  int system = sqlite3_system_errno(raw);
  return system == 0 ? text : fmt::format("{} ({})", text, std::strerror(system));
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      raw_(std::exchange(other.raw_, nullptr)),
      bound_(other.bound_),
      failure_(other.failure_) {}

Statement::~Statement() {
  if (!raw_) return;
  sqlite3_reset(raw_);
  sqlite3_clear_bindings(raw_);
}

Statement& Statement::bind(int64_t value) {
  if (int code = sqlite3_bind_int64(raw_, ++bound_, value); code != SQLITE_OK) failure_ = code;
  return *this;
}

Statement& Statement::bind(double value) {
  if (int code = sqlite3_bind_double(raw_, ++bound_, value); code != SQLITE_OK) failure_ = code;
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  // A null pointer would be SQL's NULL, which no column of ours takes.
  char const* data = text.empty() ? "" : text.data();
  int code = sqlite3_bind_text64(raw_, ++bound_, data, text.size(), nullptr, SQLITE_UTF8);
  if (code != SQLITE_OK) failure_ = code;
  return *this;
}

Result<bool> Statement::step() {
  if (failure_ != SQLITE_OK) return database_->failed(failure_);
  int code = sqlite3_step(raw_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->failed(code);
}

Status Statement::run() {
  while (true) {
    TRY_ASSIGN(bool row, step());
    if (!row) return {};
  }
}

std::string Statement::text(int column) const {
  auto const* data = sqlite3_column_text(raw_, column);
  if (!data) return {};
  return {reinterpret_cast<char const*>(data), size_t(sqlite3_column_bytes(raw_, column))};
}

Result<Database> Database::open(std::filesystem::path const& path, int milliseconds_to_wait) {
  Database database;
  database.path_ = path;
  sqlite3* raw = nullptr;
  int code =
      sqlite3_open_v2(path.c_str(), &raw,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE, nullptr);
  database.raw_.reset(raw);
  if (code != SQLITE_OK) return database.failed(code);
  sqlite3_busy_timeout(raw, milliseconds_to_wait);
  // A file from anywhere: its schema calls nothing, and cells that overlap are told early.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  database.tidy_when_closed(false);
  TRY(database.execute("PRAGMA cell_size_check = ON"));
  return database;
}

void Database::tidy_when_closed(bool tidy) {
  sqlite3_db_config(raw_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, tidy ? 0 : 1, nullptr);
}

Status Database::execute(std::string const& statements) {
  int code = sqlite3_exec(raw_.get(), statements.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failed(code);
  return {};
}

Result<Statement> Database::prepare(std::string const& text) {
  auto& kept = statements_[text];
  if (!kept) {
    sqlite3_stmt* raw = nullptr;
    int code = sqlite3_prepare_v3(raw_.get(), text.c_str(), int(text.size()),
                                  SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (code != SQLITE_OK) return failed(code);
    kept.reset(raw);
  }
  return Statement(*this, kept.get());
}

Result<int64_t> Database::number(std::string const& text) {
  TRY_ASSIGN(Statement statement, prepare(text));
  TRY_ASSIGN(bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

Result<std::string> Database::word(std::string const& text) {
  TRY_ASSIGN(Statement statement, prepare(text));
  TRY_ASSIGN(bool row, statement.step());
  return row ? statement.text(0) : std::string();
}

std::unexpected<Error> Database::corrupt(std::string const& why) const {
  return bad_input("store_corrupt", "this store of trials is damaged: " + why, place_of(path_));
}

std::unexpected<Error> Database::failed(int code) const {
  Place place = place_of(path_);
  std::string reason = reason_of(raw_.get());
  switch (code & 0xff) {  // the low byte is the class, the rest says where it came up
    case SQLITE_CORRUPT:
      return corrupt(sqlite3_errmsg(raw_.get()));
    case SQLITE_NOTADB:
      return bad_input("store_corrupt", "this is not a store of trials", place);
    case SQLITE_FULL:
      return environment_failed(
          "store_full", "the disk is full: nothing of this was saved, what was before is", place);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return environment_failed("store_busy", "another process has been writing for too long",
                                place);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_IOERR:
      return environment_failed("store_unwritable", "cannot be read and written: " + reason, place);
    default:
      return environment_failed("store_failed", "the store of trials failed: " + reason, place);
  }
}

Result<Transaction> Transaction::begin(Database& database) {
  TRY(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Result<Transaction> Transaction::begin_to_read(Database& database) {
  TRY(database.execute("BEGIN"));
  return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // After some failures SQLite has undone it already.
  if (database_ && database_->in_transaction()) (void)database_->execute("ROLLBACK");
}

Status Transaction::commit() {
  TRY(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace tw::records
