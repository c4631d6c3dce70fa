// The store in one SQLite file, with a write-ahead log: readers and the writer do not wait for each
// other, and what was committed outlives the process.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "engine/records/row_forms.h"
#include "engine/records/sqlite/file_check.h"
#include "engine/records/sqlite/rows.h"
#include "engine/records/sqlite/schema.h"
#include "engine/records/sqlite/sqlite_store.h"

namespace tw::records {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kNoEnd = Query().up_to_id;

char const* order_text(Order order) {
  switch (order) {
    case Order::kOldest:
      return "trials.id ASC";
    case Order::kFastest:
      return "seconds ASC, trials.id ASC";
    case Order::kSlowest:
      return "seconds DESC, trials.id DESC";
    case Order::kNewest:
      break;
  }
  return "trials.id DESC";
}

bool by_time(Order order) { return order == Order::kFastest || order == Order::kSlowest; }

/// What the rows are walked by; where it is not the id, a plus keeps SQLite from walking by it.
enum class Walk : uint8_t { kById, kByIndex };

/// Line ends keep a match from reaching from one field into the next.
constexpr char const* kHasText =
    " AND (instr(lower(task_name || char(10) || device || char(10) || machine || char(10) || job "
    "|| char(10) || knobs || char(10) || trace || char(10) || failure), lower(?)) > 0 OR "
    "instr(lower(knobs), lower(?)) > 0)";

/// The condition, which has only those parts that are asked for, so that an index serves them.
std::string where_text(Query const& query, Walk walk) {
  std::string text = "1", id = walk == Walk::kById ? " AND trials.id" : " AND +trials.id";
  if (query.after_id > 0) text += id + " > ?";
  if (query.up_to_id < kNoEnd) text += id + " <= ?";
  if (query.task) text += " AND task = ?";
  if (query.task_name) text += " AND task_name = ?";
  if (query.device) text += " AND device = ?";
  if (query.machine) text += " AND machine = ?";
  if (query.outcome) text += " AND outcome = ?";
  if (query.job) text += " AND job = ?";
  if (query.threads) text += " AND threads = ?";
  if (!query.text.empty()) text += kHasText;
  return text;
}

/// The values of `where_text`. `query` and `knobs` must outlive the statement.
void bind_where(Statement& statement, Query const& query, std::string const& knobs) {
  if (query.after_id > 0) statement.bind(query.after_id);
  if (query.up_to_id < kNoEnd) statement.bind(query.up_to_id);
  if (query.task) statement.bind(int64_t(*query.task));
  if (query.task_name) statement.bind(*query.task_name);
  if (query.device) statement.bind(*query.device);
  if (query.machine) statement.bind(*query.machine);
  if (query.outcome) statement.bind(int64_t(*query.outcome));
  if (query.job) statement.bind(*query.job);
  if (query.threads) statement.bind(int64_t(*query.threads));
  if (!query.text.empty()) statement.bind(query.text).bind(knobs);
}

class SqliteStore final : public TrialStore {
public:
  explicit SqliteStore(Database database) : database_(std::move(database)) {}

  Result<std::vector<int64_t>> append(std::span<Trial const> trials, Job const* job) override {
    for (Trial const& trial : trials) TRY(check(trial));
    std::vector<int64_t> ids;
    TRY_ASSIGN(Transaction transaction, Transaction::begin(database_));
    // No row ever goes: the last number is how many there are, and this is the only writer.
    TRY_ASSIGN(int64_t id, database_.number("SELECT max(id) FROM trials"));
    for (Trial const& trial : trials) {
      ids.push_back(++id);
      TRY(insert(database_, id, trial));
    }
    if (job) TRY(write(*job));
    TRY(transaction.commit());
    return ids;
  }

  Result<std::vector<StoredTrial>> find(Query const& query) override {
    Walk walk = by_time(query.order) ? Walk::kByIndex : Walk::kById;
    TRY_ASSIGN(Statement statement,
               database_.prepare(fmt::format(
                   "SELECT {} FROM trials JOIN programs ON programs.id = program WHERE {} "
                   "ORDER BY {} LIMIT ? OFFSET ?",
                   kRowColumns, where_text(query, walk), order_text(query.order))));
    std::string const knobs = stored_knob_words(query.text);
    bind_where(statement, query, knobs);
    // A negative limit would be none at all.
    statement.bind(std::max<int64_t>(query.limit, 0)).bind(std::max<int64_t>(query.offset, 0));
    return rows(statement, query);
  }

  Result<int64_t> count(Query const& query) override {
    TRY_ASSIGN(Statement statement, database_.prepare("SELECT count(*) FROM trials WHERE " +
                                                      where_text(query, Walk::kById)));
    std::string const knobs = stored_knob_words(query.text);
    bind_where(statement, query, knobs);
    TRY(statement.step());
    return statement.integer(0);
  }

  Result<std::vector<StoredTrial>> best(Query const& query) override {
    // Of the group's rows, SQLite takes `id` from that with the smallest time.
    TRY_ASSIGN(Statement statement,
               database_.prepare(fmt::format(
                   "SELECT {} FROM trials JOIN programs ON programs.id = program WHERE trials.id "
                   "IN (SELECT id FROM (SELECT id, min(seconds) FROM trials WHERE {} "
                   "AND seconds < 9e999 GROUP BY task, device, machine, threads)) "
                   "ORDER BY task, device, machine, threads",
                   kRowColumns, where_text(query, Walk::kByIndex))));
    std::string const knobs = stored_knob_words(query.text);
    bind_where(statement, query, knobs);
    return rows(statement, query);
  }

