/// Which accelerators of a package have a simulator.
#pragma once

#include <algorithm>

#include "engine/backend/target_table.h"
#include "engine/runtime/package/description.h"

namespace tw {

/// Whether one can take the accelerator's place.
inline bool has_simulator(package::Site const& site) {
  return std::ranges::any_of(target_table(), [&](TargetEntry const* one) {
    return one->name == site.target.name && one->simulated;
  });
}

}  // namespace tw
