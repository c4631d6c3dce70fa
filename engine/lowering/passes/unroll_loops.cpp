// unroll i in 3: S(i)   -->   S(0); S(1); S(2)
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

Stmt unrolled(For const& loop, int64_t extent) {
  std::vector<Stmt> copies;
  for (int64_t i = 0; i < extent; ++i)
    copies.push_back(substitute(loop.body, {{loop.name(), int_imm(i)}}));
  return seq(std::move(copies));
}

Result<KernelIr> run(KernelIr const& kernel, PassContext const&) {
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
