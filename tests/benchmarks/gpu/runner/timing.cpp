#include "tests/benchmarks/gpu/runner/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "engine/support/base/random.h"

namespace tw::gpu_bench {
namespace {

using namespace cuda;

constexpr int kMostCalls = 1000;

/// Two events around what is put on the stream between `begin` and `seconds`.
class Watch {
public:
  static Result<Watch> create(Device const& device) {
    Watch made;
    CuResult code = device.driver.cuEventCreate(&made.begin_, 0);
    if (code == kCuSuccess) code = device.driver.cuEventCreate(&made.end_, 0);
    TRY(device.told("events could not be made", code));
    made.device_ = &device;
    return made;
  }
  Watch(Watch&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), begin_(other.begin_), end_(other.end_) {}
  Watch& operator=(Watch&&) = delete;
  ~Watch() {
    if (!device_) return;
    device_->driver.cuEventDestroy_v2(begin_);
    device_->driver.cuEventDestroy_v2(end_);
  }
  Status begin() const {
    return device_->told("an event could not be recorded",
                         device_->driver.cuEventRecord(begin_, device_->stream));
  }
  Result<double> seconds() const {
    float milliseconds = 0;
    CuResult code = device_->driver.cuEventRecord(end_, device_->stream);
    if (code == kCuSuccess) code = device_->driver.cuEventSynchronize(end_);
    if (code == kCuSuccess) code = device_->driver.cuEventElapsedTime(&milliseconds, begin_, end_);
    TRY(device_->told("what was launched did not finish", code));
    return double(milliseconds) * 1e-3;
  }

private:
  Watch() = default;
  Device const* device_ = nullptr;
  CuEvent begin_ = nullptr, end_ = nullptr;
};

/// Several calls as one graph; nothing where they cannot be one.
class Graph {
public:
  static std::unique_ptr<Graph> create(Device const& device, Arm const& arm, int calls) {
    constexpr int kRelaxed = 2;
    GraphFunctions const& graphs = device.graphs;
    if (!graphs.found() || graphs.begin(device.stream, kRelaxed) != kCuSuccess) return nullptr;
    Status status;
    for (int i = 0; i < calls && status; ++i) status = arm.run();
    void* graph = nullptr;
    bool ended = graphs.end(device.stream, &graph) == kCuSuccess && graph;
    void* made = nullptr;
    if (ended && status && graphs.instantiate(&made, graph, 0) != kCuSuccess) made = nullptr;
    if (ended) graphs.destroy(graph);
    return made ? std::unique_ptr<Graph>(new Graph(device, made)) : nullptr;
  }
  Graph(Graph const&) = delete;
  Graph& operator=(Graph const&) = delete;
  ~Graph() { device_.graphs.destroy_made(made_); }
  Status run() const {
    return device_.told("a graph could not be launched",
                        device_.graphs.launch(made_, device_.stream));
  }

private:
  Graph(Device const& device, void* made) : device_(device), made_(made) {}
  Device const& device_;
  void* made_;
};

/// An arm ready to be sampled.
struct Prepared {
  Arm* arm = nullptr;
  int calls = 1;
  std::unique_ptr<Graph> graph;
  std::vector<double> seconds;
  std::string why;  ///< it is of no more use
};

Result<double> sample(Watch const& watch, Prepared const& of) {
  if (of.arm->seconds) return of.arm->seconds();
  TRY(watch.begin());
  if (of.graph) {
    TRY(of.graph->run());
  } else {
    for (int i = 0; i < of.calls; ++i) TRY(of.arm->run());
  }
  TRY_ASSIGN(double seconds, watch.seconds());
  return seconds / of.calls;
}

Status prepare(Device const& device, Watch const& watch, TimingOptions const& options,
               Prepared& made) {
  if (made.arm->seconds) return {};
  TRY(sample(watch, made));  // the first call loads code
  made.calls = 3;
  TRY_ASSIGN(double seconds, sample(watch, made));
  made.calls = int(std::clamp(std::ceil(options.least_seconds / std::max(seconds, 1e-7)), 1.0,
                              double(kMostCalls)));
  made.graph = Graph::create(device, *made.arm, made.calls);
  TRY(sample(watch, made));
  return {};
}

Json told(Prepared const& of) {
  Json made = of.arm->facts;
  made["name"] = of.arm->name;
  if (!of.why.empty()) {
    made["why"] = of.why;
    return made;
  }
  made["seconds"] = of.seconds;
  made["calls"] = of.calls;
  if (!of.arm->seconds) made["graph"] = bool(of.graph);
  return made;
}

}  // namespace

Status time_arms(Device const& device, std::vector<Arm>& arms, TimingOptions const& options,
                 uint64_t seed, Json& result) {
  TRY_ASSIGN(Watch watch, Watch::create(device));
  std::vector<Prepared> all(arms.size());
  for (size_t i = 0; i < arms.size(); ++i) {
    all[i].arm = &arms[i];
    if (Status ready = prepare(device, watch, options, all[i]); !ready)
      all[i].why = ready.error().message;
  }
  Rng rng(seed);
  std::vector<size_t> order(arms.size());
  std::iota(order.begin(), order.end(), size_t(0));
  auto start = std::chrono::steady_clock::now();
  auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int round = 0; round < options.rounds && passed() < options.most_seconds; ++round) {
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[size_t(rng.below(int64_t(i)))]);
    for (size_t i : order) {
      if (!all[i].why.empty()) continue;
      auto seconds = sample(watch, all[i]);
      if (seconds)
        all[i].seconds.push_back(*seconds);
      else
        all[i].why = seconds.error().message;
    }
  }
  result["arms"] = Json::array();
  for (Prepared const& one : all) result["arms"].push_back(told(one));
  if (!all.empty() && !all[0].why.empty()) return environment_failed("device_failed", all[0].why);
  return {};
}

}  // namespace tw::gpu_bench
