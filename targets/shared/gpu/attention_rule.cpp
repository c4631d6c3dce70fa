#include "targets/shared/gpu/attention_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ir/stmt.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/attention_stages.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/online_attention.h"
#include "targets/shared/gpu/rows_rule.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kOtherBytes =
    8 << 10;                        // of shared memory: greatest and sums of rows, their parts
constexpr int64_t kOwnColumns = 4;  // scores of a thread side by side

struct Tiles {
  int64_t rows = 8, own_rows = 2;  ///< of a block and of a thread
};
constexpr Tiles kCandidates[] = {{8, 2}, {16, 4}, {4, 1}, {2, 1}};

bool fits(Attention const& attention, Tiles const& tiles, Target const& target) {
  auto const* shared = target.scope(kSharedScope);
  int64_t bytes = 2 * tiles.rows * attention.keys * int64_t(sizeof(float));
  return shared && bytes + kOtherBytes <= shared->bytes && tiles.own_rows <= tiles.rows &&
         tiles.rows <= attention.rows &&
         attention.columns * tiles.rows / tiles.own_rows <= target.threads_per_block;
}

/// Rows of a block and of a thread, and columns side by side, of the result.
bool tile_result(Steps& steps, Attention const& attention, Tiles const& tiles) {
  std::string const& y = attention.blocks[Attention::kResult];
  StageLoops const& loops = attention.loops[Attention::kResult];
  size_t rank = loops.spatial.size();
  std::vector<std::string> outer;
  for (size_t i = 0; i + 2 < rank; ++i) outer.push_back(y + "." + loops.spatial[i]);
  std::string column = y + "." + loops.spatial[rank - 1];
  bool made = steps.take_all(
      {fmt::format("i0, i1 = split({}.{}, factor={})", y, loops.spatial[rank - 2], tiles.rows),
       fmt::format("iy, io = split({}.i1, factor={})", y, tiles.own_rows),
       fmt::format("reorder({0}.iy, {1}, {0}.{2}, {0}.io)", y, column, loops.reduce[0]),
       fmt::format("reverse_compute_at({}_write, {})", y, column)});
  std::string all = made ? steps.fuse_all(y, outer, "b") : std::string();
  if (made && !outer.empty())
    return steps.take(fmt::format("bind_grid({0}, {1}.i0, {1}.iy, {2})", all, y, column));
  return made && steps.take_all({fmt::format("bind({}.i0, axis=blockIdx.x)", y),
                                 fmt::format("bind({}.iy, axis=threadIdx.y)", y),
                                 fmt::format("bind({}, axis=threadIdx.x)", column)});
}

/// All other stages are made where a block's rows are.
bool place_stages(Steps& steps, Attention const& attention) {
  std::string at = attention.blocks[Attention::kResult] + ".i0";
  for (size_t i : {Attention::kSums, Attention::kPowers, Attention::kGreatest})
    if (!steps.take(fmt::format("stage_at({}, {})", attention.blocks[i], at))) return false;
  std::string const& scores = attention.blocks[Attention::kScores];
  return steps.take_all({fmt::format("stage_at({}_write, {})", scores, at),
                         fmt::format("compute_at({}, {})", scores, at)});
}

/// Rows of a stage are shared as those of the result are, and its columns among a row's threads.
bool share_stage(Steps& steps, Attention const& attention, size_t stage, Tiles const& tiles) {
  std::string const& block = attention.blocks[stage];
  StageLoops const& loops = attention.loops[stage];
  std::string const& row = loops.spatial[attention.loops[Attention::kScores].spatial.size() - 2];
  std::string const& column = loops.reduce.empty() ? loops.spatial.back() : loops.reduce[0];
  return steps.take(fmt::format("tile_threads({0}.{1}, {0}.{2}, rows={3}, columns={4})", block, row,
                                column, tiles.own_rows, attention.columns));
}

/// Scores of some rows and columns are a thread's, in registers until they are done.
bool share_scores(Steps& steps, Attention const& attention, Tiles const& tiles) {
  std::string const& p = attention.blocks[Attention::kScores];
  StageLoops const& loops = attention.loops[Attention::kScores];
  return steps.take_all(
      {fmt::format("py, pr = split({}.{}, factor={})", p, loops.spatial[loops.spatial.size() - 2],
                   tiles.own_rows),
       fmt::format("bind({}.py, axis=threadIdx.y)", p),
       fmt::format("j0, j1 = split({}.{}, factor={})", p, loops.spatial.back(),
                   attention.columns * kOwnColumns),
       fmt::format("jx, jn = split({}.j1, factor={})", p, kOwnColumns),
       fmt::format("reorder({0}.py, {0}.j0, {0}.jx, {0}.{1}, {0}.jn, {0}.pr)", p, loops.reduce[0]),
       fmt::format("reverse_compute_at({0}_write, {0}.jx)", p),
       fmt::format("bind({}.jx, axis=threadIdx.x)", p)});
}

