/// What the graph passes did to a model, for showing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/session/use_cases.h"

namespace tw::session {

struct GraphPassView {
  std::string name;
  std::string title;                      ///< what the pass does, a sentence
  int64_t operators = 0;                  ///< in the graph after it
  std::map<std::string, int64_t> counts;  ///< "transposes removed": 4
};
/// In their order; none for a tensor expression.
std::vector<GraphPassView> graph_pass_views(LoadedModel const& model);

}  // namespace tw::session
