/// Which schedule by rule a program gets.
#pragma once

#include <memory>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/shared/gpu/judge.h"

namespace tw::gpu {

/// The first rule that knows the program; else a thread for each element, in blocks of `threads`.
/// Where a rule leaves open which tiles, `judge` says.
Schedule schedule_by_rule(ir::Program const& program, std::shared_ptr<Target const> const& target,
                          int64_t threads, Decisions& decisions, Judge const& judge);

}  // namespace tw::gpu
