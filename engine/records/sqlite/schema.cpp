#include "engine/records/sqlite/schema.h"

#include <fmt/format.h>

namespace tw::records {
namespace {

/// In the file's header: whose it is ("twtr").
constexpr int64_t kApplication = 0x74777472;

// A task's thousands of trials share one text of its program. `seconds` is infinite where there is
// no time, so that an index holds the order of all. `digest` is trial.h's.
constexpr char const* kFirst = R"(
CREATE TABLE programs (
  id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  task INTEGER NOT NULL, task_name TEXT NOT NULL,
  program INTEGER NOT NULL REFERENCES programs (id),
  trace TEXT NOT NULL, knobs TEXT NOT NULL,
  target TEXT NOT NULL, target_title TEXT NOT NULL,
  device TEXT NOT NULL, machine TEXT NOT NULL, build TEXT NOT NULL,
  seed INTEGER NOT NULL, outcome INTEGER NOT NULL,
  samples TEXT NOT NULL, seconds REAL NOT NULL,
  probe_rate REAL NOT NULL, modelled_seconds REAL NOT NULL,
  failure TEXT NOT NULL, unix_time REAL NOT NULL,
  job TEXT NOT NULL, origin INTEGER NOT NULL, digest INTEGER NOT NULL);
CREATE INDEX trials_by_task ON trials (task, device, machine, seconds);
CREATE INDEX trials_by_seconds ON trials (seconds);
CREATE INDEX trials_by_job ON trials (job);
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, what TEXT NOT NULL, state TEXT NOT NULL, unix_time REAL NOT NULL);
)";

// Times with other numbers of threads do not compare.
constexpr char const* kThreads = R"(
ALTER TABLE trials ADD COLUMN threads INTEGER NOT NULL DEFAULT 0;
DROP INDEX trials_by_task;
CREATE INDEX trials_by_task ON trials (task, device, machine, threads, seconds);
)";

constexpr Migration kMigrations[] = {
    {"the first tables", kFirst},
    {"the threads of trials", kThreads},
};

/// Of our file; 0 of an empty one. Within a transaction: another process may be making the file.
Result<int64_t> version_of(Database& database, int64_t newest) {
  TRY_ASSIGN(int64_t application, database.number("PRAGMA application_id"));
  TRY_ASSIGN(int64_t version, database.number("PRAGMA user_version"));
  if (application == 0 && version == 0) {
    TRY_ASSIGN(int64_t tables, database.number("SELECT count(*) FROM sqlite_schema"));
    if (tables == 0) return 0;
  }
  Place place{database.path().string(), 0, 0, {}};
  if (application != kApplication)
    return bad_input("store_corrupt", "this is the database of another program", place);
  if (version > newest)
    return bad_input("store_newer",
                     fmt::format("this store of trials has version {}; this version of Tilewright "
                                 "reads up to version {}",
                                 version, newest),
                     place);
  if (version < 1) return database.corrupt(fmt::format("it has version {}", version));
  return version;
}

}  // namespace

std::span<Migration const> migrations() { return kMigrations; }

Result<int64_t> require_ours(Database& database, std::span<Migration const> list) {
  TRY_ASSIGN(Transaction transaction, Transaction::begin_to_read(database));
  return version_of(database, int64_t(list.size()));
}

Status migrate(Database& database, std::span<Migration const> list) {
  auto newest = int64_t(list.size());
  // Whoever opens a store that is as it should be does not wait for those who write.
  TRY_ASSIGN(int64_t version, require_ours(database, list));
  if (version == newest) return {};
  TRY_ASSIGN(Transaction transaction, Transaction::begin(database));
  // Another process may have done it between.
  TRY_ASSIGN(version, version_of(database, newest));
  for (Migration const& step : list.subspan(size_t(version)))
    if (Status done = database.execute(step.statements); !done) {
      Error error = done.error();
      error.message = fmt::format("{}; this was the step to {}", error.message, step.what);
      return std::unexpected(error);
    }
  TRY(database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, newest)));
  return transaction.commit();
}

}  // namespace tw::records
