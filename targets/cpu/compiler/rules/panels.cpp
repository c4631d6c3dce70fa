#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/rewrite.h"
#include "engine/schedule/rewriting/buffers.h"
#include "targets/cpu/compiler/rules/rules.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kPage = 4096;     // bytes
constexpr int64_t kLeastRows = 32;  // that pay for a copy
constexpr int64_t kLeastRowsAcross = 16;

/// Rows of the product that read the same matrix.
int64_t rows_of(Load const& read, RuleStage const& stage) {
  int64_t rows = 1;
  for (RuleAxis const& axis : stage.spatial)
    if (std::ranges::none_of(
            read.indices, [&](Expr const& index) { return uses_variable(index, "v" + axis.name); }))
      rows *= axis.extent;
  return rows;
}

/// [.., j, k] where every operand goes along the sum and none along the lanes: in the layout of the
/// copy these two dimensions change places. Empty: it is not so.
std::string layout_across(Load const& read, RuleStage const& stage, Target const& target) {
  size_t rank = read.indices.size();
  if (rank < 2 || rank > 26 || stage.reduce.size() != 1 || stage.spatial.empty()) return {};
  RuleAxis const &lanes = stage.spatial.back(), &sum = stage.reduce.front();
  int64_t width = target.lanes(read.type);
  bool long_enough = lanes.extent > 2 * width && sum.extent >= 2 * width;
  if (!long_enough || !is_iterator(read.indices[rank - 2], lanes)) return {};
  bool along = true;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* other = e.as<Load>();
    if (other && other->buffer->name != stage.block)
      along = along && !other->indices.empty() && is_iterator(other->indices.back(), sum);
    return true;
  });
  if (!along) return {};
  std::string layout;
  for (size_t d = 0; d < rank; ++d) layout += char('A' + d);
  std::swap(layout[rank - 2], layout[rank - 1]);
  return layout;
}

/// The copy's innermost loop goes along what is read, but not along what is written.
bool goes_across(RuleStage const& copy, std::string const& loop) {
  auto const* store = copy.node->body.as<Store>();
  return store && !store->indices.empty() && !uses_variable(store->indices.back(), "v" + loop);
}

}  // namespace

namespace {

/// What a product of many rows reads so that it had better be copied; `tensor` empty: nothing.
struct FarMatrix {
  std::string tensor;
  std::string layout;  ///< ", layout=BA" of the copy, or as it is
};

FarMatrix far_matrix(RuleStage const& stage, Target const& target) {
  FarMatrix found;
  std::map<std::string, int> reads;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name == stage.block) return true;
    ++reads[read->buffer->name];
    int64_t rows = rows_of(*read, stage);
    if (std::string across = layout_across(*read, stage, target);
        !across.empty() && rows >= kLeastRowsAcross)
      found = {read->buffer->name, ", layout=" + across};
    else if (rows >= kLeastRows && has_far_rows(*read, stage, target))
      found.tensor = read->buffer->name;
    return true;
  });
  // A panel of what is read at two places would be the whole matrix.
  return found.tensor.empty() || reads[found.tensor] > 1 ? FarMatrix() : found;
}

}  // namespace

bool has_far_rows(ir::Load const& read, RuleStage const& stage, Target const& target) {
  auto shape = constant_shape(*read.buffer);
  if (!shape || shape->size() < 2 || stage.reduce.size() != 1 || stage.spatial.empty())
    return false;
  size_t rank = shape->size();
  if (!is_iterator(read.indices[rank - 2], stage.reduce.front()) ||
      !is_iterator(read.indices[rank - 1], stage.spatial.back()))
    return false;
  int64_t row = (*shape)[rank - 1] * size_of(read.type);
  MemoryLevel const* second = target.hardware.memory("L2");
  int64_t near = (second ? second->bytes : 1 << 20) / 2;
  bool several = (*shape)[rank - 1] > 4 * target.lanes(read.type);
  return several && (row >= kPage || (*shape)[rank - 2] * row > near);
}

bool wants_panels(RuleStage const& stage, Target const& target) {
  return !far_matrix(stage, target).tensor.empty();
}

std::string copy_in_panels(Building& building, RuleStage const& stage, Target const& target) {
  FarMatrix const matrix = far_matrix(stage, target);
  if (matrix.tensor.empty()) return {};
  std::string copy = free_tensor_name(building.schedule().program(), matrix.tensor + "_cache");
  bool made = building.step(
      fmt::format("cache_read({}, tensor={}{})", stage.block, matrix.tensor, matrix.layout));
  return made ? copy : "";
}

bool place_panel_copy(Building& building, RuleStage const& stage, RuleStage const& copy,
                      int64_t width) {
  std::string loop = stage.spatial.back().name + ".0";
  if (!building.step(fmt::format("compute_at({}, {})", copy.block, reference(stage, loop))))
    return false;
  std::vector<RuleAxis> loops = building.loops_below(copy.block, loop);
  if (loops.empty()) return true;
  RuleAxis last = loops.back();
  bool across = goes_across(copy, last.name);
  auto [rest, lanes] = building.split(copy, last, across ? width : lanes_for(last.extent, width));
  if (!across) building.step(fmt::format("vectorize({})", reference(copy, lanes)));
  // Across: lines are read whole, and written to a few rows that stay in the nearest cache.
  if (across && !rest.empty() && loops.size() > 1)
    building.step(fmt::format("reorder({}, {}, {})", reference(copy, rest),
                              reference(copy, loops[loops.size() - 2].name),
                              reference(copy, lanes)));
  if (across || !rest.empty())
    building.step(fmt::format("unroll({})", reference(copy, across ? lanes : rest)));
  return true;
}

}  // namespace tw
