/// What can be said of the launches of the current step, in single values.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/session/facts/facts.h"
#include "engine/session/launches.h"

namespace tw::session {

std::span<FactInfo const> launch_facts();
bool is_launch_fact(std::string_view name);
/// Whether it needs registers, which take longer.
bool is_assembled_fact(std::string_view name);
/// 0 where there are no launches. Nothing: registers are not counted.
std::optional<FactValue> launch_fact(std::string_view name, LaunchesView const& view);

}  // namespace tw::session
