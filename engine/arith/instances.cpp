#include "engine/arith/instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>

#include "engine/arith/index_bounds.h"
#include "engine/ir/common_tensors.h"
#include "engine/ir/fields.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/strides.h"
#include "engine/ir/text.h"

namespace tw::arith {
namespace {

using namespace ir;

/// What stands inside of one allocation.
struct Inside {
  Ranges running;
  Ranges all;                               ///< of loops around, too
  std::vector<std::vector<Expr>> accesses;  // to the tensor
};

/// Accesses to one tensor, in counters of their own: nests side by side may use one name.
class Looking {
public:
  Looking(std::string tensor, Ranges const& sizes) : tensor_(std::move(tensor)), sizes_(sizes) {}

  /// A loop of open extent runs as far as it may.
  void runs(std::string const& name, Expr const& to) {
    auto extent = bounds(to, sizes_);
    known_ = known_ && extent;
    inside_.running.set(name, {0, extent ? extent->high - 1 : 0});
    inside_.all.set(name, {0, extent ? extent->high - 1 : 0});
  }

  void visit(Stmt const& s) {
    walk(s, [&](Stmt const& child) {
      if (auto const* loop = child.as<For>()) return visit_loop(*loop), false;
      if (auto const* block = child.as<Block>()) return visit_block(*block), false;
      if (auto const* test = child.as<If>()) return visit_if(*test), false;
      if (auto const* store = child.as<Store>(); store && store->buffer->name == tensor_)
        add(store->indices);
      visit_reads(child);
      return true;
    });
  }

  Inside take() {
    if (!known_) inside_.accesses.clear();
    return std::move(inside_);
  }

private:
  /// Runs a counter, as one of its own where another one of that name runs differently often.
  void count(std::string const& name, Expr const& extent) {
    auto [first, is_new] = extents_.try_emplace(name, extent);
    bool differs = !is_new && !equal(first->second, extent);
    std::string counter = name;
    if (differs) counter += fmt::format(" {}", ++renamed_);  // no name of a program's
    runs(counter, extent);
    own_.erase(name);
    if (differs) own_[name] = var(counter);
  }

  void visit_loop(For const& loop) {
    Substitution before = own_;
    count(loop.name(), loop.extent);
    visit(loop.body);
    own_ = std::move(before);
  }

  void visit_block(Block const& block) {
    Substitution bindings;
    for (IterVar const& iter : block.iters) {
      look(iter.binding);
      bindings[iter.name()] = iter.binding;
    }
    look(block.predicate);
    size_t before = enter(block.predicate);
    if (block.init) visit(substitute(block.init, bindings));
    visit(substitute(block.body, bindings));
    guards_.resize(before);
  }

  void visit_if(If const& test) {
    look(test.condition);
    size_t before = enter(test.condition);
    visit(test.then_body);
    guards_.resize(before);
    if (test.else_body) visit(test.else_body);
  }

  /// Below a condition: what it bounds. How many bounds there were before.
  size_t enter(Expr const& condition) {
    size_t before = guards_.size();
    for (Expr const& part : condition ? conjuncts(condition) : std::vector<Expr>()) {
      auto const* test = part.as<Binary>();
      auto most = test ? as_int(test->b) : std::nullopt;
      if (!most || (test->op != BinaryOp::kLt && test->op != BinaryOp::kLe)) continue;
      Expr sum = own_.empty() ? test->a : substitute(test->a, own_);
      if (!sum.as<Variable>())
        guards_.push_back({sum, *most - (test->op == BinaryOp::kLt ? 1 : 0)});
    }
    return before;
  }

  /// All that it is made of runs while the tensor lives.
  bool runs_alone(Expr const& e) const {
    bool alone = true;
    walk(e, [&](Expr const& part) {
      if (auto const* counter = part.as<Variable>())
        alone = alone && inside_.running.find(counter->name);
      return true;
    });
    return alone;
  }

  /// With a counter of its own in place of a sum that a condition bounds: what is left of a fused
  /// loop that was split ends where the condition does.
  Expr bounded(Expr e) {
    for (Guard const& guard : guards_) {
      auto range = runs_alone(guard.sum) ? arith::bounds(guard.sum, inside_.running) : std::nullopt;
      if (!range || range->high <= guard.most || range->low > guard.most) continue;
      std::string name =
          fmt::format("{} up to {}", to_text(guard.sum), guard.most);  // no name of a program's
      bool used = false;
      Expr next = rewrite(e, [&](Expr const& part) {
        if (!equal(part, guard.sum)) return Expr();
        used = true;
        return var(name, part.type());
      });
      if (!used) continue;
      inside_.running.set(name, {range->low, guard.most});
      inside_.all.set(name, {range->low, guard.most});
      e = next;
    }
    return e;
  }

