/// A refusal in words and as JSON, the same for the window and the command line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/schedule/schedule.h"

namespace tw {

/// The refusal with the repairs that the engine has tried: see `repairs_for`.
/// Costs one check per loop, so it is asked for when somebody looks.
Refusal with_repairs(Schedule const& schedule, Step const& step, Refusal refusal);

/// "line 6: parallel(Y.c) refused: reduction_carried", the message and what would be legal instead,
/// each on a line of its own.
std::string to_text(Step const& step, Refusal const& refusal);
/// {"code","message","condition","culprits","counterexample"?,"repairs"?,"undecided"?}
nlohmann::ordered_json to_json(Refusal const& refusal);

/// Help page of a primitive, made from its declaration.
std::string help_text(Primitive const& primitive);

}  // namespace tw
