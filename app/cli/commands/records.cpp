#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "app/cli/output.h"
#include "app/cli/plain_text.h"
#include "engine/records/log_reader.h"
#include "engine/records/text_forms.h"
#include "engine/records/trial_store.h"
#include "engine/schedule/decisions.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli::command_records {
namespace {

using records::StoredTrial;
using records::TrialStore;

struct Arguments {
  std::string kernel, device, outcome, job, text, order = "newest", file, format = "jsonl";
  int64_t limit = 50, id = 0;
};

Result<std::unique_ptr<TrialStore>> opened(Context const& context) {
  std::error_code ignored;
  if (!records::is_server(context.store) && !std::filesystem::exists(context.store, ignored))
    return bad_input("no_store",
                     fmt::format("there is no store {}: `tw tune` makes one", context.store));
  return records::open_store(context.store);
}

Result<records::Order> order_of(std::string const& word) {
  if (word == "newest") return records::Order::kNewest;
  if (word == "oldest") return records::Order::kOldest;
  if (word == "slowest") return records::Order::kSlowest;
  return records::Order::kFastest;
}

Result<records::Query> query_of(Arguments const& arguments) {
  records::Query query;
  // By name, which other models may give to other kernels.
  if (!arguments.kernel.empty()) query.task_name = arguments.kernel;
  if (!arguments.device.empty()) query.device = arguments.device;
  if (!arguments.job.empty()) query.job = arguments.job;
  if (!arguments.outcome.empty()) {
    query.outcome = records::outcome_of(arguments.outcome);
    if (!query.outcome)
      return bad_input("unknown_class", fmt::format("there is no class '{}'", arguments.outcome));
  }
  TRY_ASSIGN(query.order, order_of(arguments.order));
  query.limit = arguments.limit;
  query.text = arguments.text;
  return query;
}

Json to_json(StoredTrial const& one) {
  Json json = Json::parse(records::to_json_line(one.trial));
  json["id"] = one.id;
  return json;
}

void print_row(StoredTrial const& one) {
  auto seconds = records::seconds_of(one.trial);
  std::string threads = one.trial.threads > 0 ? fmt::format("x{}", one.trial.threads) : "";
  fmt::print("{:>7}  {:<28} {:<10} {:<3} {:>9}  {:<13} {}\n", one.id, plain(one.trial.task_name),
             plain(one.trial.device), threads, seconds ? duration_text(*seconds) : "·",
             records::name_of(one.trial.outcome), plain(point_text(one.trial.knobs)));
}

/// What was left out, on standard error: the others are what was asked for.
void tell_damaged(std::vector<records::DamagedRow> const& damaged) {
  constexpr size_t kMost = 10;
  for (size_t i = 0; i < std::min(damaged.size(), kMost); ++i)
    fmt::print(stderr, "tw: {}\n", plain(damaged[i].why));
  if (damaged.size() > kMost)
    fmt::print(stderr, "tw: {} more are damaged, too\n", damaged.size() - kMost);
}

int print_rows(Context const& context, Result<std::vector<StoredTrial>> const& rows) {
  if (!rows) return report(context, rows.error());
  Json json = Json::array();
  for (StoredTrial const& one : *rows)
    if (context.json)
      json.push_back(to_json(one));
    else
      print_row(one);
  if (context.json) print(json);
  return 0;
}

/// What a command does with the store, its query made.
using Use = std::function<int(Context const&, TrialStore&, Arguments const&, records::Query)>;

int with_store(Context const& context, Arguments const& arguments, Use const& use) {
  auto query = query_of(arguments);
  if (!query) return report(context, query.error());
  auto store = opened(context);
  if (!store) return report(context, store.error());
  return use(context, **store, arguments, *query);
}

int list(Context const& context, TrialStore& store, Arguments const&, records::Query query) {
  std::vector<records::DamagedRow> damaged;
  query.damaged = &damaged;
  int code = print_rows(context, store.find(query));
  tell_damaged(damaged);
  return code;
}

int best(Context const& context, TrialStore& store, Arguments const&, records::Query query) {
  std::vector<records::DamagedRow> damaged;
  query.damaged = &damaged;
  int code = print_rows(context, store.best(query));
  tell_damaged(damaged);
  return code;
}

int show(Context const& context, TrialStore& store, Arguments const& arguments, records::Query) {
  auto rows = store.find({.after_id = arguments.id - 1, .up_to_id = arguments.id});
  if (!rows) return report(context, rows.error());
  if (rows->empty())
    return report(
        context,
        bad_input("unknown_trial", fmt::format("there is no trial {}", arguments.id)).error());
  if (context.json) return print(to_json(rows->front())), 0;
  print_row(rows->front());
  if (!rows->front().trial.failure.empty()) fmt::print("{}\n", plain(rows->front().trial.failure));
  fmt::print("{}", plain_lines(rows->front().trial.trace));
  return 0;
}

int write_out(Context const& context, TrialStore& store, Arguments const& arguments,
              records::Query query) {
  bool csv = arguments.format == "csv";
  std::string text = csv ? records::csv_head() : "";
  int64_t count = 0;
  std::vector<records::DamagedRow> damaged;
  query.damaged = &damaged;
  Status done = records::each_trial(store, query, [&](StoredTrial const& one) -> Status {
    text += csv ? records::to_csv_line(one.trial) : records::to_json_line(one.trial) + "\n";
    ++count;
    return {};
  });
  if (done) done = write_output(arguments.file, text);
  if (!done) return report(context, done.error());
  tell_damaged(damaged);
  if (context.json)
    print({{"file", arguments.file}, {"trials", count}, {"damaged", damaged.size()}});
  else
    fmt::print("{} in {}\n", count_text(count, "trial"), arguments.file);
  return 0;
}

/// Without those that the store has, word for word, and those that come twice.
Result<std::vector<records::Trial>> new_ones(TrialStore& store,
                                             std::vector<records::Trial> trials) {
  std::set<uint64_t> known;
  std::vector<records::DamagedRow> damaged;
  TRY(records::each_trial(store, {.damaged = &damaged}, [&](StoredTrial const& one) -> Status {
    known.insert(records::digest_of(one.trial, 0));
    return {};
  }));
  std::erase_if(trials, [&](records::Trial const& one) {
    return !known.insert(records::digest_of(one, 0)).second;
  });
  return trials;
}

int read_in(Context const& context, Arguments const& arguments) {
  auto text = read_file(arguments.file);
  if (!text) return report(context, text.error());
  records::ReadLog log = records::read_log(*text);
  auto store = records::open_store(context.store);
  if (!store) return report(context, store.error());
  auto fresh = new_ones(**store, log.trials);
  if (!fresh) return report(context, fresh.error());
  auto ids = (*store)->append(*fresh);
  if (!ids) return report(context, ids.error());
  auto known = int64_t(log.trials.size() - fresh->size());
  Json damaged = Json::array();
  for (records::DamagedLine const& line : log.damaged)
    damaged.push_back({{"line", line.number}, {"why", line.why}});
  if (context.json) {
    print({{"trials", ids->size()},
           {"known", known},
           {"damaged", log.damaged_count},
           {"damaged_lines", damaged}});
    return 0;
  }
  fmt::print("{} imported{}\n", count_text(int64_t(ids->size()), "trial"),
             known > 0 ? fmt::format(", {} there already", known) : "");
  for (records::DamagedLine const& line : log.damaged)
    fmt::print("line {} is left out: {}\n", line.number, plain(line.why));
  return 0;
}

int vacuum(Context const& context, TrialStore& store, Arguments const&, records::Query) {
  Status done = store.check_all();
  if (done) done = store.vacuum();
  if (!done) return report(context, done.error());
  if (context.json)
    print({{"whole", true}});
  else
    fmt::print("every trial is intact; unused space was freed\n");
  return 0;
}

/// A subcommand that opens the store.
Command add_use(Command history, Context& context, std::shared_ptr<Arguments> const& arguments,
                char const* name, char const* doc, Use use) {
  auto command = history.add_subcommand(name, doc);
  add_store_option(command, context);
  command.callback([&context, arguments, use = std::move(use)] {
    context.needs_target = false;
    context.run = [&context, arguments, use] { return with_store(context, *arguments, use); };
  });
  return command;
}

void add_filters(Command command, Arguments& arguments) {
  command.add_option("--kernel", arguments.kernel, "only of the kernel of this name")
      .type_name("NAME");
  command.add_option("--device", arguments.device, "only of this device").type_name("NAME");
  command
      .add_option("--class", arguments.outcome,
                  "only ok, wrong, compile_error, invalid, timeout, crash or device_lost")
      .type_name("CLASS");
  command.add_option("--job", arguments.job, "only of this job").type_name("NAME");
  command
      .add_option("--text", arguments.text,
                  "only with these words in a name, the steps, the reason or the knobs "
                  "(C.block.j=64)")
      .type_name("WORDS");
}

void add_reading(Command history, Context& context, std::shared_ptr<Arguments> const& arguments) {
  Command listing = add_use(history, context, arguments, "list", "list trials", list);
  add_filters(listing, *arguments);
  listing.add_option("--order", arguments->order, "newest (default), oldest, fastest or slowest")
      .type_name("ORDER")
      .one_of({"newest", "oldest", "fastest", "slowest"});
  listing.add_option("--limit", arguments->limit, "how many at most (default: 50)")
      .type_name("N")
      .range(1, 1000000);
  Command bests = add_use(history, context, arguments, "best",
                          "list the fastest correct trial of each kernel on each device", best);
  add_filters(bests, *arguments);
  add_use(history, context, arguments, "show", "print one trial and its schedule", show)
      .add_option("ID", arguments->id, "as `tw records list` numbers it")
      .required();
}

void add_history(Command app, Context& context) {
  auto history = app.add_subcommand("records", "list, export and import tuning trials");
  history.require_subcommand(1);
  auto arguments = std::make_shared<Arguments>();
  add_reading(history, context, arguments);
  Command out = add_use(history, context, arguments, "export", "write trials as JSON lines or CSV",
                        write_out);
  add_filters(out, *arguments);
  out.add_option("FILE", arguments->file, "the file to write").required();
  out.add_option("--format", arguments->format, "jsonl (default) or csv")
      .type_name("FORMAT")
      .one_of({"jsonl", "csv"});
  auto in = history.add_subcommand(
      "import", "import trials: exported ones, or a log of AutoTVM or Ansor (read-only records)");
  add_store_option(in, context);
  in.add_option("FILE", arguments->file, "JSON lines").required();
  in.callback([&context, arguments] {
    context.needs_target = false;
    context.run = [&context, arguments] { return read_in(context, *arguments); };
  });
  add_use(history, context, arguments, "vacuum", "check every trial, and free unused disk space",
          vacuum);
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 86, .add = add_history};
  return row;
}

}  // namespace tw::cli::command_records
