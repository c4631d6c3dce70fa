#include "targets/shared/gpu/steps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"

namespace tw::gpu {

bool Steps::take(std::string const& line) {
  auto step = parse_step(line);
  if (!step) return false;
  auto next = schedule_.apply(*step, budget_);
  if (!next) return false;
  schedule_ = std::move(*next);
  return true;
}

bool Steps::take_all(std::vector<std::string> const& lines) {
  return std::ranges::all_of(lines, [&](std::string const& line) { return take(line); });
}

std::vector<std::string> Steps::loops_below(std::string const& block,
                                            std::string const& loop) const {
  std::vector<std::string> names;
  auto site = find_block(schedule_.program(), block);
  if (!site) return names;
  auto at =
      std::ranges::find_if(site->loops, [&](ir::For const* one) { return one->name() == loop; });
  if (at != site->loops.end()) ++at;
  for (; at != site->loops.end(); ++at)
    names.push_back(reference_of(schedule_.program(), (*at)->id));
  return names;
}

std::string Steps::fuse_all(std::string const& block, std::vector<std::string> const& loops,
                            std::string const& name) {
  if (loops.empty()) return {};
  if (loops.size() == 1) return loops.front();
  if (!take(fmt::format("{} = fuse({})", name, fmt::join(loops, ", ")))) return {};
  return block + "." + name;
}

}  // namespace tw::gpu
