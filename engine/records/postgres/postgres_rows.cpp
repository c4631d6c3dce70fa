#include "engine/records/postgres/postgres_rows.h"

#include <fmt/format.h>

#include <bit>
#include <map>

#include "engine/records/row_forms.h"
#include "engine/support/sha256.h"

namespace tw::records {
namespace {

constexpr char const* kInsert =
    "INSERT INTO tilewright_trials (id, task, task_name, program, trace, knobs, target, "
    "target_title, device, machine, build, seed, outcome, samples, seconds, probe_rate, "
    "modelled_seconds, failure, unix_time, job, origin, digest, threads) VALUES ";
constexpr int kColumns = 23;
/// In one statement, which may have 65,535 values.
constexpr size_t kMostRows = 500;

// Numbers without a sign are kept by their bits: the server's have one.
int64_t as_signed(uint64_t value) { return std::bit_cast<int64_t>(value); }
uint64_t as_unsigned(int64_t value) { return std::bit_cast<uint64_t>(value); }

/// "($1, $2, ...), ($23, ...": so many rows of values.
std::string places(size_t rows) {
  std::string text;
  for (size_t row = 0; row < rows; ++row)
    for (int column = 0; column < kColumns; ++column)
      text += fmt::format("{}${}{}",
                          column > 0 ? ", "
                          : row > 0  ? ", ("
                                     : "(",
                          row * kColumns + size_t(column) + 1, column == kColumns - 1 ? ")" : "");
  return text;
}

/// Its number in the table of programs. Who appends is alone: nobody else adds the same one.
Result<int64_t> program_number(Connection& connection, std::string const& text) {
  std::string digest = sha256(text);
  TRY_ASSIGN(int64_t known,
             connection.number("SELECT id FROM tilewright_programs WHERE digest = $1", {digest}));
  if (known > 0) return known;
  return connection.number(
      "INSERT INTO tilewright_programs (digest, text) VALUES ($1, $2) RETURNING id",
      {digest, Value::bytes(text)});
}

void add_values(std::vector<Value>& values, int64_t id, int64_t program, Trial const& trial) {
  for (Value value : std::initializer_list<Value>{
           id,
           as_signed(trial.task),
           trial.task_name,
           program,
           Value::bytes(trial.trace),
           knobs_text(trial),
           trial.target,
           trial.target_title,
           trial.device,
           trial.machine,
           trial.build,
           as_signed(trial.seed),
           int64_t(trial.outcome),
           samples_text(trial),
           order_seconds(trial),
           trial.probe_rate,
           trial.modelled_seconds,
           Value::bytes(trial.failure),
           trial.unix_time,
           trial.job,
           int64_t(trial.origin),
           as_signed(digest_of(trial, id)),
           int64_t(trial.threads),
       })
    values.push_back(std::move(value));
}

}  // namespace

char const* const kServerColumns =
    "t.id, task, task_name, p.text, trace, knobs, target, target_title, device, machine, build, "
    "seed, outcome, samples, probe_rate, modelled_seconds, failure, unix_time, job, origin, "
    "t.digest, threads";

Status insert(Connection& connection, int64_t first_id, std::span<Trial const> trials) {
  std::map<std::string_view, int64_t> programs;
  while (!trials.empty()) {
    auto piece = trials.first(std::min(kMostRows, trials.size()));
    trials = trials.subspan(piece.size());
    std::vector<Value> values;
    for (Trial const& trial : piece) {
      auto [program, is_new] = programs.try_emplace(trial.program, 0);
      if (is_new) {
        TRY_ASSIGN(program->second, program_number(connection, trial.program));
      }
      add_values(values, first_id++, program->second, trial);
    }
    TRY(connection.query(kInsert + places(piece.size()), values));
  }
  return {};
}

Result<StoredTrial> row_at(Connection const& connection, Rows const& rows, int at) {
  StoredTrial stored;
  stored.id = rows.integer(at, 0);
  Trial& trial = stored.trial;
  trial.task = as_unsigned(rows.integer(at, 1));
  trial.task_name = rows.text(at, 2);
  trial.program = rows.bytes(at, 3);
  trial.trace = rows.bytes(at, 4);
  trial.target = rows.text(at, 6);
  trial.target_title = rows.text(at, 7);
  trial.device = rows.text(at, 8);
  trial.machine = rows.text(at, 9);
  trial.build = rows.text(at, 10);
  trial.seed = as_unsigned(rows.integer(at, 11));
  trial.probe_rate = rows.real(at, 14);
  trial.modelled_seconds = rows.real(at, 15);
  trial.failure = rows.bytes(at, 16);
  trial.unix_time = rows.real(at, 17);
  trial.job = rows.text(at, 18);
  trial.threads = int(rows.integer(at, 21));
  bool whole = read_knobs(rows.text(at, 5), trial) && read_samples(rows.text(at, 13), trial) &&
               read_words(rows.integer(at, 12), rows.integer(at, 19), trial);
  if (!whole || digest_of(trial, stored.id) != as_unsigned(rows.integer(at, 20)))
    return connection.corrupt(fmt::format("trial {} is not as it was written", stored.id));
  return stored;
}

}  // namespace tw::records
