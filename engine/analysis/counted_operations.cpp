#include "engine/analysis/counted_operations.h"

namespace tw::analysis {

std::string counted_type(Roofs const& roofs) {
  bool floats = roofs.compute.empty() || roofs.best("f32") != Rate();
  return floats ? "f32" : roofs.compute.front().type;
}

std::string arithmetic_unit(std::string_view type) {
  return type.starts_with('f') || type.starts_with("bf") ? "GFLOP/s" : "GOP/s";
}

}  // namespace tw::analysis
