#include "engine/schedule/rewriting/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/identity_element.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw {
namespace {

using namespace ir;

using Loads = std::map<std::string, std::vector<Load const*>>;

Expr nothing_of(DType type, BinaryOp op = BinaryOp::kAdd) {
  return type == DType::kBool ? bool_imm(false) : neutral(op, type);
}

/// Every element is there when the block's nest begins: an input, or made whole by a nest of its
/// own.
bool is_whole(Program const& program, BlockSite const& site, BufferNode const& buffer) {
  if (!constant_shape(buffer)) return false;
  for (Buffer const& input : program.inputs)
    if (input->name == buffer.name) return true;
  std::vector<BlockSite> writers = writers_of(program, buffer.name);
  if (writers.size() != 1 || shared_loops(writers[0].loops, site.loops) > 0) return false;
  if (!writers[0].block->body.as<Store>() || !lives_at_top(program, buffer.name)) return false;
  auto parts = written_parts(program, buffer);
  for (size_t d = 0; d < parts.size(); ++d)
    if (!parts[d] || *parts[d] != arith::Interval{0, *as_int(buffer.shape[d]) - 1}) return false;
  return true;
}

/// Reads of other tensors, by tensor; nothing where a divisor may become zero.
std::optional<Loads> loads_of(Store const& store) {
  Loads loads;
  if (!divides_safely(store.value)) return std::nullopt;
  walk(store.value, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (read && read->buffer->name != store.buffer->name) loads[read->buffer->name].push_back(read);
    return true;
  });
  return loads;
}

bool uses(Load const& read, std::string const& iter) {
  return std::ranges::any_of(read.indices, [&](Expr const& e) { return uses_variable(e, iter); });
}

class Planning {
public:
  Planning(Program const& program, BlockSite const& site, size_t axis, int64_t extent)
      : program_(program),
        site_(site),
        axis_(site.block->iters[axis]),
        old_(iterator_ranges(*site.block)),
        new_(old_) {
    new_.set(axis_.name(), {0, extent - 1});
    reduces_ = axis_.kind == IterKind::kReduce;
    auto sum = reduction_of(*site.block);
    if (reduces_ && sum) op_ = sum->op;
  }

  /// The copy of one tensor, which may be the tensor itself; nothing where no copy does it.
  std::optional<PaddedRead> plan(std::vector<Load const*> const& loads) {
    BufferNode const& buffer = *loads[0]->buffer;
    bool touched =
        std::ranges::any_of(loads, [&](Load const* read) { return uses(*read, axis_.name()); });
    PaddedRead same{loads[0]->buffer, loads[0]->buffer, {}, {}};
    if (!touched) return same;
    if (!is_whole(program_, site_, buffer)) return std::nullopt;
    std::vector<int64_t> shape = *constant_shape(buffer), room = shape;
    same.limits = shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      bool exact = true;
      for (Load const* read : loads) {
        auto was = arith::bounds(read->indices[d], old_),
             is = arith::bounds(read->indices[d], new_);
        if (!was || !is || reads_tensor(read->indices[d]) || was->low < 0 ||
            was->high >= shape[d] || is->low < 0)
          return std::nullopt;
        room[d] = std::max(room[d], is->high + 1);
        auto const* v = read->indices[d].as<Variable>();
        exact = exact && v && v->name == axis_.name();
      }
      if (reduces_ && exact) same.limits[d] = *as_int(axis_.extent);
    }
    if (room == shape && same.limits == shape) return same;
    same.value = nothing_of(buffer.type, op_);
    BufferNode node = buffer;
    node.name = free_tensor_name(program_, buffer.name + "_pad");
    node.scope = kGlobalScope;
    node.alignments.clear();
    node.map = nullptr;
    node.shape.clear();
    for (int64_t extent : room) node.shape.push_back(int_imm(extent));
    same.to = std::make_shared<BufferNode const>(std::move(node));
    return same;
  }

  /// What a further term is, where that is known whatever the data are.
  std::optional<double> further(Expr const& e, std::vector<PaddedRead> const& reads) const {
    if (auto const* number = e.as<IntImm>()) return double(number->value);
    if (auto const* number = e.as<FloatImm>()) return number->value;
    if (auto const* converted = e.as<Cast>()) return further(converted->a, reads);
    if (auto const* read = e.as<Load>()) return further_element(*read, reads);
    auto const* op = e.as<Binary>();
    if (!op) return std::nullopt;
    auto a = further(op->a, reads), b = further(op->b, reads);
    bool zero =
        op->op == BinaryOp::kMul && is_integer(e.type()) && ((a && *a == 0) || (b && *b == 0));
    if (zero) return 0;
    if (!a || !b) return std::nullopt;
    if (op->op == BinaryOp::kMul) return *a * *b;
    if (op->op == BinaryOp::kMax) return std::max(*a, *b);
    if (op->op == BinaryOp::kMin) return std::min(*a, *b);
    return std::nullopt;
  }

  bool further_terms_are_nothing(std::vector<PaddedRead> const& reads) const {
    if (!reduces_) return true;
    auto sum = reduction_of(*site_.block);
    auto term = sum ? further(sum->value, reads) : std::nullopt;
    auto nothing = sum ? further(neutral(sum->op, sum->value.type()), {}) : std::nullopt;
    return term && nothing && *term == *nothing;
  }

