/// A connection to a PostgreSQL server, with our errors.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::records {

/// A value of a statement. Texts and bytes go as they are: no quoting, no end at a zero.
struct Value {
  Value(int64_t number);
  Value(int number) : Value(int64_t(number)) {}
  Value(double number);
  Value(std::string_view text);
  Value(std::string const& text) : Value(std::string_view(text)) {}
  Value(char const* text) : Value(std::string_view(text)) {}
  static Value bytes(std::string_view bytes);

  std::string data;
  Oid type = 0;
  bool binary = false;
};

/// What a statement gave; rows and columns count from 0.
class Rows {
public:
  explicit Rows(PGresult* raw) : raw_(raw) {}
  int size() const { return PQntuples(raw_.get()); }
  int64_t changed() const;  ///< rows that it changed
  bool empty() const { return size() == 0; }
  int64_t integer(int row, int column) const;
  double real(int row, int column) const;
  std::string text(int row, int column) const;
  std::string bytes(int row, int column) const;
  bool is_null(int row, int column) const { return PQgetisnull(raw_.get(), row, column) == 1; }

private:
  struct Clear {
    void operator()(PGresult* raw) const { PQclear(raw); }
  };
  std::unique_ptr<PGresult, Clear> raw_;
};

class Connection {
public:
  /// Waits so long for a server that does not answer, or that is just starting.
  /// Errors: store_away, store_refused (password, rights, no such database), store_unwritable.
  static Result<Connection> open(std::string const& url, int milliseconds_to_wait);

  /// One statement; `$1` is the first of the values. Errors: store_lost (the connection ended: what
  /// the statement did is not known), store_full, store_busy, store_refused, bad_trial (a text that
  /// is not UTF-8), store_failed.
  Result<Rows> query(std::string const& statement, std::vector<Value> const& values = {});
  /// Several without values or rows, separated by semicolons.
  Status execute(std::string const& statements);
  /// The first column of the first row; 0 where there is none.
  Result<int64_t> number(std::string const& statement, std::vector<Value> const& values = {});

  /// Once more, as it was opened. Errors: those of `open`.
  Status reconnect();
  /// Until somebody notifies one of the channels that were listened to; false: nobody did.
  Result<bool> wait(std::chrono::milliseconds time);

  std::unexpected<Error> corrupt(std::string const& why) const;
  std::unexpected<Error> failed(std::string code, std::string const& why) const;
  /// The URL without its password.
  std::string const& name() const { return name_; }

private:
  struct Finish {
    void operator()(PGconn* raw) const { PQfinish(raw); }
  };
  std::unexpected<Error> failed(PGresult const* result) const;
  Result<Rows> taken(PGresult* raw);
  Status connect_once();

  std::string url_, name_;
  int milliseconds_to_wait_ = 0;
  std::unique_ptr<PGconn, Finish> raw_;
};

/// Everything between `begin` and `commit` is there, or nothing of it.
class PostgresTransaction {
public:
  static Result<PostgresTransaction> begin(Connection& connection);
  /// The only one of the database that began so, until its end; who waits has its turn.
  static Result<PostgresTransaction> begin_alone(Connection& connection);
  PostgresTransaction(PostgresTransaction&& other) noexcept;
  PostgresTransaction& operator=(PostgresTransaction&&) = delete;
  ~PostgresTransaction();
  Status commit();

private:
  explicit PostgresTransaction(Connection& connection) : connection_(&connection) {}
  Connection* connection_;
};

/// Does `work` again, once, where the connection was lost: only for what may be done twice.
template <typename Work>
auto with_reconnect(Connection& connection, Work work) -> decltype(work()) {
  auto done = work();
  if (done || done.error().code != "store_lost") return done;
  if (Status again = connection.reconnect(); !again) return std::unexpected(again.error());
  return work();
}

}  // namespace tw::records
