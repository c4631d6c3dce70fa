#include "engine/session/model/graph_options.h"

namespace tw::session {

std::pair<std::string, std::string> graph_option_called(std::string const& name,
                                                        std::string const& value) {
  if (name == "blocks") return {"channel_block", value};
  if (name.ends_with(".algorithm") && value == "product") return {name, "im2col"};
  if (name.ends_with(".fusion") && value == "together") return {name, "fused"};
  if (name.ends_with(".fusion") && value == "apart") return {name, "separate"};
  return {name, value};
}

Point graph_options_called(Point const& options) {
  Point called;
  for (auto const& [name, value] : options) called.insert(graph_option_called(name, value));
  return called;
}

}  // namespace tw::session
