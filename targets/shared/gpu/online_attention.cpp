#include "targets/shared/gpu/online_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/lowering/pipeline.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/steps.h"
#include "targets/shared/gpu/thread_sums.h"

namespace tw::gpu {
namespace {

using namespace ir;
using Stage = Attention::Stages;

constexpr int64_t kBanks = 32;
constexpr int64_t kLeastAlong = 4, kMostAlong = 16;  // threads of a row
constexpr int64_t kApart = 4;  // elements between rows, so that a warp's rows are in other banks

class OnlineSteps {
public:
  OnlineSteps(Steps& steps, Attention const& attention, OnlineTiles const& tiles)
      : steps_(steps),
        attention_(attention),
        tiles_(tiles),
        x_(tiles.threads_x(attention)),
        y_(tiles.threads_y()) {}

  bool take(Program const& program) {
    return find_tensors(program) && prepare() && spread_rows() && tile_result() && place_rows() &&
           fuse_tiles() && place_tiles() && share_scores() && share_rows() && share_copies();
  }

private:
  std::string const& block(Stage stage) const { return attention_.blocks[stage]; }
  std::string keys(Stage stage) const {
    StageLoops const& loops = attention_.loops[stage];
    return block(stage) + "." + (loops.reduce.empty() ? loops.spatial.back() : loops.reduce[0]);
  }
  int64_t each() const { return tiles_.keys / x_; }  ///< scores of a row for each thread
  /// The loops of a block in an iteration over tiles, or in a thread.
  std::vector<std::string> below(std::string const& of, char const* loop) const {
    return steps_.loops_below(of, loop);
  }

  /// Tensors that the products multiply; that of the result's is what no stage has made.
  bool find_tensors(Program const& program) {
    std::set<std::string> made;
    for (BlockSite const& site : blocks_of(program.body)) {
      auto const* store = site.block->body.as<Store>();
      if (store) made.insert(store->buffer->name);
      if (site.block->name == block(Stage::kScores))
        for (Load const* read : multiplied_reads(*site.block))
          factors_.push_back(read->buffer->name);
    }
    auto result = find_block(program, block(Stage::kResult));
    walk_reads(result->block->body, [&](Touched const& at) {
      if (!made.contains(at.buffer->name)) values_ = at.buffer->name;
    });
    return factors_.size() == 2 && factors_[0] != factors_[1] && !values_.empty();
  }

  /// Parts of each row's greatest and sum, and what lives in faster memories.
  bool prepare() {
    std::string const& scores = block(Stage::kScores);
    std::string const& result = block(Stage::kResult);
    last_scores_ = attention_.mask.empty() ? scores + "_write" : attention_.mask;
    for (auto [stage, prefix] : {std::pair(Stage::kGreatest, "m"), {Stage::kSums, "s"}})
      if (!steps_.take_all(
              {fmt::format("{0}0, {0}1 = split({1}, factor={2})", prefix, keys(stage), each()),
               fmt::format("rfactor({}.{}0)", block(stage), prefix)}))
        return false;
    return steps_.take_all(
        {fmt::format("{}({}, scope=local)", attention_.mask.empty() ? "cache_write" : "set_scope",
                     scores),
         fmt::format("cache_write({}, scope=local)", result),
         fmt::format("cache_read({}, tensor={}, scope=shared)", scores, factors_[0]),
         fmt::format("cache_read({}, tensor={}, scope=shared)", scores, factors_[1]),
         fmt::format("cache_read({}, tensor={}, scope=shared)", result, values_)});
  }

