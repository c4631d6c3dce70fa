#include "engine/measure/speed_probe.h"

#include <cstring>

namespace tw {
namespace {

constexpr int64_t kIterations = 8000;  // some 0.4 ms

}  // namespace

SpeedProbe::~SpeedProbe() {
  if (!prepared_) return;
  (void)device_.free(parameters_);
  (void)device_.free(library_);
}

Status SpeedProbe::prepare(CallOptions const& options) {
  if (prepared_) return {};
  TRY_ASSIGN(library_, device_.load(probes_.library, options));
  auto parameters = device_.allocate(int64_t(sizeof(RoofParameters)) + 64 * threads_, options);
  if (!parameters) {
    (void)device_.free(library_);
    return std::unexpected(parameters.error());
  }
  parameters_ = *parameters;
  prepared_ = true;
  RoofParameters content{.tasks = threads_, .iterations = kIterations};
  return device_.write(parameters_, 0, std::as_bytes(std::span(&content, 1)), options);
}

Result<double> SpeedProbe::speed(CallOptions const& options) {
  auto attempt = [&]() -> Result<Timing> {
    TRY(prepare(options));
    DeviceStep step{.library = library_,
                    .symbol = probes_.compute.front().probe.symbol,
                    .buffers = {{parameters_}, {parameters_}}};
    TimingOptions timing_options{.warm_up = 1, .repeats = 5, .most_seconds = 0.05};
    return device_.time(std::span(&step, 1), threads_, timing_options, options);
  };
  auto timing = attempt();
  if (!timing && timing.error().code == "device_restarted") {
    prepared_ = false;
    timing = attempt();
  }
  TRY_ASSIGN(Timing times, std::move(timing));
  double operations =
      probes_.compute.front().probe.flops_per_iteration * double(kIterations) * double(threads_);
  double reached = operations / std::max(times.total.median(), 1e-9) * 1e-9;
  know(reached);
  return reached;
}

}  // namespace tw
