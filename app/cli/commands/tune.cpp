#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "app/cli/kind_search.h"

namespace tw::cli::command_tune {
namespace {

/// With the values that each may take, and how it is taken.
int list_knobs(Context const& context, std::vector<Knob> const& knobs) {
  Json json = Json::array();
  for (Knob const& knob : knobs) {
    if (context.json)
      json.push_back({{"knob", knob.name},
                      {"values", knob.values},
                      {"default", knob.values[size_t(knob.preset)]},
                      {"value", knob.value()}});
    else
      fmt::print("{} = {}  of {}\n", knob.name, knob.value(), fmt::join(knob.values, " "));
  }
  if (context.json) print(json);
  return 0;
}

/// Takes part in a job of somebody else's.
int join(Context const& context, TuneArguments const& arguments) {
  if (!arguments.path.empty())
    return report(
        context, bad_input("model_and_join", "--join takes the model from the job: leave out MODEL")
                     .error());
  if (!is_shared(context) || arguments.no_store)
    return report(context, bad_input("no_team",
                                     "--join needs --store postgresql://USER@HOST/DATABASE, "
                                     "the server that has the job")
                               .error());
  auto kinds = device_kinds(context, arguments.devices);
  if (!kinds) return report(context, kinds.error());
  if (kinds->size() > 1)
    return report(context,
                  refused("other_kind",
                          fmt::format("{} is of another type than {}: a job is for one device type",
                                      (*kinds)[1].label(), (*kinds)[0].label()))
                      .error());
  KindSearch search(std::move(kinds->front()), context, arguments, true);
  if (Status ready = search.prepare(); !ready) return report(context, ready.error());
  return search.join();
}

int list(Context const& context, TuneArguments const& arguments) {
  auto model = load(context, arguments.path);
  if (!model) return report(context, model.error());
  if (arguments.kernel.empty() && !session::is_expression(**model))
    return list_knobs(context, session::arrangement_knobs(**model));
  auto kernel = session::find_kernel(**model, arguments.kernel);
  if (!kernel) return report(context, kernel.error());
  auto request = request_of(context, arguments);
  if (!request) return report(context, request.error());
  auto knobs = session::knobs_of(**model, *kernel, context.backend, request->script);
  return knobs ? list_knobs(context, *knobs) : report(context, knobs.error());
}

int tune(Context const& context, TuneArguments const& arguments) {
  if (!arguments.team.join.empty()) return join(context, arguments);
  if (arguments.path.empty())
    return report(context, bad_input("unusable_arguments", "MODEL is required").error());
  if (arguments.list) return list(context, arguments);
  auto kinds = device_kinds(context, arguments.devices);
  if (!kinds) return report(context, kinds.error());
  return search_kinds(context, std::move(*kinds), arguments);
}

void add_tune(Command app, Context& context) {
  auto command = app.add_subcommand(
      "tune", "search for faster schedules of a model or a kernel, and check every result");
  auto arguments = std::make_shared<TuneArguments>();
  add_model_options(command, context, arguments->path);
  command.get_option("MODEL").required(false);
  add_kernel_option(command, arguments->kernel);
  command.get_option("--kernel")
      .description("tune this one alone: its name or number (default: all of the model)");
  auto trials = command
                    .add_option("--trials", arguments->options.trials,
                                "candidates to measure, of all kernels together (default: 64, or "
                                "32 for each of a model)")
                    .type_name("N")
                    .range(1, 1000000);
  command
      .add_option("--seconds", arguments->options.seconds,
                  "time limit, including the final comparison (default: until the trials are done)")
      .type_name("S")
      .above_zero();
  std::string names;
  for (SearchRow const& row : searches())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  command.add_option("--search", arguments->options.search, names + " (default: the first)")
      .type_name("SEARCH");
  command
      .add_option("--model", arguments->cost_model,
                  "cost model of the learned search: trees (boosted), or tree-gru (a recursive "
                  "network over the program's loops; default: trees)")
      .type_name("M");
  command
      .add_option("--learn", arguments->learn,
                  "a setting of the learned search: objective=rank, acquisition=ei or ucb, "
                  "deviations=N, lambda=N, epsilon=N; repeat for further ones")
      .type_name("NAME=VALUE")
      .repeatable();
  command.add_option("--seed", arguments->options.seed, "random seed (default: 1)").type_name("N");
  command.add_option("--pin", arguments->pins, "fix a knob at a value; repeat for further knobs")
      .type_name("KNOB=VALUE")
      .repeatable();
  command
      .add_option("--script", arguments->script,
                  "search what this script leaves open (factor=?) instead of the target's own "
                  "template")
      .type_name("F");
  command.add_flag("--knobs", arguments->list,
                   "instead: list the knobs with their values: the kernel's, or without --kernel "
                   "those of the model's layouts and algorithms");
  command.add_flag("--keep-arrangement", arguments->keeps_arrangement,
                   "of a model: try no other layouts and algorithms");
  command
      .add_option(
          "--out", arguments->out,
          "write the best schedule of a kernel as a script, those of a model as a project; of "
          "several device types each its own, with its first device's name before the extension")
      .type_name("F");
  add_store_option(command, context);
  command.add_flag("--no-store", arguments->no_store, "do not read or write tuning records");
  command
      .add_option("--job", arguments->job,
                  "a name for these trials in the store; a search of this name is continued")
      .type_name("NAME");
  add_team_options(command, arguments->team);
  command
      .add_option("--device", arguments->devices,
                  "where to run: a name from `tw devices list`, or local:TARGET (default: this "
                  "machine); repeat for further devices: those of one type share its trials, other "
                  "types are searched for at the same time")
      .type_name("NAME")
      .repeatable();
  add_threads_option(command, context);
  command.callback([&context, arguments, trials] {
    if (!arguments->devices.empty()) context.device = arguments->devices.front();
    arguments->has_trials = trials.count() > 0;
    context.run = [&context, arguments] { return tune(context, *arguments); };
  });
}

}  // namespace

CommandRow const& row() {
  static CommandRow const row{.place = 85, .add = add_tune};
  return row;
}

}  // namespace tw::cli::command_tune
