/// What a schedule takes of a machine's memories.
#pragma once

#include <vector>

#include "engine/ir/program.h"
#include "engine/session/preview.h"
#include "engine/session/values.h"
#include "engine/target/target.h"

namespace tw::session {

/// The memories besides main memory that tensors of the program live in.
std::vector<MemoryCard> memory_cards(ir::Program const& program, Target const& target);

/// Those with a capacity, as a person reads them while a step is only pointed at.
std::vector<MemoryForecast> memory_forecast(ir::Program const& program, Target const& target);

}  // namespace tw::session
