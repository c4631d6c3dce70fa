#include <fmt/format.h>

#include "app/cli/chosen_kernel.h"
#include "app/cli/team.h"
#include "app/cli/tuning_output.h"
#include "app/shared/environment.h"
#include "app/shared/version.h"
#include "engine/support/files.h"
#include "engine/tuner/model/point_model.h"

namespace tw::cli {
namespace {

struct Arguments {
  std::string path, kernel, out, script;
  std::string cost_model{name_of(ModelKind::kTrees)};
  std::vector<std::string> pins;
  std::vector<std::string> devices;  ///< the first is the context's
  TuneOptions options;
  std::string job;
  TeamArguments team;
  bool list = false, no_store = false;
  bool has_trials = false;
};

constexpr int kTrialsOfKernel = 64;      // where nobody says how many, or for how long
constexpr int kTrialsOfEachKernel = 32;  // of a model

/// The knobs of the kernel, with the values that each may take.
int list_knobs(Context const& context, session::LoadedModel const& model, int kernel,
               session::TuneRequest const& request) {
  auto knobs = session::knobs_of(model, kernel, context.backend, request.script);
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
  TRY_ASSIGN(request.options.model, find_model_kind(arguments.cost_model));
  request.options.threads = context.threads;
  request.device = context.device;
  request.build = version_number();
  request.job = arguments.job;
  TRY_ASSIGN(request.pinned, pinned_of(arguments.pins));
  if (!arguments.script.empty()) {
    TRY_ASSIGN(std::string text, read_file(arguments.script));
    TRY_ASSIGN(OpenScript script, OpenScript::parse(text, arguments.script));
    if (script.open() == 0)
      return bad_input("nothing_open", arguments.script +
                                           " leaves nothing open: write factor=? for a number that "
                                           "is to be searched");
    request.script = std::make_shared<OpenScript const>(std::move(script));
  }
  return request;
}

/// The devices besides the first, open.
struct Others {
  std::vector<std::unique_ptr<Device>> devices;
};

/// Schedules are searched on devices of one kind: what is fast on one is fast on all.
Result<Others> open_others(Context const& context, Arguments const& arguments,
                           session::TuneRequest& request) {
  Others others;
  Hardware const& first = context.backend->target().hardware;
  for (size_t i = 1; i < arguments.devices.size(); ++i) {
    std::string const& name = arguments.devices[i];
    TRY_ASSIGN(Environment there, make_environment(name));
    Hardware const& hardware = there.backend->target().hardware;
    if (hardware.target != first.target || hardware.name != first.name)
      return refused("other_kind",
                     fmt::format("{} is {}, not {}: a search is shared by devices of one kind",
                                 name, hardware.name, first.name));
    TRY_ASSIGN(std::unique_ptr<Device> device, there.open_device());
    request.others.push_back({name, device.get()});
    others.devices.push_back(std::move(device));
  }
  return others;
}

/// Null where nothing is to be kept.
Result<std::unique_ptr<records::TrialStore>> opened_store(Context const& context,
                                                          Arguments const& arguments) {
  if (arguments.no_store) return nullptr;
  return records::open_store(context.store, {.durability = Durability::kFast});
}

int tune_one(Context const& context, Arguments const& arguments, session::LoadedModel const& model,
             int kernel, session::TuneRequest& request, Device& device) {
  double best = 0;
  if (!arguments.has_trials) request.options.trials = kTrialsOfKernel;
  request.options.on_attempt = [&](Attempt const& attempt) {
    print_attempt(context, attempt, best);
  };
  auto tuned =
      session::tune_kernel(model, kernel, request, context.backend, device, progress_of(context));
  end_progress(context);
  if (!tuned) return report(context, tuned.error());
  warn_of_store(tuned->not_stored);
  return finish(context, arguments, tuned->result);
}

/// Trials and seconds are of all kernels together.
session::ModelTuneRequest model_request(Context const& context, Arguments const& arguments,
                                        session::LoadedModel const& model,
                                        session::TuneRequest const& request) {
  bool with_team = is_shared(context) && request.store;  // its work is in slices of trials
  session::ModelTuneRequest all{request, context.cache_folder, {}, {}};
  if (!arguments.has_trials)
    all.kernels.options.trials =
        arguments.options.seconds > 0 && !with_team
            ? 0
            : kTrialsOfEachKernel * int(session::kernel_table(model).rows.size());
  all.on_attempt = [&context, &model, count = 0](int kernel, Attempt const& attempt) mutable {
    print_attempt_of(context, session::kernel_name(model, kernel), attempt, ++count);
  };
  return all;
}

int tune_all(Context const& context, Arguments const& arguments, session::LoadedModel const& model,
             session::TuneRequest& request, Device& device) {
  if (!arguments.pins.empty() || request.script)
    return report(context, bad_input("needs_kernel",
                                     "--pin and --script are for one kernel: say which with "
                                     "--kernel")
                               .error());
  if (arguments.out.empty() && !context.json)
    return report(context, bad_input("no_output",
                                     "the schedules of a whole model need a place: "
                                     "--out F.twproj, or --kernel to tune only one")
                               .error());
  if (request.store && request.job.empty()) request.job = new_job_name(arguments.path);
  if (request.store && !context.json)
    fmt::print("a search that was cut off goes on with --job {}\n", request.job);
  std::fflush(stdout);
  auto all = model_request(context, arguments, model, request);
  bool with_team = is_shared(context) && request.store;
  auto tuned = with_team
                   ? tune_with_team(context, arguments.team, model, arguments.path, all, device)
                   : session::tune_model(model, all, context.backend, device, progress_of(context));
  end_progress(context);
  if (!tuned) return report(context, tuned.error());
  warn_of_store(tuned->not_stored);
  Status written;
  if (!arguments.out.empty())
    written = session::write_tuned_project(model, *tuned, arguments.path,
                                           fmt::format("{}", fmt::join(context.fixes, "; ")),
                                           request, *context.backend, arguments.out);
  // What was found is said even where it cannot be written.
  print_tuned(context, model, *tuned, written ? arguments.out : "");
  return written ? 0 : report(context, written.error());
}

/// Opens what every search needs: the store, the device and what is known of its machine.
Result<std::unique_ptr<Device>> prepared_device(Context const& context,
                                                session::TuneRequest& request) {
  TRY_ASSIGN(std::unique_ptr<Device> device, context.open_device());
  // Targets without roofs have no model of time either: a search does without.
  if (auto machine = session::machine_view(*context.backend, *device, context.cache_folder, true,
                                           false, {}, progress_of(context), context.device))
    request.roofs = machine->rates;
  return device;
}

/// Takes part in a job of somebody else's.
int join(Context const& context, Arguments const& arguments) {
  if (!arguments.path.empty())
    return report(
        context, bad_input("model_and_join", "--join takes the model from the job: leave out MODEL")
                     .error());
  if (!is_shared(context) || arguments.no_store)
    return report(context, bad_input("no_team",
                                     "--join needs --store postgresql://USER@HOST/DATABASE, "
                                     "the server that has the job")
                               .error());
  auto request = request_of(context, arguments);
  if (!request) return report(context, request.error());
  auto store = opened_store(context, arguments);
  if (!store) return report(context, store.error());
  auto device = prepared_device(context, *request);
  if (!device) return report(context, device.error());
  auto others = open_others(context, arguments, *request);
  if (!others) return report(context, others.error());
  request->store = store->get();
  return join_team(context, arguments.team, *request, **device);
}

int tune(Context const& context, Arguments const& arguments) {
  if (!arguments.team.join.empty()) return join(context, arguments);
  if (arguments.path.empty())
    return report(context, bad_input("unusable_arguments", "MODEL is required").error());
  auto model = load(context, arguments.path);
  if (!model) return report(context, model.error());
  auto kernel = session::find_kernel(**model, arguments.kernel);
  if (!kernel) return report(context, kernel.error());
  auto request = request_of(context, arguments);
  if (!request) return report(context, request.error());
  if (arguments.list) return list_knobs(context, **model, *kernel, *request);
  auto store = opened_store(context, arguments);
  if (!store) return report(context, store.error());
  auto device = prepared_device(context, *request);
  if (!device) return report(context, device.error());
  auto others = open_others(context, arguments, *request);
  if (!others) return report(context, others.error());
  request->store = store->get();
  bool all = arguments.kernel.empty() && !session::is_expression(**model);
  return all ? tune_all(context, arguments, **model, *request, **device)
             : tune_one(context, arguments, **model, *kernel, *request, **device);
}

void add_tune(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "tune", "search for faster schedules of a model or a kernel, and check every result");
  auto arguments = std::make_shared<Arguments>();
  add_model_options(*command, context, arguments->path);
  command->get_option("MODEL")->required(false);
  add_kernel_option(*command, arguments->kernel);
  command->get_option("--kernel")
      ->description("tune this one alone: its name or number (default: all of the model)");
  auto* trials = command
                     ->add_option("--trials", arguments->options.trials,
                                  "candidates to measure, of all kernels together (default: 64, or "
                                  "32 for each of a model)")
                     ->type_name("N")
                     ->check(CLI::Range(1, 1000000));
  command
      ->add_option(
          "--seconds", arguments->options.seconds,
          "end after this time, the last comparisons too (default: when the trials are done)")
      ->type_name("S")
      ->check(CLI::PositiveNumber);
  std::string names;
  for (SearchRow const& row : searches())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  command->add_option("--search", arguments->options.search, names + " (default: the first)")
      ->type_name("SEARCH");
  command
      ->add_option("--model", arguments->cost_model,
                   "what the learned search learns with: trees (boosted), or tree-gru (a recursive "
                   "network over the program's loops; default: trees)")
      ->type_name("M");
  command->add_option("--seed", arguments->options.seed, "of everything by chance (default: 1)")
      ->type_name("N");
  command->add_option("--pin", arguments->pins, "keep a knob at a value; again for further knobs")
      ->type_name("KNOB=VALUE")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--script", arguments->script,
                   "search what this script leaves open (factor=?) instead of the target's own "
                   "template")
      ->type_name("F");
  command->add_flag("--knobs", arguments->list, "instead: list the knobs with their values");
  command
      ->add_option("--out", arguments->out,
                   "write the best schedule of a kernel as a script, those of a model as a project")
      ->type_name("F");
  add_store_option(*command, context);
  command->add_flag("--no-store", arguments->no_store, "keep no trial, and take up none");
  command
      ->add_option("--job", arguments->job,
                   "a name for these trials in the store; a search of this name goes on")
      ->type_name("NAME");
  add_team_options(*command, arguments->team);
  command
      ->add_option("--device", arguments->devices,
                   "where to run: a name from `tw devices list`, or local:TARGET (default: this "
                   "machine); again for further devices of the same kind, which share the trials")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  add_threads_option(*command, context);
  command->callback([&context, arguments, trials] {
    if (!arguments->devices.empty()) context.device = arguments->devices.front();
    arguments->has_trials = trials->count() > 0;
    context.run = [&context, arguments] { return tune(context, *arguments); };
  });
}

}  // namespace

CommandRow const& command_tune() {
  static CommandRow const row{.place = 85, .add = add_tune};
  return row;
}

}  // namespace tw::cli
