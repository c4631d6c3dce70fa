#include "engine/schedule/repair_instructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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
    auto next = now.apply(step, Effort::kInteractive);
    if (!next) return refusal = next.error(), false;
    now = std::move(*next);
    steps.push_back(std::move(step));
    return true;
  }
  std::string name_of(LoopId loop) const { return reference_of(now.program(), loop); }
};

class Search {
public:
  Search(Approach start, LoneNest const& nest, TensorIntrinsic const& intrinsic, Step const& wish)
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
  LoneNest const& nest_;
  TensorIntrinsic const& intrinsic_;
  Behaviour behaviour_;
  Step const& wish_;
};

}  // namespace

std::vector<Step> steps_to_instruction(Schedule const& schedule, Step const& tensorize) {
  auto word = tensorize.arguments.find("intrinsic");
  auto loop = find_loop(schedule.program(), tensorize.targets[0]);
  if (!loop || word == tensorize.arguments.end() ||
      !std::holds_alternative<std::string>(word->second))
    return {};
  TensorIntrinsic const* intrinsic =
      schedule.target().intrinsic(std::get<std::string>(word->second));
  auto block = owner_of(schedule.program(), loop->loop->id);
  if (!intrinsic || !behaviour_of(*intrinsic->declaration) || !block) return {};
  Approach start{schedule};
  LoopId outermost = block->loops.front()->id;
  if (block->block->init &&
      !start.take({"decompose_reduction", {start.name_of(outermost)}, {}, {}}))
    return {};
  Move move{start.now.program(),
            start.now.target(),
            {site_of(start.now.program(), outermost)},
            tensorize};
  auto nest = lone_nest(move, "tensorize");
  return nest ? Search(start, *nest, *intrinsic, tensorize).run() : std::vector<Step>{};
}

}  // namespace tw
