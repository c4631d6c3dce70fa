#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/chosen_kernel.h"
#include "app/cli/study_claims.h"
#include "app/shared/version.h"
#include "engine/backend/target_table.h"
#include "engine/session/cases/study_cases.h"
#include "engine/session/model_roofline.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"
#include "engine/tuner/study/replay.h"
#include "engine/tuner/study/table_space.h"

namespace tw::cli::command_study {
namespace {

struct Arguments {
  std::vector<std::string> words;  ///< of claims, and files
  std::string table;               ///< the only one, or the first
  std::string model, kernel, folder;
  std::vector<std::string> pins;
  double reference = 0;  ///< microseconds
  size_t points = 2000;
  int trials = 128, seeds = 10;
  uint64_t seed = 1;
};

Status make(Context const& context, Arguments const& arguments) {
  TRY_ASSIGN(session::Model model, load(context, arguments.model));
  TRY_ASSIGN(int kernel, session::find_kernel(*model, arguments.kernel));
  TRY_ASSIGN(std::unique_ptr<Device> device, context.open_device());
  TRY_ASSIGN(session::MachineView machine,
             session::machine_view(*context.backend, *device, context.cache_folder, true, false, {},
                                   progress_of(context), context.device));
  session::TuneRequest request;
  request.options.threads = context.threads;
  request.options.seed = arguments.seed;
  request.device = context.device;
  request.roofs = session::has_computed_roofs(machine) ? nullptr : machine.rates;
  TRY_ASSIGN(request.pinned, pinned_of(arguments.pins));
  auto table = session::measure_table(*model, kernel, request, arguments.points, context.backend,
                                      *device, progress_of(context));
  end_progress(context);
  if (!table) return std::unexpected(table.error());
  return write_output(arguments.table, to_text(*table));
}

/// The first numbers of trials that a median has a name for.
std::vector<int> budgets(int trials) {
  std::vector<int> budgets;
  for (int one = 8; one < trials; one *= 2) budgets.push_back(one);
  budgets.push_back(trials);
  return budgets;
}

std::string percent(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", share * 100) : "-";
}

/// Of the learned search against each other one: "learned beats black box" is to be never behind
/// at any of the budgets (Chen et al. 2018, figure 4).
std::vector<std::pair<std::string, std::string>> verdicts(
    std::vector<SearchSummary> const& summaries, int trials) {
  std::vector<std::pair<std::string, std::string>> verdicts;
  auto learned = std::ranges::find(summaries, "learned", &SearchSummary::search);
  for (SearchSummary const& other : summaries) {
    if (learned == summaries.end() || other.search == learned->search) continue;
    bool at_each = true, at_half = true;
    for (int budget : budgets(trials)) {
      double reached = other.regret[size_t(budget) - 1];
      at_each = at_each && learned->regret[size_t(budget) - 1] <= reached;
      at_half = at_half && learned->regret[size_t(std::max(budget / 2, 1)) - 1] <= reached;
    }
    verdicts.emplace_back(other.search, at_half   ? "never behind, with half of the trials"
                                        : at_each ? "never behind"
                                                  : "behind at some number of trials");
  }
  return verdicts;
}

void print_text(Arguments const& arguments, StudyTable const& table, double best,
                std::vector<SearchSummary> const& summaries) {
  fmt::print("{}: {} measured, {}; the best takes {}\n", table.kernel,
             count_text(int64_t(table.rows.size()), "point"),
             table.whole ? "all there are" : "chosen at random", duration_text(best));
  fmt::print("{} of each search; medians\n{:<10}{:>12}", count_text(arguments.seeds, "run"),
             "search", "to 95 %");
  for (int budget : budgets(arguments.trials))
    fmt::print("{:>12}", fmt::format("after {}", budget));
  fmt::print("{:>14}\n", "of a trial");
  for (SearchSummary const& one : summaries) {
    fmt::print("{:<10}{:>12}", one.search,
               one.trials_to_95 ? count_text(*one.trials_to_95, "trial") : "never");
    for (int budget : budgets(arguments.trials))
      fmt::print("{:>12}", percent(one.regret[size_t(budget) - 1]));
    fmt::print("{:>14}\n", duration_text(one.seconds_per_trial));
  }
  for (auto const& [other, verdict] : verdicts(summaries, arguments.trials))
    fmt::print("learned and {}: {}\n", other, verdict);
}

Json json_of(Arguments const& arguments, StudyTable const& table, double best,
             std::vector<SearchSummary> const& summaries) {
  Json searches = Json::array();
  auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  for (SearchSummary const& one : summaries) {
    Json regret = Json::array(), last = Json::array();
    for (double share : one.regret) regret.push_back(number(share));
    for (Replayed const& run : one.runs)
      last.push_back(run.best.empty() ? Json() : Json(run.best.back()));
    searches.push_back({{"search", one.search},
                        {"trials_to_95", one.trials_to_95 ? Json(*one.trials_to_95) : Json()},
                        {"regret", regret},
                        {"best_seconds", last},
                        {"search_seconds_per_trial", one.seconds_per_trial}});
  }
  Json against = Json::object();
  for (auto const& [other, verdict] : verdicts(summaries, arguments.trials))
    against[other] = verdict;
  return {{"kernel", table.kernel}, {"points", table.rows.size()}, {"whole", table.whole},
          {"best_seconds", best},   {"seeds", arguments.seeds},    {"trials", arguments.trials},
          {"searches", searches},   {"learned_against", against}};
}

Result<StudyTable> table_at(std::string const& file) {
  TRY_ASSIGN(std::string text, read_file(file));
  return parse_table(text);
}

Status compare(Context const& context, Arguments const& arguments) {
  TRY_ASSIGN(StudyTable table, table_at(arguments.table));
  TRY_ASSIGN(auto backend, create_backend(table.hardware));
  TRY_ASSIGN(std::unique_ptr<TableSpace> space, TableSpace::create(table, backend));
  TRY_ASSIGN(TableTimes times, TableTimes::create(*space, table));
  std::vector<SearchSummary> summaries;
  for (SearchRow const& row : searches()) {
    auto summary = summarize(row, *space, times, arguments.trials, arguments.seeds);
    // A table may say nothing of what the target's own model says.
    if (!summary && summary.error().code == "no_time_model") continue;
    if (!summary) return std::unexpected(summary.error());
    summaries.push_back(*std::move(summary));
  }
  if (context.json)
    print(json_of(arguments, table, times.best(), summaries));
  else
    print_text(arguments, table, times.best(), summaries);
  return {};
}

bool is_claim(std::string const& word) {
  return std::ranges::find(claims(), word, &ClaimRow::key) != claims().end();
}

/// "claims" is all of them, R1 and so on one; what is left are files of tables.
Status study(Context const& context, Arguments arguments) {
  ClaimArguments asked{.folder = arguments.folder,
                       .reference = arguments.reference * 1e-6,
                       .trials = arguments.trials,
                       .seeds = arguments.seeds};
  std::vector<std::string> files;
  for (std::string const& word : arguments.words)
    if (word == "claims")
      for (ClaimRow const& row : claims()) asked.claims.emplace_back(row.key);
    else
      (is_claim(word) ? asked.claims : files).push_back(word);
  if (files.empty()) return bad_input("no_table", "no file of a table is named");
  arguments.table = files.front();
  bool one = files.size() == 1;
  if (!one && (asked.claims.empty() || !arguments.model.empty()))
    return bad_input("one_table",
                     "measuring or comparing takes one table; several tables are for claims: tw "
                     "study claims FILE...");
  if (!arguments.model.empty()) TRY(make(context, arguments));
  if (asked.claims.empty()) return compare(context, arguments);
  for (std::string const& file : files) {
    TRY_ASSIGN(StudyTable table, table_at(file));
    asked.tables.push_back(std::move(table));
  }
  return study_claims(context, std::move(asked));
}

void add_study(Command app, Context& context) {
  auto command = app.add_subcommand(
      "study", "compare the searches of `tw tune` offline, on tables of measured configurations");
  auto arguments = std::make_shared<Arguments>();
  command
      .add_option("words", arguments->words,
                  "files of tables; before them R1 to R10, or `claims` for all ten: claims of "
                  "papers about learned searches, tested on these tables")
      .type_name("[CLAIM...] FILE...")
      .required();
  command
      .add_option("--make", arguments->model,
                  "first measure configurations of a kernel of this model, and write the table")
      .type_name("MODEL");
  add_kernel_option(command, arguments->kernel);
  command
      .add_option("--points", arguments->points,
                  "maximum to measure; of more, a random sample (default: 2000)")
      .type_name("N")
      .range(2, 1000000);
  command.add_option("--pin", arguments->pins, "fix a knob at a value; repeat for further knobs")
      .type_name("KNOB=VALUE")
      .repeatable();
  command.add_option("--trials", arguments->trials, "of each run (default: 128)")
      .type_name("N")
      .range(8, 100000);
  command.add_option("--seeds", arguments->seeds, "runs of each search (default: 10)")
      .type_name("N")
      .range(1, 1000);
  command
      .add_option(
          "--reference", arguments->reference,
          "reference time of R2 in microseconds (default: the time of the default schedule)")
      .type_name("US")
      .above_zero();
  command.add_option("--out", arguments->folder, "write claims' pictures and study.json here")
      .type_name("FOLDER");
  add_device_option(command, context);
  add_threads_option(command, context);
  command.callback([&context, arguments] {
    context.run = [&context, arguments] {
      Status status = study(context, *arguments);
      return status ? 0 : report(context, status.error());
    };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 86, .add = add_study};
  return row;
}

}  // namespace tw::cli::command_study
