// The kernel's steps on a machine that is not there: modelled while somebody looks.
#include <algorithm>

#include "engine/compile/load_time.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/views/schedule_views.h"
#include "engine/session/what_if.h"

namespace tw::session {
namespace {

constexpr char kJob[] = "what if";

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
std::shared_ptr<LayersView const> layers_on(HypotheticalMachine const& there,
                                            MachineView const& machine, Model const& model,
                                            StopToken stop) {
  auto layers = layer_points(*model, *there.backend, *there.view.rates, stop);
  auto view = std::make_shared<LayersView>();
  view->below.roofs = whole_roofs(machine);
  view->below.explanation = layers ? explanation_of(*layers) : layers.error().message;
  if (layers) view->layers = *std::move(layers);
  return view;
}

}  // namespace

std::shared_ptr<HypotheticalView const> SessionImpl::what_if(WhatIf const& what, bool layers) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  std::shared_ptr<MachineView const> machine = state_.machine;
  if (!state_.model || !machine || !machine->rates || what.changes.empty()) return nullptr;
  std::vector<StepToModel> steps;
  double flops = 0;
  std::vector<RoofView> roofs;
  if (state_.has_kernel()) {
    History const& history = state_.now().history;
    flops = double(state_.model->kernel(state_.kernel).flops);
    roofs = roofline_view(state_)->roofs;
    for (int id = history.current(); id >= 0; id = history.node(id).parent)
      steps.push_back({id, history.node(id).label, id == history.current(),
                       history.node(id).schedule.program()});
    std::ranges::reverse(steps);
  }
  uint64_t hash = 0;
  for (StepToModel const& step : steps)
    hash = hash * 31 + ir::hash(step.program) + uint64_t(step.node);
  AskedWhatIf asked{state_.model, machine, backend, what, layers, state_.kernel, hash, nullptr};
  if (what_if_.is_of(asked)) return what_if_.view;
  what_if_ = asked;
  // While a value is pulled at, the last one is the one that matters.
  simulate_jobs_.cancel(kJob);
  simulate_jobs_.start(kJob, "modelling another machine",
                       [=, this, steps = std::move(steps)](StopToken stop, Progress const&) {
                         auto view = std::make_shared<HypotheticalView>();
                         view->of = what;
                         auto changed = machine_if(*machine, backend, what);
                         if (!changed) {
                           view->failure = changed.error().message;
                         } else {
                           view->roofs = layers ? whole_roofs(changed->view)
                                                : changed_roofs(roofs, changed->view);
                           for (StepToModel const& step : steps) {
                             if (stop.stop_requested()) break;
                             if (auto point = point_of(step, flops, *backend, *machine->rates,
                                                       *changed->backend, *changed->view.rates))
                               view->trail.push_back(*std::move(point));
                           }
                           if (!view->trail.empty() && view->trail.back().now.current)
                             view->words = words_of(view->trail.back());
                           if (layers)
                             view->layers = layers_on(*changed, *machine, asked.model, stop);
                         }
                         {
                           std::lock_guard guard(mutex_);
                           if (!what_if_.is_of(asked)) return;
                           if (stop.stop_requested())
                             what_if_ = {};  // who still wants it asks again
                           else
                             what_if_.view = view;
                         }
                         notify();
                       });
  return nullptr;
}

std::shared_ptr<HypotheticalView const> hypothetical(Session& session, WhatIf const& what,
                                                     bool layers) {
  return static_cast<SessionImpl&>(session).what_if(what, layers);
}

}  // namespace tw::session
