// T[i, j] of T: f32[4, 6]   -->   T[i*6+j] of T: f32[24]
#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/lowering/pipeline.h"

#include <map>

namespace tw {
namespace {

using namespace ir;

class Flattening : public Rewriter {
public:
  Buffer flat(Buffer const& buffer) {
    auto [found, added] = flat_.emplace(buffer->name, nullptr);
    if (!added) return found->second;
    BufferNode node = *buffer;
    Expr count = int_imm(1);
    for (Expr const& extent : buffer->shape) count = count * extent;
    node.shape = {node.alignments.empty() ? count : open_strides_of(*buffer).elements};
    node.alignments.clear();
    return found->second = std::make_shared<BufferNode const>(std::move(node));
  }

  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    if (auto const* read = next.as<Load>())
      return load(flat(read->buffer), {index(*read->buffer, read->indices)});
    return next;
  }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    if (auto const* store = next.as<Store>())
      return make_from<Store>(store->origin, flat(store->buffer),
                              std::vector<Expr>{index(*store->buffer, store->indices)},
                              store->value);
    if (auto const* alloc = next.as<Alloc>())
      return make_from<Alloc>(alloc->origin, flat(alloc->buffer), alloc->body);
    return next;
  }

private:
  static Expr index(BufferNode const& buffer, std::vector<Expr> const& indices) {
    Expr flat = int_imm(0);
    if (!buffer.alignments.empty()) {
      std::vector<Expr> strides = open_strides_of(buffer).strides;
      for (size_t d = 0; d < indices.size(); ++d) flat = flat + indices[d] * strides[d];
      return arith::simplify(flat);
    }
    if (!constant_shape(buffer)) return open_index(buffer, indices);
    for (size_t d = 0; d < indices.size(); ++d) flat = flat * buffer.shape[d] + indices[d];
    // Without ranges: only what holds for every value of the loops.
    return arith::simplify(flat);
  }

  /// Each term of an index by itself times the elements that one step of it is: what each loop adds
  /// shows, as it does where these are numbers.
  static Expr open_index(BufferNode const& buffer, std::vector<Expr> const& indices) {
    arith::Linear flat;
    Expr open;  // the product of the open extents to the right
    int64_t known = 1;
    for (size_t d = indices.size(); d-- > 0;) {
      arith::Linear index = arith::to_linear(arith::simplify(indices[d]));
      for (arith::Linear::Term& term : index.terms)
        if (open) term.term = term.term * open;
      if (open && index.constant != 0) index.terms.push_back({open, index.constant});
      if (open) index.constant = 0;
      flat = arith::add(flat, index, known);
      auto extent = as_int(buffer.shape[d]);
      known *= extent.value_or(1);
      if (!extent) open = open ? buffer.shape[d] * open : buffer.shape[d];
    }
    return arith::to_expr(flat);
  }
  std::map<std::string, Buffer> flat_;
};

Result<KernelIr> run_flatten_buffers(KernelIr const& kernel, PassContext const&) {
  return rewrite_functions(kernel, [](Function const& function) -> Result<Function> {
    Flattening flattening;
    Function flat = function;
    flat.body = flattening.visit(function.body);
    for (Buffer& param : flat.params) param = flattening.flat(param);
    return flat;
  });
}

}  // namespace

Pass flatten_buffers() {
  return {"flatten_buffers",
          "Turns indices of several dimensions into one offset in elements, row-major",
          "before loops are vectorized: whether a vector is contiguous shows in the one offset",
          run_flatten_buffers,
          {.needs = {Invariant::kScalarCode}, .gives = {Invariant::kFlatBuffers}}};
}

}  // namespace tw