std::optional<Schedule> schedule_of(Program const& program, std::shared_ptr<Target const> target,
                                    Attention const& attention, Tiles const& tiles,
                                    ProofBudget budget) {
  Steps steps(Schedule(program, std::move(target)), budget);
  bool made =
      steps.take_all(
          {fmt::format("cache_write({}, scope=local)", attention.blocks[Attention::kScores]),
           fmt::format("cache_write({}, scope=local)", attention.blocks[Attention::kResult])}) &&
      tile_result(steps, attention, tiles) && place_stages(steps, attention) &&
      share_scores(steps, attention, tiles);
  for (size_t stage : {Attention::kGreatest, Attention::kPowers, Attention::kSums})
    made = made && share_stage(steps, attention, stage, tiles);
  if (!made) return std::nullopt;
  return steps.schedule();
}

std::optional<Schedule> with_whole_rows(Program const& program,
                                        std::shared_ptr<Target const> target,
                                        Attention const& attention, Tiles const& preset,
                                        Decisions& decisions) {
  std::string const& name = attention.blocks[Attention::kResult];
  Tiles tiles;
  tiles.rows = decisions.choose(name + ".rows", up_to({2, 4, 8, 16}, attention.rows), preset.rows);
  tiles.own_rows = decisions.choose(name + ".own_rows", {1, 2, 4}, preset.own_rows);
  if (!fits(attention, tiles, *target)) {
    decisions.reject("tile", "a block of so many rows would have more threads or scores than fit");
    tiles = preset;
  }
  return schedule_of(program, std::move(target), attention, tiles, decisions.budget());
}

/// Few: each costs a schedule of some 80 primitives. Results of many columns have more of them for
/// a thread, so that there are as many threads.
constexpr OnlineTiles kOnline[] = {{16, 4, 64, 4}, {32, 4, 64, 4}, {64, 4, 64, 4}, {32, 4, 64, 8}};

std::optional<Schedule> in_one_pass(Program const& program, std::shared_ptr<Target const> target,
                                    Attention const& attention, OnlineTiles const& preset,
                                    Decisions& decisions) {
  std::string const& name = attention.blocks[Attention::kResult];
  OnlineTiles tiles = preset;
  tiles.rows =
      decisions.choose(name + ".rows", up_to({16, 32, 64, 128}, attention.rows), preset.rows);
  tiles.own_rows = decisions.choose(name + ".own_rows", {2, 4, 8}, preset.own_rows);
  tiles.keys = decisions.choose(name + ".keys", up_to({16, 32, 64}, attention.keys), preset.keys);
  if (!fits(attention, tiles, *target)) {
    decisions.reject("tile", "a block of such tiles would have more threads or scores than fit");
    tiles = preset;
  }
  return online_attention(program, std::move(target), attention, tiles, decisions.budget());
}

}  // namespace

std::optional<Schedule> attention_schedule(Program const& program,
                                           std::shared_ptr<Target const> target,
                                           Decisions& decisions, Judge const& judge) {
  auto attention = attention_of(program);
  if (!attention) return std::nullopt;
  size_t whole = std::size(kCandidates), count = whole + std::size(kOnline);
  auto fastest =
      judge.fastest("attention", program, count + 1, [&](size_t i) -> std::optional<Schedule> {
        Decisions apart;
        if (i == count) return rows_schedule(program, target, apart, judge);
        if (i < whole)
          return attention->mask.empty() && fits(*attention, kCandidates[i], *target)
                     ? schedule_of(program, target, *attention, kCandidates[i],
                                   ProofBudget::kTrusted)
                     : std::nullopt;
        OnlineTiles const& tiles = kOnline[i - whole];
        return fits(*attention, tiles, *target)
                   ? online_attention(program, target, *attention, tiles, ProofBudget::kTrusted)
                   : std::nullopt;
      });
  if (!fastest || *fastest == count) return std::nullopt;
  if (*fastest >= whole)
    return in_one_pass(program, std::move(target), *attention, kOnline[*fastest - whole],
                       decisions);
  return with_whole_rows(program, std::move(target), *attention, kCandidates[*fastest], decisions);
}

}  // namespace tw::gpu
