#include "app/cli/kind_search.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/cli/chosen_kernel.h"
#include "app/cli/interruption.h"
#include "app/cli/tuning_output.h"
#include "app/shared/environment.h"
#include "app/shared/version.h"
#include "engine/device/registry.h"
#include "engine/session/arranging.h"
#include "engine/session/model_roofline.h"
#include "engine/support/files.h"

namespace tw::cli {
namespace {

constexpr int kTrialsOfKernel = 64;      // where nobody says how many, or for how long
constexpr int kTrialsOfEachKernel = 32;  // of a model

/// Null where nothing is to be kept.
Result<std::unique_ptr<records::TrialStore>> opened_store(Context const& context,
                                                          TuneArguments const& arguments) {
  if (arguments.no_store) return nullptr;
  return records::open_store(context.store, {.durability = Durability::kFast});
}

/// That a file can be written there: told now, not after an hour.
Status try_place(std::string const& file) {
  if (file.empty()) return {};
  std::error_code none;
  bool is_there = std::filesystem::exists(file, none);
  if (is_there && (std::filesystem::is_directory(file, none) || ::access(file.c_str(), W_OK) != 0))
    return environment_failed("file_unwritable", "cannot be written", Place{file, 0, 0, {}});
  std::string const draft = file + ".try";
  Status written = write_file(draft, "", Durability::kFast);
  std::filesystem::remove(draft, none);
  if (written) return {};
  Error error = written.error();
  error.place.file = file;
  return std::unexpected(std::move(error));
}

/// What can be said before any device is opened.
Status check(Context const& context, TuneArguments const& arguments, bool is_of_kernel) {
  if (is_of_kernel) return {};
  if (!arguments.pins.empty() || !arguments.script.empty())
    return bad_input("needs_kernel",
                     "--pin and --script are for one kernel: name it with --kernel");
  if (arguments.out.empty() && !context.json)
    return bad_input(
        "no_output",
        "the schedules of a whole model need a file: --out F.twproj, or --kernel to tune only one");
  return {};
}

}  // namespace

Result<std::vector<session::DeviceKind>> device_kinds(Context const& context,
                                                      std::vector<std::string> const& devices) {
  TRY_ASSIGN(std::unique_ptr<Device> first, context.open_device());
  std::vector<session::NamedDevice> opened;
  opened.push_back({context.device, context.backend, std::move(first)});
  for (size_t i = 1; i < devices.size(); ++i) {
    TRY_ASSIGN(Environment there, make_environment(devices[i]));
    TRY_ASSIGN(std::unique_ptr<Device> device, there.open_device());
    opened.push_back({devices[i], std::move(there.backend), std::move(device)});
  }
  return session::kinds_of(std::move(opened));
}

Result<session::TuneRequest> request_of(Context const& context, TuneArguments const& arguments) {
  session::TuneRequest request;
  request.options = arguments.options;
  TRY_ASSIGN(ModelKind model, find_model_kind(arguments.cost_model));
  TRY_ASSIGN(request.options.learning, learning_of(arguments.learn, model));
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

KindSearch::KindSearch(session::DeviceKind kind, Context const& context,
                       TuneArguments const& arguments, bool alone)
    : kind_(std::move(kind)), context_(context), arguments_(arguments), alone_(alone) {
  context_.device = kind_.devices.front().name;
  context_.backend = kind_.devices.front().backend;
  if (!alone_) context_.kind = label();
}

std::string KindSearch::label() const {
  std::string label = kind_.label();
  std::ranges::replace(label, ':', '-');
  return label;
}

bool KindSearch::is_of_kernel() const {
  return !arguments_.kernel.empty() || session::is_expression(*model_);
}

Status KindSearch::prepare(std::string const& job) {
  TRY_ASSIGN(request_, request_of(context_, arguments_));
  if (!arguments_.path.empty()) {
    TRY_ASSIGN(model_, load(context_, arguments_.path));
    TRY_ASSIGN(kernel_, session::find_kernel(*model_, arguments_.kernel));
    TRY(check(context_, arguments_, is_of_kernel()));
  }
  TRY_ASSIGN(store_, opened_store(context_, arguments_));
  request_.store = store_.get();
  if (model_ && store_ && request_.job.empty()) request_.job = job;
  TRY(try_place(file()));
  request_ = session::shared_by(kind_, std::move(request_));
  // Targets without roofs have no model of time either: a search does without. Where nothing is
  // measured, a trial says what the model would, and takes as long.
  if (auto machine = session::machine_view(*context_.backend, *kind_.devices.front().device,
                                           context_.cache_folder, true, false, {},
                                           progress_of(context_), context_.device))
    request_.roofs = session::has_computed_roofs(*machine) ? nullptr : machine->rates;
  return model_ && !is_of_kernel() ? arrange() : Status();
}

void KindSearch::ask_for_kernel(session::TuneRequest& request) const {
  if (!arguments_.has_trials) request.options.trials = kTrialsOfKernel;
  request.options.on_attempt = [this, best = 0.0](Attempt const& attempt) mutable {
    print_attempt(context_, attempt, best);
  };
}

bool KindSearch::is_with_team() const {
  return alone_ && is_shared(context_) && request_.store && !is_of_kernel();
}

/// Trials and seconds are of all kernels together.
void KindSearch::ask_for_model(session::ModelTuneRequest& request) const {
  if (is_with_team()) request.kernels.options.lost_seconds = 0;  // its work is slices of trials
  if (!arguments_.has_trials)
    request.kernels.options.trials =
        arguments_.options.seconds > 0 && !is_with_team()
            ? 0
            : kTrialsOfEachKernel * int(session::kernel_table(*model_).rows.size());
  request.on_attempt = [this, count = 0](int kernel, Attempt const& attempt) mutable {
    print_attempt_of(context_, session::kernel_name(*model_, kernel), attempt, ++count);
  };
}

/// Layouts and algorithms first: they decide which kernels there are. What a command line gives
/// stays.
Status KindSearch::arrange() {
  if (arguments_.keeps_arrangement) return {};
  TRY_ASSIGN(session::LoadOptions given, load_options(context_));
  std::string const job = request_.job + " " + label();
  if (auto chosen = session::chosen_for_job(context_.cache_folder, job)) {
    TRY_ASSIGN(model_, session::arranged(*model_, *chosen, *context_.backend));
    return {};
  }
  session::ArrangeRequest request{.threads = context_.threads,
                                  .seconds = arguments_.options.seconds * session::kArrangingShare,
                                  .cache_folder = context_.cache_folder,
                                  .fixed = given.arrangement};
  request.on_tried = [this](session::TriedArrangement const& tried) {
    print_tried(context_, tried);
  };
  TRY_ASSIGN(session::Arranged arranged,
             session::arrange_model(model_, request, *context_.backend,
                                    *kind_.devices.front().device, progress_of(context_)));
  model_ = arranged.model;
  if (!request_.job.empty())
    TRY(session::keep_for_job(context_.cache_folder, job, arranged.arrangement));
  if (request_.options.seconds > 0)
    request_.options.seconds = std::max(0.01, request_.options.seconds - arranged.seconds);
  return {};
}

session::SearchOnKind KindSearch::wanted() {
  session::SearchOnKind wanted{kind_,
                               model_,
                               is_of_kernel() ? kernel_ : -1,
                               {request_, context_.cache_folder, {}, {}},
                               progress_of(context_)};
  if (is_of_kernel())
    ask_for_kernel(wanted.request.kernels);
  else
    ask_for_model(wanted.request);
  return wanted;
}

session::FoundOnKind KindSearch::search_with_team() {
  session::FoundOnKind found;
  auto tuned = tune_with_team(context_, arguments_.team, *model_, arguments_.path, wanted().request,
                              *kind_.devices.front().device);
  if (tuned)
    found.model = std::move(*tuned);
  else
    found.failure = tuned.error();
  return found;
}

void KindSearch::tell_job() const {
  if (context_.json || !store_ || request_.job.empty() || is_of_kernel()) return;
  fmt::print("a search that was cut off goes on with --job {}\n", request_.job);
  if (!alone_ && is_shared(context_))
    fmt::print("others cannot join: a job is for one device type\n");
  std::fflush(stdout);
}

void KindSearch::tell_how_to_go_on() const {
  if (context_.json || !store_ || request_.job.empty()) return;
  fmt::print(stderr, "tw: it was stopped; the same command with --job {} goes on\n", request_.job);
}

void KindSearch::fail(Error error) {
  failure_ = std::move(error);
  if (!context_.json)
    fmt::print(stderr, "tw: the search on {} has ended: {}\n", label(), to_sentence(*failure_));
}

void KindSearch::take(session::FoundOnKind found) {
  auto turn = turn_to_print(context_);
  end_progress(context_);
  found_ = std::move(found);
  if (!found_.failure) return;
  if (alone_)
    failure_ = std::move(found_.failure);
  else
    fail(std::move(*found_.failure));
}

int KindSearch::tell_failure(Error const& error) {
  if (alone_ || !context_.json) return report(context_, error);
  print_line(context_, to_json(error));
  return exit_code(error.fault);
}

/// Of several kinds each has one of its own, by its first device's name: "best.board.tws".
std::string KindSearch::file() const {
  if (alone_ || arguments_.out.empty()) return arguments_.out;
  std::filesystem::path path = arguments_.out;
  std::string name = path.stem().string() + "." + label() + path.extension().string();
  return path.replace_filename(name).string();
}

/// What was found is there, but who goes on from the store has to know that it has not all.
static int code_of(std::string const& not_stored) {
  return not_stored.empty() ? 0 : exit_code(Fault::kEnvironment);
}

int KindSearch::tell_kernel(session::Tuned const& tuned) {
  warn_of_store(tuned.not_stored);
  std::string out = file();
  Status written;
  if (!out.empty()) written = write_file(out, tuned.result.script);
  if (!written) return report(context_, written.error());
  tell_result(context_, tuned.result);
  if (!alone_ && !out.empty() && !context_.json) fmt::print("{} has it\n", out);
  return code_of(tuned.not_stored);
}

int KindSearch::tell_model(session::TunedModel const& tuned) {
  warn_of_store(tuned.not_stored);
  std::string out = file();
  Status written;
  if (!out.empty())
    written = session::write_tuned_project(*model_, tuned, arguments_.path,
                                           fmt::format("{}", fmt::join(context_.fixes, "; ")),
                                           request_, *context_.backend, out);
  // What was found is said even where it cannot be written.
  print_tuned(context_, *model_, tuned, written ? out : "");
  return written ? code_of(tuned.not_stored) : report(context_, written.error());
}

int KindSearch::tell() {
  Target const& target = context_.backend->target();
  std::vector<std::string> names;
  for (session::NamedDevice const& one : kind_.devices) names.push_back(one.name);
  if (!alone_ && !context_.json)
    fmt::print("\n{}: {}, {}\n", fmt::join(names, ", "), target.hardware.name, target.title);
  std::fflush(stdout);
  if (failure_) return tell_failure(*failure_);
  return found_.kernel ? tell_kernel(*found_.kernel) : tell_model(*found_.model);
}

int KindSearch::join() {
  request_.options.lost_seconds = 0;  // its work is slices of trials
  return join_team(context_, arguments_.team, request_, *kind_.devices.front().device);
}

namespace {

/// Those that are prepared; `searches` says which each one is.
void search_together(std::vector<std::unique_ptr<KindSearch>> const& searches) {
  std::vector<session::SearchOnKind> wanted;
  std::vector<KindSearch*> those;
  for (auto const& search : searches) {
    if (search->failed()) continue;
    wanted.push_back(search->wanted());
    those.push_back(search.get());
  }
  session::search_on_kinds(std::move(wanted), [&](size_t which, session::FoundOnKind const& found) {
    those[which]->take(found);
  });
}

}  // namespace

int search_kinds(Context const& context, std::vector<session::DeviceKind> kinds,
                 TuneArguments const& arguments) {
  bool alone = kinds.size() == 1;
  Context shared = context;
  if (!alone) shared.terminal = std::make_shared<SharedTerminal>();
  std::string job = new_job_name(arguments.path);
  std::vector<std::unique_ptr<KindSearch>> searches;
  for (session::DeviceKind& kind : kinds) {
    searches.push_back(std::make_unique<KindSearch>(std::move(kind), shared, arguments, alone));
    Status ready = searches.back()->prepare(job);
    if (ready) continue;
    // Of several kinds only its own search ends with a device.
    if (alone || ready.error().fault != Fault::kEnvironment) return report(context, ready.error());
    searches.back()->fail(ready.error());
  }
  searches.front()->tell_job();
  std::optional<Interruption> interruption;  // a team has one of its own
  if (searches.front()->is_with_team()) {
    searches.front()->take(searches.front()->search_with_team());
  } else {
    interruption.emplace();
    std::stop_callback told(interruption->token(), [] {
      std::fputs("tw: stopping; the best so far are compared, a second Ctrl-C ends it at once\n",
                 stderr);
    });
    for (auto const& search : searches) search->follow(interruption->token());
    search_together(searches);
  }
  int code = 0;
  for (auto const& search : searches)
    if (int one = search->tell(); code == 0) code = one;
  if (!interruption || !interruption->came()) return code;
  for (auto const& search : searches) search->tell_how_to_go_on();
  std::fflush(stdout);
  interruption->pass_on();
}

}  // namespace tw::cli
