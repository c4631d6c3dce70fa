// The kernels of a model, tuned with one budget and compared where they run: in the network.
#include <algorithm>
#include <limits>

#include "engine/execute/compiled_model.h"
#include "engine/runtime/timer.h"
#include "engine/session/cases/kernel_tuning.h"
#include "engine/session/model/loaded_model.h"
#include "engine/tuner/certainty.h"
#include "engine/tuner/network_tuning.h"

namespace tw::session {
namespace {

constexpr int kRounds = 15;

/// Seconds of each kernel, all its calls together, and of the network.
struct NetworkTimes {
  std::map<int, double> kernels;
  double network = 0;
};

NetworkTimes times_of(CompiledModelTiming const& timing) {
  NetworkTimes times;
  for (KernelTime const& one : timing.kernels) times.kernels[one.kernel] += one.ms / 1e3;
  times.network = std::ranges::min(timing.samples_ms) / 1e3;
  return times;
}

/// Two networks of one model, round after round.
struct Compared {
  std::map<int, Samples> before, after, ratios;  ///< by kernel
  Samples network_before, network_after, network_ratio;

  void add(NetworkTimes const& one, NetworkTimes const& other) {
    for (auto const& [kernel, seconds] : one.kernels) {
      before[kernel].seconds.push_back(seconds);
      after[kernel].seconds.push_back(other.kernels.at(kernel));
      ratios[kernel].seconds.push_back(other.kernels.at(kernel) / std::max(seconds, 1e-12));
    }
    network_before.seconds.push_back(one.network);
    network_after.seconds.push_back(other.network);
    network_ratio.seconds.push_back(other.network / one.network);
  }
};

class ModelTuning {
public:
  ModelTuning(LoadedModel const& model, ModelTuneRequest const& request,
              std::shared_ptr<Backend const> backend, Device& device, Progress const& progress)
      : model_(model),
        request_(request),
        backend_(std::move(backend)),
        device_(device),
        progress_(progress),
        keeper_(request.kernels.store, request.kernels.options.stop,
                request.kernels.options.enough),
        cache_({request.cache_folder / "kernels"}) {}

  /// Which kernels there are, and what each takes.
  Status survey();
  Status search();
  /// Leaves out what is not faster in the network.
  Status compare();
  TunedModel take() { return std::move(tuned_); }

private:
  StopToken stop() const { return request_.kernels.options.stop; }
  Result<std::unique_ptr<CompiledModel>> network(std::map<int, std::string> const& found);
  Result<Compared> compared();
  NetworkTask task(TunedKernel const& kernel);
  void say(std::string what) const {
    if (progress_) progress_({std::move(what), 0, 0});
  }
  void begins(ModelTuneStage stage, int task = -1) const {
    if (request_.on_stage)
      request_.on_stage(stage, task < 0 ? -1 : tuned_.kernels[size_t(task)].kernel);
  }

