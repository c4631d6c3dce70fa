#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "targets/vta/compiler/rules/product_stage.h"
#include "targets/vta/compiler/rules/rules.h"

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

}  // namespace

std::string why_unfit(Program const& plain, Configuration const& c) {
  if (!is_of_integers(plain)) return {};
  std::vector<BlockSite> sites = blocks_of(plain.body);
  bool products = std::ranges::any_of(sites, sums_products);
  if (products && !product_stage(plain, c))
    return fmt::format(
        "its products are not those of the accelerator: data in blocks of {0} x {1} and weights in "
        "blocks of {1} x {1} (a convolution with one channel in each group has none)",
        c.batch(), c.block());
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
