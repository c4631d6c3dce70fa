#include "engine/analysis/instructions.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/touched.h"
#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw::analysis {
namespace {

using namespace ir;

/// Instructions of a choice between two values: what it depends on is computed for each lane.
constexpr double kChoice = 4;

/// The loops around a block from outside to inside: those that are walked, then the copies: vector
/// lanes and unrolled iterations directly around the block.
struct Around {
  std::vector<For const*> walked, copies;
};

int64_t extent_of(For const& loop) { return as_int(loop.extent).value_or(1); }

Around around(BlockSite const& site) {
  size_t first = site.loops.size();
  while (first > 0 && (site.loops[first - 1]->loop_kind == LoopKind::kVector ||
                       site.loops[first - 1]->loop_kind == LoopKind::kUnroll))
    --first;
  auto middle = site.loops.begin() + std::ptrdiff_t(first);
  return {{site.loops.begin(), middle}, {middle, site.loops.end()}};
}

bool uses(std::vector<Expr> const& indices, For const& loop) {
  return std::any_of(indices.begin(), indices.end(),
                     [&](Expr const& e) { return uses_variable(e, loop.name()); });
}

/// Neighbouring lanes are neighbours in memory.
bool is_contiguous(std::vector<Expr> const& indices, For const& loop) {
  for (size_t d = 0; d + 1 < indices.size(); ++d)
    if (uses_variable(indices[d], loop.name())) return false;
  return arith::to_linear(indices.back()).factor_of(loop.name()) == 1;
}

/// The part of a block's iterations in which lanes of its vectors lie behind the end: there its
/// sums are loaded and stored in each iteration.
double guarded_share(BlockSite const& site) {
  double share = 0;
  for (For const* lanes : site.loops) {
    bool guards = lanes->loop_kind == LoopKind::kVector && site.block->predicate &&
                  uses_variable(site.block->predicate, lanes->name());
    if (!guards) continue;
    share = 1;  // of the outermost loop that the guard is about only the last iteration
    for (For const* loop : site.loops)
      if (loop->loop_kind == LoopKind::kSerial &&
          uses_variable(site.block->predicate, loop->name())) {
        share = 1 / double(extent_of(*loop));
        break;
      }
  }
  return share;
}

/// Memory instructions of one access in all iterations.
void add_access(Instructions& into, Around const& loops, TensorAccess const& access, double guarded,
                int vector_lanes) {
  std::vector<Expr> const& indices = access.indices;
  double count = 1, bytes = double(size_of(access.buffer->type));
  bool vector = false;
  for (For const* loop : loops.copies) {
    if (!uses(indices, *loop)) continue;  // one load serves all copies
    double extent = double(extent_of(*loop));
    bytes *= extent;
    bool wide = loop->loop_kind == LoopKind::kVector && is_contiguous(indices, *loop);
    vector = vector || wide;
    count *= wide ? std::ceil(extent / vector_lanes) : extent;
  }
  bool inside = true;  // an accumulator stays in registers while inner loops only add to it
  for (size_t i = loops.walked.size(); i-- > 0;) {
    double extent = double(extent_of(*loops.walked[i]));
    if (access.update && inside && !uses(indices, *loops.walked[i])) {
      extent = 1 - guarded + guarded * extent;
    } else {
      inside = false;
    }
    count *= extent;
    bytes *= extent;
  }
  (vector ? into.vector_accesses : into.scalar_accesses) += count;
  into.bytes += bytes;
}

/// Whether a choice is made for each lane by itself. One that is the same for all lanes of a vector
/// becomes a branch around the update (pass guard_updates), which costs next to nothing.
class PerLane {
public:
  explicit PerLane(BlockSite const& site) {
    bool updates = reduction_of(*site.block).has_value();
    for (IterVar const& iter : site.block->iters)
      for (For const* loop : site.loops)
        if (!updates ||
            (loop->loop_kind == LoopKind::kVector && uses_variable(iter.binding, loop->name())))
          of_lanes_.push_back(iter.name());
  }
  bool operator()(Expr const& condition) const {
    bool reads = false;
    walk(condition, [&](Expr const& e) { return reads = reads || e.as<Load>(), !reads; });
    return reads || std::ranges::any_of(of_lanes_, [&](std::string const& name) {
             return uses_variable(condition, name);
           });
  }

private:
  std::vector<std::string> of_lanes_;
};

/// Arithmetic of one instance: operations, and instructions when a product feeds a sum.
void count_arithmetic(Block const& block, PerLane const& per_lane, double& operations,
                      double& instructions) {
  double sums = 0, products = 0, others = 0, chosen = 0;
  walk_exprs(block.body, [&](Expr const& e) {
    auto const* unary = e.as<Unary>();
    auto const* binary = e.as<Binary>();
    if (auto const* choice = e.as<Select>(); choice && is_float(e.type()))
      chosen += per_lane(choice->condition) ? 1 : 0;
    if (!is_float(e.type()) || (!unary && !binary)) return true;
    if (unary) others += unary->op == UnaryOp::kNeg || unary->op == UnaryOp::kAbs ? 1 : 10;
    if (binary && binary->op == BinaryOp::kMul)
      products += 1;
    else if (binary && (binary->op == BinaryOp::kAdd || binary->op == BinaryOp::kSub))
      sums += 1;
    else if (binary)
      others += binary->op == BinaryOp::kDiv || binary->op == BinaryOp::kPow ? 5 : 1;
    return true;
  });
  operations = sums + products + others;
  instructions = std::max(sums, products) + others + chosen * kChoice;
}

}  // namespace

Instructions instructions_of(BlockSite const& site, int vector_lanes) {
  Around loops = around(site);
  std::vector<TensorAccess> accesses = accesses_of(site);
  double guarded = guarded_share(site);
  Instructions result;
  for (TensorAccess const& access : accesses)
    add_access(result, loops, access, guarded, vector_lanes);
  double instances = 1, vectors = 1;
  for (For const* loop : site.loops) {
    double extent = double(extent_of(*loop));
    instances *= extent;
    bool vector = loop->loop_kind == LoopKind::kVector;
    vectors *= vector ? std::ceil(extent / vector_lanes) : extent;
    if (vector) result.lanes = std::min<double>(extent, vector_lanes);
    if (loop->loop_kind == LoopKind::kParallel) result.tasks *= extent_of(*loop);
  }
  double operations = 0, instructions = 0;
  count_arithmetic(*site.block, PerLane(site), operations, instructions);
  result.flops = instances * operations;
  result.arithmetic = vectors * instructions;
  auto sum = std::find_if(accesses.begin(), accesses.end(),
                          [](TensorAccess const& access) { return access.update; });
  if (sum == accesses.end()) return result.chains = 64, result;
  for (For const* loop : loops.copies)
    if (uses(sum->indices, *loop))
      result.chains *= loop->loop_kind == LoopKind::kVector
                           ? std::ceil(double(extent_of(*loop)) / vector_lanes)
                           : double(extent_of(*loop));
  return result;
}

}  // namespace tw::analysis
