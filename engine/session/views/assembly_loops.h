/// The text of assembly, read without its compiler: what its lines are, and where it loops.
#pragma once

#include <functional>
#include <string_view>

#include "engine/session/code_report.h"

namespace tw::session {

enum class AssemblyLine : uint8_t { kNothing, kInstruction, kLabel, kDirective };
AssemblyLine kind_of(std::string_view line);
/// Without its colon; empty: the line is no label.
std::string_view label_of(std::string_view line);
/// Where the instruction jumps to, if that is a label; empty: nowhere, or it calls.
std::string_view jump_of(std::string_view line);

/// Loops without loops inside. `runs_of`: how often a line's instruction runs in one run of the
/// kernel.
std::vector<AssemblyLoop> innermost_loops(CodeText const& assembly,
                                          std::function<double(CodeLine const&)> const& runs_of);

/// The one whose instructions run most, by the extents of the nest's loops.
std::optional<AssemblyLoop> hot_loop(CodeText const& assembly, NestView const& nest);

}  // namespace tw::session
