/// The commands of `tw vta`: one file beside this folder is one of them, and defines it as
/// `TargetCommand const& vta_command_FILE()`.
#pragma once

#include "engine/session/target_command.h"

namespace tw::vta {

using session::CommandArguments;
using session::CommandOutcome;
using session::CommandParameter;
using session::ParameterKind;
using session::TargetCommand;
using Json = nlohmann::ordered_json;

/// Sorted by their files. Written by the build.
std::span<TargetCommand const* const> vta_commands();

}  // namespace tw::vta
