#include "targets/vta/explore/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
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

/// Designs that differ in the sizes of INP, WGT and ACC alone, the largest first.
using Family = std::vector<size_t>;

std::vector<Family> families_of(std::vector<Configuration> const& designs) {
  std::map<std::tuple<Shape, int, int, int>, Family> families;
  for (size_t i = 0; i < designs.size(); ++i) {
    Configuration const& c = designs[i];
    families[{shape_of(c), int(c.isa), c.memory_bits, c.log_uop_bytes}].push_back(i);
  }
  std::vector<Family> all;
  for (auto& [key, family] : families) {
    std::ranges::stable_sort(family, std::greater(),
                             [&](size_t i) { return sram_bytes(designs[i]); });
    all.push_back(std::move(family));
  }
  return all;
}

/// What is known of one layer on the designs of a family, so that a smaller design, which has room
/// for what a larger one used, need not be looked at.
class KnownRuns {
public:
  LayerRun const* find(Configuration const& c) const {
    auto found = std::ranges::find_if(known_, [&](auto const& one) {
      auto const& [larger, run] = one;
      return within(run.inp, c, larger, Memory::kInp) && within(run.wgt, c, larger, Memory::kWgt) &&
             within(run.acc, c, larger, Memory::kAcc);
    });
    return found == known_.end() ? nullptr : &found->second;
  }
  void add(Configuration const& c, LayerRun const& run) { known_.emplace_back(c, run); }

private:
  static bool within(int64_t used, Configuration const& c, Configuration const& larger,
                     Memory memory) {
    return used <= c.depth(memory) && c.depth(memory) <= larger.depth(memory);
  }
  std::vector<std::pair<Configuration, LayerRun>> known_;
};

Result<LayerRun> run_of(WorkLayer const& layer, Configuration const& configuration,
                        KnownRuns& known) {
  if (!layer.program) return std::unexpected(layer.program.error());
  if (LayerRun const* run = known.find(configuration)) return *run;
  TRY_ASSIGN(LayerMachine machine, LayerMachine::create(configuration));
  TRY_ASSIGN(LayerRun run, machine.run(*layer.program));
  known.add(configuration, run);
  return run;
}

/// Says how far all threads together are.
class Count {
public:
  Count(size_t total, Progress const& progress) : total_(int64_t(total)), progress_(progress) {}
  void one_more() {
    std::scoped_lock lock(mutex_);
    ++done_;
    if (progress_) progress_({"layers of designs", done_, total_});
  }

private:
  std::mutex mutex_;
  int64_t done_ = 0, total_;
  Progress const& progress_;
};

/// One layer on one family: what a thread takes at once.
struct Task {
  Family const* family;
  size_t layer;
};

void measure(Task const& task, Workload const& workload, std::vector<DesignCycles>& designs,
             RunReuse reuse, StopToken const& stop, Count& count) {
  KnownRuns known;
  for (size_t i : *task.family) {
    if (stop.stop_requested()) return;
    if (reuse == RunReuse::kNone) known = {};
    auto run = run_of(workload.layers[task.layer], designs[i].configuration, known);
    designs[i].layers[task.layer] =
        run ? LayerCycles{run->cycles, {}} : LayerCycles{0, run.error().message};
    count.one_more();
  }
}

std::vector<DesignCycles> measure_all(std::vector<Configuration> const& configurations,
                                      Workloads const& workloads, ExploreOptions const& options,
                                      StopToken const& stop, Progress const& progress) {
  size_t layers = workloads.begin()->second.layers.size();
  std::vector<DesignCycles> designs;
  for (Configuration const& c : configurations)
    designs.push_back(
        {.configuration = c, .sram = sram_bytes(c), .layers = std::vector<LayerCycles>(layers)});
  std::vector<Family> families = families_of(configurations);
  std::vector<Task> tasks;
  for (Family const& family : families)
    for (size_t layer = 0; layer < layers; ++layer) tasks.push_back({&family, layer});
  std::atomic<size_t> next = 0;
  Count count(designs.size() * layers, progress);
  auto work = [&] {
    for (size_t i = next++; i < tasks.size() && !stop.stop_requested(); i = next++) {
      Shape shape = shape_of(configurations[tasks[i].family->front()]);
      measure(tasks[i], workloads.at(shape), designs, options.reuse, stop, count);
    }
  };
  int threads = options.threads > 0 ? options.threads
                                    : int(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (int t = 1; t < threads && size_t(t) < tasks.size(); ++t) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  return designs;
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
  if (designs.empty()) return bad_input("nothing_fits", "there are no designs to compare");
  TRY_ASSIGN(Workloads workloads, make_workloads(designs, maker, stop, progress));
  Exploration all;
  for (WorkLayer const& layer : workloads.begin()->second.layers)
    all.layers.push_back({layer.name, layer.times});
  all.designs = measure_all(designs, workloads, options, stop, progress);
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
