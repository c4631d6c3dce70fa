#include "targets/vta/explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "engine/te/te.h"
#include "targets/vta/explore/design.h"
#include "targets/vta/explore/layer_cycles.h"
#include "targets/vta/explore/layers.h"

namespace tw::vta {
namespace {

/// What a program depends on.
using Shape = std::pair<int, int>;  // log_block, log_batch
Shape shape_of(Configuration const& c) { return {c.log_block, c.log_batch}; }

using Workloads = std::map<Shape, Workload>;

Result<Workloads> make_workloads(std::vector<Configuration> const& designs,
                                 WorkloadMaker const& maker, StopToken const& stop,
                                 Progress const& progress) {
  Workloads made;
  for (Configuration const& design : designs) {
    if (made.contains(shape_of(design))) continue;
    if (stop.stop_requested()) return refused("cancelled", "the exploration was stopped");
    if (progress)
      progress({fmt::format("layers for elements of {} x {}", design.batch(), design.block())});
    TRY_ASSIGN(made[shape_of(design)], maker(design));
  }
  return made;
}

DesignCycles measured(Configuration const& configuration, Workload const& workload,
                      StopToken const& stop) {
  DesignCycles design{.configuration = configuration, .sram = sram_bytes(configuration)};
  auto machine = LayerMachine::create(configuration);
  for (WorkLayer const& layer : workload.layers) {
    if (stop.stop_requested()) return design;
    auto cycles = !layer.program ? std::unexpected(layer.program.error())
                  : !machine     ? std::unexpected(machine.error())
                                 : machine->cycles(*layer.program);
    design.layers.push_back(cycles ? LayerCycles{*cycles, {}}
                                   : LayerCycles{0, cycles.error().message});
  }
  return design;
}

/// Says how far all threads together are.
class Count {
public:
  Count(size_t total, Progress const& progress) : total_(int64_t(total)), progress_(progress) {}
  void one_more() {
    std::scoped_lock lock(mutex_);
    ++done_;
    if (progress_) progress_({"designs", done_, total_});
  }

private:
  std::mutex mutex_;
  int64_t done_ = 0, total_;
  Progress const& progress_;
};

std::vector<DesignCycles> measure_all(std::vector<Configuration> const& designs,
                                      Workloads const& workloads, int threads,
                                      StopToken const& stop, Progress const& progress) {
  std::vector<DesignCycles> measured_ones(designs.size());
  std::atomic<size_t> next = 0;
  Count count(designs.size(), progress);
  auto work = [&] {
    for (size_t i = next++; i < designs.size() && !stop.stop_requested(); i = next++) {
      measured_ones[i] = measured(designs[i], workloads.at(shape_of(designs[i])), stop);
      count.one_more();
    }
  };
  if (threads <= 0) threads = int(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (int t = 1; t < threads && size_t(t) < designs.size(); ++t) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  return measured_ones;
}

/// Takes layers away that no design can run.
void leave_out_unfit(Exploration& all) {
  for (size_t layer = all.layers.size(); layer-- > 0;) {
    bool fits = std::ranges::any_of(all.designs, [&](DesignCycles const& design) {
      return design.layers[layer].reason.empty();
    });
    if (fits) continue;
    std::string reason = all.designs.front().layers[layer].reason;
    all.unfit.insert(all.unfit.begin(), {0, fmt::format("{}: {}", all.layers[layer].name, reason)});
    all.layers.erase(all.layers.begin() + int64_t(layer));
    for (DesignCycles& design : all.designs)
      design.layers.erase(design.layers.begin() + int64_t(layer));
  }
}

void sum_up(Exploration& all, Workloads const& workloads) {
  for (DesignCycles& design : all.designs) {
    double sum = 0;
    for (size_t i = 0; i < all.layers.size(); ++i)
      sum += all.layers[i].times * design.layers[i].cycles;
    design.complete = std::ranges::all_of(
        design.layers, [](LayerCycles const& layer) { return layer.reason.empty(); });
    design.cycles = sum / double(workloads.at(shape_of(design.configuration)).images);
  }
}

/// Sorts, and marks what nothing beats.
void find_front(Exploration& all) {
  std::ranges::stable_sort(all.designs, {}, [](DesignCycles const& design) {
    return std::tuple(!design.complete, design.cycles, design.sram);
  });
  int64_t least = INT64_MAX;  // bytes of those that are as fast
  for (DesignCycles& design : all.designs) {
    if (!design.complete) break;
    design.front = design.sram < least;
    least = std::min(least, design.sram);
  }
}

}  // namespace

Result<Workload> resnet18_workload(Configuration const& configuration) {
  Workload workload{.images = configuration.batch(), .layers = {}};
  for (ConvolutionLayer const& layer : resnet18_layers()) {
    WorkLayer one{layer.name, layer.times, refused("unfit_layer", "")};
    auto text = expression_of(layer, configuration);
    if (text) {
      TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(*text));
      one.program = te::to_program(kernel);
    } else {
      one.program = std::unexpected(text.error());
    }
    workload.layers.push_back(std::move(one));
  }
  return workload;
}

Result<Exploration> explore(std::vector<Configuration> const& designs, WorkloadMaker const& maker,
                            ExploreOptions const& options, StopToken stop,
                            Progress const& progress) {
  if (designs.empty())
    return bad_input("nothing_fits", "none of these accelerators can be built within the bounds");
  TRY_ASSIGN(Workloads workloads, make_workloads(designs, maker, stop, progress));
  Exploration all;
  for (WorkLayer const& layer : workloads.begin()->second.layers)
    all.layers.push_back({layer.name, layer.times});
  all.designs = measure_all(designs, workloads, options.threads, stop, progress);
  if (stop.stop_requested()) return refused("cancelled", "the exploration was stopped");
  leave_out_unfit(all);
  if (all.layers.empty())
    return refused("nothing_fits", all.unfit.empty()
                                       ? "there is no layer that an accelerator could run"
                                       : "no layer fits any design; " + all.unfit.front().reason);
  sum_up(all, workloads);
  find_front(all);
  return all;
}

}  // namespace tw::vta
