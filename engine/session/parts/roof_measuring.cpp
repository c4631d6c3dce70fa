#include "engine/session/parts/roof_measuring.h"

#include "engine/measure/roofs.h"
#include "engine/session/model_roofline.h"
#include "engine/session/parts/parts.h"
#include "engine/session/use_cases.h"

namespace tw::session {
namespace {

constexpr int kMostDoubts = 2;  // in one session: then the roofs are what they are

}  // namespace

void RoofMeasuring::start(bool again) {
  parts_.queues.main.start(
      "roofs", "measuring this machine",
      [this, again](StopToken stop, Progress const& progress) { measure(again, stop, progress); });
}

void RoofMeasuring::measure(bool again, StopToken stop, Progress const& progress) {
  bool measures = parts_.options.measure;
  MeasureRunner& runner = parts_.measuring.runner();
  auto look = [&](bool measure) {
    return machine_view(*parts_.cell.read()->backend, runner.device(), parts_.options.cache_folder,
                        measure, again, stop, progress, runner.title());
  };
  auto plain = look(false);
  auto view = measures ? look(true) : plain;
  if (!view && !stop.stop_requested()) parts_.set_error(view.error(), "roofs");
  if (view && measures) parts_.cell.commit([](State& now) { mend(now, "roofs"); });
  // A new measurement that was stopped leaves what there is.
  StateCell::Pointer state = parts_.cell.read();
  bool known = state->machine && state->machine->rates;
  if (view || !known) take(view ? *view : *plain);
  if (view && view->roofs_doubtful) parts_.quiet.wait();
  parts_.showing.publish();
  parts_.modelling.start();
}

void RoofMeasuring::take(MachineView view) {
  MeasureRunner& runner = parts_.measuring.runner();
  view.threads = runner.threads();
  if (view.rates)
    runner.know_peak(view.threads > 1 ? view.rates->best("f32").all_cores
                                      : view.rates->best("f32").one_core);
  auto machine = std::make_shared<MachineView const>(std::move(view));
  parts_.cell.commit([&](State& now) {
    now.machine = machine;
    for (auto& [row, work] : now.kernels) work.models.clear();
  });
}

bool RoofMeasuring::doubt(int kernel, int node) {
  if (times_doubted_ == kMostDoubts) return false;
  return parts_.cell.commit([&](State& now) {
    if (!now.machine || now.machine->roofs_doubtful || has_computed_roofs(*now.machine))
      return false;
    auto work = now.kernels.find(kernel);
    if (work == now.kernels.end() || !work->second.history.has(node)) return false;
    auto const& measured = work->second.history.node(node).on(now.here).measured;
    auto roof = roof_view(work->second.needs, *now.machine, now.machine->threads);
    if (!measured || !roof || fraction_of(*roof, measured->min_ms)) return false;
    ++times_doubted_;
    doubt_roofs(parts_.options.cache_folder, *now.machine->hardware);
    MachineView doubted = *now.machine;
    doubted.roofs_doubtful = true;
    now.machine = std::make_shared<MachineView const>(std::move(doubted));
    return true;
  });
}

}  // namespace tw::session