private:
  /// In some dimension the element stands where the copy holds its value only.
  std::optional<double> further_element(Load const& read,
                                        std::vector<PaddedRead> const& reads) const {
    for (PaddedRead const& padded : reads) {
      if (padded.from->name != read.buffer->name || !padded.value) continue;
      for (size_t d = 0; d < read.indices.size(); ++d) {
        auto const* v = read.indices[d].as<Variable>();
        if (v && v->name == axis_.name() && padded.limits[d] <= *as_int(axis_.extent))
          return further(padded.value, {});
      }
    }
    return std::nullopt;
  }

  Program const& program_;
  BlockSite const& site_;
  IterVar const& axis_;
  arith::Ranges old_, new_;
  bool reduces_ = false;
  BinaryOp op_ = BinaryOp::kAdd;
};

}  // namespace

std::optional<std::vector<PaddedRead>> padded_reads(Program const& program, BlockSite const& site,
                                                    size_t axis, int64_t extent) {
  auto const* store = site.block->body.as<Store>();
  auto loads = store ? loads_of(*store) : std::nullopt;
  if (!loads) return std::nullopt;
  Planning planning(program, site, axis, extent);
  std::vector<PaddedRead> reads;
  for (auto const& [tensor, list] : *loads) {
    auto read = planning.plan(list);
    if (!read) return std::nullopt;
    if (read->value) reads.push_back(std::move(*read));
  }
  if (!planning.further_terms_are_nothing(reads)) return std::nullopt;
  return reads;
}

Stmt pad_nest(PaddedRead const& read, Program& program) {
  std::vector<IterVar> iters;
  std::vector<Expr> loops, indices;
  Expr inside;
  for (size_t d = 0; d < read.limits.size(); ++d) {
    loops.push_back(var(fmt::format("d{}", d)));
    Expr iter = var(fmt::format("vd{}", d));
    iters.push_back({iter, read.to->shape[d], IterKind::kSpatial, loops.back(), ""});
    indices.push_back(iter);
    if (is_int(read.to->shape[d], read.limits[d])) continue;
    Expr here = iter < int_imm(read.limits[d]);
    inside = inside ? inside && here : here;
  }
  Expr value = load(read.from, indices);
  if (inside) value = select(inside, value, read.value);
  Stmt body = make<Block>(program.fresh_block(), read.to->name, "pad", std::move(iters), Expr(),
                          Stmt(), make<Store>(read.to, indices, value));
  for (size_t d = loops.size(); d-- > 0;)
    body = make<For>(program.fresh_loop(), loops[d], read.to->shape[d], LoopKind::kSerial, body);
  return body;
}

Stmt guarded_body(Block const& block, IterVar const& axis, int64_t end) {
  auto const& store = block.body.to<Store>();
  Expr inside = axis.var < int_imm(end);
  Expr value;
  if (auto sum = reduction_of(block)) {
    Expr term = select(inside, sum->value, neutral(sum->op, sum->value.type()));
    value = binary(sum->op, load(store.buffer, store.indices), term);
  } else {
    value = select(inside, store.value, nothing_of(store.value.type()));
  }
  return make_from<Store>(store.origin, store.buffer, store.indices, value);
}

}  // namespace tw
