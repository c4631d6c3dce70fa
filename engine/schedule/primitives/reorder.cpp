#include <algorithm>

#include "engine/schedule/legality/annotate.h"
#include "engine/schedule/legality/independence.h"
#include "engine/schedule/legality/permutation.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw::primitive_reorder {
namespace {

/// The chain with the named loops in their new order, the others where they were.
std::vector<ir::LoopSite> reordered(std::vector<ir::LoopSite> chain,
                                    std::vector<ir::LoopSite> const& named) {
  size_t next = 0;
  for (ir::LoopSite& site : chain) {
    bool moves = std::any_of(named.begin(), named.end(),
                             [&](auto const& loop) { return loop.loop->id == site.loop->id; });
    if (moves) site = named[next++];
  }
  return chain;
}

/// Annotated loops may move as long as their kinds still nest.
std::expected<void, Refusal> annotations_fit(std::vector<ir::LoopSite> const& before,
                                             std::vector<ir::LoopSite> const& after) {
  for (size_t i = 0; i < after.size(); ++i) {
    std::vector<ir::For const*> around = before.front().around, below;
    for (size_t j = 0; j < i; ++j) around.push_back(after[j].loop);
    for (size_t j = i + 1; j < after.size(); ++j) below.push_back(after[j].loop);
    for (ir::LoopSite const& site : ir::loops_of(before.back().loop->body))
      below.push_back(site.loop);
    if (auto fit = kinds_nest(after[i], after[i].loop->loop_kind, around, below, "reorder"); !fit)
      return fit;
  }
  return {};
}

Applied apply(StepRequest const& request);

/// A parallel or vectorized loop that has other loops inside of it now still has independent
/// iterations.
std::expected<void, Refusal> still_independent(StepRequest const& request,
                                               std::vector<ir::LoopSite> const& after) {
  std::optional<ir::Program> moved;
  for (ir::LoopSite const& site : after) {
    ir::LoopKind kind = site.loop->loop_kind;
    if (kind == ir::LoopKind::kSerial || kind == ir::LoopKind::kUnroll) continue;
    if (!moved) moved = apply(request).program;
    auto free = independent_iterations(*moved, request.target, site_of(*moved, site.loop->id),
                                       "reorder", request.budget);
    if (!free) return std::unexpected(free.error());
  }
  return {};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  auto chain = perfect_chain(request.program, request.loops, "reorder");
  if (!chain) return std::unexpected(chain.error());
  if (auto plain = plain_chain(request.program, *chain, "reorder"); !plain)
    return std::unexpected(plain.error());
  auto after = reordered(*chain, request.loops);
  if (auto fit = annotations_fit(*chain, after); !fit) return std::unexpected(fit.error());
  if (request.budget == ProofBudget::kTrusted) return Proof();
  auto proof = permutable(request.target, *chain, after, request.budget);
  if (!proof) return proof;
  if (auto free = still_independent(request, after); !free) return std::unexpected(free.error());
  return proof;
}

Applied apply(StepRequest const& request) {
  auto chain = *perfect_chain(request.program, request.loops, "reorder");
  auto after = reordered(chain, request.loops);
  ir::Stmt body = chain.back().loop->body;
  for (size_t i = after.size(); i-- > 0;) {
    ir::For const& loop = *after[i].loop;
    body = ir::make_from<ir::For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, body,
                                  loop.bind);
  }
  Applied applied{request.program, {}, {}};
  applied.program.body = ir::replace_loop(request.program.body, chain.front().loop->id, body);
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "reorder",
      .key = "R",
      .title = "Reorder loops",
      .doc =
          "Puts the named loops into the given order, outermost first; loops between them that are "
          "not named keep their place.",
      .rewrite = "for i: for j: for k: S  -- reorder(k, i) -->  for k: for j: for i: S",
      .refused = "cannot be moved there",
      .at_hand = true,
      .targets = -1,
      .check = check,
      .apply = apply,
      .open_sizes = OpenSizes{apply},
      .refuses = {"dependence_carried", "extent_unknown", "kinds_do_not_nest", "not_on_one_chain",
                  "not_only_blocks", "not_perfectly_nested", "opaque_block", "order_carried",
                  "reduction_carried", "start_not_first", "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_reorder
