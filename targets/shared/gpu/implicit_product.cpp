#include "targets/shared/gpu/implicit_product.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"

namespace tw::gpu {
namespace {

using namespace ir;

std::vector<std::string> named(std::string const& block, std::vector<std::string> loops) {
  for (std::string& loop : loops) loop = block + "." + loop;
  return loops;
}

/// All pictures and a window: one line does it.
bool reindex_by_macro(Steps& steps, Convolution const& conv, std::vector<std::string> const& terms,
                      std::string const& output) {
  return steps.take(
      fmt::format("p, k = product_of_convolution({}, {}, {}, input={}, weights={}, output={})",
                  conv.block, fmt::join(named(conv.block, conv.loops.spatial), ", "),
                  fmt::join(terms, ", "), conv.input, conv.weights, output));
}

/// The convolution's loops become those of a product, and its tensors what these index.
bool reindex_all(Steps& steps, Convolution const& conv, TermOrder order,
                 std::string const& output) {
  std::string const& c = conv.block;
  std::vector<std::string> places = named(c, conv.loops.spatial),
                           terms = named(c, conv.loops.reduce);
  if (terms.size() > 1 && order == TermOrder::kWindowFirst) {
    std::rotate(terms.begin(), terms.begin() + 1, terms.end());
    if (!steps.take(fmt::format("reorder({})", fmt::join(terms, ", ")))) return false;
  }
  size_t channel = places.size() - 3;
  if (channel > 0 && terms.size() > 1) return reindex_by_macro(steps, conv, terms, output);
  if (channel > 0 && !steps.take(fmt::format("reorder({}, {})", places[channel], places[0])))
    return false;
  places.erase(places.begin() + int64_t(channel));
  return !steps.fuse_all(c, places, "p").empty() && !steps.fuse_all(c, terms, "k").empty() &&
         steps.take_all({
             fmt::format("merge_iterators({})", c),
             fmt::format("reindex({}, tensor={}, dims=\"2,1\")", c, conv.input),
             fmt::format("reindex({}, tensor={})", c, conv.weights),
             fmt::format("reindex({}, tensor={})", c, output),
         });
}

}  // namespace

std::optional<Product> as_product(Steps& steps, Convolution const& conv, TermOrder order) {
  std::string const& c = conv.block;
  auto site = find_block(steps.schedule().program(), c);
  auto const* sum = site ? site->block->body.as<Store>() : nullptr;
  if (!sum || !reindex_all(steps, conv, order, sum->buffer->name)) return std::nullopt;
  Product product{.block = c, .epilogue = c + "_write", .made_factors = true};
  product.factors[0] = conv.weights + "_reindex";
  product.factors[1] = conv.input + "_reindex";
  std::vector<For const*> const loops = find_block(steps.schedule().program(), c)->loops;
  for (For const* loop : loops) {
    product.loops.push_back(loop->name());
    product.extents.push_back(as_int(loop->extent).value_or(0));
  }
  if (!conv.before.empty() && !steps.take(fmt::format("compute_inline({})", conv.before)))
    return std::nullopt;
  if (!conv.after.empty() && !steps.take(fmt::format("reverse_compute_inline({})", conv.after)))
    return std::nullopt;
  return product;
}

}  // namespace tw::gpu
