/// What a kernel should take when it runs, without what is computed when the model is loaded.
#pragma once

#include <memory>
#include <optional>

#include "engine/backend/backend.h"

namespace tw {

/// Nothing where the target has no model of it. `memo`: of `known_nests`; null: none.
std::optional<analysis::TimeModel> modelled_time(ir::Program const& program, Backend const& backend,
                                                 Roofs const& roofs,
                                                 analysis::LocalityMemo* memo = nullptr);
/// For programs that one step makes of this one.
std::shared_ptr<analysis::LocalityMemo> known_nests(ir::Program const& program);

}  // namespace tw