  /// Rows and columns of a block and of a thread, and tiles of keys.
  bool tile_result() {
    std::string const& y = block(Stage::kResult);
    std::vector<std::string> const& loops = attention_.loops[Stage::kResult].spatial;
    size_t rank = loops.size();
    std::vector<std::string> outer;
    for (size_t i = 0; i + 2 < rank; ++i) outer.push_back(y + "." + loops[i]);
    if (!steps_.take_all(
            {fmt::format("i0, i1 = split({}.{}, factor={})", y, loops[rank - 2], tiles_.rows),
             fmt::format("iy, io = split({}.i1, factor={})", y, tiles_.own_rows),
             fmt::format("dx, dn = split({}.{}, factor={})", y, loops[rank - 1],
                         tiles_.own_columns),
             fmt::format("y0, y1 = split({}, factor={})", keys(Stage::kResult), tiles_.keys),
             fmt::format("reorder({0}.iy, {0}.dx, {0}.y0, {0}.y1, {0}.io, {0}.dn)", y),
             fmt::format("vectorize({}.dn)", y),
             fmt::format("reverse_compute_at({0}_write, {0}.dx)", y)}))
      return false;
    std::string all = steps_.fuse_all(y, outer, "b");
    if (!outer.empty() && !steps_.take(fmt::format("bind({}, axis=blockIdx.y)", all))) return false;
    return steps_.take_all({fmt::format("bind({}.i0, axis=blockIdx.x)", y),
                            fmt::format("bind({}.iy, axis=threadIdx.y)", y),
                            fmt::format("bind({}.dx, axis=threadIdx.x)", y)});
  }

  /// Each thread has the greatest and the sum of its rows, which become those of tiles.
  bool place_rows() {
    std::string at = block(Stage::kResult) + ".dx";
    for (std::string const& stage : {block(Stage::kSums), block(Stage::kSums) + "_rf",
                                     block(Stage::kPowers), block(Stage::kGreatest)})
      if (!steps_.take_all({fmt::format("set_scope({}, scope=local)", stage),
                            fmt::format("compute_at({}, {})", stage, at)}))
        return false;
    return true;
  }

  /// Tiles of a stage outermost in its nest, and rows innermost, so that those of a thread are in
  /// registers; the loop's name, empty: a step is refused.
  std::string tiled(std::string const& stage, size_t loop, int64_t factor,
                    std::string const& prefix) {
    std::vector<std::string> loops = below(stage, "dx");
    if (loop >= loops.size() || !steps_.take(fmt::format("{0}0, {0}1 = split({1}, factor={2})",
                                                         prefix, loops[loop], factor)))
      return {};
    if (loop > 0 &&
        !steps_.take(fmt::format("reorder({0}.{1}0, {0}.{1}1, {2})", stage, prefix, loops[0])))
      return {};
    return fmt::format("{}.{}0", stage, prefix);
  }

  bool fuse_tiles() {
    std::string const& sums = block(Stage::kSums);
    std::string powers = tiled(block(Stage::kPowers), 1, tiles_.keys, "e");
    std::string greatest = tiled(block(Stage::kGreatest), 1, tiles_.keys / each(), "g");
    std::string parts = tiled(sums + "_rf", 0, tiles_.keys / each(), "r");
    std::string whole = tiled(sums, 1, tiles_.keys / each(), "w");
    for (std::string const* one : {&powers, &greatest, &parts, &whole})
      if (one->empty()) return false;
    return steps_.take(fmt::format("t = rolling_update({}, {}, {}, {}, {}.y0)", greatest, powers,
                                   parts, whole, block(Stage::kResult)));
  }

  /// What all threads of a block share in an iteration.
  bool place_tiles() {
    std::string at = block(Stage::kResult) + ".t";
    std::string const &m = block(Stage::kGreatest), &scores = block(Stage::kScores);
    for (std::string const& shared :
         {block(Stage::kPowers), block(Stage::kSums) + "_rf", m + "_rf", m + "_now", last_scores_})
      if (!steps_.take(fmt::format("set_scope({}, scope=shared)", shared))) return false;
    return steps_.take_all(
        {fmt::format("compute_at({}_rf, {})", m, at),
         fmt::format("compute_at({}, {})", last_scores_, at),
         fmt::format("compute_at({}, {})", scores, at),
         fmt::format("compute_at({}_cache, {}.dx)", factors_[0], block(Stage::kResult)),
         fmt::format("compute_at({}_cache, {})", factors_[1], at),
         fmt::format("compute_at({}_cache, {})", values_, at)});
  }

