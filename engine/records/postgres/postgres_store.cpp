// The store on a PostgreSQL server. A connection that is lost is made again once in each call; what
// was asked for is then done again where it was not done.
#include "engine/records/postgres/postgres_store.h"

#include <fmt/format.h>

#include <bit>

#include "engine/records/postgres/postgres_rows.h"
#include "engine/records/postgres/postgres_schema.h"
#include "engine/records/row_forms.h"

namespace tw::records {
namespace {

constexpr char const* kTables =
    "tilewright_trials t JOIN tilewright_programs p ON p.id = t.program";

char const* order_text(Order order) {
  switch (order) {
    case Order::kOldest:
      return "t.id ASC";
    case Order::kFastest:
      return "seconds ASC, t.id ASC";
    case Order::kSlowest:
      return "seconds DESC, t.id DESC";
    case Order::kNewest:
      break;
  }
  return "t.id DESC";
}

/// Line ends keep a match from reaching from one field into the next.
constexpr char const* kHasText =
    " AND (strpos(lower((task_name || chr(10) || device || chr(10) || machine || chr(10) || job || "
    "chr(10) || knobs || chr(10) || encode(trace, 'escape') || chr(10) || encode(failure, "
    "'escape')) COLLATE \"C\"), lower(${}::text COLLATE \"C\")) > 0 OR strpos(lower(knobs COLLATE "
    "\"C\"), lower(${}::text COLLATE \"C\")) > 0)";

/// The condition, and its values at the end of `values`.
std::string where_text(Query const& query, std::vector<Value>& values) {
  std::string text = "TRUE";
  auto add = [&](char const* what, Value value) {
    values.push_back(std::move(value));
    text += fmt::format(" AND {} ${}", what, values.size());
  };
  if (query.after_id > 0) add("t.id >", query.after_id);
  if (query.up_to_id < Query().up_to_id) add("t.id <=", query.up_to_id);
  if (query.task) add("task =", std::bit_cast<int64_t>(*query.task));
  if (query.task_name) add("task_name =", *query.task_name);
  if (query.device) add("device =", *query.device);
  if (query.machine) add("machine =", *query.machine);
  if (query.outcome) add("outcome =", int64_t(*query.outcome));
  if (query.job) add("job =", *query.job);
  if (query.threads) add("threads =", *query.threads);
  if (!query.text.empty()) {
    values.push_back(query.text);
    values.push_back(stored_knob_words(query.text));
    text += fmt::format(fmt::runtime(kHasText), values.size() - 1, values.size());
  }
  return text;
}

class PostgresStore final : public TrialStore {
public:
  explicit PostgresStore(Connection connection) : connection_(std::move(connection)) {}

  Result<std::vector<int64_t>> append(std::span<Trial const> trials, Job const* job) override {
    for (Trial const& trial : trials) TRY(check(trial));
    int64_t first = 0;
    auto ids = append_once(trials, job, first);
    if (ids || ids.error().code != "store_lost") return ids;
    TRY(connection_.reconnect());
    TRY_ASSIGN(bool there, is_there(trials, first));
    return there ? ids_from(first, trials.size()) : append_once(trials, job, first);
  }

  Result<std::vector<StoredTrial>> find(Query const& query) override {
    std::vector<Value> values;
    std::string where = where_text(query, values);
    // A negative limit would be an error.
    values.push_back(std::max<int64_t>(query.limit, 0));
    values.push_back(std::max<int64_t>(query.offset, 0));
    return rows(
        fmt::format("SELECT {} FROM {} WHERE {} ORDER BY {} LIMIT ${} OFFSET ${}", kServerColumns,
                    kTables, where, order_text(query.order), values.size() - 1, values.size()),
        values, query);
  }

  Result<int64_t> count(Query const& query) override {
    std::vector<Value> values;
    std::string where = where_text(query, values);
    return with_reconnect(connection_, [&] {
      return connection_.number("SELECT count(*) FROM tilewright_trials t WHERE " + where, values);
    });
  }

  Result<std::vector<StoredTrial>> best(Query const& query) override {
    std::vector<Value> values;
    std::string where = where_text(query, values);
    return rows(fmt::format("SELECT {} FROM {} WHERE t.id IN (SELECT DISTINCT ON (task, device, "
                            "machine, threads) t.id FROM tilewright_trials t WHERE {} AND seconds "
                            "< 'Infinity' ORDER BY task, device, machine, threads, seconds, t.id) "
                            "ORDER BY task, device, machine, threads",
                            kServerColumns, kTables, where),
                values, query);
  }

  Result<StoredNames> names() override {
    StoredNames names;
    TRY_ASSIGN(names.tasks, words("task_name"));
    TRY_ASSIGN(names.devices, words("device"));
    TRY_ASSIGN(names.jobs, words("job"));
    std::erase(names.jobs, std::string());
    return names;
  }

  Status note(Job const& job) override {
    return with_reconnect(connection_, [&] { return write(job); });
  }

  Result<std::optional<Job>> job(std::string const& id) override {
    TRY_ASSIGN(std::vector<Job> found, noted("WHERE id = $1", {id}));
    if (found.empty()) return std::nullopt;
    return found.front();
  }

