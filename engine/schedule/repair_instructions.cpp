#include "engine/schedule/repair_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/intrinsic_match.h"
#include "engine/schedule/names.h"

namespace tw {
namespace {

using namespace ir;

constexpr size_t kMostPairs = 12;
constexpr size_t kMostPacks = 2;

/// Steps taken so far, and why the last one was not.
struct Approach {
  Schedule now;
  std::vector<Step> steps = {};
  Refusal refusal = {};

  bool take(Step step) {
    auto next = now.apply(step, ProofBudget::kInteractive);
    if (!next) return refusal = next.error(), false;
    now = std::move(*next);
    steps.push_back(std::move(step));
    return true;
  }
  std::string name_of(LoopId loop) const { return reference_of(now.program(), loop); }
};

class Search {
public:
  Search(Approach start, SingleBlockNest const& nest, TensorIntrinsic const& intrinsic,
         Step const& wish)
      : start_(std::move(start)),
        nest_(nest),
        intrinsic_(intrinsic),
        behaviour_(behaviour_of(*intrinsic.declaration).value()),
        wish_(wish) {}

  std::vector<Step> run() const {
    std::vector<LoopPairs> all = pairs_but_for_extents(nest_, *intrinsic_.declaration);
    for (size_t i = 0; i < std::min(all.size(), kMostPairs); ++i)
      if (std::vector<Step> steps = along(all[i], {}); !steps.empty()) return steps;
    return {};
  }

private:
  std::vector<Step> along(LoopPairs const& pairs, std::vector<Step> const& packs) const {
    Approach approach = start_;
    for (Step const& pack : packs)
      if (!approach.take(pack)) return {};
    std::vector<LoopId> inside;
    for (size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i] && !part(approach, *behaviour_.loops[i], *pairs[i], inside)) return {};
    if (inside.empty() || !put_inside(approach, inside)) return {};
    Step use = wish_;
    use.targets = {approach.name_of(inside[0])};
    if (approach.take(use)) return approach.steps;
    if (approach.refusal.code != "not_in_rows" || packs.size() == kMostPacks) return {};
    std::optional<Step> pack = pack_for(approach.refusal, pairs);
    if (!pack) return {};
    std::vector<Step> more = packs;
    more.push_back(std::move(*pack));
    return along(pairs, more);
  }

  /// As many iterations as the instruction's loop has.
  static bool part(Approach& approach, For const& wanted, For const& loop,
                   std::vector<LoopId>& inside) {
    auto needs = as_int(wanted.extent), has = as_int(loop.extent);
    if (!needs || needs == has) return inside.push_back(loop.id), true;
    if (*has % *needs != 0) return false;
    if (!approach.take({"split", {approach.name_of(loop.id)}, {{"factor", *needs}}, {}}))
      return false;
    inside.push_back(approach.now.last_cursors().at(loop.id).back());
    return true;
  }

  bool put_inside(Approach& approach, std::vector<LoopId> const& inside) const {
    auto block = find_block(approach.now.program(), nest_.site.block->name);
    if (!block) return false;
    std::vector<LoopId> before, order;
    for (For const* loop : block->loops) {
      before.push_back(loop->id);
      if (std::ranges::find(inside, loop->id) == inside.end()) order.push_back(loop->id);
    }
    order.insert(order.end(), inside.begin(), inside.end());
    if (order == before) return true;
    Step reorder{"reorder", {}, {}, {}};
    for (LoopId loop : order) reorder.targets.push_back(approach.name_of(loop));
    return approach.take(std::move(reorder));
  }

  /// The tensor of the refusal with the dimensions that must lie in rows as blocks, innermost.
  std::optional<Step> pack_for(Refusal const& refusal, LoopPairs const& pairs) const {
    IntrinsicNode const& node = *intrinsic_.declaration;
    NestComparison same = compare(nest_, node, behaviour_, pairs);
    for (size_t i = 0; i < node.params.size() && i < intrinsic_.dense.size(); ++i) {
      IntrinsicParam const& param = node.params[i];
      if (!param.buffer || param.writes()) continue;
      auto const& element = same.elements.at(param.name()).to<Load>();
      if (!refusal.message.ends_with("pack " + element.buffer->name)) continue;
      std::string layout;
      for (size_t d = 0; d < element.indices.size(); ++d) layout += char('A' + d);
      size_t rank = param.buffer->shape.size();
      for (size_t d = rank - std::min(rank, size_t(intrinsic_.dense[i])); d < rank; ++d) {
        std::string blocked = block_of(param, d, element, pairs);
        if (blocked.empty()) return std::nullopt;
        layout += blocked;
      }
      return Step{"pack",
                  {nest_.site.block->name},
                  {{"tensor", element.buffer->name}, {"layout", layout}},
                  {}};
    }
    return std::nullopt;
  }

