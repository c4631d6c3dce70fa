// The work of a team, as rows of a PostgreSQL server. Leases are times of the server's clock: those
// of the workers' machines need not agree.
#include <fmt/format.h>

#include "engine/records/postgres/connection.h"
#include "engine/records/postgres/postgres_schema.h"
#include "engine/records/trial_store.h"
#include "engine/records/work_queue.h"
#include "engine/support/sha256.h"

namespace tw::records {
namespace {

constexpr size_t kPartBytes = 8 << 20;
/// A slice that was taken so often and never came back kills who has it.
constexpr int kMostTakes = 5;

/// Devices say that they are there every few seconds, and while they work at each third of a lease.
constexpr char const* kSilent = "(seen < clock_timestamp() - INTERVAL '10 minutes')";
constexpr char const* kExpired = "coalesce(w.lease_end < clock_timestamp(), TRUE)";

Status done_of(Result<Rows> const& rows) {
  if (!rows) return std::unexpected(rows.error());
  return {};
}

class PostgresQueue final : public WorkQueue {
public:
  explicit PostgresQueue(Connection connection) : connection_(std::move(connection)) {}

  Status add(TeamJob const& job, std::span<WorkSlice const> slices) override {
    return again([&] { return add_once(job, slices); });
  }
  Result<std::optional<TeamJob>> job(std::string const& name) override;
  Result<std::vector<JobProgress>> jobs() override { return progress_of("TRUE", {}); }
  Result<std::optional<JobProgress>> progress(std::string const& name) override {
    TRY_ASSIGN(std::vector<JobProgress> found, progress_of("j.name = $1", {name}));
    if (found.empty()) return std::nullopt;
    return found.front();
  }

  Result<std::vector<HeldSlice>> held() override;

  Status end(std::string const& name) override {
    // In two steps: who takes and gives back holds a slice first, then its job.
    return again([&]() -> Status {
      TRY(connection_.query("UPDATE tilewright_jobs SET is_open = FALSE WHERE name = $1", {name}));
      return done_of(
          connection_.query("WITH free AS (UPDATE tilewright_work SET is_done = TRUE "
                            "WHERE job = $1 AND NOT is_done) "
                            "SELECT pg_notify('tilewright_work', '')",
                            {name}));
    });
  }

  Status end_kernel(std::string const& name, int kernel) override {
    return again([&] {
      return done_of(connection_.query(
          "WITH free AS (UPDATE tilewright_work w SET is_done = TRUE, left_out "
          "= made < trials WHERE job = $1 AND kernel = $2 AND (is_done OR " +
              std::string(kExpired) + ")) SELECT pg_notify('tilewright_work', '')",
          {name, kernel}));
    });
  }

  Result<std::optional<Lease>> take(LeaseRequest const& request) override {
    return again([&] { return take_once(request); });
  }

  Result<bool> renew(Lease const& lease, int made, double seconds) override {
    return again([&]() -> Result<bool> {
      TRY_ASSIGN(
          Rows rows,
          connection_.query(
              "UPDATE tilewright_work w SET lease_end = clock_timestamp() + $3 * INTERVAL "
              "'1 second', made = w.trials - $4 + $5 FROM tilewright_jobs j WHERE w.id = $1 "
              "AND w.lease = $2 AND NOT w.is_done AND j.name = w.job AND j.is_open AND NOT " +
                  std::string(kExpired),
              {lease.slice, lease.number, seconds, lease.trials, made}));
      return rows.changed() > 0;
    });
  }