  LoadedModel const& model_;
  ModelTuneRequest const& request_;
  std::shared_ptr<Backend const> backend_;
  Device& device_;
  Progress const& progress_;
  TrialKeeper keeper_;
  CodeCache cache_;
  std::vector<NDArray> inputs_;
  TunedModel tuned_;
};

/// As it stands, but for what was found.
Result<std::unique_ptr<CompiledModel>> ModelTuning::network(
    std::map<int, std::string> const& found) {
  CompiledModelOptions options;
  options.threads = request_.kernels.options.threads > 0 ? request_.kernels.options.threads
                                                         : backend_->target().hardware.unit().count;
  options.scripts = found;
  options.scripts.insert(request_.standing.begin(), request_.standing.end());
  options.call.stop = stop();
  options.call.timeout = std::chrono::minutes(3);
  if (!request_.cache_folder.empty()) options.cache = &cache_;
  TRY_ASSIGN(std::unique_ptr<CompiledModel> network,
             CompiledModel::create(model_.after, model_.plan, *backend_, device_, options));
  TRY(network->run(inputs_));
  return network;
}

Status ModelTuning::survey() {
  say("timing the model as it is");
  TRY_ASSIGN(inputs_, random_inputs(model_, 1));
  TRY_ASSIGN(std::unique_ptr<CompiledModel> by_rule, network({}));
  TRY_ASSIGN(CompiledModelTiming timing, by_rule->time(kRounds));
  NetworkTimes times = times_of(timing);
  for (auto const& [kernel, seconds] : times.kernels) {
    auto calls = std::ranges::count(timing.kernels, kernel, &KernelTime::kernel);
    tuned_.kernels.push_back({.kernel = kernel,
                              .calls = int(calls),
                              .rule_ms = seconds * 1e3,
                              .tuned_ms = seconds * 1e3});
  }
  std::ranges::sort(tuned_.kernels, std::greater(), &TunedKernel::rule_ms);
  tuned_.rule_ms = tuned_.tuned_ms = times.network * 1e3;
  if (request_.on_surveyed) request_.on_surveyed(tuned_.kernels);
  return {};
}

NetworkTask ModelTuning::task(TunedKernel const& kernel) {
  int row = kernel.kernel;
  return {model_.kernel(row).name, kernel.rule_ms / 1e3, [this, row] {
            TuneRequest one = request_.kernels;
            if (request_.elsewhere)
              one.options.trials = 0;
            else if (one.options.trials <= 0)
              one.options.trials = std::numeric_limits<int>::max();
            one.options.on_attempt = [this, row](Attempt const& attempt) {
              if (request_.on_attempt) request_.on_attempt(row, attempt);
            };
            return open_tuning(model_, row, one, backend_, device_, keeper_, progress_);
          }};
}

Status ModelTuning::search() {
  std::vector<NetworkTask> tasks;
  for (TunedKernel const& kernel : tuned_.kernels) tasks.push_back(task(kernel));
  NetworkBudget budget{.trials = request_.kernels.options.trials,
                       .seconds = request_.kernels.options.seconds,
                       .stop = stop(),
                       .enough = keeper_.enough(),
                       .on_turn =
                           [&](int task) {
                             say(tasks[size_t(task)].name);
                             begins(ModelTuneStage::kSearching, task);
                           },
                       .on_finals =
                           [&](int task) {
                             say("comparing the best of " + tasks[size_t(task)].name);
                             begins(ModelTuneStage::kComparing, task);
                           }};
  std::map<int, int> made;  // elsewhere, by row
  if (request_.elsewhere) {
    TRY_ASSIGN(made, request_.elsewhere(tuned_.kernels));
    budget.seconds = 0;  // it was of the search
    budget.known.emplace();
    for (size_t i = 0; i < tuned_.kernels.size(); ++i)
      if (made[tuned_.kernels[i].kernel] > 0) budget.known->insert(int(i));
  }
  auto made_here = tune_network(tasks, budget);
  keeper_.finish();
  tuned_.not_stored = keeper_.not_stored();
  if (!made_here) return std::unexpected(made_here.error());
  NetworkOutcome& outcome = *made_here;
  tuned_.end = outcome.end;
  tuned_.seconds = outcome.seconds;
  for (size_t i = 0; i < tuned_.kernels.size(); ++i) {
    TunedKernel& kernel = tuned_.kernels[i];
    kernel.trials = outcome.tasks[i].trials + made[kernel.kernel];
    kernel.left_out = outcome.tasks[i].left_out;
    kernel.result = std::move(outcome.tasks[i].result);
    if (kernel.result && !kernel.result->point.empty())
      tuned_.scripts[kernel.kernel] = kernel.result->script;
  }
  return {};
}

Result<Compared> ModelTuning::compared() {
  TRY_ASSIGN(std::unique_ptr<CompiledModel> by_rule, network({}));
  TRY_ASSIGN(std::unique_ptr<CompiledModel> tuned, network(tuned_.scripts));
  Compared compared;
  for (int round = 0; round < kRounds; ++round) {
    CompiledModelTiming before, after;
    if (round % 2 == 1) {
      TRY_ASSIGN(after, tuned->time(1));
    }
    TRY_ASSIGN(before, by_rule->time(1));
    if (round % 2 == 0) {
      TRY_ASSIGN(after, tuned->time(1));
    }
    compared.add(times_of(before), times_of(after));
  }
  return compared;
}

Status ModelTuning::compare() {
  say("comparing the networks");
  begins(ModelTuneStage::kNetworks);
  while (!tuned_.scripts.empty()) {
    TRY_ASSIGN(Compared compared, this->compared());
    tuned_.rule_ms = compared.network_before.median() * 1e3;
    tuned_.tuned_ms = compared.network_after.median() * 1e3;
    for (TunedKernel& kernel : tuned_.kernels) {
      kernel.rule_ms = kernel.tuned_ms = compared.before[kernel.kernel].median() * 1e3;
      if (tuned_.scripts.contains(kernel.kernel))
        kernel.tuned_ms = kernel.rule_ms * compared.ratios[kernel.kernel].median();
    }
    // What is gone in another set of rounds was no gain; each was found certain for itself before.
    auto dropped = std::erase_if(tuned_.scripts, [&](auto const& script) {
      return upper_median(compared.ratios[script.first].seconds) >= 1;
    });
    bool faster = upper_median(compared.network_ratio.seconds) < 1;
    if (dropped == 0 && faster) return {};
    if (dropped == 0) tuned_.scripts.clear();
  }
  tuned_.tuned_ms = tuned_.rule_ms;
  for (TunedKernel& kernel : tuned_.kernels) kernel.tuned_ms = kernel.rule_ms;
  return {};
}

}  // namespace

Result<TunedModel> tune_model(LoadedModel const& model, ModelTuneRequest const& request,
                              std::shared_ptr<Backend const> backend, Device& device,
                              Progress const& progress) {
  ModelTuning tuning(model, request, std::move(backend), device, progress);
  TRY(tuning.survey());
  TRY(tuning.search());
  TRY(tuning.compare());
  return tuning.take();
}

}  // namespace tw::session