  /// "16b": a block of the tensor's dimension along which the parameter's dimension runs.
  std::string block_of(IntrinsicParam const& param, size_t dimension, Load const& element,
                       LoopPairs const& pairs) const {
    For const* loop = nullptr;
    auto look = [&](Load const& at) {
      auto const* v = at.indices[dimension].as<Variable>();
      for (size_t i = 0; v && i < pairs.size(); ++i)
        if (behaviour_.loops[i]->name() == v->name) loop = pairs[i];
    };
    walk(behaviour_.store->value, [&](Expr const& e) {
      if (auto const* read = e.as<Load>(); read && read->buffer->name == param.name()) look(*read);
      return true;
    });
    auto extent = as_int(param.buffer->shape[dimension]);
    for (size_t d = 0; loop && extent && d < element.indices.size(); ++d)
      if (arith::to_linear(element.indices[d]).factor_of(loop->name()) == 1)
        return fmt::format("{}{}", *extent, char('a' + d));
    return "";
  }

  Approach start_;
  SingleBlockNest const& nest_;
  TensorIntrinsic const& intrinsic_;
  Behaviour behaviour_;
  Step const& wish_;
};

/// A nest with its sum started outside, and the steps that led there.
struct Start {
  Approach approach;
  SingleBlockNest nest;
};

/// Nothing: the loop belongs to no nest of one statement.
std::optional<Start> started_outside(Approach approach, Step const& wish) {
  auto loop = find_loop(approach.now.program(), wish.targets[0]);
  if (!loop) return std::nullopt;
  auto block = owner_of(approach.now.program(), loop->loop->id);
  if (!block) return std::nullopt;
  LoopId outermost = block->loops.front()->id;
  if (block->block->init &&
      !approach.take({"decompose_reduction", {approach.name_of(outermost)}, {}, {}}))
    return std::nullopt;
  StepRequest request{approach.now.program(),
                      approach.now.target(),
                      {site_of(approach.now.program(), outermost)},
                      wish};
  auto nest = single_block_nest(request, "tensorize");
  if (!nest) return std::nullopt;
  return Start{std::move(approach), std::move(*nest)};
}

std::vector<Step> by_parts(Start const& start, TensorIntrinsic const& intrinsic, Step const& wish) {
  return Search(start.approach, start.nest, intrinsic, wish).run();
}

/// What was padded in main memory goes where the tensor without padding lies; where only copies
/// reach, padding and what is copied are apart.
bool put_beside(Approach& approach, std::string const& block) {
  auto site = find_block(approach.now.program(), block);
  if (!site) return false;
  std::string scope, written;
  walk_reads(site->block->body, [&](Touched const& at) { scope = at.buffer->scope; });
  walk_writes(site->block->body, [&](Touched const& at) { written = at.buffer->scope; });
  MemoryScope const* memory = approach.now.target().scope(scope);
  if (!memory || scope == written || written != kGlobalScope) return true;
  if (!approach.take({"set_scope", {block}, {{"scope", scope}}, {}})) return false;
  return memory->reach != IndexBounds::kCopies ||
         approach.take({"decompose_padding", {block}, {}, {}});
}

/// An axis padded to a multiple, with what that needs.
bool pad(Approach& approach, LoopId loop, int64_t to) {
  std::set<BlockId> before;
  for (BlockSite const& site : blocks_of(approach.now.program().body))
    before.insert(site.block->id);
  if (!approach.take({"pad", {approach.name_of(loop)}, {{"to", to}}, {}})) return false;
  Program const padded = approach.now.program();
  return std::ranges::all_of(blocks_of(padded.body), [&](BlockSite const& site) {
    return before.contains(site.block->id) || put_beside(approach, site.block->name);
  });
}

/// The same after loops of which the instruction's extents are no divisors were padded. That comes
/// first: a padded axis is a whole one, of a block that starts its sum itself.
std::vector<Step> by_padding(Approach const& from, Start const& start,
                             TensorIntrinsic const& intrinsic, Step const& wish) {
  Behaviour const behaviour = behaviour_of(*intrinsic.declaration).value();
  std::vector<LoopPairs> all = pairs_but_for_extents(start.nest, *intrinsic.declaration);
  for (size_t at = 0; at < std::min(all.size(), kMostPairs); ++at) {
    Approach padded = from;
    bool good = true;
    for (size_t i = 0; i < all[at].size() && good; ++i) {
      auto needs = as_int(behaviour.loops[i]->extent);
      if (!all[at][i] || !needs || as_int(all[at][i]->extent).value_or(0) % *needs == 0) continue;
      good = pad(padded, all[at][i]->id, *needs);
    }
    if (!good || padded.steps.size() == from.steps.size()) continue;
    if (auto longer = started_outside(padded, wish))
      if (std::vector<Step> steps = by_parts(*longer, intrinsic, wish); !steps.empty())
        return steps;
  }
  return {};
}

}  // namespace

std::vector<Step> steps_to_instruction(Schedule const& schedule, Step const& tensorize) {
  auto word = tensorize.arguments.find("intrinsic");
  if (word == tensorize.arguments.end() || !std::holds_alternative<std::string>(word->second))
    return {};
  TensorIntrinsic const* intrinsic =
      schedule.target().intrinsic(std::get<std::string>(word->second));
  if (!intrinsic || !behaviour_of(*intrinsic->declaration)) return {};
  Approach const from{schedule};
  auto start = started_outside(from, tensorize);
  if (!start) return {};
  std::vector<Step> steps = by_parts(*start, *intrinsic, tensorize);
  return steps.empty() ? by_padding(from, *start, *intrinsic, tensorize) : steps;
}

}  // namespace tw