  Status give_back(Lease const& lease, int made, bool is_done) override {
    return again([&] {
      return done_of(connection_.query(
          "WITH given AS (UPDATE tilewright_work w SET lease_end = NULL, lease = 0, made = "
          "w.trials "
          "- $3 + $4, is_done = w.is_done OR $5 = 1, takes = 0, took = extract(epoch FROM "
          "clock_timestamp() - lease_begin) WHERE w.id = $1 AND w.lease = $2 RETURNING w.job, "
          "w.took - w.expected AS more), paid AS (UPDATE tilewright_jobs j SET served = "
          "greatest(0, "
          "served + more) FROM given WHERE j.name = given.job) SELECT pg_notify('tilewright_work', "
          "'')",
          {lease.slice, lease.number, lease.trials, made, is_done ? 1 : 0}));
    });
  }

  Result<bool> claim(Lease const& lease, std::string const& point) override {
    // Asked again after a lost connection, it is still the same lease's.
    return again([&]() -> Result<bool> {
      TRY_ASSIGN(Rows rows,
                 connection_.query(
                     "INSERT INTO tilewright_points AS p VALUES ($1, $2, $3, $4) ON CONFLICT (job, "
                     "kernel, point) DO UPDATE SET lease = p.lease WHERE p.lease = excluded.lease",
                     {lease.job, lease.kernel, sha256(point), lease.number}));
      return rows.changed() > 0;
    });
  }

  Result<bool> wait(std::chrono::milliseconds time) override {
    return again([&]() -> Result<bool> {
      TRY(connection_.execute("LISTEN tilewright_work"));
      return connection_.wait(time);
    });
  }

  Status here(TeamDevice const& device) override {
    return again([&]() -> Status {
      // One that was killed said no word: who comes takes it away.
      TRY(connection_.query(fmt::format("DELETE FROM tilewright_devices WHERE {}", kSilent)));
      return done_of(connection_.query(
          "INSERT INTO tilewright_devices VALUES ($1, $2, $3, $4, clock_timestamp()) ON CONFLICT "
          "(name) DO UPDATE SET machine = excluded.machine, target = excluded.target, doing = "
          "excluded.doing, seen = excluded.seen",
          {device.name, device.machine, device.target, device.doing}));
    });
  }

  Status leave(std::string const& device) override {
    return again([&] {
      return done_of(connection_.query("DELETE FROM tilewright_devices WHERE name = $1", {device}));
    });
  }

  Result<std::vector<TeamDevice>> devices() override;

private:
  template <typename Work>
  auto again(Work work) -> decltype(work()) {
    return with_reconnect(connection_, work);
  }
  Status add_once(TeamJob const& job, std::span<WorkSlice const> slices);
  Status add_model(TeamJob const& job);
  Result<std::optional<Lease>> take_once(LeaseRequest const& request);
  Result<std::vector<JobProgress>> progress_of(std::string const& which,
                                               std::vector<Value> const& values);

