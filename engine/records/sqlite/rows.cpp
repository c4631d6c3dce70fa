#include "engine/records/sqlite/rows.h"

#include <fmt/format.h>

#include <bit>

#include "engine/records/row_forms.h"
#include "engine/support/sha256.h"

namespace tw::records {
namespace {

// Numbers without a sign are kept by their bits: SQLite's have one.
int64_t as_signed(uint64_t value) { return std::bit_cast<int64_t>(value); }
uint64_t as_unsigned(int64_t value) { return std::bit_cast<uint64_t>(value); }

/// Its number in the table of programs.
Result<int64_t> program_number(Database& database, std::string const& text) {
  std::string digest = sha256(text);
  {
    TRY_ASSIGN(Statement known, database.prepare("SELECT id FROM programs WHERE digest = ?"));
    TRY_ASSIGN(bool there, known.bind(digest).step());
    if (there) return known.integer(0);
  }
  {
    TRY_ASSIGN(Statement add,
               database.prepare("INSERT INTO programs (digest, text) VALUES (?, ?)"));
    TRY(add.bind(digest).bind(text).run());
  }
  return database.number("SELECT last_insert_rowid()");
}

}  // namespace

char const* const kRowColumns =
    "trials.id, task, task_name, programs.text, trace, knobs, target, target_title, device, "
    "machine, build, seed, outcome, samples, probe_rate, modelled_seconds, failure, unix_time, "
    "job, origin, trials.digest, threads";

Status insert(Database& database, int64_t id, Trial const& trial) {
  TRY_ASSIGN(int64_t program, program_number(database, trial.program));
  std::string knobs = knobs_text(trial), samples = samples_text(trial);
  TRY_ASSIGN(
      Statement statement,
      database.prepare(
          "INSERT INTO trials (id, task, task_name, program, trace, knobs, target, target_title, "
          "device, machine, build, seed, outcome, samples, seconds, probe_rate, modelled_seconds, "
          "failure, unix_time, job, origin, digest, threads) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  statement.bind(id).bind(as_signed(trial.task)).bind(trial.task_name).bind(program);
  statement.bind(trial.trace).bind(knobs).bind(trial.target).bind(trial.target_title);
  statement.bind(trial.device).bind(trial.machine).bind(trial.build).bind(as_signed(trial.seed));
  statement.bind(int64_t(trial.outcome))
      .bind(samples)
      .bind(order_seconds(trial))
      .bind(trial.probe_rate);
  statement.bind(trial.modelled_seconds).bind(trial.failure).bind(trial.unix_time).bind(trial.job);
  statement.bind(int64_t(trial.origin)).bind(as_signed(digest_of(trial, id)));
  statement.bind(int64_t(trial.threads));
  return statement.run();
}

Result<StoredTrial> row(Database const& database, Statement const& at) {
  StoredTrial stored;
  stored.id = at.integer(0);
  Trial& trial = stored.trial;
  trial.task = as_unsigned(at.integer(1));
  trial.task_name = at.text(2);
  trial.program = at.text(3);
  trial.trace = at.text(4);
  bool whole = read_knobs(at.text(5), trial);
  trial.target = at.text(6);
  trial.target_title = at.text(7);
  trial.device = at.text(8);
  trial.machine = at.text(9);
  trial.build = at.text(10);
  trial.seed = as_unsigned(at.integer(11));
  whole = whole && read_samples(at.text(13), trial) &&
          read_words(at.integer(12), at.integer(19), trial);
  trial.probe_rate = at.real(14);
  trial.modelled_seconds = at.real(15);
  trial.failure = at.text(16);
  trial.unix_time = at.real(17);
  trial.job = at.text(18);
  trial.threads = int(at.integer(21));
  if (!whole || digest_of(trial, stored.id) != as_unsigned(at.integer(20)))
    return database.corrupt(fmt::format("trial {} is not as it was written", stored.id));
  return stored;
}

}  // namespace tw::records
