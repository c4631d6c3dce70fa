#include "targets/shared/gpu/online_attention.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    return find_tensors(program) && prepare() && tile_result() && fuse_tiles() && place_scores() &&
           share_rows() && bring_tiles();
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

  /// Parts of each row's greatest and sum, and what threads have of their own.
  bool prepare() {
    std::string const& scores = block(Stage::kScores);
    last_scores_ = attention_.mask.empty() ? scores + "_write" : attention_.mask;
    return steps_.take_all(
        {fmt::format("m0 = reduce_in_parts({}, {}, terms={})", block(Stage::kGreatest),
                     keys(Stage::kGreatest), each()),
         fmt::format("s0 = reduce_in_parts({}, {}, terms={})", block(Stage::kSums),
                     keys(Stage::kSums), each()),
         fmt::format("{}({}, scope=local)", attention_.mask.empty() ? "cache_write" : "set_scope",
                     scores),
         fmt::format("cache_write({}, scope=local)", block(Stage::kResult))});
  }

  /// Rows and columns of a block and of a thread, and tiles of keys.
  bool tile_result() {
    std::string const& y = block(Stage::kResult);
    std::vector<std::string> const& loops = attention_.loops[Stage::kResult].spatial;
    size_t rank = loops.size();
    std::vector<std::string> outer;
    for (size_t i = 0; i + 2 < rank; ++i) outer.push_back(y + "." + loops[i]);
    if (!steps_.take(
            fmt::format("i0, iy, dx, y0 = tile_sums({0}, {0}_write, {0}.{1}, {0}.{2}, {3}, "
                        "rows={4}, own_rows={5}, own_columns={6}, terms={7})",
                        y, loops[rank - 2], loops[rank - 1], keys(Stage::kResult), tiles_.rows,
                        tiles_.own_rows, tiles_.own_columns, tiles_.keys)))
      return false;
    std::string all = steps_.fuse_all(y, outer, "b");
    if (!outer.empty())
      return steps_.take(fmt::format("bind_grid({0}, {1}.i0, {1}.iy, {1}.dx)", all, y));
    return steps_.take_all({fmt::format("bind({}.i0, axis=blockIdx.x)", y),
                            fmt::format("bind({}.iy, axis=threadIdx.y)", y),
                            fmt::format("bind({}.dx, axis=threadIdx.x)", y)});
  }

  /// Each thread has the greatest and the sum of its rows, which become those of tiles.
  bool fuse_tiles() {
    std::string const &m = block(Stage::kGreatest), &e = block(Stage::kPowers),
                      &s = block(Stage::kSums), &y = block(Stage::kResult);
    if (!steps_.take(fmt::format("softmax_at({0}, {1}, {2}_rf, {2}, {3}.dx, dim={4}, apart={5})", m,
                                 e, s, y, row(), kApart)))
      return false;
    std::vector<std::string> greatest = below(m, "dx"), powers = below(e, "dx"),
                             parts = below(s + "_rf", "dx"), sums = below(s, "dx");
    if (greatest.size() < 2 || powers.size() < 2 || parts.empty() || sums.size() < 2) return false;
    return steps_.take(
        fmt::format("t, e1 = online_softmax({}, {}_rf, {}, {}, {}, {}, {}, {}, {}, {}.y0, "
                    "scores={}, parts={})",
                    e, s, greatest[0], greatest[1], powers[0], powers[1], parts[0], sums[0],
                    sums[1], y, tiles_.keys, tiles_.keys / each()));
  }

  /// Scores of a tile, which all threads of a block share: a thread makes those of its rows, as far
  /// apart as there are threads along x.
  bool place_scores() {
    std::string at = block(Stage::kResult) + ".t";
    std::string const &m = block(Stage::kGreatest), &p = block(Stage::kScores);
    if (!steps_.take_all(
            {fmt::format("set_scope({}_now, scope=shared)", m),
             fmt::format("stage_at({}_rf, {})", m, at),
             fmt::format("stage_apart({}, {}, dim={}, apart={})", last_scores_, at, row(), kApart),
             fmt::format("compute_at({}, {})", p, at)}))
      return false;
    std::vector<std::string> loops = below(p, "t");
    return loops.size() == 3 &&
           steps_.take(fmt::format("stride_sums({}, {}, {}, rows={}, columns={})", p, last_scores_,
                                   fmt::join(loops, ", "), tiles_.own_rows, x_));
  }

  /// Powers, and the parts of a row's greatest.
  bool share_rows() {
    std::vector<std::string> parts = below(block(Stage::kGreatest) + "_rf", "t");
    return parts.size() == 3 &&
           steps_.take_all({fmt::format("split_bind({}.e1, factor={})", block(Stage::kPowers), x_),
                            fmt::format("tile_threads({}, {}, rows={}, columns={})", parts[1],
                                        parts[0], tiles_.own_rows, x_)});
  }

  /// Tiles of Q, K and V, by all threads of a block.
  bool bring_tiles() {
    std::string const &p = block(Stage::kScores), &y = block(Stage::kResult);
    return steps_.take_all(
               {fmt::format("copy_apart({}, {}.dx, tensor={}, dim={}, apart={})", p, y, factors_[0],
                            row(), kApart),
                fmt::format("copy_apart({}, {}.t, tensor={}, dim={})", p, y, factors_[1], row()),
                fmt::format("pack_panels({0}, {0}.t, tensor={1}, memory=shared)", y, values_)}) &&
           share_tile(steps_, factors_[0] + "_cache", "dx", "q", y_, x_) &&
           share_tile(steps_, factors_[1] + "_cache", "t", "k", y_, x_) &&
           share_tile(steps_, values_ + "_cache", "t", "v", y_, x_);
  }

  /// The dimension of scores whose elements are rows; they lie in other banks.
  size_t row() const { return attention_.loops[Stage::kScores].spatial.size() - 2; }

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