  /// A thread has scores of its rows, as far apart as there are threads along x.
  bool share_scores() {
    std::string const& p = block(Stage::kScores);
    std::vector<std::string> loops = below(p, "t");
    if (loops.size() != 3) return false;
    return steps_.take_all(
        {fmt::format("py, pr = split({}, factor={})", loops[0], tiles_.own_rows),
         fmt::format("pn, px = split({}, factor={})", loops[1], x_),
         fmt::format("reorder({0}.py, {0}.px, {1}, {0}.pr, {0}.pn)", p, loops[2]),
         fmt::format("reverse_compute_at({}, {}.px)", last_scores_, p),
         fmt::format("bind({}.py, axis=threadIdx.y)", p),
         fmt::format("bind({}.px, axis=threadIdx.x)", p)});
  }

  /// Powers, and the parts of a row's greatest and sum.
  bool share_rows() {
    std::string const& e = block(Stage::kPowers);
    std::string m = block(Stage::kGreatest) + "_rf", s = block(Stage::kSums) + "_rf";
    std::vector<std::string> parts = below(m, "t");
    return parts.size() == 3 &&
           steps_.take_all({fmt::format("en, ex = split({}.e1, factor={})", e, x_),
                            fmt::format("bind({}.ex, axis=threadIdx.x)", e),
                            fmt::format("ay, ar = split({}, factor={})", parts[1], tiles_.own_rows),
                            fmt::format("bind({}.ay, axis=threadIdx.y)", m),
                            fmt::format("bind({}, axis=threadIdx.x)", parts[0]),
                            fmt::format("bind({}.r1, axis=threadIdx.x)", s)});
  }

  bool share_copies() {
    return share_tile(steps_, factors_[0] + "_cache", "dx", "q", y_, x_) &&
           share_tile(steps_, factors_[1] + "_cache", "t", "k", y_, x_) &&
           share_tile(steps_, values_ + "_cache", "t", "v", y_, x_);
  }

  /// Rows of shared tensors in other banks.
  bool spread_rows() {
    size_t row = attention_.loops[Stage::kScores].spatial.size() - 2;
    for (auto const& [tensor, apart] : {std::pair(factors_[0] + "_cache", kApart),
                                        {factors_[1] + "_cache", int64_t(1)},
                                        {last_scores_, kApart},
                                        {block(Stage::kPowers), kApart}})
      if (!align(tensor, row, apart)) return false;
    return align(block(Stage::kGreatest) + "_rf", 0, 1) && align(block(Stage::kSums) + "_rf", 0, 1);
  }
  bool align(std::string const& of, size_t dimension, int64_t offset) {
    return steps_.take(fmt::format("storage_align({}, dim={}, factor={}, offset={})", of, dimension,
                                   kBanks, offset));
  }

  Steps& steps_;
  Attention const& attention_;
  OnlineTiles const& tiles_;
  int64_t x_, y_;
  std::vector<std::string> factors_;
  std::string values_, last_scores_;
};

}  // namespace

bool fits(Attention const& attention, OnlineTiles const& tiles, Target const& target) {
  auto const* shared = target.scope(kSharedScope);
  int64_t x = tiles.threads_x(attention);
  if (!shared || x < kLeastAlong || x > kMostAlong || attention.columns % tiles.own_columns != 0 ||
      tiles.keys % x != 0 || tiles.keys >= attention.keys || tiles.rows > attention.rows ||
      x * tiles.threads_y() > target.threads_per_block)
    return false;
  int64_t rows = tiles.rows * (attention.depth + 2 * tiles.keys + 3 * kApart + 2 * x + 1);
  int64_t columns = tiles.keys * (attention.depth + 1 + attention.columns);
  return (rows + columns + 2 * kBanks * x) * int64_t(sizeof(float)) <= shared->bytes;
}

std::optional<Schedule> online_attention(Program const& program,
                                         std::shared_ptr<Target const> target,
                                         Attention const& attention, OnlineTiles const& tiles,
                                         ProofBudget budget) {
  Steps steps(Schedule(program, std::move(target)), budget);
  if (!OnlineSteps(steps, attention, tiles).take(program)) return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
