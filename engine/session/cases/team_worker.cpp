#include "engine/session/cases/team_worker.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "engine/session/cases/kernel_tuning.h"
#include "engine/session/cases/lease_renewer.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/project/project.h"
#include "engine/tuner/model/point_model.h"

namespace tw::session {
namespace {

using Json = nlohmann::json;

constexpr int kMostFailures = 3;  // of the device: then others have it better
constexpr auto kTurn = std::chrono::seconds(2);

Result<Model> model_in(std::string const& text, std::filesystem::path const& folder,
                       Backend const& backend) {
  TRY_ASSIGN(Project project, parse_project(text, "the job's model"));
  std::string source = project.model.source;
  if (project.model.embedded()) {
    TRY_ASSIGN(source, unpack_model(project, folder));
  }
  LoadOptions options;
  TRY_ASSIGN(options.fixes, parse_fixes(project.model.shapes));
  options.arrangement = project.model.arrangement;
  return load_model(source, options, backend);
}

}  // namespace

std::string to_text(TeamSearch const& search) {
  return Json{{"search", search.search},
              {"seed", search.seed},
              {"threads", search.threads},
              {"model", name_of(search.learning.model)},
              {"learn", settings_of(search.learning)},
              {"build", search.build}}
      .dump();
}

std::string team_target(Backend const& backend, std::string const& build) {
  return fmt::format("{}, version {}", backend.target().title, build);
}

Result<TeamSearch> team_search(std::string const& text, std::string const& build) {
  Json json = Json::parse(text, nullptr, false);
  std::string theirs = json.is_object() ? json.value("build", "unknown") : "unknown";
  if (theirs != build)
    return bad_input("other_version",
                     fmt::format("the job was started by version {} of Tilewright, and this is "
                                 "version {}: their kernels differ",
                                 theirs, build));
  TRY_ASSIGN(ModelKind model,
             find_model_kind(json.value("model", std::string(name_of(ModelKind::kTrees)))));
  TRY_ASSIGN(Learning learning,
             learning_of(json.value("learn", std::vector<std::string>{}), model));
  return TeamSearch{json.value("search", ""), build, json.value("seed", uint64_t(1)),
                    json.value("threads", 0), learning};
}

TeamWorker::TeamWorker(ModelTuneRequest const& request, TeamRequest const& team,
                       std::shared_ptr<Backend const> backend, Device& device,
                       Progress const& progress)
    : request_(request),
      team_(team),
      backend_(std::move(backend)),
      device_(device),
      progress_(progress) {}

Result<std::unique_ptr<TeamWorker>> TeamWorker::create(ModelTuneRequest const& request,
                                                       TeamRequest const& team,
                                                       std::shared_ptr<Backend const> backend,
                                                       Device& device, Progress const& progress) {
  std::unique_ptr<TeamWorker> worker(
      new TeamWorker(request, team, std::move(backend), device, progress));
  TRY_ASSIGN(worker->queue_, records::open_work_queue(team.url));
  TRY_ASSIGN(worker->claims_, records::open_work_queue(team.url));
  return worker;
}

TeamWorker::~TeamWorker() { (void)queue_->leave(team_.worker); }

bool TeamWorker::is_away(Error const& error) {
  return error.code == "store_away" || error.code == "store_lost";
}

void TeamWorker::pause() const { std::this_thread::sleep_for(std::chrono::milliseconds(500)); }

records::TeamDevice TeamWorker::row(std::string const& doing) const {
  return {team_.worker, backend_->target().hardware.name,
          team_target(*backend_, request_.kernels.build), doing};
}

void TeamWorker::know(std::string const& job, Model model, TeamSearch search) {
  known_[job] = {std::move(model), std::move(search)};
}

Result<TeamWorker::Known const*> TeamWorker::known(std::string const& job) {
  if (auto found = known_.find(job); found != known_.end()) return &found->second;
  if (progress_) progress_({"taking over the model of " + job, 0, 0});
  TRY_ASSIGN(std::optional<records::TeamJob> there, patiently([&] { return queue_->job(job); }));
  if (!there) return bad_input("unknown_job", fmt::format("there is no job '{}'", job));
  TRY_ASSIGN(TeamSearch search, team_search(there->request, request_.kernels.build));
  TRY_ASSIGN(Model model, model_in(there->model, request_.cache_folder / "embedded", *backend_));
  know(job, std::move(model), std::move(search));
  return &known_[job];
}

/// What became of a slice.
Status TeamWorker::after(records::Lease const& lease, Result<TuneEnd> const& end, int made) {
  bool is_done = end && *end != TuneEnd::kStopped && *end != TuneEnd::kSeconds;
  // A kernel that cannot be searched here cannot be searched by others of this kind.
  bool hopeless = !end && end.error().fault != Fault::kEnvironment;
  TRY(patiently([&] { return queue_->give_back(lease, made, is_done || hopeless); }));
  if (hopeless || (end && *end == TuneEnd::kConverged))
    TRY(patiently([&] { return queue_->end_kernel(lease.job, lease.kernel); }));
  failures_ = !end && !hopeless ? failures_ + 1 : made > 0 ? 0 : failures_;
  if (failures_ >= kMostFailures) return std::unexpected(end.error());
  joined_.slices += is_done;
  joined_.trials += made;
  return {};
}

/// Where the server does not answer, the point is tried: a trial twice costs less than none.
bool TeamWorker::claims(records::Lease const& lease, std::string const& point) {
  std::lock_guard lock(claiming_);
  return patiently([&] { return claims_->claim(lease, point); }).value_or(true);
}

Status TeamWorker::work_on(records::Lease const& lease) {
  auto job = known(lease.job);
  if (!job) {  // others may be able to
    (void)queue_->give_back(lease, 0, false);
    return std::unexpected(job.error());
  }
  std::stop_source stop;
  std::stop_callback follow(request_.kernels.options.stop, [&] { stop.request_stop(); });
  LeaseRenewer keeper(team_, lease, row(lease.job), stop);
  TuneRequest one = request_.kernels;
  one.job = lease.job;
  one.team = true;
  one.options.search = (*job)->search.search;
  one.options.learning = (*job)->search.learning;
  one.options.threads = (*job)->search.threads;
  one.options.seed = (*job)->search.seed + uint64_t(lease.slice);  // each looks elsewhere
  one.options.trials = lease.trials;
  one.options.stop = stop.get_token();
  one.options.claims = [this, &lease](std::string const& point) { return claims(lease, point); };
  std::optional<Error> trouble;
  // Trials are on the server one by one as they are made.
  TrialKeeper trials(one.store, one.options.stop, {}, {0, team_.wait_seconds});
  one.options.on_attempt = [&](Attempt const& attempt) {
    if (std::string lost = trials.not_stored(); !lost.empty())
      trouble = Error{"store_lost", lost, {}, Fault::kEnvironment};
    if (attempt.outcome == records::Outcome::kDeviceLost)
      trouble = Error{"device_lost", attempt.sentence, {}, Fault::kEnvironment};
    if (trouble) return void(stop.request_stop());
    ++keeper.made;
    if (team_.on_attempt) team_.on_attempt((*job)->model->kernel(lease.kernel).name, attempt);
  };
  auto searched = [&]() -> Result<TuneEnd> {
    TRY_ASSIGN(
        std::unique_ptr<KernelTuning> tuning,
        open_tuning(*(*job)->model, lease.kernel, one, backend_, device_, trials, progress_));
    return tuning->search(lease.trials, 0);
  };
  Result<TuneEnd> end = searched();
  if (trouble) end = std::unexpected(*trouble);
  return after(lease, end, keeper.made);
}

/// The team's job; nothing is said of any.
Result<bool> TeamWorker::has_ended() {
  if (team_.job.empty()) return false;
  TRY_ASSIGN(auto progress, patiently([&] { return queue_->progress(team_.job); }));
  return !progress || !progress->is_open || progress->done >= progress->slices;
}

Status TeamWorker::work(Clock::time_point end) {
  records::LeaseRequest ask{team_.worker, backend_->target().hardware.name,
                            team_target(*backend_, request_.kernels.build), team_.job,
                            team_.lease_seconds};
  while (!stopped() && Clock::now() < end) {
    TRY(patiently([&] { return queue_->here(row("")); }));
    TRY_ASSIGN(std::optional<records::Lease> lease, patiently([&] { return queue_->take(ask); }));
    if (lease) {
      TRY(work_on(*lease));
      continue;
    }
    TRY_ASSIGN(bool ended, has_ended());
    if (ended) return {};
    // Also without a word from anybody: a lease may have expired.
    TRY(patiently([&] { return queue_->wait(kTurn); }));
  }
  return {};
}

}  // namespace tw::session
