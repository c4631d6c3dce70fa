// The kernel's steps on a machine that is not there: modelled while somebody looks.
#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/session/model_roofline.h"
#include "engine/session/state/query_keys.h"
#include "engine/session/views/schedule_views.h"
#include "engine/session/what_if.h"

namespace tw::session::query_what_if {
namespace {

struct StepToModel {
  int node = -1;
  std::string label;
  bool current = false;
  ir::Program program;
};

/// Both by one count of what the program's loops touch.
std::optional<HypotheticalPoint> point_of(StepToModel const& step, double flops, Backend const& now,
                                          Roofs const& rates_now, Backend const& then,
                                          Roofs const& rates_then) {
  ir::Program runs = split_load_time(step.program).at_run;
  analysis::Locality locality(runs, now.target().hardware.line_bytes());
  auto before = now.model_time(runs, locality, rates_now);
  auto after = then.model_time(runs, locality, rates_then);
  if (!before || !after || before->seconds <= 0 || after->seconds <= 0) return std::nullopt;
  HypotheticalPoint point{roofline_point(*before, flops), roofline_point(*after, flops),
                          before->bound, after->bound};
  for (RooflinePoint* one : {&point.now, &point.then}) {
    one->history_node = step.node;
    one->label = step.label;
    one->current = step.current;
  }
  return point;
}

/// Roofs are found by their names: the kernel's roofline has some of the machine's.
std::vector<RoofView> changed_roofs(std::vector<RoofView> roofs, MachineView const& changed) {
  for (RoofView& roof : roofs)
    for (RoofView const& other : changed.roofs)
      if (roof.name == other.name && roof.compute == other.compute) roof.value = other.value;
  return roofs;
}

/// Those that all cores reach together.
std::vector<RoofView> whole_roofs(MachineView const& machine) {
  std::vector<RoofView> roofs = machine.roofs;
  std::erase_if(
      roofs, [](RoofView const& roof) { return roof.name.find("one core") != std::string::npos; });
  return roofs;
}

/// Below the machine's own roofs, so that both are seen.
std::shared_ptr<ModelRoofline const> layers_on(HypotheticalMachine const& there,
                                               MachineView const& machine, Model const& model,
                                               StopToken stop) {
  auto layers = layer_points(*model, *there.backend, *there.view.rates, stop);
  auto view = std::make_shared<ModelRoofline>();
  view->below.roofs = whole_roofs(machine);
  view->below.explanation = layers ? explanation_of(*layers) : layers.error().message;
  if (layers) view->layers = *std::move(layers);
  return view;
}

struct AskedIf {
  WhatIf what;
  bool layers = false;
};

struct IfChanged {
  using Asked = AskedIf;
  struct Key {
    Model model;
    std::shared_ptr<MachineView const> machine;
    std::shared_ptr<Backend const> backend;
    AskedIf asked;
    int kernel = -1;
    uint64_t hash = 0;               ///< of all steps on the way to the current state
    std::vector<StepToModel> steps;  ///< those
    double flops = 0;                ///< of the kernel
    std::vector<RoofView> roofs;     ///< of the kernel's roofline
    bool operator==(Key const& other) const {
      return model == other.model && machine == other.machine && backend == other.backend &&
             asked.what == other.asked.what && asked.layers == other.asked.layers &&
             kernel == other.kernel && hash == other.hash;
    }
  };
  using View = HypotheticalView;
  static std::optional<Key> key(Seen const& seen, Asked const& asked);
  static View make(Key const& key, StopToken stop);
};

void add_steps(IfChanged::Key& key, State const& state) {
  History const& history = state.kernels.at(state.kernel).history;
  key.flops = double(state.model->kernel(state.kernel).flops);
  key.roofs = roofline_view(state)->roofs;
  for (int id = history.current(); id >= 0; id = history.node(id).parent)
    key.steps.push_back(
        {id, history.node(id).label, id == history.current(), history.node(id).schedule.program()});
  std::ranges::reverse(key.steps);
  for (StepToModel const& step : key.steps)
    key.hash = key.hash * 31 + ir::hash(step.program) + uint64_t(step.node);
}

std::optional<IfChanged::Key> IfChanged::key(Seen const& seen, Asked const& asked) {
  State const& state = seen.state;
  if (!state.model || !known_rates(seen) || asked.what.changes.empty()) return std::nullopt;
  Key key{state.model, state.machine, seen.backend, asked, state.kernel};
  if (state.has_kernel()) add_steps(key, state);
  return key;
}

HypotheticalView IfChanged::make(Key const& key, StopToken stop) {
  HypotheticalView view;
  view.of = key.asked.what;
  auto changed = machine_if(*key.machine, key.backend, key.asked.what);
  if (!changed) {
    view.failure = changed.error().message;
    return view;
  }
  view.roofs =
      key.asked.layers ? whole_roofs(changed->view) : changed_roofs(key.roofs, changed->view);
  for (StepToModel const& step : key.steps) {
    if (stop.stop_requested()) break;
    if (auto point = point_of(step, key.flops, *key.backend, *key.machine->rates, *changed->backend,
                              *changed->view.rates))
      view.trail.push_back(*std::move(point));
  }
  if (!view.trail.empty() && view.trail.back().now.current)
    view.words = words_of(view.trail.back());
  if (key.asked.layers) view.layers = layers_on(*changed, *key.machine, key.model, stop);
  return view;
}

}  // namespace

/// While a value is pulled at, the last one is the one that matters.
QueryRow const& row() {
  static QueryRow const row = query_row<IfChanged>(
      {.name = "what if", .title = "modelling another machine", .lane = QueryLane::kSimulation});
  return row;
}

}  // namespace tw::session::query_what_if

namespace tw::session {

std::shared_ptr<HypotheticalView const> hypothetical(Session& session, WhatIf const& what,
                                                     bool layers) {
  using namespace query_what_if;
  return answer_of<IfChanged>(session, row(), {what, layers});
}

}  // namespace tw::session
