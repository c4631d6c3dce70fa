#include "engine/records/postgres/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <cstdlib>
#include <thread>

#include "engine/records/trial_store.h"

namespace tw::records {
namespace {

using Clock = std::chrono::steady_clock;

// Of the server's catalogue, which never changes them.
constexpr Oid kBytes = 17, kInteger = 20, kText = 25, kReal = 701;

/// The number of our lock ("twtr").
constexpr int64_t kLock = 0x74777472;

/// The server's words are lines with details; the first one is the reason.
std::string first_line(char const* words) {
  std::string text = words ? words : "";
  for (char const* head : {"ERROR:  ", "FATAL:  ", "could not connect: "})
    if (text.starts_with(head)) text.erase(0, std::string_view(head).size());
  text = text.substr(0, text.find('\n'));
  // libpq begins with where it asked, which our place says.
  if (size_t fatal = text.find("FATAL:  "); fatal != std::string::npos) text.erase(0, fatal + 8);
  if (text.ends_with('.')) text.pop_back();
  return text.empty() ? "it said no reason" : text;
}

/// libpq says the whole of a URL that it cannot read.
std::string without_url(std::string words, std::string const& url, std::string const& name) {
  for (size_t at = 0; !url.empty() && (at = words.find(url, at)) != std::string::npos;
       at += name.size())
    words.replace(at, url.size(), name);
  return words;
}

bool is_refusal(std::string_view words) {
  for (char const* refusal : {"password", "authentication", "does not exist", "permission",
                              "pg_hba", "invalid", "no such user", "SSL"})
    if (words.find(refusal) != std::string_view::npos) return true;
  return false;
}

}  // namespace

Value::Value(int64_t number) : data(std::to_string(number)), type(kInteger) {}
Value::Value(double number) : data(fmt::format("{}", number)), type(kReal) {}
Value::Value(std::string_view text) : data(text), type(kText), binary(true) {}

Value Value::bytes(std::string_view bytes) {
  Value value(bytes);
  value.type = kBytes;
  return value;
}

int64_t Rows::changed() const { return std::strtoll(PQcmdTuples(raw_.get()), nullptr, 10); }

int64_t Rows::integer(int row, int column) const {
  return std::strtoll(PQgetvalue(raw_.get(), row, column), nullptr, 10);
}

double Rows::real(int row, int column) const {
  return std::strtod(PQgetvalue(raw_.get(), row, column), nullptr);
}

std::string Rows::text(int row, int column) const {
  return {PQgetvalue(raw_.get(), row, column), size_t(PQgetlength(raw_.get(), row, column))};
}

std::string Rows::bytes(int row, int column) const {
  size_t size = 0;
  auto const* coded = reinterpret_cast<unsigned char*>(PQgetvalue(raw_.get(), row, column));
  std::unique_ptr<unsigned char, void (*)(void*)> plain(PQunescapeBytea(coded, &size), PQfreemem);
  return plain ? std::string(reinterpret_cast<char*>(plain.get()), size) : std::string();
}

std::unexpected<Error> Connection::failed(std::string code, std::string const& why) const {
  return environment_failed(std::move(code), why, Place{name_, 0, 0, {}});
}

std::unexpected<Error> Connection::corrupt(std::string const& why) const {
  return bad_input("store_corrupt", "this store of trials is damaged: " + why,
                   Place{name_, 0, 0, {}});
}

Status Connection::connect_once() {
  // What is not in the URL: a line that was cut is noticed after half a minute, not after hours.
  char const* names[] = {"connect_timeout",
                         "keepalives_idle",
                         "keepalives_interval",
                         "tcp_user_timeout",
                         "client_encoding",
                         "dbname",
                         nullptr};
  char const* values[] = {"5", "10", "5", "30000", "UTF8", url_.c_str(), nullptr};
  raw_.reset(PQconnectdbParams(names, values, 1));
  if (PQstatus(raw_.get()) == CONNECTION_OK) {
    PQsetNoticeProcessor(
        raw_.get(), [](void*, char const*) {}, nullptr);
    return {};
  }
  std::string why = without_url(first_line(PQerrorMessage(raw_.get())), url_, name_);
  if (is_refusal(why) && why.find("socket") == std::string::npos)
    return bad_input("store_refused", "authentication failed: " + why, Place{name_, 0, 0, {}});
  return failed("store_away", "the server cannot be reached: " + why);
}

Result<Connection> Connection::open(std::string const& url, int milliseconds_to_wait) {
  Connection connection;
  connection.url_ = url;
  connection.name_ = shown_place(url);
  connection.milliseconds_to_wait_ = milliseconds_to_wait;
  // Who just begins is told at once of a wrong address; a server that starts is waited for.
  Status first = connection.connect_once();
  if (first) return connection;
  if (first.error().message.find("starting up") == std::string::npos)
    return std::unexpected(first.error());
  TRY(connection.reconnect());
  return connection;
}

Status Connection::reconnect() {
  auto end = Clock::now() + std::chrono::milliseconds(milliseconds_to_wait_);
  while (true) {
    Status done = connect_once();
    if (done || done.error().code != "store_away" || Clock::now() >= end) return done;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::unexpected<Error> Connection::failed(PGresult const* result) const {
  char const* state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  std::string_view code = state ? state : "";
  // 57P: the server ends, or just begins. Class 08 and none at all: the line is cut.
  if (code.empty() || code.starts_with("08") || code.starts_with("57P") ||
      PQstatus(raw_.get()) != CONNECTION_OK)
    return failed("store_lost", "the connection to the server was lost");
  std::string why = first_line(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  if (code == "53100")
    return failed("store_full",
                  "the server's disk is full: nothing of this was saved, what was before is");
  if (code == "55P03" || code == "57014" || code == "40P01" || code == "40001")
    return failed("store_busy", "another process has been writing for too long");
  if (code == "22021" || code == "22P05")
    return bad_input("bad_trial", "a text of it cannot be kept on a server: " + why,
                     Place{name_, 0, 0, {}});
  if (code == "42501" || code == "25006")
    return failed("store_unwritable", "the server does not let us write: " + why);
  if (code.starts_with("XX001") || code.starts_with("XX002")) return corrupt(why);
  return failed("store_failed", "the store of trials failed: " + why);
}

Result<Rows> Connection::taken(PGresult* raw) {
  Rows rows(raw);
  ExecStatusType status = PQresultStatus(raw);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return failed(raw);
  return rows;
}

Result<Rows> Connection::query(std::string const& statement, std::vector<Value> const& values) {
  std::vector<Oid> types;
  std::vector<char const*> data;
  std::vector<int> lengths, formats;
  for (Value const& value : values) {
    types.push_back(value.type);
    data.push_back(value.data.data());
    lengths.push_back(int(value.data.size()));
    formats.push_back(value.binary ? 1 : 0);
  }
  return taken(PQexecParams(raw_.get(), statement.c_str(), int(values.size()), types.data(),
                            data.data(), lengths.data(), formats.data(), 0));
}

Status Connection::execute(std::string const& statements) {
  auto done = taken(PQexec(raw_.get(), statements.c_str()));
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<int64_t> Connection::number(std::string const& statement, std::vector<Value> const& values) {
  TRY_ASSIGN(Rows rows, query(statement, values));
  return rows.empty() ? 0 : rows.integer(0, 0);
}

Result<bool> Connection::wait(std::chrono::milliseconds time) {
  auto end = Clock::now() + time;
  while (true) {
    if (PQconsumeInput(raw_.get()) == 0) return failed(nullptr);
    bool came = false;
    while (PGnotify* note = PQnotifies(raw_.get())) {
      came = true;
      PQfreemem(note);
    }
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (came || left.count() <= 0) return came;
    pollfd line{PQsocket(raw_.get()), POLLIN, 0};
    ::poll(&line, 1, int(left.count()));
  }
}

Result<PostgresTransaction> PostgresTransaction::begin(Connection& connection) {
  TRY(connection.execute("BEGIN"));
  return PostgresTransaction(connection);
}

Result<PostgresTransaction> PostgresTransaction::begin_alone(Connection& connection) {
  // A lock on a row would do, too, but who has it often gets it again before those who wait.
  TRY(connection.execute(fmt::format("BEGIN; SELECT pg_advisory_xact_lock({})", kLock)));
  return PostgresTransaction(connection);
}

PostgresTransaction::PostgresTransaction(PostgresTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

PostgresTransaction::~PostgresTransaction() {
  if (connection_) (void)connection_->execute("ROLLBACK");
}

Status PostgresTransaction::commit() {
  Connection& connection = *std::exchange(connection_, nullptr);
  return connection.execute("COMMIT");
}

}  // namespace tw::records
