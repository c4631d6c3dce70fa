// call T_nest(T[i*4+a] over (a in 4), ...)   -->   for l0 in 4: T[i*4+l0] = ...
#include <fmt/format.h>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/calls.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// Nothing stands for it but its behaviour.
bool is_unknown(IntrinsicNode const& intrinsic, Target const& target) {
  return intrinsic.behaviour && !intrinsic.barrier && intrinsic.completion == Completion::kAtOnce &&
         !target.intrinsic(intrinsic.name);
}

Result<KernelIr> run_inline_calls(KernelIr const& kernel, PassContext const& context) {
  int calls = 0;
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Function next = function;
    Status status;
    next.body = rewrite_stmts(function.body, [&](Stmt const& s) -> Stmt {
      auto const* call = s.as<IntrinsicCall>();
      if (!call || !status || !is_unknown(*call->intrinsic, context.target)) return nullptr;
      auto loops = loops_of_call(*call, fmt::format("call{}", calls++));
      if (!loops) status = std::unexpected(loops.error());
      return loops ? *loops : nullptr;
    });
    if (!status) return std::unexpected(status.error());
    return next;
  });
}

}  // namespace

Pass inline_calls() {
  return {.name = "inline_calls",
          .title = "Expands calls that are not instructions of the target into their loops",
          .why = "before tensors shrink: the accesses of these loops count like others",
          .run = run_inline_calls,
          .contract = {.needs = {Invariant::kNoBlocks}}};
}

}  // namespace tw
