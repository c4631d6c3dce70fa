#include "engine/schedule/legality/annotate.h"

#include <fmt/format.h>

#include "engine/ir/annotations.h"
#include "engine/ir/loop_words.h"
#include "engine/schedule/legality/structure.h"

namespace tw {
namespace {

using ir::LoopKind;

bool may_hold(LoopKind outer, LoopKind inner) {
  if (outer == LoopKind::kVector) return inner == LoopKind::kSerial || inner == LoopKind::kUnroll;
  if (inner == LoopKind::kBind) return outer == LoopKind::kSerial || outer == LoopKind::kBind;
  // Each copy of an unrolled body would start the threads anew.
  return inner != LoopKind::kParallel || outer == LoopKind::kSerial;
}

std::unexpected<Refusal> clash(ir::LoopSite const& asked, std::string const& outer,
                               LoopKind outer_kind, std::string const& inner, LoopKind inner_kind,
                               std::string const& verb) {
  return refuse("kinds_do_not_nest",
                fmt::format("the {} loop {} would be inside the {} loop {}", adjective(inner_kind),
                            inner, adjective(outer_kind), outer),
                verb +
                    ": only serial and unrolled loops may be inside a vectorized loop, a parallel "
                    "loop only inside serial ones, a bound loop only inside serial and bound ones",
                {asked});
}

}  // namespace

Applied with_kind(StepRequest const& request, LoopKind kind) {
  ir::For const& loop = *request.loops[0].loop;
  Applied applied{request.program, {}, {}};
  applied.program.body =
      ir::replace_loop(request.program.body, loop.id,
                       ir::make_from<ir::For>(ir::without_words(loop.origin), loop.id, loop.var,
                                              loop.extent, kind, loop.body));
  return applied;
}

std::expected<void, Refusal> kinds_nest(ir::LoopSite const& loop, LoopKind kind,
                                        std::vector<ir::For const*> const& around,
                                        std::vector<ir::For const*> const& below,
                                        std::string const& verb) {
  std::string const& name = loop.loop->name();
  for (ir::For const* outer : around)
    if (!may_hold(outer->loop_kind, kind))
      return clash(loop, outer->name(), outer->loop_kind, name, kind, verb);
  for (ir::For const* inner : below)
    if (!may_hold(kind, inner->loop_kind))
      return clash(loop, name, kind, inner->name(), inner->loop_kind, verb);
  return {};
}

std::expected<void, Refusal> kinds_nest(ir::LoopSite const& loop, LoopKind kind,
                                        std::string const& verb) {
  std::vector<ir::For const*> below;
  for (ir::LoopSite const& site : ir::loops_of(loop.loop->body)) below.push_back(site.loop);
  return kinds_nest(loop, kind, loop.around, below, verb);
}

}  // namespace tw
