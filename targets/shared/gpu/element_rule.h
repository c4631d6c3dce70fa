/// The schedule by rule of what is computed element by element.
#pragma once

#include <memory>
#include <optional>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"

namespace tw::gpu {

/// Of a program without sums: stages whose elements are used where they are made are one; each of
/// the others is one loop over all elements, of which a thread makes neighbours, side by side in
/// memory, so that one access is wide. How many neighbours and threads is asked of `decisions`.
/// Nothing: it sums up something.
std::optional<Schedule> element_schedule(ir::Program const& program,
                                         std::shared_ptr<Target const> target,
                                         Decisions& decisions);

}  // namespace tw::gpu
