#include "targets/shared/gpu/active_share.h"

#include <algorithm>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/support/base/random.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr int64_t kDraws = 64, kMostPoints = 1 << 12;
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
      : conditions_(conditions), nest_(nest) {
    for (Expr const& one : conditions)
      if (!is_data(one)) compiled_.push_back(evaluator_.compile(one));
    for (size_t at : around) slots_.push_back({evaluator_.slot(nest.loops[at].name), at});
  }

  Share run(WarpChoice which) {
    if (compiled_.empty()) return {};
    bool each = which == WarpChoice::kEach && all_points() <= kMostPoints;
    int64_t draws = each ? all_points() : kDraws;
    for (int64_t draw = 0; draw < draws; ++draw)
      if (each)
        take(draw);
      else
        draw_one();
    if (evaluator_.failed()) return {};
    return {double(warps_) / double(draws), double(threads_) / double(all_)};
  }

private:
  int64_t warps_of_block() const { return (nest_.threads() + kWarp - 1) / kWarp; }
  bool is_asked(size_t loop) const {
    return nest_.loops[loop].kind != NestLoop::Kind::kThread &&
           std::ranges::any_of(conditions_, [&](Expr const& one) {
             return uses_variable(one, nest_.loops[loop].name);
           });
  }
  /// Warps in iterations of the loops that conditions know.
  int64_t all_points() const {
    int64_t points = warps_of_block();
    for (auto const& [slot, at] : slots_)
      if (is_asked(at) && points <= kMostPoints) points *= nest_.loops[at].extent;
    return points;
  }

  void take(int64_t point) {
    int64_t const warp = point % warps_of_block();
    point /= warps_of_block();
    for (auto const& [slot, at] : slots_) {
      int64_t extent = is_asked(at) ? nest_.loops[at].extent : 1;
      evaluator_.set(slot, point % extent);
      point /= extent;
    }
    count(warp);
  }
  void draw_one() {
    for (auto const& [slot, at] : slots_) evaluator_.set(slot, rng_.below(nest_.loops[at].extent));
    count(rng_.below(warps_of_block()));
  }
  void count(int64_t warp) {
    int64_t first = warp * kWarp, active = 0;
    int64_t last = std::min(first + kWarp, nest_.threads());
    for (int64_t t = first; t < last; ++t) active += passes(t);
    warps_ += active > 0;
    threads_ += active;
    all_ += last - first;
  }

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

  std::vector<Expr> const& conditions_;
  LaunchNest const& nest_;
  int64_t warps_ = 0, threads_ = 0, all_ = 0;
  ExprEvaluator evaluator_;
  std::vector<Compiled> compiled_;
  std::vector<std::pair<int, size_t>> slots_;
  Rng rng_{20261129};
};

}  // namespace

Share active_share(std::vector<Expr> const& conditions, LaunchNest const& nest,
                   std::vector<size_t> const& around, WarpChoice warps) {
  return conditions.empty() ? Share{} : Drawing(conditions, nest, around).run(warps);
}

}  // namespace tw::gpu
