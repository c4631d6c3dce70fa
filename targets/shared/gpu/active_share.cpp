#include "targets/shared/gpu/active_share.h"

#include <algorithm>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/support/base/random.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kDraws = 64;
constexpr int64_t kWarp = 32;

bool is_data(Expr const& e) {
  bool reads = false;
  walk(e, [&](Expr const& one) { return reads = reads || one.as<Load>(), !reads; });
  return reads;
}

/// Conditions of one nest, and the loops' places among the variables.
class Drawing {
public:
  Drawing(std::vector<Expr> const& conditions, LaunchNest const& nest,
          std::vector<size_t> const& around)
      : nest_(nest) {
    for (Expr const& one : conditions)
      if (!is_data(one)) compiled_.push_back(evaluator_.compile(one));
    for (size_t at : around) slots_.push_back({evaluator_.slot(nest.loops[at].name), at});
  }

  Share run(Warps which) {
    if (compiled_.empty()) return {};
    int64_t warps = 0, threads = 0, all = 0;
    int64_t of_block = nest_.threads(), count = (of_block + kWarp - 1) / kWarp;
    int64_t draws = which == Warps::kEach ? (kDraws + count - 1) / count * count : kDraws;
    for (int64_t draw = 0; draw < draws; ++draw) {
      for (auto const& [slot, at] : slots_)
        evaluator_.set(slot, rng_.below(nest_.loops[at].extent));
      int64_t warp = which == Warps::kEach ? draw % count : rng_.below(count);
      int64_t first = warp * kWarp, active = 0;
      int64_t last = std::min(first + kWarp, of_block);
      for (int64_t t = first; t < last; ++t) active += passes(t);
      warps += active > 0;
      threads += active;
      all += last - first;
    }
    if (evaluator_.failed()) return {};
    return {double(warps) / double(draws), double(threads) / double(all)};
  }

private:
  bool passes(int64_t thread) {
    auto const& block = nest_.block;
    int64_t const at[] = {thread % block[0], thread / block[0] % block[1],
                          thread / block[0] / block[1]};
    for (auto const& [slot, loop] : slots_)
      if (nest_.loops[loop].kind == NestLoop::Kind::kThread)
        evaluator_.set(slot, at[nest_.loops[loop].dimension]);
    return std::ranges::all_of(compiled_,
                               [&](Compiled one) { return evaluator_.integer(one, 0) != 0; });
  }

  LaunchNest const& nest_;
  ExprEvaluator evaluator_;
  std::vector<Compiled> compiled_;
  std::vector<std::pair<int, size_t>> slots_;
  Rng rng_{20261129};
};

}  // namespace

Share active_share(std::vector<Expr> const& conditions, LaunchNest const& nest,
                   std::vector<size_t> const& around, Warps warps) {
  return conditions.empty() ? Share{} : Drawing(conditions, nest, around).run(warps);
}

}  // namespace tw::gpu
