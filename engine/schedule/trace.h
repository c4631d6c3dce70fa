/// Steps as text and as JSON, and back: made from the primitives' declarations alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schedule/schedule.h"

namespace tw {

class MacroSet;

struct Script {
  std::string kernel;  ///< from the `for` line; may be empty
  int kernel_line = 0;
  std::vector<std::pair<int, Step>> steps;  ///< with 1-based line numbers
};

std::string to_text(Step const& step);
/// "tilewright schedule 1", "for KERNEL", one step a line, `#` comments. The version line may be
/// left out when `bare` (a single typed step). Where `macros` are given a step may be one of them.
Result<Script> parse_script(std::string_view text, std::string const& file = "", bool bare = false,
                            MacroSet const* macros = nullptr);
Result<Step> parse_step(std::string_view line, MacroSet const* macros = nullptr);
/// Steps with ";" between them, as repairs are written: at least one.
Result<std::vector<Step>> parse_steps(std::string_view line, MacroSet const* macros = nullptr);
std::string to_script(std::string const& kernel, std::vector<Step> const& steps);

nlohmann::ordered_json to_json(Step const& step);
Result<Step> step_from_json(nlohmann::ordered_json const& json);

/// Applies every step, by work and not by the clock, so that what was accepted once is accepted
/// again; the first refused one is the answer, with its line. A script for a kernel of
/// another name is refused (other_kernel), and so is a step that does not fit other shapes.
std::expected<Schedule, Refusal> replay(Schedule schedule, Script const& script,
                                        MacroSet const* macros = nullptr);

}  // namespace tw
