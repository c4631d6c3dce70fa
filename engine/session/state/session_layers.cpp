// The kernels of the model below the roofs: asked for by who shows them.
#include "engine/session/layers.h"
#include "engine/session/state/session_impl.h"

namespace tw::session {
namespace {

constexpr char kJob[] = "layers";

LayersView layers_view(MachineView const& machine, Result<std::vector<LayerPoint>> layers) {
  LayersView view;
  view.below.doubtful = machine.roofs_doubtful;
  for (RoofView const& roof : machine.roofs)
    if (roof.name.find("one core") == std::string::npos) view.below.roofs.push_back(roof);
  view.below.explanation = layers ? explanation_of(*layers) : layers.error().message;
  if (layers) view.layers = *std::move(layers);
  return view;
}

}  // namespace

std::shared_ptr<LayersView const> SessionImpl::layers_roofline() {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  std::shared_ptr<MachineView const> machine = state_.machine;
  if (!state_.model || !machine || !machine->rates) return nullptr;
  if (layers_.model == state_.model && layers_.rates == machine->rates) return layers_.view;
  simulate_jobs_.cancel(kJob);
  layers_ = {state_.model, machine->rates, nullptr};
  simulate_jobs_.start(
      kJob, "modelling every kernel",
      [this, model = state_.model, machine, backend](StopToken stop, Progress const&) {
        auto layers = layer_points(*model, *backend, *machine->rates, stop);
        {
          std::lock_guard guard(mutex_);
          if (layers_.model != model || layers_.rates != machine->rates) return;
          if (stop.stop_requested())
            layers_ = {};
          else
            layers_.view =
                std::make_shared<LayersView const>(layers_view(*machine, std::move(layers)));
        }
        notify();
      });
  return nullptr;
}

}  // namespace tw::session
