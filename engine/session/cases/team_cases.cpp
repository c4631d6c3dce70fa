#include "engine/session/cases/team_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/session/cases/team_worker.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"

namespace tw::session {
namespace {

constexpr int kSliceTrials = 16;

/// As many slices as each kernel's share of the time, the largest rest first: with any number of
/// them done, the work is where the time is.
std::vector<records::WorkSlice> slices_of(std::vector<TunedKernel> const& kernels, int trials) {
  std::vector<records::WorkSlice> slices;
  std::vector<int> given(kernels.size(), 0);
  while (trials > 0 && !kernels.empty()) {
    size_t next = 0;
    auto claim = [&](size_t i) { return kernels[i].rule_ms / (given[i] + 1); };
    for (size_t i = 1; i < kernels.size(); ++i)
      if (claim(i) > claim(next)) next = i;
    ++given[next];
    slices.push_back({kernels[next].kernel, std::min(kSliceTrials, trials)});
    trials -= slices.back().trials;
  }
  return slices;
}

/// The model as every machine can open it.
Result<std::string> packed_model(LoadedModel const& model, TeamModel const& from) {
  Project project;
  project.model.source = from.source;
  project.model.shapes = from.shapes;
  project.model.arrangement = arrangement_of(model);
  if (project.model.is_file() && !from.source.starts_with("example:")) {
    project.model.source = std::filesystem::absolute(from.source).lexically_normal().string();
    TRY(embed_model(project));
    // The same file is the same model, wherever it lies.
    project.model.source = std::filesystem::path(from.source).filename().string();
  }
  return to_text(project);
}

Result<std::map<int, int>> trials_in_store(LoadedModel const& model, TuneRequest const& request,
                                           std::vector<TunedKernel> const& kernels) {
  std::map<int, int> made;
  for (TunedKernel const& kernel : kernels) {
    TRY_ASSIGN(int64_t count, request.store->count(
                                  {.task = model.kernel(kernel.kernel).hash, .job = request.job}));
    made[kernel.kernel] = int(count);
  }
  return made;
}

/// Of a job whose queue has no work for anybody, or whose time is over.
TuneEnd end_of(std::optional<records::JobProgress> const& job) {
  if (!job || job->done < job->slices) return TuneEnd::kSeconds;
  return job->left_out > 0 ? TuneEnd::kConverged : TuneEnd::kTrials;
}

/// Starts the job, or goes on with it, and works until it has ended.
Result<TuneEnd> work_off(TeamWorker& worker, records::TeamJob const& job,
                         std::vector<TunedKernel> const& kernels, TuneOptions const& options) {
  using Clock = TeamWorker::Clock;
  TRY(worker.patiently(
      [&] { return worker.queue().add(job, slices_of(kernels, options.trials)); }));
  auto end = Clock::time_point::max();
  if (options.seconds > 0)
    end = Clock::now() + std::chrono::milliseconds(std::llround(options.seconds * 1e3));
  TRY(worker.work(end));
  // Who stops the starter leaves the job to others, and to a later start.
  if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
  TRY_ASSIGN(auto progress, worker.patiently([&] { return worker.queue().progress(job.name); }));
  TRY(worker.patiently([&] { return worker.queue().end(job.name); }));
  return end_of(progress);
}

/// That the device may take part in this job.
Status require_fits(records::TeamJob const& job, Backend const& backend, std::string const& build) {
  Hardware const& hardware = backend.target().hardware;
  std::string target = team_target(backend, build);
  if (job.machine == hardware.name && job.target == target) return {};
  return bad_input(
      "other_machine",
      fmt::format("the job '{}' is for {} ({}), and this device is {} ({}): their "
                  "times do not compare",
                  job.name, job.machine, job.target, hardware.name, backend.target().title));
}

/// One that is not there yet may be about to start.
Result<records::TeamJob> awaited_job(TeamWorker& worker, TeamRequest const& team,
                                     StopToken const& stop, Progress const& progress) {
  auto last = TeamWorker::Clock::now() + std::chrono::duration<double>(team.wait_seconds);
  while (true) {
    TRY_ASSIGN(auto there, worker.patiently([&] { return worker.queue().job(team.job); }));
    if (there) return std::move(*there);
    if (stop.stop_requested() || TeamWorker::Clock::now() > last)
      return bad_input("unknown_job", fmt::format("there is no job '{}'", team.job));
    if (progress) progress({fmt::format("waiting for the job '{}'", team.job), 0, 0});
    TRY(worker.patiently([&] { return worker.queue().wait(std::chrono::seconds(1)); }));
  }
}

}  // namespace

Result<TunedModel> tune_with_team(LoadedModel const& model, TeamModel const& from,
                                  ModelTuneRequest const& request, TeamRequest const& team,
                                  std::shared_ptr<Backend const> backend, Device& device,
                                  Progress const& progress) {
  TeamSearch search{request.kernels.options.search, request.kernels.build,
                    request.kernels.options.seed, request.kernels.options.threads,
                    request.kernels.options.learning};
  TRY_ASSIGN(std::string packed, packed_model(model, from));
  records::TeamJob job{.name = team.job,
                       .priority = team.priority,
                       .machine = backend->target().hardware.name,
                       .target = team_target(*backend, request.kernels.build),
                       .request = to_text(search),
                       .model = std::move(packed)};
  TRY_ASSIGN(std::unique_ptr<TeamWorker> worker,
             TeamWorker::create(request, team, backend, device, progress));
  // It does not own the model, which outlives it.
  worker->know(team.job, Model(Model(), &model), search);
  ModelTuneRequest whole = request;
  whole.kernels.team = true;
  TuneEnd end = TuneEnd::kTrials;
  whole.elsewhere = [&](std::vector<TunedKernel> const& kernels) -> Result<std::map<int, int>> {
    TRY_ASSIGN(end, work_off(*worker, job, kernels, request.kernels.options));
    return trials_in_store(model, request.kernels, kernels);
  };
  TRY_ASSIGN(TunedModel tuned, tune_model(model, whole, backend, device, progress));
  tuned.end = end;  // of the job: no trial was made outside of it
  return tuned;
}

Result<Joined> join_team(ModelTuneRequest const& request, TeamRequest const& team,
                         std::shared_ptr<Backend const> backend, Device& device,
                         Progress const& progress) {
  TRY_ASSIGN(std::unique_ptr<TeamWorker> worker,
             TeamWorker::create(request, team, backend, device, progress));
  if (!team.job.empty()) {
    TRY_ASSIGN(records::TeamJob job,
               awaited_job(*worker, team, request.kernels.options.stop, progress));
    TRY(team_search(job.request, request.kernels.build));
    TRY(require_fits(job, *backend, request.kernels.build));
  }
  TRY(worker->work());
  return worker->joined();
}

}  // namespace tw::session
