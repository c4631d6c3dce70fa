// Edges of the graph by what choices call them.
#include "engine/session/fusion.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/state/session_impl.h"
#include "engine/session/views/graph_views.h"

namespace tw::session {

std::pair<int, int> SessionImpl::find_fusion_edge(std::string const& edge) {
  std::lock_guard lock(mutex_);
  if (!state_.model) return {-1, -1};
  return numbers_of_edge(state_.model->after, edge);
}

std::pair<int, int> find_fusion_edge(Session& session, FusionEdge const& edge) {
  return static_cast<SessionImpl&>(session).find_fusion_edge(edge.edge);
}

}  // namespace tw::session
