// unroll i in 3: S(i)   -->   S(0); S(1); S(2)
#include <fmt/format.h>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Few seconds of code generation, whose time grows with the square of what one block holds.
constexpr int64_t kMostOperations = 20'000;
/// Instructions that one elementary function becomes.
constexpr double kFunctionOperations = 40;

Stmt unrolled(For const& loop, int64_t extent) {
  std::vector<Stmt> copies;
  for (int64_t i = 0; i < extent; ++i)
    copies.push_back(substitute(loop.body, {{loop.name(), int_imm(i)}}));
  return seq(std::move(copies));
}

double operations_of(Expr const& e) {
  if (e.as<IntImm>() || e.as<FloatImm>() || e.as<Variable>()) return 0;
  if (auto const* node = e.as<Binary>())
    return node->op == BinaryOp::kPow || node->op == BinaryOp::kFmod ? kFunctionOperations : 1;
  auto const* node = e.as<Unary>();
  bool function = node && (node->op == UnaryOp::kExp || node->op == UnaryOp::kLog ||
                           node->op == UnaryOp::kTanh || node->op == UnaryOp::kErf ||
                           node->op == UnaryOp::kSin || node->op == UnaryOp::kCos);
  return function ? kFunctionOperations : 1;
}

/// Operations that a body holds once its loops are written out. They are counted before: writing
/// them out first could take all memory there is.
double written_out(Stmt const& body) {
  double count = 0;
  walk(body, [&](Stmt const& s) {
    if (auto const* store = s.as<Store>()) {
      ++count;
      walk(store->value, [&](Expr const& e) {
        count += operations_of(e);
        return true;
      });
    }
    auto const* loop = s.as<For>();
    if (!loop) return true;
    bool unrolls = loop->loop_kind == LoopKind::kUnroll;
    count += written_out(loop->body) * (unrolls ? double(as_int(loop->extent).value_or(1)) : 1);
    return false;
  });
  return count;
}

Result<Function> unrolled_function(Function const& function) {
  double operations = written_out(function.body);
  if (operations > double(kMostOperations))
    return refused("too_many_statements",
                   fmt::format("unrolling the loops of {} would give {:.0f} operations, but at "
                               "most {} are compiled: unroll fewer or smaller loops",
                               function.name, operations, kMostOperations));
  Function result = function;
  result.body = rewrite_stmts(function.body, [](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    auto extent = loop ? as_int(loop->extent) : std::nullopt;
    if (!extent) return nullptr;
    if (*extent == 1) return substitute(loop->body, {{loop->name(), int_imm(0)}});
    return loop->loop_kind == LoopKind::kUnroll ? unrolled(*loop, *extent) : nullptr;
  });
  return result;
}

Result<KernelIr> run_unroll_loops(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, unrolled_function);
}

}  // namespace

Pass unroll_loops() {
  return {"unroll_loops",
          "Expands unrolled loops, and loops of one iteration",
          "after vectorization, before accumulators are promoted: every element of a register tile "
          "needs its own statement",
          run_unroll_loops,
          {.needs = {Invariant::kNoBlocks},
           .gives = {Invariant::kNoUnrolledLoops},
           .gives_up = {Invariant::kLoopsOnce}}};
}

}  // namespace tw
