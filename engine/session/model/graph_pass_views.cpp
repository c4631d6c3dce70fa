#include "engine/session/model/graph_pass_views.h"

#include "engine/session/model/loaded_model.h"

namespace tw::session {

std::vector<GraphPassView> graph_pass_views(LoadedModel const& model) {
  std::vector<GraphPassView> views;
  for (PassDone const& done : model.passes) {
    GraphPassView view{done.name, "", done.operators, done.counts};
    for (GraphPassRow const& row : graph_pass_table())
      if (row.file == done.name) view.title = row.make().title;
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace tw::session
