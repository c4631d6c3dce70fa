#include "engine/analysis/instructions.h"

#include <algorithm>
#include <cmath>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw::analysis {
namespace {

using namespace ir;

/// Instructions of a choice between two values: what it depends on is computed for each lane.
constexpr double kChoice = 4;
/// Instructions of sums that a processor has begun before the first of them is done.
constexpr double kAhead = 100;

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

int64_t width_of(DType type) {
  return is_float(type) ? std::max<int64_t>(4, size_of(type)) : size_of(type);
}

/// What blocks compute with, not where it lies.
bool is_data(DType type) { return is_float(type) || (is_integer(type) && type != DType::kI64); }

/// Memory instructions of one access in all iterations. What is narrower than the widest number of
/// its block is widened as it is loaded: no more lanes at once than of that.
void add_access(Instructions& into, Around const& loops, TensorAccess const& access, double guarded,
                int lanes) {
  std::vector<Expr> const& indices = access.indices;
  double count = 1, bytes = double(size_of(access.buffer->type));
  bool vector = false;
  for (For const* loop : loops.copies) {
    if (!uses(indices, *loop)) continue;  // one load serves all copies
    double extent = double(extent_of(*loop));
    bytes *= extent;
    bool wide = loop->loop_kind == LoopKind::kVector && is_contiguous(indices, *loop);
    vector = vector || wide;
    count *= wide ? std::ceil(extent / lanes) : extent;
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
/// becomes a branch around the update (pass predicate_updates), which costs next to nothing.
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

/// Arithmetic of one instance: operations of floats, and instructions. A product of floats that
/// feeds a sum is one with it; a number that is loaded is widened on its way.
struct Arithmetic {
  double operations = 0, instructions = 0;
};
class Counted {
public:
  Counted(Block const& block, PerLane const& per_lane) : per_lane_(per_lane) {
    walk_exprs(block.body, [&](Expr const& e) { return add(e), true; });
  }
  Arithmetic total() const {
    double floats = sums_ + products_ + others_;
    return {floats, std::max(sums_, products_) + others_ + integers_ + chosen_ * kChoice};
  }

private:
  void add(Expr const& e) {
    if (!is_data(e.type())) return;
    if (auto const* choice = e.as<Select>()) chosen_ += per_lane_(choice->condition) ? 1 : 0;
    auto const* unary = e.as<Unary>();
    auto const* binary = e.as<Binary>();
    auto const* cast = e.as<Cast>();
    bool on_its_way = !cast || cast->a.as<Load>();
    if (!is_float(e.type())) {
      integers_ += unary || !on_its_way ? 1 : binary ? cost_of(*binary) : 0;
    } else if (unary) {
      others_ += unary->op == UnaryOp::kNeg || unary->op == UnaryOp::kAbs ? 1 : 10;
    } else if (binary) {
      bool product = binary->op == BinaryOp::kMul;
      bool sum = binary->op == BinaryOp::kAdd || binary->op == BinaryOp::kSub;
      (product ? products_ : sum ? sums_ : others_) += cost_of(*binary);
    }
  }
  static double cost_of(Binary const& binary) {
    switch (binary.op) {
      case BinaryOp::kDiv:
      case BinaryOp::kPow:
      case BinaryOp::kFloorDiv:
      case BinaryOp::kFloorMod:
        return 5;
      case BinaryOp::kFmod:
        return 50;  // a loop over the quotient's digits
      default:
        return 1;
    }
  }

  PerLane const& per_lane_;
  double sums_ = 0, products_ = 0, others_ = 0, integers_ = 0, chosen_ = 0;
};

/// Sums that a processor has under way at once: those of the copies, and, as far as it looks ahead,
/// of the next elements of the sum, which are as far away as one sum is long.
double chains_of(Around const& loops, std::vector<Expr> const& sum, int lanes) {
  double chains = 1, long_one = 1, elements = 1;
  for (For const* loop : loops.copies) {
    double extent = double(extent_of(*loop));
    double copies = loop->loop_kind == LoopKind::kVector ? std::ceil(extent / lanes) : extent;
    (uses(sum, *loop) ? chains : long_one) *= copies;
  }
  auto next = loops.walked.rbegin(), end = loops.walked.rend();
  for (; next != end && !uses(sum, **next); ++next) long_one *= double(extent_of(**next));
  for (; next != end && uses(sum, **next); ++next) elements *= double(extent_of(**next));
  return chains * std::min(1 + kAhead / (chains * long_one), elements);
}

}  // namespace

int lanes_of(std::vector<TensorAccess> const& accesses, int vector_lanes) {
  int64_t widest = 0;
  for (TensorAccess const& access : accesses)
    if (access.writes || is_data(access.buffer->type))
      widest = std::max(widest, width_of(access.buffer->type));
  return widest == 0 ? vector_lanes : int(std::max<int64_t>(1, vector_lanes * 4 / widest));
}

Instructions instructions_of(BlockSite const& site, int vector_lanes) {
  Around loops = around(site);
  std::vector<TensorAccess> accesses = accesses_of(site);
  double guarded = guarded_share(site);
  int lanes = lanes_of(accesses, vector_lanes);
  Instructions result;
  for (TensorAccess const& access : accesses) add_access(result, loops, access, guarded, lanes);
  double instances = 1, vectors = 1;
  for (For const* loop : site.loops) {
    double extent = double(extent_of(*loop));
    instances *= extent;
    bool vector = loop->loop_kind == LoopKind::kVector;
    vectors *= vector ? std::ceil(extent / lanes) : extent;
    if (vector) result.lanes = std::min<double>(extent, lanes);
    if (loop->loop_kind == LoopKind::kParallel) result.tasks *= extent_of(*loop);
  }
  Arithmetic one = Counted(*site.block, PerLane(site)).total();
  result.flops = instances * one.operations;
  result.arithmetic = vectors * one.instructions;
  auto sum = std::find_if(accesses.begin(), accesses.end(),
                          [](TensorAccess const& access) { return access.update; });
  if (sum == accesses.end()) return result.chains = 64, result;
  result.integers = !is_float(sum->buffer->type);
  result.chains = chains_of(loops, sum->indices, lanes);
  return result;
}

}  // namespace tw::analysis
