#include <fmt/format.h>

#include <optional>

#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/primitive.h"

namespace tw::primitive_skip_padding {
namespace {

using namespace ir;

/// A term that is zero unless the condition holds, and what it is then.
struct Padded {
  Expr condition;
  Expr value;
};

std::optional<Padded> padded(Expr const& term);

std::optional<Padded> padded_product(Binary const& product) {
  if (product.op != BinaryOp::kMul) return std::nullopt;
  std::optional<Padded> a = padded(product.a), b = padded(product.b);
  if (!a && !b) return std::nullopt;
  Expr condition = a && b ? a->condition && b->condition : a ? a->condition : b->condition;
  return Padded{condition,
                binary(BinaryOp::kMul, a ? a->value : product.a, b ? b->value : product.b)};
}

std::optional<Padded> padded(Expr const& term) {
  if (auto const* choice = term.as<Select>()) {
    if (!equal(choice->b, neutral(BinaryOp::kAdd, choice->b.type()))) return std::nullopt;
    return Padded{choice->condition, choice->a};
  }
  if (auto const* converted = term.as<Cast>()) {
    std::optional<Padded> inner = padded(converted->a);
    if (!inner) return std::nullopt;
    return Padded{inner->condition, cast(term.type(), inner->value)};
  }
  auto const* product = term.as<Binary>();
  return product ? padded_product(*product) : std::nullopt;
}

/// The sum that a block adds up; null where it is none.
Binary const* sum_of(BlockSite const& site) {
  if (!is_reduction(site)) return nullptr;
  auto const* store = site.block->body.as<Store>();
  auto const* sum = store ? store->value.as<Binary>() : nullptr;
  return sum && sum->op == BinaryOp::kAdd && sum->a.as<Load>() ? sum : nullptr;
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  std::string const& name = request.blocks[0].block->name;
  Binary const* sum = sum_of(request.blocks[0]);
  if (!sum)
    return refuse_stage("not_a_sum", fmt::format("block {} does not add up terms", name),
                        "skip_padding: the block must be a sum");
  // Already a choice between a term and nothing.
  bool done = sum->b.as<Select>() != nullptr;
  if (done || !padded(sum->b))
    return refuse_stage(
        done ? "skipped_already" : "no_padding",
        done ? fmt::format("{} skips padding already", name)
             : fmt::format("no factor of {}'s terms is zero by a condition on the loops: inline "
                           "the block that pads first",
                           name),
        "skip_padding: a factor of the terms must be zero outside of a tensor");
  return Proof{"a product with zero is zero"};
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Block const& block = *request.blocks[0].block;
  Store const& store = block.body.to<Store>();
  Binary const& sum = store.value.to<Binary>();
  Padded term = *padded(sum.b);
  Expr nothing = neutral(BinaryOp::kAdd, sum.b.type());
  Stmt body =
      make_from<Store>(block.body->origin, store.buffer, store.indices,
                       binary(BinaryOp::kAdd, sum.a, select(term.condition, term.value, nothing)));
  applied.program.body =
      replace_block(request.program.body, block.id,
                    make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                                     block.predicate, block.init, body));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "skip_padding",
      .key = "N",
      .title = "Skip products with padding",
      .doc =
          "A sum of products skips those with a factor that padding makes zero. Lowering hoists "
          "the condition out of the loops that it does not depend on, so that a row of padding "
          "costs one comparison. Where the other factor is infinite or NaN, the product with zero "
          "would be NaN: it is skipped as well.",
      .rewrite =
          "T[i] += select(i+k < n, X[i+k], 0)*W[k]  -->  T[i] += select(i+k < n, X[i+k]*W[k], 0)",
      .refused = "cannot skip padding",
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"no_padding", "not_a_sum", "skipped_already"},
  };
  return primitive;
}

}  // namespace tw::primitive_skip_padding
