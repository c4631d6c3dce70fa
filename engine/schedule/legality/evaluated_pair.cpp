#include "engine/schedule/legality/evaluated_pair.h"

#include <algorithm>

#include "engine/ir/expr_evaluator.h"

namespace tw {
namespace {

using namespace ir;

/// Whether guard and selects let the access happen; nothing where that depends on data.
std::optional<bool> happens(BlockSite const& site, Access const& access, Iteration const& at) {
  std::vector<Expr> conditions = access.conditions;
  if (site.block->predicate) conditions.push_back(site.block->predicate);
  bool by_data = false;
  for (Expr const& condition : conditions) {
    auto value = values_at({condition}, at);
    if (value && value->front() == 0) return false;
    by_data = by_data || !value;
  }
  return by_data ? std::nullopt : std::optional(true);
}

}  // namespace

std::optional<std::vector<int64_t>> values_at(std::vector<Expr> const& all, Iteration const& at) {
  ExprEvaluator evaluator;
  for (auto const& [name, value] : at.loops) evaluator.set(evaluator.slot(name), value);
  std::vector<int64_t> values;
  for (Expr const& e : all) values.push_back(evaluator.integer(evaluator.compile(e), 0));
  return evaluator.failed() ? std::nullopt : std::optional(values);
}

EvaluatedPair evaluated_pair(BlockSite const& a, Access const& x, Iteration const& first,
                             BlockSite const& b, Access const& y, Iteration const& second) {
  auto x_happens = happens(a, x, first), y_happens = happens(b, y, second);
  if (x_happens == false || y_happens == false) return {};
  auto of_x = values_at(x.indices, first), of_y = values_at(y.indices, second);
  if (of_x && of_y && *of_x != *of_y) return {};
  EvaluatedPair pair{Meeting::kMeet, of_x ? *of_x : of_y.value_or(std::vector<int64_t>())};
  if (!x_happens || !y_happens || !of_x || !of_y) pair.meeting = Meeting::kByData;
  return pair;
}

}  // namespace tw
