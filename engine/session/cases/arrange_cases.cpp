#include "engine/session/arranging.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/execute/compiled_model.h"
#include "engine/runtime/timer.h"
#include "engine/session/model/fusion_knobs.h"
#include "engine/session/model/loaded_model.h"
#include "engine/support/files.h"
#include "engine/support/sha256.h"
#include "engine/te/expected.h"

namespace tw::session {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 15;      // of both networks
constexpr int kMostRounds = 12;  // in which what is kept must have been faster
constexpr int kFirstRounds = 3;  // after which one that is clearly slower is given up
constexpr double kClearlySlower = 1.1;
constexpr double kWorth = 0.98;  // of the time before: what is less is noise
constexpr double kRoundMs = 20;  // of one network: the least of several runs, where they are short
constexpr int kMostRuns = 5;
constexpr double kShare = 0.03;  // of the network's time, that kernels of an algorithm must take
constexpr char kAlgorithm[] = ".algorithm";

/// A model that can run, with its results.
struct Running {
  Model model;
  std::unique_ptr<CompiledModel> network;
  std::vector<NDArray> outputs;
};

/// Schedules of kernels that the other model has, too, by its rows.
std::map<int, std::string> carried(std::map<int, std::string> const& scripts,
                                   LoadedModel const& from, LoadedModel const& to) {
  std::map<int, std::string> there;
  for (auto const& [row, script] : scripts)
    for (size_t i = 0; i < to.plan.kernels.size(); ++i)
      if (to.plan.kernels[i].hash == from.kernel(row).hash) there[int(i)] = script;
  return there;
}

bool same_kernels(LoadedModel const& one, LoadedModel const& other) {
  return std::ranges::equal(one.plan.kernels, other.plan.kernels, {}, &KernelTask::hash,
                            &KernelTask::hash);
}

class Arranging {
public:
  Arranging(Model const& model, ArrangeRequest const& request, Backend const& backend,
            Device& device, Progress const& progress)
      : first_(model),
        request_(request),
        backend_(backend),
        device_(device),
        progress_(progress),
        cache_({request.cache_folder / "kernels"}) {}

  Result<Arranged> run();

private:
  struct Candidate {
    std::string knob, value;
    double weight = 0;  ///< share of the network's time
  };
  Result<Running> ready(Model const& model);
  Result<std::vector<Candidate>> candidates();
  Result<std::map<std::string, double>> shares();
  Result<Samples> ratios(Running& other);
  Result<TriedArrangement> tried(Candidate const& candidate);
  Result<Running> with(Candidate const& candidate);
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool is_over() const {
    return request_.enough.stop_requested() ||
           (request_.seconds > 0 && elapsed() >= request_.seconds);
  }

