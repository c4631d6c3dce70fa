// T[i, j] of T: f32[4, 6]   -->   T[i*6+j] of T: f32[24]
// T[i, j] of T: f32[4, 8] map(i, j -> i, j ^ i)   -->   T[i*8+(j^i)] of T: f32[32]
#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/index_map.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/ir/text.h"
#include "engine/lowering/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tw {
namespace {

using namespace ir;

Status check_runs(IntrinsicCall const& before, IntrinsicCall const& flat, Target const& target);

class Flattening : public Rewriter {
public:
  explicit Flattening(Target const& target) : target_(target) {}
  Status const& status() const { return status_; }

  Buffer flat(Buffer const& buffer) {
    auto [found, added] = flat_.emplace(buffer->name, nullptr);
    if (!added) return found->second;
    BufferNode node = *buffer;
    Expr count = int_imm(1);
    for (Expr const& extent : shape_in_memory(*buffer)) count = count * extent;
    node.shape = {node.alignments.empty() ? count : open_strides_of(*buffer).elements};
    node.alignments.clear();
    node.map = nullptr;
    return found->second = std::make_shared<BufferNode const>(std::move(node));
  }

  Expr visit(Expr const& e) override {
    Expr next = rebuild(e);
    if (auto const* read = next.as<Load>())
      return load(flat(read->buffer), {index(*read->buffer, read->indices)});
    return next;
  }
  Stmt visit(Stmt const& s) override {
    set_ranges(s);
    Stmt next = rebuild(s);
    if (auto const* store = next.as<Store>())
      return make_from<Store>(store->origin, flat(store->buffer),
                              std::vector<Expr>{index(*store->buffer, store->indices)},
                              store->value);
    if (auto const* alloc = next.as<Alloc>())
      return make_from<Alloc>(alloc->origin, flat(alloc->buffer), alloc->body);
    if (auto const* call = next.as<IntrinsicCall>(); call && status_)
      status_ = check_runs(s.to<IntrinsicCall>(), *call, target_);
    return next;
  }

private:
  static std::vector<Expr> shape_in_memory(BufferNode const& buffer) {
    if (!buffer.map) return buffer.shape;
    std::vector<int64_t> const extents = *mapped_shape(*buffer.map, *constant_shape(buffer));
    std::vector<Expr> shape;
    for (int64_t extent : extents) shape.push_back(int_imm(extent));
    return shape;
  }

  /// Of what a statement binds. Loops one after another may have one name.
  void set_ranges(Stmt const& s) {
    if (auto const* loop = s.as<For>()) {
      auto extent = as_int(loop->extent);
      if (extent)
        ranges_.set(loop->name(), {0, *extent - 1});
      else
        ranges_.erase(loop->name());
    }
    auto const* call = s.as<IntrinsicCall>();
    if (!call) return;
    std::map<std::string, int64_t> axes;  // operands may have axes of one name
    for (Operand const& operand : call->operands)
      for (OperandAxis const& axis : operand.axes)
        axes[axis.name()] = std::max(axes[axis.name()], as_int(axis.extent).value_or(1));
    for (auto const& [name, extent] : axes) ranges_.set(name, {0, extent - 1});
  }

  /// Parts that stay side by side show only to who knows the ranges: (c*8 + w) // 8 == c.
  Expr mapped_index(BufferNode const& buffer, std::vector<Expr> const& indices) const {
    std::vector<int64_t> shape = *mapped_shape(*buffer.map, *constant_shape(buffer));
    Expr flat = int_imm(0);
    std::vector<Expr> in_memory = mapped_indices(*buffer.map, indices);
    for (size_t d = 0; d < shape.size(); ++d)
      flat = flat * int_imm(shape[d]) + arith::simplify(in_memory[d], ranges_);
    return arith::simplify(flat);
  }

  Expr index(BufferNode const& buffer, std::vector<Expr> const& indices) const {
    if (buffer.map) return mapped_index(buffer, indices);
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
  arith::Ranges ranges_;
  Target const& target_;
  Status status_;
};

bool steps_by(Expr const& index, std::string const& variable, int64_t elements) {
  arith::Linear linear = arith::to_linear(index);
  return linear.factor_of(variable) == elements &&
         std::ranges::none_of(linear.terms, [&](arith::Linear::Term const& term) {
           return !term.term.as<Variable>() && uses_variable(term.term, variable);
         });
}

/// Elements that an instruction takes side by side lie so: a map is one of the indices of the
/// tensor as it is now, and may be at other places in its pieces than when the instruction was
/// chosen.
Status check_runs(IntrinsicCall const& before, IntrinsicCall const& flat, Target const& target) {
  auto known = std::ranges::find(target.intrinsics, before.intrinsic->name,
                                 [](TensorIntrinsic const& one) { return one.declaration->name; });
  if (known == target.intrinsics.end()) return {};
  for (size_t i = 0; i < before.operands.size() && i < known->dense.size(); ++i) {
    auto const* element = before.operands[i].value.as<Load>();
    if (!element || !element->buffer->map || known->dense[i] == 0) continue;
    auto const& axes = flat.operands[i].axes;
    Expr const& index = flat.operands[i].value.to<Load>().indices[0];
    int64_t next = 1;
    for (size_t d = axes.size(), dense = size_t(known->dense[i]); d-- > 0 && dense-- > 0;) {
      int64_t extent = as_int(axes[d].extent).value_or(0);
      if (extent != 1 && !steps_by(index, axes[d].name(), next))
        return refused(
            "run_broken",
            fmt::format("{} takes {} elements of {} side by side, and its map keeps "
                        "them apart: they begin at {}",
                        before.intrinsic->name, extent, element->buffer->name, to_text(index)));
      next *= extent;
    }
  }
  return {};
}

Result<KernelIr> run_flatten_buffers(KernelIr const& kernel, PassContext const& context) {
  return rewrite_functions(kernel, [&](Function const& function) -> Result<Function> {
    Flattening flattening(context.target);
    Function flat = function;
    flat.body = flattening.visit(function.body);
    for (Buffer& param : flat.params) param = flattening.flat(param);
    TRY(flattening.status());
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
