/// How many cycles designs take for the same layers, and which of them nothing beats.
#pragma once

#include <functional>

#include "engine/ir/program.h"
#include "engine/support/base/job.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// Something to run: its plain program in the elements of one shape, or why there is none.
struct WorkLayer {
  std::string name;
  int times = 1;
  Result<ir::Program> program;
};
struct Workload {
  int64_t images = 1;  ///< that all layers together take
  std::vector<WorkLayer> layers;
};
/// Makes it for the configuration's block and batch; all have the same layers in the same order.
using WorkloadMaker = std::function<Result<Workload>(Configuration const&)>;

/// The layers of `resnet18_layers`, as many images as lie in a block.
Result<Workload> resnet18_workload(Configuration const& configuration);

struct LayerCycles {
  double cycles = 0;   ///< of one call, 0: it does not fit
  std::string reason;  ///< why it does not fit; empty: it does
};
struct DesignCycles {
  Configuration configuration;
  int64_t sram = 0;                 ///< bytes
  std::vector<LayerCycles> layers;  ///< as in `Exploration::layers`
  bool complete = false;            ///< every layer fits
  double cycles = 0;                ///< of all layers as often as they are there, for one image
  bool front = false;  ///< complete, and no other design has fewer cycles with as few bytes
};
struct Exploration {
  struct Layer {
    std::string name;
    int times = 1;
  };
  std::vector<Layer> layers;
  std::vector<DesignCycles> designs;  ///< complete ones by cycles, then the others
  std::vector<LayerCycles> unfit;     ///< of layers that fit no design: `reason` with the name
};

enum class RunReuse : uint8_t {
  kLarger,  ///< a run of a larger design counts where a smaller one has room for all that it used
  kNone,    ///< every design is looked at by itself: the same result, to see that it is
};
struct ExploreOptions {
  int threads = 0;  ///< 0: one for each core
  RunReuse reuse = RunReuse::kLarger;
};
/// By rule schedules on the timing model. A layer that no design can run is left out. Errors:
/// nothing_fits, cancelled, those of `maker`.
Result<Exploration> explore(std::vector<Configuration> const& designs, WorkloadMaker const& maker,
                            ExploreOptions const& options, StopToken stop,
                            Progress const& progress);

}  // namespace tw::vta
