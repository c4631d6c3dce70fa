// What fusion said of an edge of the open model, and what the other way would cost: planned and
// modelled when somebody asks.
#include "engine/session/fusion.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/views/graph_views.h"

namespace tw::session {
namespace {

constexpr char kJob[] = "fusion";

}  // namespace

std::shared_ptr<FusionEdge const> SessionImpl::fusion_edge(int from, int to) {
  std::shared_ptr<Backend const> backend = this->backend();
  std::lock_guard lock(mutex_);
  if (!state_.model) return nullptr;
  AskedFusion asked{state_.model, from, to, state_.machine ? state_.machine->rates : nullptr, {}};
  if (looked_.fusion.is_of(asked)) return looked_.fusion.view;
  auto view = fusion_edge_of(*state_.model, from, to);
  asked.view = view;
  looked_.fusion = asked;
  memory_jobs_.cancel(kJob);
  if (!view || view->fixed) return view;
  if (!state_.beside.device.empty()) {
    view->costs = std::make_shared<FusionCosts const>(
        FusionCosts{{}, {}, "an accelerator has a say in this plan: its costs are not modelled"});
    return view;
  }
  memory_jobs_.start(kJob, "planning the other way",
                     [this, asked, backend](StopToken stop, Progress const&) mutable {
                       FusionCosts costs = fusion_costs(*asked.model, asked.view->other_way,
                                                        *backend, asked.rates.get(), stop);
                       if (stop.stop_requested()) return;
                       auto whole = std::make_shared<FusionEdge>(*asked.view);
                       whole->costs = std::make_shared<FusionCosts const>(std::move(costs));
                       {
                         std::lock_guard guard(mutex_);
                         if (!looked_.fusion.is_of(asked)) return;
                         looked_.fusion.view = whole;
                       }
                       notify();
                     });
  return view;
}

std::pair<int, int> SessionImpl::find_fusion_edge(std::string const& edge) {
  std::lock_guard lock(mutex_);
  if (!state_.model) return {-1, -1};
  return numbers_of_edge(state_.model->after, edge);
}

std::pair<int, int> find_fusion_edge(Session& session, FusionEdge const& edge) {
  return static_cast<SessionImpl&>(session).find_fusion_edge(edge.edge);
}
std::shared_ptr<FusionEdge const> fusion_edge(Session& session, int from, int to) {
  return static_cast<SessionImpl&>(session).fusion_edge(from, to);
}

}  // namespace tw::session