  Connection connection_;
};

Status PostgresQueue::add_model(TeamJob const& job) {
  std::string_view rest = job.model;
  for (int part = 0; !rest.empty(); ++part) {
    std::string_view piece = rest.substr(0, kPartBytes);
    TRY(connection_.query("INSERT INTO tilewright_model_parts VALUES ($1, $2, $3)",
                          {job.name, part, Value::bytes(piece)}));
    rest.remove_prefix(piece.size());
  }
  return {};
}

Status PostgresQueue::add_once(TeamJob const& job, std::span<WorkSlice const> slices) {
  TRY_ASSIGN(PostgresTransaction transaction, PostgresTransaction::begin_alone(connection_));
  std::string digest = sha256(job.model);
  // A new job begins beside the least served one: it has no claim to what others had before it.
  TRY_ASSIGN(Rows added,
             connection_.query(
                 "INSERT INTO tilewright_jobs (name, priority, machine, target, request, "
                 "model_digest, is_open, served) VALUES ($1, $2, $3, $4, $5, $6, TRUE, (SELECT "
                 "coalesce(min(served), 0) FROM tilewright_jobs WHERE is_open AND priority = $2)) "
                 "ON CONFLICT (name) DO NOTHING",
                 {job.name, job.priority, job.machine, job.target, job.request, digest}));
  if (added.changed() > 0) {
    TRY(add_model(job));
  } else {
    TRY_ASSIGN(Rows same,
               connection_.query("UPDATE tilewright_jobs SET is_open = TRUE, priority = "
                                 "$2 WHERE name = $1 AND model_digest = $3 AND machine "
                                 "= $4 AND target = $5",
                                 {job.name, job.priority, digest, job.machine, job.target}));
    if (same.changed() == 0)
      return bad_input("job_taken",
                       fmt::format("there is a job '{}' of another model or for another machine: "
                                   "give this one another name with --job",
                                   job.name));
  }
  TRY_ASSIGN(int64_t left, connection_.number("SELECT count(*) FROM tilewright_work WHERE job = $1 "
                                              "AND NOT is_done",
                                              {job.name}));
  if (left == 0) {
    // What an earlier search left out says nothing about this one.
    TRY(connection_.query("UPDATE tilewright_work SET left_out = FALSE WHERE job = $1",
                          {job.name}));
    for (WorkSlice const& slice : slices)
      TRY(connection_.query("INSERT INTO tilewright_work (job, kernel, trials) VALUES ($1, $2, $3)",
                            {job.name, slice.kernel, slice.trials}));
  }
  TRY(connection_.execute("NOTIFY tilewright_work"));
  return transaction.commit();
}

Result<std::optional<TeamJob>> PostgresQueue::job(std::string const& name) {
  return again([&]() -> Result<std::optional<TeamJob>> {
    TRY_ASSIGN(Rows rows, connection_.query("SELECT priority, machine, target, request, is_open "
                                            "FROM tilewright_jobs WHERE name = $1",
                                            {name}));
    if (rows.empty()) return std::nullopt;
    TeamJob job{name, int(rows.integer(0, 0)), rows.text(0, 1), rows.text(0, 2), rows.text(0, 3),
                {},   rows.text(0, 4) == "t"};
    for (int part = 0;; ++part) {
      TRY_ASSIGN(Rows piece, connection_.query("SELECT bytes FROM tilewright_model_parts WHERE job "
                                               "= $1 AND part = $2",
                                               {name, part}));
      if (piece.empty()) return job;
      job.model += piece.bytes(0, 0);
    }
  });
}

Result<std::vector<JobProgress>> PostgresQueue::progress_of(std::string const& which,
                                                            std::vector<Value> const& values) {
  // What kills every worker counts as done: a job ends without it.
  std::string statement = fmt::format(
      "SELECT j.name, j.priority, j.is_open, j.served, count(w.id), count(w.id) FILTER (WHERE "
      "w.is_done OR (w.takes >= {0} AND {1})), count(w.id) FILTER (WHERE NOT w.is_done AND NOT "
      "{1}), count(w.id) FILTER (WHERE w.left_out), coalesce(sum(w.trials), 0)::BIGINT, "
      "coalesce(sum(w.made), 0)::BIGINT FROM tilewright_jobs j LEFT JOIN tilewright_work w ON "
      "w.job = j.name WHERE {2} GROUP BY "
      "j.name ORDER BY j.priority DESC, j.made, j.name",
      kMostTakes, kExpired, which);
  TRY_ASSIGN(Rows rows, again([&] { return connection_.query(statement, values); }));
  std::vector<JobProgress> found;
  for (int row = 0; row < rows.size(); ++row)
    found.push_back({.name = rows.text(row, 0),
                     .priority = int(rows.integer(row, 1)),
                     .is_open = rows.text(row, 2) == "t",
                     .slices = int(rows.integer(row, 4)),
                     .done = int(rows.integer(row, 5)),
                     .leased = int(rows.integer(row, 6)),
                     .left_out = int(rows.integer(row, 7)),
                     .trials = int(rows.integer(row, 8)),
                     .made = int(rows.integer(row, 9)),
                     .served = rows.real(row, 3)});
  return found;
}

Result<std::vector<HeldSlice>> PostgresQueue::held() {
  TRY_ASSIGN(Rows rows, again([&] {
               return connection_.query(
                   "SELECT w.job, w.worker, w.kernel, w.trials, w.made, extract(epoch FROM "
                   "w.lease_end - clock_timestamp()) FROM tilewright_work w JOIN tilewright_jobs j "
                   "ON j.name = w.job WHERE j.is_open AND NOT w.is_done AND NOT " +
                   std::string(kExpired) + " ORDER BY j.priority DESC, j.made, j.name, w.worker");
             }));
  std::vector<HeldSlice> found;
  for (int row = 0; row < rows.size(); ++row)
    found.push_back({rows.text(row, 0), rows.text(row, 1), int(rows.integer(row, 2)),
                     int(rows.integer(row, 3)), int(rows.integer(row, 4)), rows.real(row, 5)});
  return found;
}

Result<std::optional<Lease>> PostgresQueue::take_once(LeaseRequest const& request) {
  // Who takes at the same time skips what another one is about to have. A job without any slice
  // that came back is expected to take a second for each.
  std::string statement = fmt::format(
      "WITH chosen AS (SELECT w.id, j.name, (SELECT coalesce(avg(took), 1) FROM tilewright_work "
      "WHERE job = j.name) AS expected FROM tilewright_work w JOIN tilewright_jobs j ON j.name = "
      "w.job WHERE j.is_open AND NOT w.is_done AND w.takes < {} AND {} AND j.machine = $1 AND "
      "j.target = $2 AND ($3 = '' OR j.name = $3) ORDER BY j.priority DESC, j.served, j.made, w.id "
      "LIMIT 1 FOR UPDATE OF w SKIP LOCKED), paid AS (UPDATE tilewright_jobs j SET served = served "
      "+ chosen.expected FROM chosen WHERE j.name = chosen.name) UPDATE tilewright_work w SET "
      "lease "
      "= nextval('tilewright_leases'), worker = $4, takes = takes + 1, lease_begin = "
      "clock_timestamp(), lease_end = clock_timestamp() + $5 * INTERVAL '1 second', expected = "
      "chosen.expected FROM chosen WHERE w.id = chosen.id RETURNING w.lease, w.id, w.job, "
      "w.kernel, "
      "w.trials - w.made",
      kMostTakes, kExpired);
  TRY_ASSIGN(Rows rows, connection_.query(statement, {request.machine, request.target, request.job,
                                                      request.worker, request.seconds}));
  if (rows.empty()) return std::nullopt;
  return Lease{rows.integer(0, 0), rows.integer(0, 1), rows.text(0, 2), int(rows.integer(0, 3)),
               int(rows.integer(0, 4))};
}

Result<std::vector<TeamDevice>> PostgresQueue::devices() {
  TRY_ASSIGN(Rows rows, again([&] {
               return connection_.query(
                   "SELECT name, machine, target, doing, extract(epoch FROM clock_timestamp() - "
                   "seen) FROM tilewright_devices WHERE NOT " +
                   std::string(kSilent) + " ORDER BY name");
             }));
  std::vector<TeamDevice> found;
  for (int row = 0; row < rows.size(); ++row)
    found.push_back({rows.text(row, 0), rows.text(row, 1), rows.text(row, 2), rows.text(row, 3),
                     rows.real(row, 4)});
  return found;
}

}  // namespace

Result<std::unique_ptr<WorkQueue>> open_work_queue(std::string const& url,
                                                   int milliseconds_to_wait) {
  if (!is_server(url))
    return bad_input("no_team", "a team needs a server: --store postgresql://USER@HOST/DATABASE",
                     Place{shown_place(url), 0, 0, {}});
  TRY_ASSIGN(Connection connection, Connection::open(url, milliseconds_to_wait));
  TRY(migrate(connection, server_migrations()));
  return std::make_unique<PostgresQueue>(std::move(connection));
}

}  // namespace tw::records
