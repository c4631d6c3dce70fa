#include "engine/analysis/compiled_loops.h"

#include <algorithm>

#include "engine/analysis/instructions.h"
#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw::analysis {
namespace {

using namespace ir;

/// A loop is unrolled as a whole up to so many instructions (LLVM's UnrollThreshold at -O3).
constexpr int64_t kUnrolled = 300;
/// What counts an iteration and branches.
constexpr int64_t kCounting = 2;

/// What takes a loop, a call or a return is not made in lanes. A guarded read is: under a mask.
bool is_straight(Expr const& e) {
  if (e.as<IntrinsicValue>()) return false;
  auto const* binary = e.as<Binary>();
  if (!binary) return true;
  bool divides = binary->op == BinaryOp::kFloorDiv || binary->op == BinaryOp::kFloorMod;
  return binary->op != BinaryOp::kPow && binary->op != BinaryOp::kFmod && !divides;
}

/// Of values, without their indices.
void walk_values(Block const& block, std::function<void(Expr const&)> const& f) {
  walk_exprs(block.body, [&](Expr const& e) { return f(e), !e.as<Load>(); });
}

enum class IndexBounds { kOne, kNeighbours, kElsewhere };

/// What the iterations of a loop reach: the same element, one after the other, or others.
IndexBounds index_bounds_of(std::vector<Expr> const& indices, std::string const& loop) {
  IndexBounds reach = IndexBounds::kOne;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!uses_variable(indices[d], loop)) continue;
    arith::Linear linear = arith::to_linear(indices[d]);
    bool alone = linear.factor_of(loop) == 1 && d + 1 == indices.size();
    for (auto const& [term, factor] : linear.terms)
      alone = alone && (term.as<Variable>() || !uses_variable(term, loop));
    if (!alone) return IndexBounds::kElsewhere;
    reach = IndexBounds::kNeighbours;
  }
  return reach;
}

/// Of one iteration of its innermost loop; a sum along that loop stays in a register.
int64_t instructions_in(Block const& block, std::vector<TensorAccess> const& accesses,
                        std::string const& innermost) {
  int64_t count = kCounting;
  walk_values(block, [&](Expr const& e) { count += e.as<Binary>() || e.as<Unary>() ? 1 : 0; });
  for (TensorAccess const& one : accesses)
    count += one.update && index_bounds_of(one.indices, innermost) == IndexBounds::kOne ? 0 : 1;
  return count;
}

/// Whether iterations of the loop may run in lanes: what they store they alone read.
bool runs_in_lanes(Block const& block, std::vector<TensorAccess> const& accesses,
                   std::string const& loop) {
  bool straight = true;
  walk_values(block, [&](Expr const& e) { straight = straight && is_straight(e); });
  if (!straight) return false;
  for (TensorAccess const& one : accesses) {
    IndexBounds reach = index_bounds_of(one.indices, loop);
    bool sum_of_integers = one.update && reach == IndexBounds::kOne && !is_float(one.buffer->type);
    if (reach == IndexBounds::kElsewhere) return false;
    if (one.writes && reach != IndexBounds::kNeighbours && !sum_of_integers) return false;
    for (TensorAccess const& other : accesses)
      if (one.writes && !other.writes && !other.update && other.buffer->name == one.buffer->name)
        return false;  // a recurrence, or as good as one
  }
  return true;
}

/// From this loop on there is nothing but the block.
bool holds_the_block_alone(BlockSite const& site, size_t from) {
  for (size_t i = from; i + 1 < site.loops.size(); ++i)
    if (site.loops[i]->body.as<For>() != site.loops[i + 1]) return false;
  return site.loops.back()->body.as<Block>() == site.block;
}

class Compiler {
public:
  Compiler(BlockSite const& site, std::vector<TensorAccess> const& accesses, int64_t lanes)
      : written_(site), accesses_(accesses), lanes_(lanes), result_{site, {}} {}

  CompiledSite run() {
    std::vector<For const*>& loops = result_.site.loops;
    bool vectors = std::ranges::find(loops, LoopKind::kVector, &For::loop_kind) != loops.end();
    if (vectors || result_.site.block->predicate) return std::move(result_);
    int64_t instructions = instructions_in(*result_.site.block, accesses_, loops.back()->name());
    for (size_t i = loops.size(); i-- > 0;) {
      int64_t extent = as_int(loops[i]->extent).value_or(0);
      bool serial = loops[i]->loop_kind == LoopKind::kSerial;
      if (!serial && loops[i]->loop_kind != LoopKind::kUnroll) break;
      if (extent == 0 || !holds_the_block_alone(written_, i)) break;
      instructions *= extent;
      if (!serial || instructions <= kUnrolled) {
        loops[i] = made_loop(*loops[i], loops[i]->var, extent, LoopKind::kUnroll);
        continue;
      }
      if (runs_in_lanes(*result_.site.block, accesses_, loops[i]->name())) cut(i, extent);
      break;
    }
    return std::move(result_);
  }

private:
  For const* made_loop(For const& from, Expr const& var, int64_t extent, LoopKind kind) {
    result_.made.push_back(make<For>(from.id, var, int_imm(extent), kind, from.body));
    return result_.made.back().as<For>();
  }

  /// The loop at `place` becomes one over vectors, and the lanes of one.
  void cut(size_t place, int64_t extent) {
    BlockSite& site = result_.site;
    For const& loop = *site.loops[place];
    int64_t lanes = std::min(lanes_, extent);
    Expr lane = var(loop.name() + ".lane");
    Block block = *site.block;
    for (IterVar& iter : block.iters)
      iter.binding = substitute(iter.binding, {{loop.name(), loop.var * int_imm(lanes) + lane}});
    result_.made.push_back(make<Block>(block));
    site.block = result_.made.back().as<Block>();
    site.loops[place] = made_loop(loop, loop.var, (extent + lanes - 1) / lanes, LoopKind::kSerial);
    site.loops.push_back(made_loop(loop, lane, lanes, LoopKind::kVector));
  }

  BlockSite const& written_;
  std::vector<TensorAccess> const& accesses_;
  int64_t lanes_;
  CompiledSite result_;
};

}  // namespace

CompiledSite compiled(BlockSite const& site, int vector_lanes) {
  if (site.loops.empty()) return {site, {}};
  std::vector<TensorAccess> accesses = accesses_of(site);
  return Compiler(site, accesses, lanes_of(accesses, vector_lanes)).run();
}

Instructions compiled_instructions(BlockSite const& site, int vector_lanes) {
  return instructions_of(compiled(site, vector_lanes).site, vector_lanes);
}

}  // namespace tw::analysis
