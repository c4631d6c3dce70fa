#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "targets/cpu/compiler/rules/rules.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kWorthThreads = 65536;  // iterations
constexpr int64_t kLeastRow = 1024;       // bytes read in a row before the next one
constexpr int64_t kRows = 8;              // added into a sum that is in registers, by rule

/// A matrix that is read by rows.
struct Matrix {
  int64_t element_bytes = 4;
  std::vector<RuleAxis> vectors;  ///< axes along which the same matrix is read again
  int64_t count() const {
    int64_t product = 1;
    for (RuleAxis const& axis : vectors) product *= axis.extent;
    return product;
  }
};

/// Row after row is read at [..., k, j], j along the lanes.
std::optional<Matrix> matrix_of(Load const& read, RuleStage const& stage) {
  size_t rank = read.indices.size();
  if (rank < 2 || !is_iterator(read.indices[rank - 1], stage.spatial.back()) ||
      !is_iterator(read.indices[rank - 2], stage.reduce.front()))
    return std::nullopt;
  Matrix matrix{int64_t(size_of(read.type)), {}};
  for (RuleAxis const& axis : stage.spatial)
    if (axis.extent > 1 && std::ranges::none_of(read.indices, [&](Expr const& index) {
          return uses_variable(index, "v" + axis.name);
        }))
      matrix.vectors.push_back(axis);
  return matrix;
}

/// Read once it is worth it from long rows on; again for each of a few vectors when it does not
/// stay in the second cache from one to the next.
bool is_worth_rows(Matrix const& matrix, RuleStage const& stage, Target const& target) {
  int64_t row = stage.spatial.back().extent * matrix.element_bytes;
  MemoryLevel const* second = target.hardware.memory("L2");
  int64_t near = second ? second->bytes : 1 << 20, depth = stage.reduce.front().extent;
  if (depth < 2 * kRows || row < kLeastRow) return false;
  return matrix.count() == 1 || (matrix.count() <= target.registers() / 4 && depth * row > near);
}

/// The matrix of a product with a vector, or few, or of a sum over its rows.
std::optional<Matrix> goes_by_rows(RuleStage const& stage, Target const& target) {
  if (stage.spatial.empty() || stage.reduce.size() != 1) return std::nullopt;
  std::optional<Matrix> found;
  bool good = true;
  RuleAxis const& lanes = stage.spatial.back();
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name == stage.block) return true;
    for (size_t d = 0; d < read->indices.size(); ++d)
      good = good && (!uses_variable(read->indices[d], "v" + lanes.name) ||
                      (d + 1 == read->indices.size() && is_iterator(read->indices[d], lanes)));
    if (auto matrix = matrix_of(*read, stage); matrix && is_worth_rows(*matrix, stage, target))
      found = std::move(matrix);
    return true;
  });
  return good ? found : std::nullopt;
}

/// Columns of one task: one for each core, unless a vector's sums do not fit half of the nearest
/// cache.
int64_t columns_of_task(RuleStage const& stage, Target const& target, int64_t tile,
                        int64_t element_bytes) {
  int64_t extent = stage.spatial.back().extent;
  int64_t cores = stage.points() >= kWorthThreads ? std::max(1, target.hardware.unit().count) : 1;
  MemoryLevel const* nearest = target.hardware.memory("L1");
  int64_t most = std::max(tile, (nearest ? nearest->bytes : 32768) / 2 / element_bytes);
  int64_t tasks = ((extent + most - 1) / most + cores - 1) / cores * cores;
  int64_t columns = std::max((extent + tasks - 1) / tasks, kLeastRow / element_bytes);
  return (columns + tile - 1) / tile * tile;
}

/// The one stage that reads the sums takes a task's while they are in the cache.
bool join_reader(Building& building, RuleStage const& reader, std::string const& place,
                 std::string const& loop, int64_t width) {
  if (!building.step(fmt::format("reverse_compute_at({}, {})", reader.block, place))) return false;
  std::vector<RuleAxis> loops = building.loops_below(reader.block, loop);
  if (loops.empty()) return true;
  RuleStage moved{reader.block, reader.node, {}, {}};
  auto [rest, lanes] = building.split(moved, loops.back(), lanes_for(loops.back().extent, width));
  building.step(fmt::format("vectorize({})", reference(moved, lanes)));
  return true;
}

/// Loops with matrices of their own, which stay outside.
std::vector<std::pair<std::string, int64_t>> loops_of_tasks(RuleStage const& stage,
                                                            Matrix const& matrix) {
  std::vector<std::pair<std::string, int64_t>> loops;
  for (size_t i = 0; i + 1 < stage.spatial.size(); ++i)
    if (std::ranges::find(matrix.vectors, stage.spatial[i].name, &RuleAxis::name) ==
        matrix.vectors.end())
      loops.push_back({stage.spatial[i].name, stage.spatial[i].extent});
  return loops;
}

/// "dense.j, dense.k": loops that a split left out have no name.
std::string joined_references(RuleStage const& stage, std::vector<std::string> const& loops) {
  std::string list;
  for (std::string const& name : loops)
    if (!name.empty()) list += (list.empty() ? "" : ", ") + reference(stage, name);
  return list;
}

}  // namespace

std::optional<bool> vector_product_rule(Building& building, RuleStage const& stage,
                                        RuleStage const* reader, Target const& target,
                                        int64_t width) {
  std::optional<Matrix> matrix = goes_by_rows(stage, target);
  if (!matrix) return std::nullopt;
  RuleAxis const &columns = stage.spatial.back(), &rows = stage.reduce.front();
  int64_t by_rule = matrix->vectors.empty() ? 4 : 2;
  int64_t tile = width * building.choose(stage, "vectors", {1, 2, 4, 8}, by_rule);
  int64_t sums = building.choose(stage, "rows", {2, 4, 8, 16}, kRows);
  int64_t chunk = columns_of_task(stage, target, tile, matrix->element_bytes);
  auto [task, in_task] = building.split(stage, columns, chunk);
  auto [rest, tiles] = building.split(stage, {in_task, std::min(chunk, columns.extent)}, tile);
  auto [vectors, lanes] = building.split(stage, {tiles, tile}, width);
  auto [blocks, few] = building.split(stage, rows, sums);
  auto outer = loops_of_tasks(stage, *matrix);
  if (!task.empty()) outer.push_back({task, (columns.extent + chunk - 1) / chunk});
  std::vector<std::string> order;
  for (auto const& [name, extent] : outer) order.push_back(name);
  order.insert(order.end(), {blocks, rest, few});
  for (RuleAxis const& axis : matrix->vectors) order.push_back(axis.name);
  order.insert(order.end(), {vectors, lanes});
  building.step(fmt::format("reorder({})", joined_references(stage, order)));
  building.step(fmt::format("vectorize({})", reference(stage, lanes)));
  for (RuleAxis const& axis : matrix->vectors)
    building.step(fmt::format("unroll({})", reference(stage, axis.name)));
  for (std::string const& loop : {vectors, few})
    if (!loop.empty()) building.step(fmt::format("unroll({})", reference(stage, loop)));
  bool joined = reader && !task.empty() &&
                join_reader(building, *reader, reference(stage, task), task, width);
  if (stage.points() >= kWorthThreads)
    building.parallel(stage, outer, target.hardware.unit().count);
  return joined;
}

}  // namespace tw