  /// Of the expressions of one statement, without those of the statements in it.
  void visit_reads(Stmt const& s) {
    Substitution before = own_;
    if (auto const* call = s.as<IntrinsicCall>())
      for (Operand const& operand : call->operands)
        for (OperandAxis const& axis : operand.axes) count(axis.name(), axis.extent);
    dispatch(*s, [&](auto const& node) {
      for_each_field(node, [&](auto const& field) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, Stmt>) look(field);
      });
    });
    own_ = std::move(before);
  }
  void look(Expr const& e) {
    if (!e) return;
    walk(e, [&](Expr const& part) {
      auto const* read = part.as<Load>();
      if (read && read->buffer->name == tensor_) add(read->indices);
      return true;
    });
  }
  void look(std::vector<Expr> const& list) {
    for (Expr const& e : list) look(e);
  }
  void look(std::vector<Operand> const& operands) {
    for (Operand const& operand : operands) look(operand.value);
  }
  void look(auto const&) {}

  void add(std::vector<Expr> indices) {
    if (!own_.empty())
      for (Expr& index : indices) index = substitute(index, own_);
    for (Expr& index : indices) index = bounded(index);
    inside_.accesses.push_back(std::move(indices));
  }

  std::string tensor_;
  Inside inside_;
  Ranges const& sizes_;
  std::map<std::string, Expr> extents_;  // of the first loop of a name
  Substitution own_;
  struct Guard {
    Expr sum;
    int64_t most;  ///< that it is below the condition
  };
  std::vector<Guard> guards_;
  int renamed_ = 0;
  bool known_ = true;
};

/// Of indices that begin at one element, where there are gaps between them.
std::optional<Packing> packing_from(std::vector<Expr> const& indices, Linear const& first,
                                    Ranges const& running) {
  std::vector<Linear> numbers;
  for (Expr const& index : indices) {
    Linear number = add(to_linear(index), first, -1);
    bool runs = std::ranges::all_of(number.terms, [&](Linear::Term const& term) {
      return bounds(term.term, running).has_value();
    });
    if (!runs) return std::nullopt;
    numbers.push_back(std::move(number));
  }
  auto packing = packing_of(numbers, running);
  return packing && packing->digits.size() > 1 ? packing : std::nullopt;
}

/// `standing`: of the loops around that stand still while the tensor lives.
void shrink(Alloc const& alloc, Inside const& inside, Ranges const& standing, Instances& result) {
  for (size_t d = 0; d < alloc.buffer->shape.size(); ++d) {
    std::vector<Expr> indices;
    for (auto const& access : inside.accesses) indices.push_back(access[d]);
    auto whole = as_int(alloc.buffer->shape[d]);
    auto reach = index_bounds_of(indices, inside.running, standing);
    // A block of a layout is a quotient of counters that run and such that stand: they come apart.
    if (!reach) {
      for (Expr& index : indices) index = simplify(index, inside.all);
      reach = index_bounds_of(indices, inside.running, standing);
    }
    // Of an open extent: to what may be used with any value.
    if (!reach || (whole && reach->high - reach->low + 1 >= *whole)) continue;
    int64_t low = reach->low, count = reach->high - reach->low + 1;
    if (auto packing = packing_from(indices, reach->still, inside.running)) {
      low = packing->low;
      count = packing->size();
      result.packed[d] = std::move(packing);
    }
    reach->still.constant += low;
    result.base[d] = to_expr(reach->still);
    result.shape[d] = int_imm(count);
    result.smaller = true;
  }
}

}  // namespace

std::optional<int64_t> Instances::bytes(BufferNode const& tensor) const {
  BufferNode one = tensor;
  one.shape = shape;
  auto elements = elements_in_memory(one);
  if (!elements) return std::nullopt;
  return int64_t(std::min(*elements * double(size_of(tensor.type)), 0x1p62));
}