  Result<std::vector<Job>> jobs() override { return noted("ORDER BY unix_time DESC, id", {}); }

  Status check_all() override;

  Status vacuum() override {
    return with_reconnect(connection_, [&] {
      return connection_.execute("VACUUM tilewright_trials, tilewright_programs, tilewright_notes");
    });
  }

private:
  static std::vector<int64_t> ids_from(int64_t first, size_t count) {
    std::vector<int64_t> ids;
    for (size_t i = 0; i < count; ++i) ids.push_back(first + int64_t(i));
    return ids;
  }

  /// `first` is set as soon as it is known: after a lost connection it tells whether the end of the
  /// transaction was reached.
  Result<std::vector<int64_t>> append_once(std::span<Trial const> trials, Job const* job,
                                           int64_t& first) {
    TRY_ASSIGN(PostgresTransaction transaction, PostgresTransaction::begin_alone(connection_));
    TRY_ASSIGN(int64_t last, connection_.number("UPDATE tilewright_numbers SET last_trial = "
                                                "last_trial + $1 RETURNING last_trial",
                                                {int64_t(trials.size())}));
    first = last - int64_t(trials.size()) + 1;
    TRY(insert(connection_, first, trials));
    if (job) TRY(write(*job));
    TRY(transaction.commit());
    return ids_from(first, trials.size());
  }

  /// The trials were committed under these numbers.
  Result<bool> is_there(std::span<Trial const> trials, int64_t first) {
    if (trials.empty() || first == 0) return false;
    // The server may still be busy with the end of what we began: this waits for it.
    TRY_ASSIGN(PostgresTransaction transaction, PostgresTransaction::begin_alone(connection_));
    TRY_ASSIGN(
        int64_t there,
        connection_.number("SELECT count(*) FROM tilewright_trials WHERE id = $1 AND digest = $2",
                           {first, std::bit_cast<int64_t>(digest_of(trials.front(), first))}));
    return there == 1;
  }

  Result<std::vector<StoredTrial>> rows(std::string const& statement,
                                        std::vector<Value> const& values, Query const& query) {
    TRY_ASSIGN(Rows got,
               with_reconnect(connection_, [&] { return connection_.query(statement, values); }));
    std::vector<StoredTrial> found;
    for (int row = 0; row < got.size(); ++row) {
      auto stored = row_at(connection_, got, row);
      if (stored)
        found.push_back(std::move(*stored));
      else if (query.damaged)
        query.damaged->push_back({got.integer(row, 0), stored.error().message});
      else
        return std::unexpected(stored.error());
    }
    return found;
  }

  /// What stands in that column, each once and sorted.
  Result<std::vector<std::string>> words(char const* column) {
    TRY_ASSIGN(Rows got, with_reconnect(connection_, [&] {
                 return connection_.query(
                     fmt::format("SELECT DISTINCT {} FROM tilewright_trials ORDER BY 1", column),
                     {});
               }));
    std::vector<std::string> found;
    for (int row = 0; row < got.size(); ++row) found.push_back(got.text(row, 0));
    return found;
  }

  Status write(Job const& job) {
    TRY(
        connection_.query("INSERT INTO tilewright_notes (id, what, state, unix_time) VALUES ($1, "
                          "$2, $3, $4) ON CONFLICT (id) DO UPDATE SET what = excluded.what, state "
                          "= excluded.state, unix_time = excluded.unix_time",
                          {job.id, job.what, job.state, job.unix_time}));
    return {};
  }

  Result<std::vector<Job>> noted(std::string const& which, std::vector<Value> const& values) {
    TRY_ASSIGN(Rows got, with_reconnect(connection_, [&] {
                 return connection_.query(
                     "SELECT id, what, state, unix_time FROM tilewright_notes " + which, values);
               }));
    std::vector<Job> found;
    for (int row = 0; row < got.size(); ++row)
      found.push_back({got.text(row, 0), got.text(row, 1), got.text(row, 2), got.real(row, 3)});
    return found;
  }

  Connection connection_;
};

Status PostgresStore::check_all() {
  // Others may append meanwhile: as many as there were when it began.
  TRY_ASSIGN(int64_t last, with_reconnect(connection_, [&] {
               return connection_.number("SELECT last_trial FROM tilewright_numbers");
             }));
  int64_t seen = 0;
  TRY(each_trial(*this, {.up_to_id = last}, [&](StoredTrial const&) -> Status {
    ++seen;
    return {};
  }));
  if (seen != last)
    return connection_.corrupt(fmt::format("{} of {} trials are there", seen, last));
  return {};
}

}  // namespace

Result<std::unique_ptr<TrialStore>> open_postgres_store(std::string const& url,
                                                        StoreOptions const& options) {
  TRY_ASSIGN(Connection connection, Connection::open(url, options.milliseconds_to_wait));
  TRY(migrate(connection, server_migrations()));
  return std::make_unique<PostgresStore>(std::move(connection));
}

}  // namespace tw::records
