#include "targets/shared/gpu/traffic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "targets/shared/gpu/footprint.h"
#include "targets/shared/gpu/warp_accesses.h"

namespace tw::gpu {
namespace {

using Kind = NestLoop::Kind;

constexpr int kWarp = 32;
constexpr double kSectorsPerCycle = 4;  ///< that L1 answers: 128 bytes
constexpr double kReturned = 128;       ///< bytes that go to registers in a cycle
/// Bytes that shared memory gives in a cycle, one of four from each bank, also to units that read
/// it by themselves: their pieces of eight rows of 16 bytes lie in all banks. Derived, not
/// measured: wgmma of 64x64x16 reads 4 KB in the 32 cycles that it multiplies, wider ones less in a
/// cycle, so that each reaches the rate that data sheets give where nobody else uses shared memory.
constexpr double kSharedBytes = 128;
/// What programs that leave their tiles to L1 reach of those that keep them in shared memory, on
/// average (NVIDIA Tesla V100 GPU Architecture, "L1 data cache").
constexpr double kOfShared = 0.93;
/// A slice of L2 looks up one line in a cycle and gives two sectors of it (lts__t_tag_requests and
/// lts2xbar, smallscientist1/cuda_microbenchmark).
constexpr double kRequestBytes = 64;

/// One access of main memory with the loops that run one after the other around it.
struct Reached {
  NestAccess const* access;
  IndexReach reach;
  std::vector<size_t> serial;
  double asked = 0;  ///< bytes of a block
};

/// Extents of a wave's blocks along x, y and z; x is the fastest.
std::array<int64_t, 3> wave_box(LaunchNest const& nest, int64_t blocks) {
  std::array<int64_t, 3> box{};
  for (size_t d = 0; d < 3; ++d) {
    box[d] = std::clamp<int64_t>(blocks, 1, nest.grid[d]);
    blocks = (blocks + nest.grid[d] - 1) / nest.grid[d];
  }
  return box;
}

class Counting {
public:
  Counting(LaunchNest const& nest, Caches const& caches) : nest_(nest), caches_(caches) {
    for (NestAccess const& access : nest.accesses) {
      if (access.shared || access.local) continue;
      Reached one{&access, IndexReach(access.index, access.bytes, access.tensor_bytes), {}};
      for (size_t at : access.loops)
        if (nest.loops[at].kind == Kind::kSerial) one.serial.push_back(at);
      reached_.push_back(std::move(one));
    }
  }

  Traffic run() {
    double warps = double((nest_.threads() + kWarp - 1) / kWarp);
    for (NestAccess const& access : nest_.accesses) {
      double before = traffic_.asked_bytes;
      add_access(access, warps);
      for (Reached& one : reached_)
        if (one.access == &access)
          one.asked = (traffic_.asked_bytes - before) / double(nest_.blocks());
    }
    traffic_.shared_cycles += nest_.unit_bytes * double(nest_.threads()) / kSharedBytes;
    double blocks = double(nest_.blocks());
    traffic_.loaded_bytes =
        std::min(traffic_.asked_bytes, blocks * moved(none_, caches_.l1_bytes, false, true));
    traffic_.l2_bytes = traffic_.loaded_bytes + stored_bytes_;
    double missed = traffic_.asked_bytes > 0 ? traffic_.loaded_bytes / traffic_.asked_bytes : 0;
    traffic_.l2_busy_bytes = missed * asked_busy_bytes_ + stored_busy_bytes_;
    traffic_.touched_bytes = moved(nest_.grid, INT64_MAX, true, false);
    traffic_.dram_bytes = dram_bytes();
    for (Reached const& one : reached_)
      if (!one.access->store)
        traffic_.fresh_turns = std::max(traffic_.fresh_turns, fresh_turns(one));
    return traffic_;
  }

private:
  void add_access(NestAccess const& access, double warps) {
    double done = access.times * warps * access.share.warps;
    double returned = double(kWarp * access.bytes * access.width) / kReturned;
    if (access.local) {  // threads side by side have theirs side by side, and L1 keeps it
      traffic_.l1_cycles += done * std::max(1.0, returned) / kOfShared;
      return;
    }
    if (access.piece > 0) return add_piece(access);
    WarpAccess cost = cost_of(access);
    if (access.shared) {
      traffic_.shared_cycles += done * cost.average;
      return;
    }
    double bytes = done * cost.average * double(kSectorBytes) * double(nest_.blocks());
    if (!access.past_l1)
      traffic_.l1_cycles +=
          done * std::max({1.0, returned, cost.average / kSectorsPerCycle}) / kOfShared;
    double busy = std::max(1.0, kRequestBytes * cost.lines / (cost.average * kSectorBytes)) * bytes;
    (access.store ? stored_bytes_ : traffic_.asked_bytes) += bytes;
    (access.store ? stored_busy_bytes_ : asked_busy_bytes_) += busy;
  }

  /// Nothing of it goes through registers, and L1 does not keep it: it takes what memories move.
  void add_piece(NestAccess const& access) {
    double bytes =
        access.times * double(nest_.threads()) * access.share.threads * double(access.piece);
    if (access.shared) {
      traffic_.shared_cycles += bytes / kSharedBytes;
      return;
    }
    bytes *= double(nest_.blocks());
    (access.store ? stored_bytes_ : traffic_.asked_bytes) += bytes;
    (access.store ? stored_busy_bytes_ : asked_busy_bytes_) += bytes;
  }

