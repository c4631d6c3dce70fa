#include "engine/schedule/legality/structure.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/loop_words.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

bool only_blocks(ir::Stmt const& body) {
  bool plain = true;
  ir::walk(body, [&](ir::Stmt const& s) {
    if (s.as<ir::Block>()) return false;
    plain = plain && !s.as<ir::Store>() && !s.as<ir::If>() && !s.as<ir::Let>();
    return plain;
  });
  return plain;
}

}  // namespace

std::unexpected<Refusal> refuse(std::string code, std::string message, std::string condition,
                                std::vector<ir::LoopSite> const& culprits) {
  Refusal refusal;
  refusal.code = std::move(code);
  refusal.message = std::move(message);
  refusal.condition = std::move(condition);
  for (ir::LoopSite const& site : culprits) refusal.culprits.push_back(site.loop->id);
  return std::unexpected(std::move(refusal));
}

namespace {

std::expected<void, Refusal> holds_plain_blocks(ir::Program const& program,
                                                ir::LoopSite const& loop, std::string const& verb) {
  std::string name = reference_of(program, loop.loop->id);
  if (!only_blocks(loop.loop->body))
    return refuse("not_only_blocks", fmt::format("{} contains statements outside blocks", name),
                  fmt::format("{}: the loop may only contain loops and blocks", verb), {loop});
  for (ir::BlockSite const& site : ir::blocks_of(loop.loop->body))
    for (ir::IterVar const& iter : site.block->iters)
      if (iter.kind == ir::IterKind::kOpaque)
        return refuse("opaque_block",
                      fmt::format("nothing is known about the order of block {} inside {}",
                                  site.block->name, name),
                      fmt::format("{}: no block inside the loop may have an opaque iterator", verb),
                      {loop});
  return {};
}

}  // namespace

std::expected<int64_t, Refusal> plain_loop(ir::Program const& program, ir::LoopSite const& loop,
                                           std::string const& verb) {
  std::string name = reference_of(program, loop.loop->id);
  if (loop.loop->loop_kind != ir::LoopKind::kSerial)
    return refuse("loop_annotated",
                  fmt::format("{} is already {}", name, ir::adjective(loop.loop->loop_kind)),
                  fmt::format("{}: the loop must be serial", verb), {loop});
  auto extent = ir::as_int(loop.loop->extent);
  if (!extent)
    return refuse("extent_unknown",
                  fmt::format("the extent of {} is not known before the kernel runs", name),
                  fmt::format("{}: the extent must be a constant", verb), {loop});
  if (auto plain = holds_plain_blocks(program, loop, verb); !plain)
    return std::unexpected(plain.error());
  return *extent;
}

std::expected<std::vector<ir::LoopSite>, Refusal> perfect_chain(ir::Program const& program,
                                                                std::vector<ir::LoopSite> loops,
                                                                std::string const& verb) {
  std::sort(loops.begin(), loops.end(),
            [](auto const& a, auto const& b) { return a.around.size() < b.around.size(); });
  ir::LoopSite const& outer = loops.front();
  ir::LoopSite const& inner = loops.back();
  std::string condition = fmt::format("{}: the loops must be perfectly nested", verb);
  std::vector<ir::LoopSite> chain{outer};
  while (chain.back().loop->id != inner.loop->id) {
    auto const* next = chain.back().loop->body.as<ir::For>();
    if (!next) {
      bool inside = std::any_of(inner.around.begin(), inner.around.end(),
                                [&](ir::For const* f) { return f->id == chain.back().loop->id; });
      std::string a = reference_of(program, chain.back().loop->id),
                  b = reference_of(program, inner.loop->id);
      return refuse(inside ? "not_perfectly_nested" : "not_on_one_chain",
                    inside ? fmt::format("there is more than one statement between {} and {}", a, b)
                           : fmt::format("{} is not inside {}", b, a),
                    condition, {outer, inner});
    }
    ir::LoopSite site{next, chain.back().around};
    site.around.push_back(chain.back().loop);
    chain.push_back(std::move(site));
  }
  for (ir::LoopSite const& site : loops) {
    bool found = std::any_of(chain.begin(), chain.end(),
                             [&](ir::LoopSite const& c) { return c.loop->id == site.loop->id; });
    if (!found)
      return refuse(
          "not_on_one_chain",
          fmt::format("neither of {} and {} is inside the other",
                      reference_of(program, site.loop->id), reference_of(program, inner.loop->id)),
          condition, {site, inner});
  }
  return chain;
}

std::expected<void, Refusal> plain_chain(ir::Program const& program,
                                         std::vector<ir::LoopSite> const& chain,
                                         std::string const& verb) {
  for (ir::LoopSite const& site : chain)
    if (!ir::as_int(site.loop->extent))
      return refuse("extent_unknown",
                    fmt::format("the extent of {} is not known before the kernel runs",
                                reference_of(program, site.loop->id)),
                    fmt::format("{}: the extent must be a constant", verb), {site});
  return holds_plain_blocks(program, chain.front(), verb);
}

ir::Stmt rebind(ir::Stmt const& body, ir::Substitution const& by, ir::Expr const& guard,
                std::vector<std::pair<std::string, int64_t>> const& new_extents,
                std::vector<ir::For const*> const& around) {
  arith::Ranges outside = ranges_of(around);
  for (auto const& [name, extent] : new_extents) outside.set(name, {0, extent - 1});
  ir::Stmt result = body;
  for (ir::BlockSite const& site : ir::blocks_of(body)) {
    arith::Ranges ranges = outside;
    for (ir::For const* loop : site.loops)
      if (auto extent = ir::as_int(loop->extent); extent && !by.contains(loop->name()))
        ranges.set(loop->name(), {0, *extent - 1});
    ir::Block const& block = *site.block;
    auto renew = [&](ir::Expr const& e) { return arith::simplify(ir::substitute(e, by), ranges); };
    std::vector<ir::IterVar> iters = block.iters;
    for (ir::IterVar& iter : iters) iter.binding = renew(iter.binding);
    ir::Expr predicate = block.predicate ? renew(block.predicate) : nullptr;
    if (predicate && ir::is_int(predicate, 1)) predicate = nullptr;
    if (guard) predicate = predicate ? predicate && guard : guard;
    result = ir::replace_block(
        result, block.id,
        ir::make_from<ir::Block>(block.origin, block.id, block.name, block.op, std::move(iters),
                                 predicate, block.init, block.body));
  }
  return result;
}

std::string made_name(StepRequest const& request, size_t i, std::string const& wanted) {
  if (i < request.step.gives.size()) return request.step.gives[i];
  return free_name(request.program, request.loops[0], wanted);
}

}  // namespace tw
