// unroll i in 3: S(i)   -->   S(0); S(1); S(2)
#include <fmt/format.h>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// A few seconds of code generation.
constexpr int64_t kMostStatements = 8192;

Stmt unrolled(For const& loop, int64_t extent) {
  std::vector<Stmt> copies;
  for (int64_t i = 0; i < extent; ++i)
    copies.push_back(substitute(loop.body, {{loop.name(), int_imm(i)}}));
  return seq(std::move(copies));
}

/// Statements that a body holds once its loops are written out. They are counted before: writing
/// them out first could take all memory there is.
double written_out(Stmt const& body) {
  double count = 0;
  walk(body, [&](Stmt const& s) {
    auto const* loop = s.as<For>();
    if (!loop) {
      count += s.as<Store>() != nullptr;
      return true;
    }
    bool unrolls = loop->loop_kind == LoopKind::kUnroll;
    count += written_out(loop->body) * (unrolls ? double(as_int(loop->extent).value_or(1)) : 1);
    return false;
  });
  return count;
}

Result<KernelIr> run(KernelIr const& kernel, PassContext const&) {
  double statements = written_out(kernel.host.body);
  if (statements > double(kMostStatements))
    return refused(
        "too_many_statements",
        fmt::format("the unrolled loops of {} would write out {:.0f} statements; at most "
                    "{} are compiled: unroll fewer loops, or smaller ones",
                    kernel.host.name, statements, kMostStatements));
  KernelIr result = kernel;
  result.host.body = rewrite_stmts(kernel.host.body, [](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    auto extent = loop ? as_int(loop->extent) : std::nullopt;
    if (!extent) return nullptr;
    if (*extent == 1) return substitute(loop->body, {{loop->name(), int_imm(0)}});
    return loop->loop_kind == LoopKind::kUnroll ? unrolled(*loop, *extent) : nullptr;
  });
  return result;
}

}  // namespace

Pass unroll_loops() {
  return {"unroll_loops", "Writes out unrolled loops, and loops of one iteration",
          "after vectors, before registers: every element of a register tile must have a statement "
          "of its own",
          run};
}

}  // namespace tw
