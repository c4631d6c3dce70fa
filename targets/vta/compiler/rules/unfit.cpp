#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "targets/vta/compiler/rules/product_stage.h"
#include "targets/vta/compiler/rules/rules.h"
#include "targets/vta/compiler/stages/places.h"

namespace tw::vta {
namespace {

using namespace ir;

bool is_of_integers(Program const& program) {
  auto integer = [](Buffer const& tensor) { return is_integer(tensor->type); };
  return std::ranges::all_of(program.inputs, integer) &&
         std::ranges::all_of(program.outputs, integer);
}

/// Whether the block sums up products.
bool sums_products(BlockSite const& site) {
  auto sum = reduction_of(*site.block);
  auto const* product = sum && sum->op == BinaryOp::kAdd ? sum->value.as<Binary>() : nullptr;
  return product && product->op == BinaryOp::kMul;
}

/// Whether what is read side by side is written elsewhere.
bool moves_numbers(BlockSite const& site) {
  auto const* store = site.block->body.as<Store>();
  if (!store || store->indices.empty()) return false;
  bool moves = false;
  walk_reads(store->value, [&](ir::Touched const& at) {
    moves = moves || (!at.indices.empty() && at.buffer->name != store->buffer->name &&
                      !equal(at.indices.back(), store->indices.back()));
  });
  return moves;
}

/// Whether somebody has scheduled it: then what does not fit is said of the schedule.
bool is_scheduled(Program const& program) {
  bool scheduled = false;
  walk(program.body, [&](Stmt const& s) {
    auto const* store = s.as<Store>();
    scheduled = scheduled || s.as<IntrinsicCall>() || (store && store->buffer->scope != "global");
    if (auto const* block = s.as<Block>())
      for (IterVar const& iter : block->iters)  // cut or joined loops
        scheduled = scheduled || !(iter.binding.as<Variable>() || as_int(iter.binding));
    return !scheduled;
  });
  return scheduled;
}

/// Whether the block joins numbers that lie side by side in one element.
bool joins_lanes(BlockSite const& site) {
  auto info = reduction_of(*site.block);
  if (!info) return false;
  bool joins = false;
  walk_reads(info->value, [&](ir::Touched const& at) {
    if (at.indices.empty() || at.buffer->name == info->store->buffer->name) return;
    arith::Linear lane = arith::to_linear(at.indices.back());
    for (IterVar const& iter : site.block->iters)
      joins = joins || (iter.kind == IterKind::kReduce && lane.factor_of(iter.name()) != 0);
  });
  return joins;
}

/// What sums, maxima and minima other than those of products keep it from; empty: nothing.
std::string why_joins_are_unfit(std::vector<BlockSite> const& sites, bool products,
                                Configuration const& c) {
  for (BlockSite const& site : sites) {
    if (!site.block->init || sums_products(site)) continue;
    if (joins_lanes(site))
      return fmt::format(
          "{} joins the numbers of one element of {} x {}, which the accelerator "
          "computes side by side and never with one another",
          site.block->name, c.batch(), c.block());
    if (products)
      return fmt::format(
          "{} joins the results of its products; the default schedule allows only element-wise "
          "stages after products: make two kernels of it, or schedule it (set_scope to '{}', "
          "compute_at)",
          site.block->name, kAccScope);
  }
  return {};
}

}  // namespace

std::string why_unfit(Program const& plain, Configuration const& c) {
  if (!is_of_integers(plain) || is_scheduled(plain)) return {};
  std::vector<BlockSite> sites = blocks_of(plain.body);
  auto count = std::ranges::count_if(sites, sums_products);
  bool products = count > 0;
  if (count > 1)
    return fmt::format(
        "it has {} products one behind another, and what is multiplied comes to "
        "'{}' from main memory alone: make a kernel of each",
        count, kInpScope);
  if (products && !product_stage(plain, c))
    return fmt::format(
        "its products are not those of the accelerator: data in blocks of {0} x {1} and weights in "
        "blocks of {1} x {1} (a convolution with one channel in each group has none)",
        c.batch(), c.block());
  if (std::string why = why_joins_are_unfit(sites, products, c); !why.empty()) return why;
  for (Buffer const& made : plain.outputs)
    if (made->type != DType::kI8)
      return fmt::format("its result is {}, and the accelerator stores bytes alone",
                         to_text(made->type));
  bool reduces = std::ranges::any_of(sites, [](BlockSite const& s) { return bool(s.block->init); });
  if (!products && !reduces && std::ranges::any_of(sites, moves_numbers))
    return fmt::format("it moves single numbers, and the accelerator moves elements of {} x {}",
                       c.batch(), c.block());
  return {};
}

}  // namespace tw::vta
