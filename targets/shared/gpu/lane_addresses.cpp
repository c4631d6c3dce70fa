// Where the lanes of one request are.
#include "targets/shared/gpu/warp_accesses.h"

#include <algorithm>
#include <array>

#include "engine/ir/expr_evaluator.h"
#include "targets/shared/gpu/access_index.h"

namespace tw::gpu {

using namespace ir;

std::vector<std::string> deciding_loops(WarpAccess const& access) {
  std::set<std::string> used = variables_of(access.index);
  for (Expr const& condition : access.conditions) used.merge(variables_of(condition));
  std::vector<std::string> names;
  for (LoopAround const& loop : access.around)
    if (loop.dimension < 0 && loop.extent > 1 && used.contains(loop.name))
      names.push_back(loop.name);
  return names;
}

std::optional<std::vector<int64_t>> lane_addresses(WarpAccess const& access,
                                                   LaunchShape const& shape, int warp,
                                                   RequestPlace const& place) {
  if (reads_tensor(access.index) || std::ranges::any_of(access.conditions, reads_tensor))
    return std::nullopt;
  ExprEvaluator evaluator;
  Compiled index = evaluator.compile(access.index);
  std::vector<Compiled> conditions;
  for (Expr const& one : access.conditions) conditions.push_back(evaluator.compile(one));
  for (LoopAround const& loop : access.around) {
    auto at = place.at.find(loop.name);
    evaluator.set(evaluator.slot(loop.name), at == place.at.end() ? 0 : at->second);
  }
  std::vector<int64_t> addresses;
  int64_t first = int64_t(place.warp) * warp, end = std::min(first + warp, shape.threads());
  for (int64_t t = first; t < end; ++t) {
    std::array<int64_t, 3> at{t % shape.block[0], t / shape.block[0] % shape.block[1],
                              t / shape.block[0] / shape.block[1]};
    for (LoopAround const& loop : access.around)
      if (loop.dimension >= 0) evaluator.set(evaluator.slot(loop.name), at[size_t(loop.dimension)]);
    bool stands_by = access.lanes > 0 && t - first >= access.lanes;
    bool takes_part = !stands_by && std::ranges::all_of(conditions, [&](Compiled const& one) {
      return evaluator.integer(one, 0) != 0;
    });
    addresses.push_back(takes_part ? evaluator.integer(index, 0) * access.bytes : -1);
    if (evaluator.failed()) return std::nullopt;
  }
  return addresses;
}

}  // namespace tw::gpu
