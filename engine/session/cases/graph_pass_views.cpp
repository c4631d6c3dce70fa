#include "engine/session/cases/graph_pass_views.h"

#include "engine/session/model/loaded_model.h"

namespace tw::session {

std::vector<GraphPassView> graph_pass_views(LoadedModel const& model) {
  std::vector<GraphPassView> views;
  for (PassDone const& done : model.passes)
    views.push_back({done.name, done.title, done.operators, done.counts});
  return views;
}

}  // namespace tw::session
