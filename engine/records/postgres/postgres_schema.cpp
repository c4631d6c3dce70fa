#include "engine/records/postgres/postgres_schema.h"

#include <fmt/format.h>

namespace tw::records {
namespace {

// A task's thousands of trials share one text of its program. `seconds` is infinite where there is
// no time, so that an index holds the order of all. `digest` is trial.h's. What a person or another
// program wrote may hold any byte; names are text, in the order of their bytes on every server.
// `numbers` has one row. Who appends is alone until the end, so that ids are seen in their order.
constexpr char const* kFirst = R"(
CREATE TABLE tilewright_programs (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest TEXT COLLATE "C" NOT NULL UNIQUE, text BYTEA NOT NULL);
CREATE TABLE tilewright_trials (
  id BIGINT PRIMARY KEY,
  task BIGINT NOT NULL, task_name TEXT COLLATE "C" NOT NULL,
  program BIGINT NOT NULL REFERENCES tilewright_programs (id),
  trace BYTEA NOT NULL, knobs TEXT NOT NULL,
  target TEXT NOT NULL, target_title TEXT NOT NULL,
  device TEXT COLLATE "C" NOT NULL, machine TEXT COLLATE "C" NOT NULL, build TEXT NOT NULL,
  seed BIGINT NOT NULL, outcome BIGINT NOT NULL,
  samples TEXT NOT NULL, seconds DOUBLE PRECISION NOT NULL,
  probe_rate DOUBLE PRECISION NOT NULL, modelled_seconds DOUBLE PRECISION NOT NULL,
  failure BYTEA NOT NULL, unix_time DOUBLE PRECISION NOT NULL,
  job TEXT COLLATE "C" NOT NULL, origin BIGINT NOT NULL, digest BIGINT NOT NULL);
CREATE INDEX ON tilewright_trials (task, device, machine, seconds, id);
CREATE INDEX ON tilewright_trials (seconds, id);
CREATE INDEX ON tilewright_trials (job, id);
CREATE TABLE tilewright_numbers (last_trial BIGINT NOT NULL);
INSERT INTO tilewright_numbers VALUES (0);
CREATE TABLE tilewright_notes (
  id TEXT COLLATE "C" PRIMARY KEY, what TEXT NOT NULL, state TEXT NOT NULL,
  unix_time DOUBLE PRECISION NOT NULL);
)";

// `served` is what fair sharing goes by; a lease adds what it is expected to take when it is given,
// and is corrected when it comes back. `takes` ends what kills every worker that has it.
constexpr char const* kTeam = R"(
CREATE TABLE tilewright_jobs (
  name TEXT COLLATE "C" PRIMARY KEY, priority BIGINT NOT NULL,
  machine TEXT COLLATE "C" NOT NULL, target TEXT COLLATE "C" NOT NULL,
  request TEXT NOT NULL, model_digest TEXT NOT NULL,
  is_open BOOLEAN NOT NULL, served DOUBLE PRECISION NOT NULL,
  made TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp());
CREATE TABLE tilewright_model_parts (
  job TEXT COLLATE "C" NOT NULL REFERENCES tilewright_jobs (name) ON DELETE CASCADE,
  part BIGINT NOT NULL, bytes BYTEA NOT NULL, PRIMARY KEY (job, part));
CREATE SEQUENCE tilewright_leases;
CREATE TABLE tilewright_work (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job TEXT COLLATE "C" NOT NULL REFERENCES tilewright_jobs (name) ON DELETE CASCADE,
  kernel BIGINT NOT NULL, trials BIGINT NOT NULL, made BIGINT NOT NULL DEFAULT 0,
  is_done BOOLEAN NOT NULL DEFAULT FALSE, takes BIGINT NOT NULL DEFAULT 0,
  lease BIGINT NOT NULL DEFAULT 0, worker TEXT NOT NULL DEFAULT '',
  lease_begin TIMESTAMPTZ, lease_end TIMESTAMPTZ,
  expected DOUBLE PRECISION NOT NULL DEFAULT 0, took DOUBLE PRECISION);
CREATE INDEX ON tilewright_work (job, id) WHERE NOT is_done;
CREATE TABLE tilewright_devices (
  name TEXT COLLATE "C" PRIMARY KEY, machine TEXT NOT NULL, target TEXT NOT NULL,
  doing TEXT NOT NULL, seen TIMESTAMPTZ NOT NULL);
)";

// Times with other numbers of threads do not compare.
constexpr char const* kThreads = R"(
ALTER TABLE tilewright_trials ADD COLUMN threads BIGINT NOT NULL DEFAULT 0;
CREATE INDEX ON tilewright_trials (task, device, machine, threads, seconds, id);
)";

// Two slices of one kernel are searched side by side, and no point is tried twice.
constexpr char const* kPoints = R"(
CREATE TABLE tilewright_points (
  job TEXT COLLATE "C" NOT NULL REFERENCES tilewright_jobs (name) ON DELETE CASCADE,
  kernel BIGINT NOT NULL, point TEXT COLLATE "C" NOT NULL, lease BIGINT NOT NULL,
  PRIMARY KEY (job, kernel, point));
)";

// A job whose searches expect nothing more has ended otherwise than one whose trials are all made.
constexpr char const* kLeftOut = R"(
ALTER TABLE tilewright_work ADD COLUMN left_out BOOLEAN NOT NULL DEFAULT FALSE;
)";

constexpr ServerMigration kMigrations[] = {
    {"the first tables", kFirst},
    {"the tables of a team", kTeam},
    {"the threads of trials", kThreads},
    {"the points of a team", kPoints},
    {"the slices that are left out", kLeftOut},
};

Result<int64_t> version_of(Connection& connection, int64_t newest) {
  TRY_ASSIGN(int64_t there,
             connection.number("SELECT count(*) FROM pg_tables WHERE schemaname = "
                               "current_schema() AND tablename = 'tilewright_version'"));
  if (there == 0) return 0;
  TRY_ASSIGN(int64_t version, connection.number("SELECT max(version) FROM tilewright_version"));
  Place place{connection.name(), 0, 0, {}};
  if (version > newest)
    return bad_input("store_newer",
                     fmt::format("this store of trials has version {}; this version of Tilewright "
                                 "reads up to version {}",
                                 version, newest),
                     place);
  if (version < 1) return connection.corrupt(fmt::format("it has version {}", version));
  return version;
}

}  // namespace

std::span<ServerMigration const> server_migrations() { return kMigrations; }

Status migrate(Connection& connection, std::span<ServerMigration const> list) {
  auto newest = int64_t(list.size());
  TRY_ASSIGN(int64_t version, version_of(connection, newest));
  if (version == newest) return {};
  TRY_ASSIGN(PostgresTransaction transaction, PostgresTransaction::begin_alone(connection));
  // Another process may have done it between.
  TRY_ASSIGN(version, version_of(connection, newest));
  if (version == newest) return {};
  if (version == 0)
    TRY(
        connection.execute("CREATE TABLE tilewright_version (version BIGINT NOT NULL);"
                           "INSERT INTO tilewright_version VALUES (0)"));
  for (ServerMigration const& step : list.subspan(size_t(version)))
    if (Status done = connection.execute(step.statements); !done) {
      Error error = done.error();
      error.message = fmt::format("{}; this was the step to {}", error.message, step.what);
      return std::unexpected(error);
    }
  TRY(connection.query("UPDATE tilewright_version SET version = $1", {newest}));
  return transaction.commit();
}

}  // namespace tw::records
