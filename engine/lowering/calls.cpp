#include "engine/lowering/calls.h"

#include <fmt/format.h>

#include "engine/ir/inlined_call.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"

namespace tw {

using namespace ir;

Result<Stmt> loops_of_call(IntrinsicCall const& call, std::string const& prefix) {
  if (overlaps_itself(call))
    return refused("call_overlaps",
                   fmt::format("{} reads a tensor that it writes, and the target does not have it: "
                               "loops would read what they wrote before",
                               call.intrinsic->name));
  return rewrite_stmts(inlined(call, prefix), [&](Stmt const& s) -> Stmt {
    auto const* loop = s.as<For>();
    if (!loop) return with_origin(s, call.origin);
    return make_from<For>(call.origin, LoopId{}, loop->var, loop->extent, loop->loop_kind,
                          loop->body);
  });
}

}  // namespace tw