  Result<StoredNames> names() override {
    StoredNames names;
    TRY_ASSIGN(names.tasks, words("SELECT DISTINCT task_name FROM trials ORDER BY 1"));
    TRY_ASSIGN(names.devices, words("SELECT DISTINCT device FROM trials ORDER BY 1"));
    TRY_ASSIGN(names.jobs, words("SELECT DISTINCT job FROM trials WHERE job != '' ORDER BY 1"));
    return names;
  }

  Status note(Job const& job) override { return write(job); }

  Result<std::optional<Job>> job(std::string const& id) override {
    TRY_ASSIGN(Statement statement,
               database_.prepare("SELECT id, what, state, unix_time FROM jobs WHERE id = ?"));
    TRY_ASSIGN(bool there, statement.bind(id).step());
    if (!there) return std::nullopt;
    return job_at(statement);
  }

  Result<std::vector<Job>> jobs() override {
    TRY_ASSIGN(Statement statement, database_.prepare("SELECT id, what, state, unix_time FROM jobs "
                                                      "ORDER BY unix_time DESC, id"));
    std::vector<Job> found;
    while (true) {
      TRY_ASSIGN(bool there, statement.step());
      if (!there) return found;
      found.push_back(job_at(statement));
    }
  }

  Status check_all() override {
    TRY_ASSIGN(std::string answer, database_.word("PRAGMA integrity_check(1)"));
    if (answer != "ok") return database_.corrupt(answer);
    TRY_ASSIGN(int64_t orphans,
               database_.number("SELECT count(*) FROM trials WHERE program NOT IN (SELECT id FROM "
                                "programs)"));
    if (orphans > 0) return database_.corrupt(fmt::format("{} trials lack a program", orphans));
    TRY_ASSIGN(int64_t last, database_.number("SELECT max(id) FROM trials"));
    int64_t seen = 0;
    TRY(each_trial(*this, {}, [&](StoredTrial const&) -> Status {
      ++seen;
      return {};
    }));
    if (seen != last)
      return database_.corrupt(fmt::format("{} of {} trials are there", seen, last));
    return {};
  }

  Status vacuum() override {
    TRY(database_.execute("VACUUM"));
    return database_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }

private:
  Result<std::vector<StoredTrial>> rows(Statement& statement, Query const& query) {
    std::vector<StoredTrial> found;
    while (true) {
      TRY_ASSIGN(bool there, statement.step());
      if (!there) return found;
      auto stored = row(database_, statement);
      if (stored)
        found.push_back(std::move(*stored));
      else if (query.damaged)
        query.damaged->push_back({statement.integer(0), stored.error().message});
      else
        return std::unexpected(stored.error());
    }
  }

  /// The first column of all rows.
  Result<std::vector<std::string>> words(std::string const& text) {
    TRY_ASSIGN(Statement statement, database_.prepare(text));
    std::vector<std::string> found;
    while (true) {
      TRY_ASSIGN(bool more, statement.step());
      if (!more) return found;
      found.push_back(statement.text(0));
    }
  }

  Status write(Job const& job) {
    TRY_ASSIGN(Statement statement,
               database_.prepare("INSERT INTO jobs (id, what, state, unix_time) "
                                 "VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET what = "
                                 "excluded.what, state = excluded.state, unix_time = "
                                 "excluded.unix_time"));
    return statement.bind(job.id).bind(job.what).bind(job.state).bind(job.unix_time).run();
  }

  static Job job_at(Statement const& at) {
    return {at.text(0), at.text(1), at.text(2), at.real(3)};
  }

  Database database_;
};

/// Two processes that both make the file meet here, where SQLite itself does not wait.
Status use_write_ahead_log(Database& database, int milliseconds_to_wait) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::milliseconds(milliseconds_to_wait);
  while (true) {
    auto mode = database.word("PRAGMA journal_mode = WAL");
    if (mode && *mode == "wal") return {};
    if (mode)
      return environment_failed("store_unwritable",
                                "this folder's file system cannot hold a store of trials",
                                Place{database.path().string(), 0, 0, {}});
    if (mode.error().code != "store_busy" || Clock::now() > end)
      return std::unexpected(mode.error());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

Result<std::unique_ptr<TrialStore>> open_sqlite_store(std::filesystem::path const& path,
                                                      StoreOptions const& options) {
  if (path.has_parent_path()) TRY(make_folder(path.parent_path()));
  TRY(may_be_a_store(path));
  TRY_ASSIGN(Database database, Database::open(path, options.milliseconds_to_wait));
  if (database.is_read_only())
    return environment_failed("store_unwritable", "cannot be written: it is read-only",
                              Place{path.string(), 0, 0, {}});
  TRY(require_ours(database, migrations()));
  TRY(use_write_ahead_log(database, options.milliseconds_to_wait));
  database.tidy_when_closed(true);
  // FULL waits for the disk at each commit, NORMAL leaves that to the system.
  bool synced = options.durability == Durability::kSynced;
  TRY(database.execute(synced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
  if (options.most_bytes > 0)
    TRY(database.execute(
        fmt::format("PRAGMA max_page_count = {}", options.most_bytes / kPageBytes)));
  TRY(migrate(database, migrations()));
  return std::make_unique<SqliteStore>(std::move(database));
}

}  // namespace tw::records
