/// How many methods the classes of a source have.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tw::testing {

struct ClassSize {
  std::string where;  ///< "widgets/graph/graph_view.h: GraphView"
  std::set<std::string> methods;
};

/// Of one file, inner classes before those around them. It reads what stands in the class: methods
/// with one name are one, and those of a base are not among them.
std::vector<ClassSize> class_sizes(std::string const& where, std::string const& text);

}  // namespace tw::testing