  WarpAccess cost_of(NestAccess const& access) const {
    WarpAccess cost{.shared = access.shared, .store = access.store, .bytes = access.bytes};
    std::vector<LoopAround> around;
    for (size_t at : access.loops) {
      NestLoop const& loop = nest_.loops[at];
      around.push_back({loop.name, loop.extent, loop.kind == Kind::kThread ? loop.dimension : -1});
    }
    LaunchShape shape{{}, nest_.block};
    count_access(cost, first_of_wide(access), access.width, around, shape, kWarp, Counted::kDrawn);
    if (!cost.undecided.empty())
      cost.average = access.shared ? 1 : double(kWarp * access.bytes * access.width) / kSectorBytes;
    return cost;
  }

  /// The loop that a wide access takes several iterations of stands still.
  ir::Expr first_of_wide(NestAccess const& access) const {
    if (access.width == 1) return access.index;
    ir::Substitution still;
    for (size_t at : access.loops)
      if (NestLoop const& loop = nest_.loops[at]; loop.unrolled || loop.together > 1)
        if (loop.kind == Kind::kSerial) still[loop.name] = ir::int_imm(0);
    return ir::substitute(access.index, still);
  }

  /// Distinct sectors of loads, stores or both while the serial loops from `depth` on run, in
  /// blocks of a box.
  double reached_bytes(Reached const& one, size_t depth, std::array<int64_t, 3> const& box) const {
    Running running;
    for (size_t at : one.access->loops) {
      NestLoop const& loop = nest_.loops[at];
      if (loop.kind == Kind::kThread) running[loop.name] = loop.extent;
      if (loop.kind == Kind::kBlock) running[loop.name] = box[size_t(loop.dimension)];
    }
    for (size_t i = depth; i < one.serial.size(); ++i)
      running[nest_.loops[one.serial[i]].name] = nest_.loops[one.serial[i]].extent;
    return one.reach.bytes(running);
  }

  /// All that a block reads, over what it asks for in each turn of the innermost loop that stays.
  double fresh_turns(Reached const& one) const {
    Running running;
    double turns = 1;
    for (size_t at : one.access->loops) {
      NestLoop const& loop = nest_.loops[at];
      if (loop.kind == Kind::kBlock) continue;
      bool stays = loop.kind == Kind::kSerial && !loop.unrolled;
      int64_t in_turn = stays ? std::min(loop.together, loop.extent) : loop.extent;
      running[loop.name] = in_turn;
      turns *= double(loop.extent) / double(in_turn);
    }
    return std::min(1.0, reached_bytes(one, 0, none_) / (turns * one.reach.bytes(running)));
  }

  /// Of several accesses to one tensor the one that reaches most: neighbours share their sectors.
  double distinct(std::map<std::string, double>& most, Reached const& one, double bytes) const {
    double& known = most[one.access->tensor + (one.access->store ? ">" : "<")];
    double more = std::max(0.0, bytes - known);
    known = std::max(known, bytes);
    return more;
  }

  /// All that one iteration of a loop touches.
  double iteration_bytes(size_t loop, std::array<int64_t, 3> const& box, bool with_stores) const {
    std::map<std::string, double> most;
    double bytes = 0;
    for (Reached const& one : reached_) {
      auto at = std::ranges::find(one.serial, loop);
      if (at == one.serial.end() || (one.access->store && !with_stores)) continue;
      bytes += distinct(most, one, reached_bytes(one, size_t(at - one.serial.begin()) + 1, box));
    }
    return bytes;
  }

  /// What comes from behind a cache of `capacity` bytes as blocks of a box run side by side.
  double moved(std::array<int64_t, 3> const& box, int64_t capacity, bool with_stores,
               bool per_block) const {
    std::map<std::string, double> most;
    double bytes = 0;
    for (Reached const& one : reached_) {
      if (one.access->store && !with_stores) continue;
      double times = 1;
      size_t depth = 0;
      while (depth < one.serial.size() &&
             iteration_bytes(one.serial[depth], box, with_stores) > double(capacity))
        times *= double(nest_.loops[one.serial[depth++]].extent);
      double own = times * reached_bytes(one, depth, box);
      if (per_block) own = own_bytes(one, own);
      bytes += distinct(most, one, own);
    }
    return bytes;
  }

  /// A condition lets so many threads reach their part. Roles reach all of it, by fewer threads.
  double own_bytes(Reached const& one, double all) const {
    return nest_.roles ? std::min(all, one.asked) : all * one.access->share.threads;
  }

  /// Waves follow one another as iterations of a loop do.
  double dram_bytes() const {
    double waves =
        std::ceil(double(nest_.blocks()) / double(std::max<int64_t>(1, caches_.wave_blocks)));
    std::array<int64_t, 3> box = wave_box(nest_, caches_.wave_blocks);
    double wave = moved(box, INT64_MAX, true, false);
    if (waves <= 1 || wave <= double(caches_.l2_bytes)) {
      double once = moved(nest_.grid, caches_.l2_bytes, true, false);
      return std::min(once, traffic_.l2_bytes);
    }
    return std::min(waves * moved(box, caches_.l2_bytes, true, false), traffic_.l2_bytes);
  }

  LaunchNest const& nest_;
  Caches const& caches_;
  std::array<int64_t, 3> const none_{1, 1, 1};
  std::vector<Reached> reached_;
  Traffic traffic_;
  double stored_bytes_ = 0, stored_busy_bytes_ = 0, asked_busy_bytes_ = 0;
};

}  // namespace

Traffic traffic_of(LaunchNest const& nest, Caches const& caches) {
  return Counting(nest, caches).run();
}

}  // namespace tw::gpu
