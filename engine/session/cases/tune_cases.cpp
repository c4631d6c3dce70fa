#include "engine/session/cases/kernel_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/device/registry.h"
#include "engine/ir/text.h"
#include "engine/session/model/kernel_reference.h"
#include "engine/tuner/knobs_by_rule.h"
#include "engine/tuner/past_trials.h"

namespace tw::session {
namespace {

constexpr int64_t kKnownPoints = 4;  // of an earlier search, that are tried first

/// What is the same in every trial of a search.
records::Trial common_of(KernelTask const& task, ir::Program const& program, Backend const& backend,
                         TuneRequest const& request, int threads) {
  records::Trial trial;
  trial.task = task.hash;
  trial.task_name = task.name;
  trial.program = ir::to_text(program);
  trial.target = backend.target().name;
  trial.target_title = backend.target().title;
  trial.device = is_this_machine(request.device) ? kLocalDeviceName : request.device;
  trial.machine = backend.target().hardware.name;
  trial.build = request.build;
  trial.seed = request.options.seed;
  trial.threads = threads;
  trial.job = request.job;
  return trial;
}

records::Trial trial_of(Attempt const& attempt, records::Trial trial) {
  trial.trace = attempt.script;
  trial.probe_rate = attempt.probe_rate;
  trial.modelled_seconds = attempt.modelled_seconds;
  trial.knobs = attempt.point;
  trial.outcome = attempt.outcome;
  trial.samples = attempt.seconds;
  trial.failure = attempt.sentence;
  trial.unix_time =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return trial;
}

/// Points of the fastest trials of this kernel on this device.
Result<std::vector<Point>> known_points(records::TrialStore& store, records::Trial const& common) {
  std::vector<records::DamagedRow> damaged;  // they say nothing
  TRY_ASSIGN(std::vector<records::StoredTrial> known, store.find({.task = common.task,
                                                                  .device = common.device,
                                                                  .outcome = records::Outcome::kOk,
                                                                  .threads = common.threads,
                                                                  .order = records::Order::kFastest,
                                                                  .limit = kKnownPoints,
                                                                  .damaged = &damaged}));
  std::vector<Point> points;
  for (records::StoredTrial const& one : known)
    if (one.trial.origin == records::Origin::kOurs) points.push_back(one.trial.knobs);
  return points;
}

/// Whether its time says something in the search that is to go on: of the same code, by the same
/// build, with as many threads, and of a point that the space (another script's has others) knows.
bool is_comparable(records::Trial const& one, records::Trial const& common, Space const& space) {
  bool same = one.machine == common.machine && one.target_title == common.target_title &&
              one.build == common.build && one.outcome != records::Outcome::kDeviceLost;
  if (!same) return false;
  auto candidate = space.at(one.knobs);
  return candidate && !candidate->rejection && candidate->schedule.script() == one.trace;
}

/// Trials of this job: the search goes on after them.
Result<std::vector<KnownTrial>> trials_of_job(records::TrialStore& store,
                                              records::Trial const& common, Space const& space,
                                              bool shared) {
  std::vector<KnownTrial> known;
  if (common.job.empty()) return known;
  std::vector<records::DamagedRow> damaged;  // they say nothing
  records::Query query{.task = common.task,
                       .device = common.device,
                       .job = common.job,
                       .threads = common.threads,
                       .damaged = &damaged};
  if (shared) query.device.reset();
  TRY(records::each_trial(store, query, [&](records::StoredTrial const& one) -> Status {
    if (is_comparable(one.trial, common, space))
      known.push_back({one.trial.knobs, records::seconds_of(one.trial)});
    return {};
  }));
  return known;
}

/// The request's pins, and what its kept knobs are at the schedule by rule.
Result<Point> pinned_of(ir::Program const& program, Backend const& backend,
                        TuneRequest const& request, int threads) {
  Point pinned = request.pinned;
  if (request.kept.empty()) return pinned;
  TRY_ASSIGN(std::vector<Knob> knobs,
             knobs_by_rule(program, backend, request.script.get(), threads));
  for (std::string const& name : request.kept) {
    auto knob = std::ranges::find(knobs, name, &Knob::name);
    if (knob == knobs.end())
      return bad_input("unknown_knob", fmt::format("there is no knob '{}' to keep", name));
    pinned[name] = knob->value();
  }
  return pinned;
}

}  // namespace

Result<std::unique_ptr<KernelTuning>> open_tuning(LoadedModel const& model, int kernel,
                                                  TuneRequest const& request,
                                                  std::shared_ptr<Backend const> backend,
                                                  Device& device, TrialKeeper& keeper,
                                                  Progress const& progress) {
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  TuneOptions options = request.options;
  if (options.threads <= 0) options.threads = backend->target().hardware.unit().count;
  records::Trial common =
      common_of(model.kernel(kernel), program, *backend, request, options.threads);
  TRY_ASSIGN(Point pinned, pinned_of(program, *backend, request, options.threads));
  Space space(std::move(program), backend, std::move(pinned), request.roofs, options.threads,
              request.script);
  TRY(space.by_rule());
  if (request.script) options.first.emplace_back();  // as it stands: what others are compared with
  if (request.store) {
    TRY_ASSIGN(options.known, trials_of_job(*request.store, common, space,
                                            request.team || !request.others.empty()));
    // Points of another template say nothing to a script.
    if (!request.script) {
      TRY_ASSIGN(options.first, known_points(*request.store, common));
      TRY_ASSIGN(options.experience, experience_from(*request.store, common, space));
    }
  }
  ReferenceFrom from =
      is_this_machine(request.device) ? ReferenceFrom::kDevice : ReferenceFrom::kHere;
  TRY_ASSIGN(KernelReference reference,
             kernel_reference(model, kernel, *backend, device, options.stop, progress,
                              te::InputSet::kProving, from));
  std::vector<Device*> devices = {&device};
  options.device_names = {common.device};
  bool here = is_this_machine(request.device);
  for (SharingDevice const& other : request.others) {
    devices.push_back(other.device);
    options.device_names.push_back(other.name);
    here = here || is_this_machine(other.name);
  }
  options.overlap = !here || options.threads < int(std::thread::hardware_concurrency());
  options.enough = keeper.enough();
  options.on_attempt = [common, &keeper, names = options.device_names,
                        then = request.options.on_attempt](Attempt const& attempt) {
    records::Trial trial = trial_of(attempt, common);
    trial.device = names[size_t(attempt.device)];
    keeper.keep(std::move(trial));
    if (then) then(attempt);
  };
  return KernelTuning::create(std::move(space), std::move(devices), std::move(reference.inputs),
                              std::move(reference.expected), std::move(options));
}

Result<std::vector<Knob>> knobs_of(LoadedModel const& model, int kernel,
                                   std::shared_ptr<Backend const> backend,
                                   std::shared_ptr<OpenScript const> script) {
  TRY_ASSIGN(ir::Program program, plain_program(model, kernel));
  return knobs_by_rule(program, *backend, script.get());
}

Result<Tuned> tune_kernel(LoadedModel const& model, int kernel, TuneRequest const& request,
                          std::shared_ptr<Backend const> backend, Device& device,
                          Progress const& progress) {
  Tuned tuned;
  TrialKeeper keeper(request.store, request.options.stop, request.options.enough);
  TRY_ASSIGN(std::unique_ptr<KernelTuning> tuning,
             open_tuning(model, kernel, request, backend, device, keeper, progress));
  auto end = tuning->search(request.options.trials, request.options.seconds);
  keeper.finish();
  tuned.not_stored = keeper.not_stored();
  if (!end) return std::unexpected(end.error());
  TRY_ASSIGN(tuned.result, tuning->finish());
  return tuned;
}

}  // namespace tw::session
