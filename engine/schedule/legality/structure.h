/// Questions about the shape of a nest.
#pragma once

#include <expected>

#include "engine/ir/rewrite.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// A refusal with one culprit.
std::unexpected<Refusal> refuse(std::string code, std::string message, std::string condition,
                                std::vector<ir::LoopSite> const& culprits);

/// The loop runs its iterations one after the other, with a constant extent, and holds blocks only.
std::expected<int64_t, Refusal> plain_loop(ir::Program const& program, ir::LoopSite const& loop,
                                           std::string const& verb);
/// The loops lie on one chain; between the outermost and the innermost nothing else stands.
/// Answers with the chain from the outermost of `loops` to the innermost.
std::expected<std::vector<ir::LoopSite>, Refusal> perfect_chain(ir::Program const& program,
                                                                std::vector<ir::LoopSite> loops,
                                                                std::string const& verb);

/// Below the chain stand loops and blocks only, none of them opaque, and all extents are constants.
std::expected<void, Refusal> plain_chain(ir::Program const& program,
                                         std::vector<ir::LoopSite> const& chain,
                                         std::string const& verb);

/// Rewrites blocks below, all variables at once: in bindings and predicates, simplified with the
/// ranges of the loops `around` and the new ones; `guard` is added to the predicate.
ir::Stmt rebind(ir::Stmt const& body, ir::Substitution const& by, ir::Expr const& guard,
                std::vector<std::pair<std::string, int64_t>> const& new_extents,
                std::vector<ir::For const*> const& around);
/// The name that the script gives to the `i`-th loop made, or `wanted` made unique.
std::string made_name(StepRequest const& request, size_t i, std::string const& wanted);

}  // namespace tw
