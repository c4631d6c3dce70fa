#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "targets/cpu/compiler/rules/rules.h"

namespace tw {
namespace {

using namespace ir;

constexpr int64_t kWorthThreads = 65536;  // iterations
constexpr int64_t kLeastRow = 1024;       // bytes read in a row before the next one
constexpr int64_t kVectors = 4;           // of lanes, side by side
constexpr int64_t kRows = 8;              // added into a sum that is in registers

bool is_iterator(Expr const& e, RuleAxis const& axis) {
  auto const* v = e.as<Variable>();
  return v && v->name == "v" + axis.name;
}

/// Row after row is read at [..., k, j], j along the lanes, and nothing of it twice.
bool reads_once(Load const& read, RuleStage const& stage) {
  size_t rank = read.indices.size();
  if (rank < 2 || !is_iterator(read.indices[rank - 1], stage.spatial.back()) ||
      !is_iterator(read.indices[rank - 2], stage.reduce.front()))
    return false;
  return std::ranges::all_of(stage.spatial, [&](RuleAxis const& axis) {
    return axis.extent == 1 || std::ranges::any_of(read.indices, [&](Expr const& index) {
             return uses_variable(index, "v" + axis.name);
           });
  });
}

/// A matrix that is read once, by rows: times a vector, or a sum over its rows.
bool goes_by_rows(RuleStage const& stage, int64_t& element_bytes) {
  if (stage.spatial.empty() || stage.reduce.size() != 1) return false;
  bool rows = false, good = true;
  RuleAxis const& lanes = stage.spatial.back();
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (!read || read->buffer->name == stage.block) return true;
    element_bytes = size_of(read->type);
    for (size_t d = 0; d < read->indices.size(); ++d)
      good = good && (!uses_variable(read->indices[d], "v" + lanes.name) ||
                      (d + 1 == read->indices.size() && is_iterator(read->indices[d], lanes)));
    rows = rows || reads_once(*read, stage);
    return true;
  });
  return rows && good && stage.reduce.front().extent >= 2 * kRows &&
         lanes.extent * element_bytes >= kLeastRow;
}

/// Columns of one task: as many as there are cores, and their sums fit half of the nearest cache.
int64_t columns_of_task(RuleStage const& stage, Target const& target, int64_t tile,
                        int64_t element_bytes) {
  int64_t extent = stage.spatial.back().extent;
  int64_t cores = stage.points() >= kWorthThreads ? std::max(1, target.hardware.cores) : 1;
  CacheLevel const* nearest = cache_level(target.hardware, 1);
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

}  // namespace

std::optional<bool> vector_product_rule(Building& building, RuleStage const& stage,
                                        RuleStage const* reader, Target const& target,
                                        int64_t width) {
  int64_t element_bytes = 4;
  if (!goes_by_rows(stage, element_bytes)) return std::nullopt;
  RuleAxis const &columns = stage.spatial.back(), &rows = stage.reduce.front();
  int64_t tile = kVectors * width;
  int64_t chunk = columns_of_task(stage, target, tile, element_bytes);
  auto [task, in_task] = building.split(stage, columns, chunk);
  auto [rest, tiles] = building.split(stage, {in_task, std::min(chunk, columns.extent)}, tile);
  auto [vectors, lanes] = building.split(stage, {tiles, tile}, width);
  auto [blocks, few] = building.split(stage, rows, kRows);
  std::vector<std::pair<std::string, int64_t>> outer;
  for (size_t i = 0; i + 1 < stage.spatial.size(); ++i)
    outer.push_back({stage.spatial[i].name, stage.spatial[i].extent});
  if (!task.empty()) outer.push_back({task, (columns.extent + chunk - 1) / chunk});
  std::string order;
  for (auto const& [name, extent] : outer) order += reference(stage, name) + ", ";
  for (std::string const& name : {blocks, rest, few, vectors, lanes})
    if (!name.empty()) order += reference(stage, name) + ", ";
  building.step(fmt::format("reorder({})", order.substr(0, order.size() - 2)));
  building.step(fmt::format("vectorize({})", reference(stage, lanes)));
  building.step(fmt::format("unroll({})", reference(stage, vectors)));
  bool joined = reader && !task.empty() &&
                join_reader(building, *reader, reference(stage, task), task, width);
  if (stage.points() >= kWorthThreads) building.parallel(stage, outer, target.hardware.cores);
  return joined;
}

}  // namespace tw
