#include <fmt/format.h>

#include <algorithm>

#include "app/cli/chosen_kernel.h"
#include "app/shared/version.h"
#include "engine/support/base/quantities.h"
#include "engine/support/files.h"

namespace tw::cli {
namespace {

struct Arguments {
  std::string path, kernel, out;
  std::vector<std::string> pins;
  TuneOptions options;
  std::string job;
  bool list = false, no_store = false;
};

/// "conv2d.vectors=2"
Result<Point> pinned_of(std::vector<std::string> const& pins) {
  Point point;
  for (std::string const& pin : pins) {
    size_t equals = pin.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pin.size())
      return bad_input("bad_pin", fmt::format("--pin takes KNOB=VALUE, not '{}'", pin));
    point[pin.substr(0, equals)] = pin.substr(equals + 1);
  }
  return point;
}

Json to_json(Attempt const& attempt) {
  Json json = {{"trial", attempt.number},
               {"class", records::name_of(attempt.outcome)},
               {"point", attempt.point},
               {"seconds", attempt.seconds},
               {"best_seconds", attempt.best_seconds}};
  if (!attempt.sentence.empty()) json["why"] = attempt.sentence;
  return json;
}

Json to_json(TuneResult const& result) {
  Json classes = Json::object();
  for (Attempt const& attempt : result.attempts) {
    auto key = std::string(records::name_of(attempt.outcome));
    classes[key] = classes.value(key, 0) + 1;
  }
  return {{"best_ms", result.seconds * 1e3},
          {"default_ms", result.rule_seconds * 1e3},
          {"point", result.point},
          {"script", result.script},
          {"trials", result.attempts.size()},
          {"classes", classes},
          {"rejected", result.rejected},
          {"repeated", result.repeated},
          {"space", result.space_size},
          {"search_s", result.wall_seconds},
          {"end", name_of(result.end)}};
}

/// One line a better one, and one for each that went wrong.
void print_attempt(Context const& context, Attempt const& attempt, double& best) {
  if (context.json) {
    fmt::print("{}\n", to_json(attempt).dump(-1, ' ', false, Json::error_handler_t::replace));
    std::fflush(stdout);
    return;
  }
  if (attempt.outcome != records::Outcome::kOk)
    fmt::print("{:5}  {}: {}  ({})\n", attempt.number, records::name_of(attempt.outcome),
               attempt.sentence, point_text(attempt.point));
  else if (best == 0 || attempt.best_seconds < best)
    fmt::print("{:5}  {:>9}  {}\n", attempt.number, duration_text(attempt.best_seconds),
               point_text(attempt.point));
  best = attempt.best_seconds;
  std::fflush(stdout);
}

void print_result(TuneResult const& result) {
  std::string rejected;
  for (auto const& [reason, count] : result.rejected)
    rejected += fmt::format("{}{} for {}", rejected.empty() ? "" : ", ", count, reason);
  fmt::print(
      "{} in {} ({:.1f} a second), ended by {}; {} points in the space; left out: {}{} known\n",
      count_text(int64_t(result.attempts.size()), "trial"), duration_text(result.wall_seconds),
      double(result.attempts.size()) / std::max(result.wall_seconds, 1e-9), name_of(result.end),
      many_text(result.space_size), rejected.empty() ? "" : rejected + ", ", result.repeated);
  fmt::print("best {}, default {}: {}\n", duration_text(result.seconds),
             duration_text(result.rule_seconds),
             result.point.empty() ? "the default stays"
                                  : speedup_text(result.rule_seconds / result.seconds));
  fmt::print("{}\n", point_text(result.point));
}

/// The knobs of the kernel, with the values that each may take.
int list_knobs(Context const& context, session::LoadedModel const& model, int kernel) {
  auto knobs = session::knobs_of(model, kernel, context.backend);
  if (!knobs) return report(context, knobs.error());
  Json json = Json::array();
  for (Knob const& knob : *knobs) {
    if (context.json)
      json.push_back({{"knob", knob.name},
                      {"values", knob.values},
                      {"default", knob.values[size_t(knob.preset)]}});
    else
      fmt::print("{} = {}  of {}\n", knob.name, knob.values[size_t(knob.preset)],
                 fmt::join(knob.values, " "));
  }
  if (context.json) print(json);
  return 0;
}

int finish(Context const& context, Arguments const& arguments, TuneResult const& result) {
  if (!arguments.out.empty())
    if (Status status = write_file(arguments.out, result.script); !status)
      return report(context, status.error());
  if (context.json)
    fmt::print("{}\n", to_json(result).dump(-1, ' ', false, Json::error_handler_t::replace));
  else
    print_result(result);
  return 0;
}

Result<session::TuneRequest> request_of(Context const& context, Arguments const& arguments) {
  session::TuneRequest request;
  request.options = arguments.options;
  request.options.threads = context.threads;
  request.device = context.device;
  request.build = version_number();
  request.job = arguments.job;
  TRY_ASSIGN(request.pinned, pinned_of(arguments.pins));
  return request;
}

/// Null where nothing is to be kept.
Result<std::unique_ptr<records::TrialStore>> opened_store(Context const& context,
                                                          Arguments const& arguments) {
  if (arguments.no_store) return nullptr;
  TRY(make_folder(context.store_file.parent_path()));
  return records::open_store(context.store_file, {.durability = Durability::kFast});
}

int tune(Context const& context, Arguments const& arguments) {
  auto model = load(context, arguments.path);
  if (!model) return report(context, model.error());
  auto kernel = session::find_kernel(**model, arguments.kernel);
  if (!kernel) return report(context, kernel.error());
  if (arguments.list) return list_knobs(context, **model, *kernel);
  auto request = request_of(context, arguments);
  if (!request) return report(context, request.error());
  auto store = opened_store(context, arguments);
  if (!store) return report(context, store.error());
  auto device = context.open_device();
  if (!device) return report(context, device.error());
  double best = 0;
  request->store = store->get();
  request->options.on_attempt = [&](Attempt const& attempt) {
    print_attempt(context, attempt, best);
  };
  auto tuned = session::tune_kernel(**model, *kernel, *request, context.backend, **device,
                                    progress_of(context));
  end_progress(context);
  if (!tuned) return report(context, tuned.error());
  if (!tuned->not_stored.empty())
    fmt::print(stderr, "tw: some trials are not in the store: {}\n", tuned->not_stored);
  return finish(context, arguments, tuned->result);
}

void add_tune(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "tune", "search for a faster schedule of a kernel, and check every result");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(*command, context, arguments->path);
  add_kernel_option(*command, arguments->kernel);
  command->add_option("--trials", arguments->options.trials, "candidates to measure (default: 64)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--seconds", arguments->options.seconds,
                   "end after this time, too (default: when the trials are done)")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  std::string names;
  for (SearchRow const& row : searches())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  command->add_option("--search", arguments->options.search, names + " (default: the first)")
      ->type_name("SEARCH");
  command->add_option("--seed", arguments->options.seed, "of everything by chance (default: 1)")
      ->type_name("N");
  command->add_option("--pin", arguments->pins, "keep a knob at a value; again for further knobs")
      ->type_name("KNOB=VALUE")
      ->expected(1)
      ->take_all();
  command->add_flag("--knobs", arguments->list, "instead: list the knobs with their values");
  command->add_option("--out", arguments->out, "write the best schedule as a script")
      ->type_name("F.tws");
  add_store_option(*command, context);
  command->add_flag("--no-store", arguments->no_store, "keep no trial, and take up none");
  command->add_option("--job", arguments->job, "a name for these trials in the store")
      ->type_name("NAME");
  add_device_option(*command, context);
  add_threads_option(*command, context);
  command->callback([&context, arguments] {
    context.run = [&context, arguments] { return tune(context, *arguments); };
  });
}

}  // namespace

CommandRow const& command_tune() {
  static CommandRow const row{.place = 85, .add = add_tune};
  return row;
}

}  // namespace tw::cli
