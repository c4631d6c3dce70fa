#include "targets/cpu/compiler/rules/padding.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"

namespace tw {
namespace {

using namespace ir;

/// `select(inside, X[...], a number)`; null: it makes something else.
Select const* padded_copy(RuleStage const& stage) {
  auto const* store = stage.node->body.as<Store>();
  auto const* choice = store && stage.reduce.empty() ? store->value.as<Select>() : nullptr;
  bool copies = choice && choice->a.as<Load>() &&
                (choice->b.as<FloatImm>() != nullptr || choice->b.as<IntImm>() != nullptr);
  return copies ? choice : nullptr;
}

int reads_of(RuleStage const& stage, std::string const& tensor) {
  int count = 0;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    count += read && read->buffer->name == tensor;
    return true;
  });
  return count;
}

/// Lanes lie along an axis that the padding's condition speaks of.
bool differs_by_lane(RuleStage const& stage, Tile const& tile) {
  Select const& choice = *padded_copy(*stage.padding);
  std::string const lanes = "v" + stage.spatial[tile.vector].name;
  bool differs = false;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name != stage.padding->block) return true;
    for (size_t d = 0; d < read->indices.size(); ++d)
      differs = differs || (uses_variable(choice.condition, stage.padding->node->iters[d].name()) &&
                            uses_variable(read->indices[d], lanes));
    return true;
  });
  return differs;
}

}  // namespace

RuleStage const* padding_of(RuleStage const& stage, std::vector<RuleStage> const& stages) {
  if (stage.reduce.empty()) return nullptr;
  for (RuleStage const& other : stages) {
    if (!padded_copy(other) || reads_of(stage, other.block) == 0) continue;
    auto readers = std::ranges::count_if(
        stages, [&](RuleStage const& reader) { return reads_of(reader, other.block) > 0; });
    return readers == 1 ? &other : nullptr;
  }
  return nullptr;
}

void skip_padding(Building& building, RuleStage const& stage, Tile const& tile) {
  if (!stage.padding || tile.lanes == 1 || differs_by_lane(stage, tile)) return;
  if (!building.choose(stage, "skip_padding", true)) return;
  // A largest value is a choice already; products with zero become one.
  if (building.step(fmt::format("compute_inline({})", stage.padding->block)))
    building.step(fmt::format("skip_padding({})", stage.block));
}

}  // namespace tw
