// Every kernel of the model below the roofs of the device in use, modelled.
#include "engine/session/model_roofline.h"

#include <algorithm>

#include "engine/hardware/hardware.h"
#include "engine/session/state/query_keys.h"

namespace tw::session::query_model_roofline {
namespace {

/// Of a unit that kernels use by an instruction: no roof of all of them.
bool is_of_matrices(MachineView const& machine, RoofView const& roof) {
  return roof.compute && machine.rates &&
         std::ranges::any_of(machine.rates->compute, [&](ComputeRoof const& one) {
           return one.name == roof.name && one.unit == "matrix";
         });
}

ModelRoofline layers_view(MachineView const& machine, Result<std::vector<LayerPoint>> layers) {
  ModelRoofline view;
  view.below.doubtful = machine.roofs_doubtful;
  for (RoofView const& roof : machine.roofs)
    if (roof.name.find("one core") == std::string::npos && !is_of_matrices(machine, roof))
      view.below.roofs.push_back(roof);
  view.below.explanation = layers ? explanation_of(*layers) : layers.error().message;
  if (layers) view.layers = *std::move(layers);
  return view;
}

struct Layers {
  using Asked = AskedNothing;
  struct Key {
    Model model;
    std::shared_ptr<MachineView const> machine;
    std::shared_ptr<Backend const> backend;
    bool operator==(Key const& other) const {
      return model == other.model && machine->rates == other.machine->rates;
    }
  };
  using View = ModelRoofline;
  static std::optional<Key> key(Seen const& seen, Asked const&) {
    if (!seen.state.model || !known_rates(seen)) return std::nullopt;
    return Key{seen.state.model, seen.state.machine, seen.backend};
  }
  static View make(Key const& key, StopToken stop) {
    return layers_view(*key.machine,
                       layer_points(*key.model, *key.backend, *key.machine->rates, stop));
  }
};

}  // namespace

QueryRow const& row() {
  static QueryRow const row = query_row<Layers>(
      {.name = "layers", .title = "modelling every kernel", .lane = QueryLane::kSimulation});
  return row;
}

}  // namespace tw::session::query_model_roofline

namespace tw::session {

std::shared_ptr<ModelRoofline const> Session::layers_roofline() {
  using namespace query_model_roofline;
  return answer_of<Layers>(*this, row(), {});
}

}  // namespace tw::session
