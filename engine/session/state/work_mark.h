/// Two states of equal marks hold the same work.
#pragma once

#include <cstdint>

#include "engine/history/history.h"

namespace tw::session {

struct State;

/// 0: no model is open. Of this run of the program only.
uint64_t work_mark(State const& state);
/// Never 0.
uint64_t work_mark(History const& history);

}  // namespace tw::session
