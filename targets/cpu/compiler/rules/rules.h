/// Schedules by rule: what a stage is for decides how its loops are shaped. No rule knows a shape.
#pragma once

#include <string>

#include "engine/ir/program.h"
#include "engine/support/base/error.h"
#include "engine/target/target.h"

namespace tw {

/// A script ("tilewright schedule 1 ...") for the whole program, stage by stage.
Result<std::string> cpu_default_script(ir::Program const& program, Target const& target);

}  // namespace tw
