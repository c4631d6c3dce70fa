#include "app/cli/kind_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "app/cli/chosen_kernel.h"
#include "app/cli/tuning_output.h"
#include "app/shared/environment.h"
#include "app/shared/version.h"
#include "engine/device/registry.h"
#include "engine/session/cases/arrange_cases.h"
#include "engine/support/files.h"

namespace tw::cli {
namespace {

constexpr int kTrialsOfKernel = 64;      // where nobody says how many, or for how long
constexpr int kTrialsOfEachKernel = 32;  // of a model
constexpr double kArrangingShare = 0.2;  // of the time, for layouts and algorithms
constexpr double kLostSeconds = 10;      // a device is started again in less

/// Null where nothing is to be kept.
Result<std::unique_ptr<records::TrialStore>> opened_store(Context const& context,
                                                          TuneArguments const& arguments) {
  if (arguments.no_store) return nullptr;
  return records::open_store(context.store, {.durability = Durability::kFast});
}

DeviceKind kind_of(Context const& context, std::string const& name, Environment&& environment) {
  DeviceKind kind{context, {name}, {environment.open_device}};
  kind.context.device = name;
  kind.context.backend = std::move(environment.backend);
  return kind;
}

/// What can be said before any device is opened.
Status check(Context const& context, TuneArguments const& arguments, bool is_of_kernel) {
  if (is_of_kernel) return {};
  if (!arguments.pins.empty() || !arguments.script.empty())
    return bad_input("needs_kernel",
                     "--pin and --script are for one kernel: say which with --kernel");
  if (arguments.out.empty() && !context.json)
    return bad_input("no_output",
                     "the schedules of a whole model need a place: --out F.twproj, or --kernel to "
                     "tune only one");
  return {};
}

}  // namespace

bool DeviceKind::holds(Backend const& other) const {
  Hardware const &ours = context.backend->target().hardware, &theirs = other.target().hardware;
  return theirs.target == ours.target && theirs.name == ours.name && theirs.code == ours.code;
}

std::string DeviceKind::label() const {
  std::string label = names.front().empty() ? kLocalDeviceName : names.front();
  std::ranges::replace(label, ':', '-');
  return label;
}

Result<std::vector<DeviceKind>> device_kinds(Context const& context,
                                             std::vector<std::string> const& devices) {
  std::vector<DeviceKind> kinds = {{context, {context.device}, {context.open_device}}};
  for (size_t i = 1; i < devices.size(); ++i) {
    TRY_ASSIGN(Environment there, make_environment(devices[i]));
    auto same = std::ranges::find_if(
        kinds, [&](DeviceKind const& kind) { return kind.holds(*there.backend); });
    if (same == kinds.end()) {
      kinds.push_back(kind_of(context, devices[i], std::move(there)));
      continue;
    }
    same->names.push_back(devices[i]);
    same->open.push_back(there.open_device);
  }
  return kinds;
}

Result<session::TuneRequest> request_of(Context const& context, TuneArguments const& arguments) {
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

KindSearch::KindSearch(DeviceKind kind, TuneArguments const& arguments, bool alone)
    : kind_(std::move(kind)), arguments_(arguments), alone_(alone) {}

bool KindSearch::is_of_kernel() const {
  return !arguments_.kernel.empty() || session::is_expression(*model_);
}

Status KindSearch::prepare(std::shared_ptr<MachineTurns> turns, std::string const& job) {
  Context const& context = kind_.context;
  TRY_ASSIGN(request_, request_of(context, arguments_));
  if (!arguments_.path.empty()) {
    TRY_ASSIGN(model_, load(context, arguments_.path));
    TRY_ASSIGN(kernel_, session::find_kernel(*model_, arguments_.kernel));
    TRY(check(context, arguments_, is_of_kernel()));
  }
  TRY_ASSIGN(store_, opened_store(context, arguments_));
  request_.store = store_.get();
  if (model_ && store_ && !is_of_kernel() && request_.job.empty()) request_.job = job;
  for (size_t i = 0; i < kind_.names.size(); ++i) {
    TRY_ASSIGN(std::unique_ptr<Device> device, kind_.open[i]());
    if (i > 0) request_.others.push_back({kind_.names[i], device.get()});
    if (is_this_machine(kind_.names[i])) request_.options.here.insert(i);
    devices_.push_back(std::move(device));
  }
  request_.options.turns = std::move(turns);
  request_.options.speeds = std::make_shared<std::map<size_t, DeviceSpeed>>();
  // Targets without roofs have no model of time either: a search does without.
  if (auto machine =
          session::machine_view(*context.backend, *devices_.front(), context.cache_folder, true,
                                false, {}, progress_of(context), context.device))
    request_.roofs = machine->rates;
  return {};
}

Result<session::Tuned> KindSearch::tune_kernel() {
  Context const& context = kind_.context;
  if (!arguments_.has_trials) request_.options.trials = kTrialsOfKernel;
  request_.options.lost_seconds = kLostSeconds;
  request_.options.on_attempt = [&context, best = 0.0](Attempt const& attempt) mutable {
    print_attempt(context, attempt, best);
  };
  return session::tune_kernel(*model_, kernel_, request_, context.backend, *devices_.front(),
                              progress_of(context));
}

/// Trials and seconds are of all kernels together.
session::ModelTuneRequest KindSearch::model_request() {
  Context const& context = kind_.context;
  bool with_team = alone_ && is_shared(context) && request_.store;  // its work is slices of trials
  if (!with_team) request_.options.lost_seconds = kLostSeconds;
  session::ModelTuneRequest all{request_, context.cache_folder, {}, {}};
  if (!arguments_.has_trials)
    all.kernels.options.trials =
        arguments_.options.seconds > 0 && !with_team
            ? 0
            : kTrialsOfEachKernel * int(session::kernel_table(*model_).rows.size());
  all.on_attempt = [this, &context, count = 0](int kernel, Attempt const& attempt) mutable {
    print_attempt_of(context, session::kernel_name(*model_, kernel), attempt, ++count);
  };
  return all;
}

/// Layouts and algorithms first: they decide which kernels there are. What a command line gives
/// stays.
Status KindSearch::arrange() {
  Context const& context = kind_.context;
  if (arguments_.keeps_arrangement) return {};
  TRY_ASSIGN(session::LoadOptions given, load_options(context));
  session::ArrangeRequest request{.threads = context.threads,
                                  .seconds = arguments_.options.seconds * kArrangingShare,
                                  .cache_folder = context.cache_folder,
                                  .fixed = given.arrangement};
  request.on_tried = [&context](session::TriedArrangement const& tried) {
    print_tried(context, tried);
  };
  TRY_ASSIGN(session::Arranged arranged,
             session::arrange_model(model_, request, *context.backend, *devices_.front(),
                                    progress_of(context)));
  model_ = arranged.model;
  if (request_.options.seconds > 0)
    request_.options.seconds = std::max(0.01, request_.options.seconds - arranged.seconds);
  return {};
}

Result<session::TunedModel> KindSearch::tune_model() {
  Context const& context = kind_.context;
  TRY(arrange());
  if (alone_ && is_shared(context) && request_.store)
    return tune_with_team(context, arguments_.team, *model_, arguments_.path, model_request(),
                          *devices_.front());
  return session::tune_model(*model_, model_request(), context.backend, *devices_.front(),
                             progress_of(context));
}

void KindSearch::tell_job() const {
  if (kind_.context.json || !store_ || request_.job.empty() || is_of_kernel()) return;
  fmt::print("a search that was cut off goes on with --job {}\n", request_.job);
  if (!alone_ && is_shared(kind_.context))
    fmt::print("others cannot take part: a job is of one kind of devices\n");
  std::fflush(stdout);
}

void KindSearch::fail(Error error) {
  failure_ = std::move(error);
  if (!kind_.context.json)
    fmt::print(stderr, "tw: the search on {} has ended: {}\n", kind_.label(),
               to_sentence(*failure_));
}

void KindSearch::run() {
  if (failure_) return;
  std::optional<Error> failure;
  auto keep = [&failure](auto result, auto& place) {
    if (result)
      place = std::move(*result);
    else
      failure = result.error();
  };
  if (is_of_kernel())
    keep(tune_kernel(), tuned_);
  else
    keep(tune_model(), tuned_model_);
  auto turn = turn_to_print(kind_.context);
  end_progress(kind_.context);
  if (!failure) return;
  if (alone_)
    failure_ = std::move(failure);
  else
    fail(std::move(*failure));
}

int KindSearch::tell_failure(Error const& error) {
  if (alone_ || !kind_.context.json) return report(kind_.context, error);
  print_line(kind_.context, to_json(error));
  return exit_code(error.fault);
}

/// Of several kinds each has one of its own, by its first device's name: "best.board.tws".
std::string KindSearch::file() const {
  if (alone_ || arguments_.out.empty()) return arguments_.out;
  std::filesystem::path path = arguments_.out;
  std::string name = path.stem().string() + "." + kind_.label() + path.extension().string();
  return path.replace_filename(name).string();
}

int KindSearch::tell_kernel(session::Tuned const& tuned) {
  warn_of_store(tuned.not_stored);
  std::string out = file();
  Status written;
  if (!out.empty()) written = write_file(out, tuned.result.script);
  if (!written) return report(kind_.context, written.error());
  tell_result(kind_.context, tuned.result);
  if (!alone_ && !out.empty() && !kind_.context.json) fmt::print("{} has it\n", out);
  return 0;
}

int KindSearch::tell_model(session::TunedModel const& tuned) {
  Context const& context = kind_.context;
  warn_of_store(tuned.not_stored);
  std::string out = file();
  Status written;
  if (!out.empty())
    written = session::write_tuned_project(*model_, tuned, arguments_.path,
                                           fmt::format("{}", fmt::join(context.fixes, "; ")),
                                           request_, *context.backend, out);
  // What was found is said even where it cannot be written.
  print_tuned(context, *model_, tuned, written ? out : "");
  return written ? 0 : report(context, written.error());
}

int KindSearch::tell() {
  Target const& target = kind_.context.backend->target();
  if (!alone_ && !kind_.context.json)
    fmt::print("\n{}: {}, {}\n", fmt::join(kind_.names, ", "), target.hardware.name, target.title);
  std::fflush(stdout);
  if (failure_) return tell_failure(*failure_);
  return tuned_ ? tell_kernel(*tuned_) : tell_model(*tuned_model_);
}

int KindSearch::join() {
  return join_team(kind_.context, arguments_.team, request_, *devices_.front());
}

int search_kinds(Context const& context, std::vector<DeviceKind> kinds,
                 TuneArguments const& arguments) {
  bool alone = kinds.size() == 1;
  auto turns = alone ? nullptr : std::make_shared<MachineTurns>();
  auto terminal = alone ? nullptr : std::make_shared<SharedTerminal>();
  std::string job = new_job_name(arguments.path);
  std::vector<std::unique_ptr<KindSearch>> searches;
  for (DeviceKind& kind : kinds) {
    kind.context.terminal = terminal;
    if (!alone) kind.context.kind = kind.label();
    searches.push_back(std::make_unique<KindSearch>(std::move(kind), arguments, alone));
    Status ready = searches.back()->prepare(turns, job);
    if (ready) continue;
    // Of several kinds only its own search ends with a device.
    if (alone || ready.error().fault != Fault::kEnvironment) return report(context, ready.error());
    searches.back()->fail(ready.error());
  }
  searches.front()->tell_job();
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < searches.size(); ++i)
      others.emplace_back([&search = *searches[i]] { search.run(); });
    searches.front()->run();
  }
  int code = 0;
  for (auto const& search : searches)
    if (int one = search->tell(); code == 0) code = one;
  return code;
}

}  // namespace tw::cli
