#include "targets/shared/gpu/rows_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/thread_sums.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr size_t kMostSteps = 25;    // of a script that one reads
constexpr int64_t kLeastTerms = 8;   // of a sum that is worth sharing
constexpr int64_t kFewThreads = 16;  // less than a warp: a block has several rows

/// What is computed of each row.
struct Rows {
  std::vector<std::string> sums, between;  ///< blocks in their order; those that sum up nothing
  std::string last;
  bool last_sums = false;                  ///< the result itself is a sum of each row
  std::vector<std::string> rows, columns;  ///< loops of the last stage
  int64_t count = 1;                       ///< of rows
  int64_t terms = 0;                       ///< of the longest sum
};

/// Every read of a tensor of `ranks` is of the reader's own row.
bool reads_own_row(Block const& block, std::map<std::string, size_t> const& ranks) {
  bool own = true;
  walk_reads(block.body, [&](Touched const& at) {
    auto rank = ranks.find(at.buffer->name);
    if (rank == ranks.end()) return;
    own = own && rank->second <= block.iters.size() && at.indices.size() >= rank->second;
    for (size_t d = 0; own && d < rank->second; ++d) {
      auto const* index = at.indices[d].as<Variable>();
      own = index && index->name == block.iters[d].name();
    }
  });
  return own;
}

bool put(Rows& rows, BlockSite const& site, bool last, std::map<std::string, size_t>& ranks) {
  auto loops = stage_loops(site);
  auto const* store = site.block->body.as<Store>();
  if (!loops || !store || !reads_own_row(*site.block, ranks)) return false;
  bool sums = bool(site.block->init);
  if (sums && (loops->reduce.empty() || !sums_along_rows(*site.block))) return false;
  if (sums) rows.terms = std::max(rows.terms, loops->terms);
  size_t rank = ranks.empty() ? loops->spatial.size() : ranks.begin()->second;
  if (sums && loops->spatial.size() != rank) return false;
  if (sums && !last) ranks[store->buffer->name] = rank;
  if (!last) {
    (sums ? rows.sums : rows.between).push_back(site.block->name);
    return true;
  }
  rows.last = site.block->name;
  rows.last_sums = sums;
  if (loops->spatial.size() < rank) return false;
  rows.rows.assign(loops->spatial.begin(), loops->spatial.begin() + int64_t(rank));
  rows.columns.assign(loops->spatial.begin() + int64_t(rank), loops->spatial.end());
  for (size_t i = 0; i < rank; ++i) rows.count *= *as_int(site.loops[i]->extent);
  return true;
}

std::optional<Rows> rows_of(Program const& program) {
  Rows rows;
  std::map<std::string, size_t> ranks;  // of the tensors that are sums
  std::vector<BlockSite> blocks = blocks_of(program.body);
  for (size_t i = 0; i < blocks.size(); ++i)
    if (!put(rows, blocks[i], i + 1 == blocks.size(), ranks)) return std::nullopt;
  bool any = rows.last_sums || !rows.sums.empty();
  if (!any || rows.rows.empty() || rows.terms < kLeastTerms) return std::nullopt;
  return rows;
}

/// How the threads of a block are spread.
struct Shape {
  int64_t threads = 256;  ///< of a row
  int64_t rows = 1;
};

Shape shape_for(Rows const& rows, Target const& target, Decisions& decisions) {
  int64_t most = target.threads_per_block;
  Shape shape;
  shape.threads = choose_up_to(decisions, rows.last + ".threads",
                               up_to({8, 16, 64, 128, 256, 512}, std::min(rows.terms, most)),
                               rows.terms >= 512   ? 256
                               : rows.terms >= 128 ? 64
                                                   : 16);
  int64_t several = shape.threads <= kFewThreads ? 128 / shape.threads : 1;
  shape.rows =
      choose_up_to(decisions, rows.last + ".rows",
                   up_to({1, 2, 4, 8, 16}, std::min(rows.count, most / shape.threads)), several);
  return shape;
}

/// Sums and results of rows, where the last stage has them.
bool schedule_rows(Steps& steps, Rows rows, Shape const& shape) {
  for (std::string const& stage : rows.between)
    if (!steps.take(fmt::format("compute_inline({})", stage))) return false;
  if (rows.last_sums) {
    if (!steps.take(fmt::format("cache_write({}, scope=shared)", rows.last))) return false;
    rows.sums.push_back(rows.last);
    rows.last += "_write";
    for (size_t i = 0; i < rows.rows.size(); ++i) rows.rows[i] = fmt::format("d{}", i);
  }
  for (auto* loops : {&rows.rows, &rows.columns})
    for (std::string& loop : *loops) loop = rows.last + "." + loop;
  std::string row = steps.fuse_all(rows.last, rows.rows, "i"), block = row;
  if (shape.rows > 1) {
    if (!steps.take(fmt::format("i0, i1 = split({}, factor={})", row, shape.rows))) return false;
    block = rows.last + ".i0", row = rows.last + ".i1";
  }
  for (size_t i = rows.sums.size(); i-- > 0;) {
    bool last = rows.last_sums && i + 1 == rows.sums.size();
    if (!last && !steps.take(fmt::format("set_scope({}, scope=shared)", rows.sums[i])))
      return false;
    if (!steps.take(fmt::format("compute_at({}, {})", rows.sums[i], row))) return false;
  }
  for (std::string const& sum : rows.sums)
    if (!sum_over_threads(steps, sum, {.threads = shape.threads, .rows = shape.rows > 1}))
      return false;
  if (!rows.columns.empty()) {
    std::string all = steps.fuse_all(rows.last, rows.columns, "j");
    if (all.empty() ||
        !steps.take(fmt::format("j0, j1 = split({}, factor={})", all, shape.threads)) ||
        !steps.take(fmt::format("bind({}.j1, axis=threadIdx.x)", rows.last)))
      return false;
  }
  return steps.take(fmt::format("bind({}, axis=blockIdx.x)", block)) &&
         (shape.rows == 1 || steps.take(fmt::format("bind({}, axis=threadIdx.y)", row)));
}

}  // namespace

std::optional<Schedule> rows_schedule(Program const& program, std::shared_ptr<Target const> target,
                                      Decisions& decisions) {
  auto rows = rows_of(program);
  if (!rows || target->threads_per_block < kLeastTerms) return std::nullopt;
  Shape shape = shape_for(*rows, *target, decisions);
  Steps steps(Schedule(program, std::move(target)));
  if (!schedule_rows(steps, *rows, shape) || steps.schedule().trace().size() > kMostSteps)
    return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
