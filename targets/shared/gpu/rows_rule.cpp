#include "targets/shared/gpu/rows_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/thread_sums.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr size_t kMostSteps = 25;    // of a script that one reads
constexpr int64_t kLeastTerms = 8;   // of a sum that is worth sharing
constexpr int64_t kFewThreads = 16;  // less than a warp: a block has several rows
constexpr int64_t kKeptBytes =
    16 << 10;  // of rows in shared memory, where they could be made again
constexpr int64_t kMostBytes = 32 << 10;  // of rows in shared memory

/// A block before the last one.
struct Stage {
  std::string block, tensor;
  bool sums = false;      ///< up the row: its threads share each sum
  bool elements = false;  ///< sums, of each element of the row by itself: threads have elements
  int64_t bytes = 0;      ///< of the tensor
  int readers = 0;        ///< blocks
  bool kept = false;      ///< in shared memory; else it is computed where it is read
};

/// What is computed of each row.
struct Rows {
  std::vector<Stage> stages;
  std::string last;
  bool last_sums = false;                  ///< the result itself is one
  std::vector<std::string> rows, columns;  ///< loops of the last stage
  int64_t count = 1;                       ///< of rows
  int64_t terms = 0;                       ///< of the longest sum
};

/// Every read of a sum is of the reader's own row.
bool reads_own_row(Block const& block, std::set<std::string> const& sums, size_t rank) {
  bool own = block.iters.size() >= rank;
  walk_reads(block.body, [&](Touched const& at) {
    if (!sums.contains(at.buffer->name)) return;
    own = own && at.indices.size() >= rank;
    for (size_t d = 0; own && d < rank; ++d) {
      auto const* index = at.indices[d].as<Variable>();
      own = index && index->name == block.iters[d].name();
    }
  });
  return own;
}

void count_reads(Rows& rows, Block const& block) {
  std::set<std::string> read;
  walk_reads(block.body, [&](Touched const& at) { read.insert(at.buffer->name); });
  for (Stage& stage : rows.stages) stage.readers += read.contains(stage.tensor);
}

/// Dimensions of the rows: those of the least sum.
std::optional<size_t> rank_of(std::vector<BlockSite> const& blocks) {
  std::optional<size_t> rank;
  for (BlockSite const& site : blocks) {
    auto loops = stage_loops(site);
    if (!loops || bool(site.block->init) != !loops->reduce.empty()) return std::nullopt;
    if (site.block->init) rank = std::min(rank.value_or(SIZE_MAX), loops->spatial.size());
  }
  return rank;
}

/// The last stage, by which the others are placed.
void put_last(Rows& rows, BlockSite const& site, Stage const& stage, size_t rank) {
  StageLoops loops = *stage_loops(site);
  rows.last = stage.block;
  rows.last_sums = bool(site.block->init);
  rows.rows.assign(loops.spatial.begin(), loops.spatial.begin() + int64_t(rank));
  rows.columns.assign(loops.spatial.begin() + int64_t(rank), loops.spatial.end());
  for (size_t i = 0; i < rank; ++i) rows.count *= *as_int(site.loops[i]->extent);
  if (rows.last_sums) rows.stages.push_back(stage);
}

std::optional<Rows> rows_of(Program const& program) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  auto rank = rank_of(blocks);
  if (!rank || *rank == 0) return std::nullopt;
  Rows rows;
  std::set<std::string> tensors;  // that are sums
  for (BlockSite const& site : blocks) {
    StageLoops loops = *stage_loops(site);
    auto const* store = site.block->body.as<Store>();
    if (!store || loops.spatial.size() < *rank || !reads_own_row(*site.block, tensors, *rank))
      return std::nullopt;
    count_reads(rows, *site.block);
    bool sums = site.block->init && loops.spatial.size() == *rank;
    if (sums && !sums_along_rows(*site.block)) return std::nullopt;
    if (sums) rows.terms = std::max(rows.terms, loops.terms);
    if (site.block->init) tensors.insert(store->buffer->name);
    Stage stage{site.block->name, store->buffer->name, sums, site.block->init && !sums};
    stage.bytes = loops.elements * size_of(store->buffer->type);
    stage.kept = sums || stage.elements;
    if (&site == &blocks.back())
      put_last(rows, site, stage, *rank);
    else
      rows.stages.push_back(stage);
  }
  return rows.terms < kLeastTerms ? std::nullopt : std::optional(rows);
}

/// How the threads of a block are spread.
struct Shape {
  int64_t threads = 256;  ///< of a row
  int64_t rows = 1;
};

/// Where nobody can tell what is fastest.
Shape usual_shape(Rows const& rows) {
  Shape shape{.threads = rows.terms >= 512 ? 256 : rows.terms >= 128 ? 64 : 16};
  shape.rows = shape.threads <= kFewThreads ? 128 / shape.threads : 1;
  return shape;
}

/// Those that are worth a model's answer: where warps add by shuffles, their threads suffice for
/// rows of which there are many.
std::vector<Shape> likely_shapes(Rows const& rows, Target const& target) {
  std::vector<Shape> shapes{usual_shape(rows)};
  int64_t most = target.shuffles.lanes > 0 ? std::min(rows.terms, target.threads_per_block) : 0;
  for (int64_t threads : up_to({8, 16, 32, 64, 128, 256}, most))
    for (int64_t of_block : {128, 256})
      if (threads <= of_block && of_block / threads <= std::min<int64_t>(rows.count, 16))
        shapes.push_back({threads, of_block / threads});
  return shapes;
}