  Model const& first_;
  ArrangeRequest const& request_;
  Backend const& backend_;
  Device& device_;
  Progress const& progress_;
  CodeCache cache_;
  std::vector<NDArray> inputs_;
  Running best_;
  te::Expected expected_;
  Clock::time_point start_ = Clock::now();
};

Result<Running> Arranging::ready(Model const& model) {
  CompiledModelOptions options;
  options.threads =
      request_.threads > 0 ? request_.threads : backend_.target().hardware.unit().count;
  options.scripts = carried(request_.standing, *first_, *model);
  options.call.stop = request_.stop;
  options.call.timeout = std::chrono::minutes(3);
  if (!request_.cache_folder.empty()) options.cache = &cache_;
  Running running{model, nullptr, {}};
  TRY_ASSIGN(running.network,
             CompiledModel::create(model->after, model->plan, backend_, device_, options));
  TRY_ASSIGN(running.outputs, running.network->run(inputs_));
  return running;
}

/// Of the network's time, by the names of the nodes whose kernels take it.
Result<std::map<std::string, double>> Arranging::shares() {
  TRY_ASSIGN(CompiledModelTiming timing, best_.network->time(kFirstRounds));
  std::map<int, double> kernels;
  for (KernelTime const& one : timing.kernels) kernels[one.kernel] += one.ms;
  double network = std::ranges::min(timing.samples_ms);
  std::map<std::string, double> shares;
  for_each_step(best_.model->after, best_.model->plan,
                [&](Graph const& graph, PlanStep const& step) {
                  if (step.kind != StepKind::kKernel) return;
                  for (NodeId id : graph.groups[size_t(step.group)].nodes)
                    shares[graph.node(id).name] = kernels[step.kernel] / std::max(network, 1e-9);
                });
  return shares;
}

/// What is of no node alone comes first, then the longest kernels.
Result<std::vector<Arranging::Candidate>> Arranging::candidates() {
  TRY_ASSIGN(auto shares, this->shares());
  std::vector<Candidate> list;
  for (Knob const& knob : first_->knobs) {
    // What a person chose of fusion stays: only choices are knobs there.
    if (request_.fixed.contains(knob.name) || is_fusion_knob(knob.name)) continue;
    double weight = 1;
    if (knob.name.ends_with(kAlgorithm))
      weight = shares[knob.name.substr(0, knob.name.size() - std::size(kAlgorithm) + 1)];
    if (weight < kShare) continue;
    for (std::string const& value : knob.values)
      if (value != knob.value()) list.push_back({knob.name, value, weight});
  }
  std::ranges::stable_sort(list, std::greater(), &Candidate::weight);
  return list;
}

Result<double> least_ms(CompiledModel& network, int runs) {
  TRY_ASSIGN(CompiledModelTiming timing, network.time(runs));
  return std::ranges::min(timing.samples_ms);
}

/// Of rounds in which both ran, the one after the other. A short network runs several times in
/// each: somebody may edit meanwhile, which disturbs single runs.
Result<Samples> Arranging::ratios(Running& other) {
  Samples ratios;
  TRY_ASSIGN(double once, least_ms(*best_.network, 1));
  int runs = std::clamp(int(kRoundMs / std::max(once, 1e-3)), 1, kMostRuns);
  for (int round = 0; round < kRounds; ++round) {
    double before = 0, after = 0;
    if (round % 2 == 1) {
      TRY_ASSIGN(after, least_ms(*other.network, runs));
    }
    TRY_ASSIGN(before, least_ms(*best_.network, runs));
    if (round % 2 == 0) {
      TRY_ASSIGN(after, least_ms(*other.network, runs));
    }
    ratios.seconds.push_back(after / std::max(before, 1e-9));
    if (round + 1 == kFirstRounds && ratios.median() > kClearlySlower) break;
  }
  return ratios;
}

/// By more than noise, and in most of the rounds: what else runs on the device disturbs both.
bool is_faster(Samples const& ratios) {
  auto faster = std::ranges::count_if(ratios.seconds, [](double ratio) { return ratio < 1; });
  return ratios.median() <= kWorth && faster >= kMostRounds;
}

Result<Running> Arranging::with(Candidate const& candidate) {
  Point point = arrangement_of(*best_.model);
  point[candidate.knob] = candidate.value;
  TRY_ASSIGN(Model model, arranged(*best_.model, point, backend_));
  if (same_kernels(*model, *best_.model))
    return refused("same_kernels", "the kernels are the same");
  TRY_ASSIGN(Running running, ready(model));
  Comparison comparison = te::judge(running.outputs, expected_);
  if (!comparison.equal)
    return refused("wrong_result",
                   fmt::format("its results differ from the default's by up to {:.3g}",
                               comparison.max_abs_diff));
  return running;
}

Result<TriedArrangement> Arranging::tried(Candidate const& candidate) {
  if (progress_) progress_({fmt::format("trying {}={}", candidate.knob, candidate.value), 0, 0});
  TriedArrangement tried{candidate.knob, candidate.value};
  auto running = with(candidate);
  if (request_.stop.stop_requested()) return refused("cancelled", "cancelled");
  // What cannot run is no choice; a device that is gone is found out by the next one that runs.
  if (!running) {
    tried.why = to_sentence(running.error());
    return tried;
  }
  TRY_ASSIGN(Samples ratios, this->ratios(*running));
  tried.ratio = ratios.median();
  tried.kept = is_faster(ratios);
  if (tried.kept) best_ = std::move(*running);
  return tried;
}

Result<Arranged> Arranging::run() {
  Arranged result{first_, arrangement_of(*first_), {}, 0};
  if (first_->knobs.empty()) return result;
  if (progress_) progress_({"timing the model as it is", 0, 0});
  TRY_ASSIGN(inputs_, random_inputs(*first_, 1));
  TRY_ASSIGN(best_, ready(first_));
  for (NDArray const& output : best_.outputs) expected_.push_back(te::stored_output(output));
  TRY_ASSIGN(std::vector<Candidate> list, candidates());
  for (Candidate const& candidate : list) {
    if (is_over()) break;
    TRY_ASSIGN(TriedArrangement one, tried(candidate));
    if (request_.on_tried) request_.on_tried(one);
    result.tried.push_back(std::move(one));
  }
  result.model = best_.model;
  result.arrangement = arrangement_of(*best_.model);
  result.seconds = elapsed();
  return result;
}

std::filesystem::path file_of(std::filesystem::path const& folder, std::string const& job) {
  return folder / "arrangements" / (sha256(job) + ".json");
}

}  // namespace

std::optional<Point> chosen_for_job(std::filesystem::path const& folder, std::string const& job) {
  auto text = read_text(file_of(folder, job), 1 << 20);
  if (!text) return std::nullopt;
  auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Point point;
  for (auto const& [knob, value] : json.items()) {
    if (!value.is_string()) return std::nullopt;
    point[knob] = value.get<std::string>();
  }
  return point;
}

Status keep_for_job(std::filesystem::path const& folder, std::string const& job,
                    Point const& arrangement) {
  std::error_code exists;
  std::filesystem::path file = file_of(folder, job);
  std::filesystem::create_directories(file.parent_path(), exists);
  return write_file(file, nlohmann::json(arrangement).dump());
}

Result<Arranged> arrange_model(Model const& model, ArrangeRequest const& request,
                               Backend const& backend, Device& device, Progress const& progress) {
  return Arranging(model, request, backend, device, progress).run();
}

}  // namespace tw::session