std::vector<Expr> Instances::indices_of(std::vector<Expr> const& whole,
                                        Ranges const& ranges) const {
  std::vector<Expr> indices;
  for (size_t d = 0; d < whole.size(); ++d) {
    Expr above = simplify(whole[d] - base[d]);
    indices.push_back(packed[d] ? packed[d]->place_of(above, ranges) : above);
  }
  return indices;
}

Instances instances_of(Alloc const& alloc, std::vector<For const*> const& around,
                       Sharing const& sharing, Ranges const& sizes) {
  Instances result;
  result.base.assign(alloc.buffer->shape.size(), int_imm(0));
  result.packed.resize(alloc.buffer->shape.size());
  result.shape = alloc.buffer->shape;
  if (around.empty()) return result;
  Looking looking(alloc.buffer->name, sizes);
  Ranges standing;
  for (For const* loop : around) {
    bool bound = loop->loop_kind == LoopKind::kBind;
    bool takes_turns = bound && sharing.interleaved.contains(loop->bind);
    if (takes_turns && sharing.alike_once.contains(loop->bind) &&
        common_tensors(*loop).contains(alloc.buffer->name)) {
      looking.runs(loop->name(), loop->extent);
      continue;
    }
    if (takes_turns) result.count *= as_int(loop->extent).value_or(1);
    if (!sharing.instance_per_iteration(*loop, *alloc.buffer))
      looking.runs(loop->name(), loop->extent);
    else if (auto extent = as_int(loop->extent))
      standing.set(loop->name(), {0, *extent - 1});
  }
  looking.visit(alloc.body);
  Inside inside = looking.take();
  for (For const* loop : around)
    if (auto range = standing.find(loop->name()); range && !inside.running.find(loop->name()))
      inside.all.set(loop->name(), *range);
  if (!inside.accesses.empty()) shrink(alloc, inside, standing, result);
  return result;
}

namespace {

bool uses(Stmt const& s, std::string const& tensor) {
  bool used = false;
  auto look = [&](Touched const& at) { used = used || at.buffer->name == tensor; };
  walk_writes(s, look);
  walk_exprs(s, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    return used = used || (read && read->buffer->name == tensor), !used;
  });
  if (!used) walk_reads(s, look);
  return used;
}

class Sinking : public Rewriter {
public:
  explicit Sinking(Sharing const& sharing) : sharing_(sharing) {}
  Expr visit(Expr const& e) override { return e; }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* alloc = next.as<Alloc>();
    Stmt inside = alloc ? with_inside(*alloc, alloc->body) : Stmt();
    return inside ? inside : next;
  }

private:
  /// With the allocation in the innermost loop that it can go to; null: there is none.
  Stmt with_inside(Alloc const& alloc, Stmt const& s) const {
    if (auto const* list = s.as<Seq>()) return with_inside(alloc, *list);
    if (auto const* other = s.as<Alloc>()) {
      Stmt body = with_inside(alloc, other->body);
      return body ? make_from<Alloc>(s->origin, other->buffer, body) : Stmt();
    }
    auto const* loop = s.as<For>();
    if (!loop || (loop->loop_kind != LoopKind::kBind && !is_int(loop->extent, 1))) return nullptr;
    Stmt body = with_inside(alloc, loop->body);
    // One tensor does for all virtual threads, which use parts of it that are apart.
    bool own = loop->loop_kind == LoopKind::kBind && !sharing_.interleaved.contains(loop->bind) &&
               sharing_.instance_per_iteration(*loop, *alloc.buffer);
    if (!body && own) body = make_from<Alloc>(alloc.origin, alloc.buffer, loop->body);
    if (!body) return nullptr;
    return make_from<For>(s->origin, loop->id, loop->var, loop->extent, loop->loop_kind, body,
                          loop->bind);
  }

  Stmt with_inside(Alloc const& alloc, Seq const& list) const {
    std::vector<Stmt> stmts = list.stmts;
    Stmt* user = nullptr;
    for (Stmt& child : stmts) {
      if (!uses(child, alloc.buffer->name)) continue;
      if (user) return nullptr;
      user = &child;
    }
    Stmt inside = user ? with_inside(alloc, *user) : Stmt();
    if (!inside) return nullptr;
    *user = inside;
    return seq(std::move(stmts));
  }

  Sharing const& sharing_;
};

}  // namespace

Stmt with_tensors_inside(Stmt const& body, Sharing const& sharing) {
  return sharing.axes.empty() ? body : Sinking(sharing).visit(body);
}

}  // namespace tw::arith