Shape shape_for(Rows const& rows, Target const& target, Shape const& wanted, Decisions& decisions) {
  int64_t most = target.threads_per_block;
  std::vector<int64_t> threads{8, 16, 64, 128, 256, 512};
  if (target.shuffles.lanes > 0) threads.insert(threads.begin() + 2, target.shuffles.lanes);
  Shape shape;
  shape.threads = choose_up_to(decisions, rows.last + ".threads",
                               up_to(threads, std::min(rows.terms, most)), wanted.threads);
  shape.rows = choose_up_to(decisions, rows.last + ".rows",
                            up_to({1, 2, 4, 8, 16}, std::min(rows.count, most / shape.threads)),
                            wanted.rows);
  return shape;
}

/// What several stages read is kept, where there is room for it; what has one element of each row
/// is no work.
void keep(Rows& rows, Shape const& shape) {
  int64_t bytes = 0;
  for (Stage& stage : rows.stages) {
    int64_t more = stage.bytes / rows.count * shape.rows;
    if (stage.kept || stage.readers < 2 || stage.bytes / rows.count < kLeastTerms ||
        bytes + more > kKeptBytes)
      continue;
    stage.kept = true;
    bytes += more;
  }
}

/// The result, if it is a sum, is written by a stage of its own.
bool prepare(Steps& steps, Rows& rows) {
  for (Stage const& stage : rows.stages)
    if (!stage.kept && !steps.take(fmt::format("compute_inline({})", stage.block))) return false;
  if (!rows.last_sums) return true;
  if (!steps.take(fmt::format("cache_write({}, scope=shared)", rows.last))) return false;
  rows.last += "_write";
  size_t d = 0;
  for (auto* loops : {&rows.rows, &rows.columns})
    for (std::string& loop : *loops) loop = fmt::format("d{}", d++);
  return true;
}

/// Each stage of a row is computed where the row is.
bool place_stages(Steps& steps, Rows const& rows, std::string const& row) {
  for (size_t i = rows.stages.size(); i-- > 0;) {
    Stage const& stage = rows.stages[i];
    bool copied = rows.last_sums && i + 1 == rows.stages.size();
    if (!stage.kept) continue;
    if (!steps.take(
            fmt::format("{}({}, {})", copied ? "compute_at" : "stage_at", stage.block, row)))
      return false;
  }
  return true;
}

/// Loops of a stage's elements inside of a row.
std::vector<std::string> columns_of(Steps const& steps, std::string const& block,
                                    std::string const& row) {
  std::vector<std::string> names, below = steps.loops_below(block, row);
  auto site = find_block(steps.schedule().program(), block);
  for (std::string const& name : below) {
    auto loop = find_loop(steps.schedule().program(), name);
    if (site && loop && std::ranges::none_of(site->block->iters, [&](IterVar const& iter) {
          return iter.kind == IterKind::kReduce && uses_variable(iter.binding, loop->loop->name());
        }))
      names.push_back(name);
  }
  return names;
}

bool share_work(Steps& steps, Rows const& rows, Shape const& shape, std::string const& row) {
  for (Stage const& stage : rows.stages)
    if (stage.kept &&
        !(stage.sums ? sum_over_threads(steps, stage.block, shape.threads)
                     : share_elements(steps, stage.block, columns_of(steps, stage.block, row),
                                      shape.threads)))
      return false;
  return rows.columns.empty() || share_elements(steps, rows.last, rows.columns, shape.threads);
}

bool schedule_rows(Steps& steps, Rows rows, Shape const& shape) {
  if (!prepare(steps, rows)) return false;
  for (auto* loops : {&rows.rows, &rows.columns})
    for (std::string& loop : *loops) loop = rows.last + "." + loop;
  std::string row = steps.fuse_all(rows.last, rows.rows, "i"), block = row;
  if (shape.rows > 1) {
    if (!steps.take(fmt::format("i0, i1 = split({}, factor={})", row, shape.rows))) return false;
    block = rows.last + ".i0", row = rows.last + ".i1";
  }
  std::string row_loop = row.substr(rows.last.size() + 1);
  return place_stages(steps, rows, row) && share_work(steps, rows, shape, row_loop) &&
         steps.take(fmt::format("bind({}, axis=blockIdx.x)", block)) &&
         (shape.rows == 1 || steps.take(fmt::format("bind({}, axis=threadIdx.y)", row)));
}

std::optional<Schedule> scheduled(Program const& program,
                                  std::shared_ptr<Target const> const& target, Rows rows,
                                  Shape const& shape) {
  for (bool kept : {true, false}) {
    if (kept) keep(rows, shape);
    int64_t bytes = 0;
    for (Stage& stage : rows.stages) {
      stage.kept = stage.sums || stage.elements || (kept && stage.kept);
      if (stage.kept) bytes += stage.bytes / rows.count * shape.rows;
    }
    if (bytes > kMostBytes) continue;
    Steps steps(Schedule(program, target));
    if (schedule_rows(steps, rows, shape) && steps.schedule().trace().size() <= kMostSteps)
      return steps.schedule();
  }
  return std::nullopt;
}

}  // namespace

std::optional<Schedule> rows_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions, Judge const& judge) {
  auto rows = rows_of(program);
  if (!rows || target->threads_per_block < kLeastTerms) return std::nullopt;
  std::vector<Shape> shapes = likely_shapes(*rows, *target);
  std::optional<size_t> best;
  if (shapes.size() > 1)
    best = judge.fastest("rows", program, shapes.size(),
                         [&](size_t i) { return scheduled(program, target, *rows, shapes[i]); });
  return scheduled(program, target, *rows,
                   shape_for(*rows, *target, shapes[best.value_or(0)], decisions));
}

}  // namespace tw::gpu
