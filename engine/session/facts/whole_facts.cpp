#include "engine/session/facts/whole_facts.h"

#include <algorithm>
#include <span>

#include "engine/session/facts/code_facts.h"
#include "engine/session/facts/facts.h"

namespace tw::session {
namespace {

/// Without a unit, and no count: what is modelled or one of measured values over another.
constexpr std::string_view kRatios[] = {
    "kernel.of_roof",       "kernel.of_peak",   "kernel.gain",          "kernel.over_default",
    "kernel.modelled_gain", "kernel.intensity", "assembly.loop_cycles", "launch.sectors",
    "launch.passes",        "launch.moved"};

}  // namespace

bool is_whole(std::string_view fact) {
  if (std::ranges::find(kRatios, fact) != std::ranges::end(kRatios)) return false;
  for (Fact const& one : facts())
    if (one.info.name == fact) return one.info.unit.empty();
  return is_code_fact(fact);
}

}  // namespace tw::session
