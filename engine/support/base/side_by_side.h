/// Independent work on all processors.
#pragma once

#include <cstddef>
#include <functional>

#include "engine/support/base/job.h"

namespace tw {

/// Calls `work(i)` for each i below `count`, from this thread and from others, in any order, and
/// returns after the last one. Together all calls use one thread for each processor beside their
/// own, so that work may itself be done side by side. Nothing is begun after `stop`.
void side_by_side(size_t count, std::function<void(size_t)> const& work, StopToken stop = {});

}  // namespace tw
