/// What a kernel computes from parameters alone is computed once, when the model is loaded.
#pragma once

#include <optional>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

struct LoadTimeSplit {
  std::optional<ir::Program> at_load;  ///< fills `made` from the kernel's inputs; often absent
  ir::Program at_run;                  ///< takes `made` after the kernel's own inputs
  std::vector<ir::Buffer> made;
};

/// Nests at the top of a program that read nothing but parameters (inputs of scope
/// `ir::kParameterScope`) and what such nests made, and write no output, go to `at_load`, if what
/// they make for the rest lies in main memory: other memories keep nothing from call to call.
LoadTimeSplit split_load_time(ir::Program const& program);

}  // namespace tw
