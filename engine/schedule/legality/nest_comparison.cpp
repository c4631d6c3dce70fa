#include "engine/schedule/legality/nest_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw {
namespace {

using namespace ir;

bool may_be_exchanged(BinaryOp op) {
  return op == BinaryOp::kAdd || op == BinaryOp::kMul || op == BinaryOp::kMin ||
         op == BinaryOp::kMax || op == BinaryOp::kBitAnd || op == BinaryOp::kBitOr ||
         op == BinaryOp::kBitXor;
}

/// Each index is a loop of its own, which counts the whole dimension; or there is one element.
bool has_plain_indices(Behaviour const& behaviour, BufferNode const& param,
                       std::vector<Expr> const& indices) {
  std::set<std::string> used;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (is_int(indices[d], 0) && is_int(param.shape[d], 1)) continue;
    auto const* v = indices[d].as<Variable>();
    auto loop = std::ranges::find_if(behaviour.loops,
                                     [&](For const* one) { return v && one->name() == v->name; });
    if (loop == behaviour.loops.end() || !equal((*loop)->extent, param.shape[d])) return false;
    if (!used.insert(v->name).second) return false;
  }
  return true;
}

class Comparing {
public:
  Comparing(SingleBlockNest const& nest, IntrinsicNode const& intrinsic, Behaviour const& behaviour,
            LoopPairs const& pairs)
      : nest_(nest), intrinsic_(intrinsic), behaviour_(behaviour) {
    for (size_t i = 0; i < pairs.size(); ++i) pairs_[behaviour.loops[i]->name()] = pairs[i];
  }

  NestComparison run() {
    Expr element = load(nest_.buffer, nest_.indices);
    Store const& store = *behaviour_.store;
    result_.same = take_extents() && same(load(store.buffer, store.indices), element) &&
                   same(store.value, nest_.value);
    result_.elements = known_.elements;
    result_.scalars = known_.scalars;
    return std::move(result_);
  }

private:
  struct Known {
    std::map<std::string, Expr> elements, scalars;
    int parts = 0;
  };

  bool take_extents() {
    for (For const* loop : behaviour_.loops) {
      auto const* v = loop->extent.as<Variable>();
      if (!v) continue;
      For const* paired = pairs_.at(loop->name());
      Expr extent = paired ? paired->extent : int_imm(1);
      auto [known, added] = known_.scalars.emplace(v->name, extent);
      if (!added && !equal(known->second, extent))
        return differ(
            fmt::format("{} is {} and {}", v->name, to_text(known->second), to_text(extent)));
    }
    return true;
  }

  /// Kept where more agreed before it than before the others; of equals the first one, before sides
  /// were exchanged.
  bool differ(std::string what) {
    if (known_.parts > result_.parts || result_.difference.empty()) {
      result_.parts = known_.parts;
      result_.difference = std::move(what);
    }
    return false;
  }
  bool differ(Expr const& wanted, Expr const& given) {
    return differ(fmt::format("{} has {}, the nest has {}", intrinsic_.name, to_text(wanted),
                              to_text(given)));
  }
  bool agree() { return ++known_.parts, true; }

  bool same(Expr const& wanted, Expr const& given) {
    if (auto const* v = wanted.as<Variable>()) return variable(*v, wanted, given);
    if (auto const* element = wanted.as<Load>())
      return given.as<Load>() ? this->element(*element, given) : differ(wanted, given);
    if (wanted->kind != given->kind || wanted.type() != given.type()) return differ(wanted, given);
    if (auto const* node = wanted.as<Binary>()) return binary(*node, wanted, given);
    if (auto const* node = wanted.as<Unary>()) {
      auto const& other = given.to<Unary>();
      return node->op == other.op ? agree() && same(node->a, other.a) : differ(wanted, given);
    }
    if (auto const* node = wanted.as<Cast>()) return agree() && same(node->a, given.to<Cast>().a);
    if (auto const* node = wanted.as<Select>()) return choice(*node, given.to<Select>());
    return equal(wanted, given) ? agree() : differ(wanted, given);
  }

  bool binary(Binary const& wanted, Expr const& whole, Expr const& given) {
    auto const& other = given.to<Binary>();
    if (wanted.op != other.op) return differ(whole, given);
    agree();
    Known before = known_;
    if (same(wanted.a, other.a) && same(wanted.b, other.b)) return true;
    if (!may_be_exchanged(wanted.op)) return false;
    known_ = before;
    return same(wanted.a, other.b) && same(wanted.b, other.a);
  }

  /// What is chosen by a condition may not exist where it is not chosen.
  bool choice(Select const& wanted, Select const& given) {
    agree();
    if (!same(wanted.condition, given.condition)) return false;
    ++chosen_;
    bool both = same(wanted.a, given.a) && same(wanted.b, given.b);
    --chosen_;
    return both;
  }

  bool variable(Variable const& wanted, Expr const& whole, Expr const& given) {
    if (auto pair = pairs_.find(wanted.name); pair != pairs_.end()) {
      Expr counter = pair->second ? pair->second->var : int_imm(0);
      return equal(counter, given) ? agree() : differ(whole, given);
    }
    bool still = given.type() == wanted.type;
    walk(given, [&](Expr const& part) {
      auto const* v = part.as<Variable>();
      still = still && !part.as<Load>() && !(v && nest_.is_loop(v->name));
      return still;
    });
    if (!still)
      return differ(fmt::format("{} of {} must be a {} that is the same in all of the nest, not {}",
                                wanted.name, intrinsic_.name, tw::to_text(wanted.type),
                                to_text(given)));
    auto [known, added] = known_.scalars.emplace(wanted.name, given);
    return added || equal(known->second, given) ? agree() : differ(known->second, given);
  }

  bool element(Load const& wanted, Expr const& given) {
    auto const& read = given.to<Load>();
    IntrinsicParam const& param = *std::ranges::find_if(
        intrinsic_.params, [&](auto const& one) { return one.name() == wanted.buffer->name; });
    if (wanted.type != read.type)
      return differ(fmt::format("{} of {} must be {}, but {} is {}", param.name(), intrinsic_.name,
                                tw::to_text(wanted.type), read.buffer->name,
                                tw::to_text(read.type)));
    if (!param.takes_scope(read.buffer->scope))
      return differ(fmt::format("{} of {} must be in {}, but {} is in {}", param.name(),
                                intrinsic_.name, param.buffer->scope, read.buffer->name,
                                read.buffer->scope));
    if (chosen_ > 0)
      return differ(fmt::format("{} is read under a condition, but {} reads all of its operands",
                                read.buffer->name, intrinsic_.name));
    if (auto known = known_.elements.find(param.name()); known != known_.elements.end())
      return equal(known->second, given) ? agree() : differ(known->second, given);
    if (!runs_along(wanted, read)) return false;
    known_.elements[param.name()] = given;
    return agree();
  }

  /// The nest's element depends on the loops that choose the parameter's, and on no other one.
  bool runs_along(Load const& wanted, Load const& read) {
    for (For const* loop : nest_.loops) {
      bool wants = std::ranges::any_of(wanted.indices, [&](Expr const& index) {
        auto const* v = index.as<Variable>();
        return v && pairs_.at(v->name) == loop;
      });
      bool has = std::ranges::any_of(
          read.indices, [&](Expr const& index) { return uses_variable(index, loop->name()); });
      if (has && !wants && !is_int(loop->extent, 1))
        return differ(fmt::format("{} of {} does not depend on the loop that {} is, but {} does",
                                  to_text(load(wanted.buffer, wanted.indices)), intrinsic_.name,
                                  loop->name(), to_text(load(read.buffer, read.indices))));
      if (has && !is_even_along(read, *loop))
        return differ(fmt::format("the elements {} have no constant stride along {}",
                                  to_text(load(read.buffer, read.indices)), loop->name()));
    }
    return true;
  }

  /// By each index, or by all together: rows may lie one behind the other.
  bool is_even_along(Load const& read, For const& loop) const {
    auto even = [&](Expr const& index) {
      return tw::is_even_along(arith::to_linear(index), loop.name());
    };
    if (std::ranges::all_of(read.indices, even)) return true;
    Expr place = place_of(read, nest_.ranges);
    return place && even(place);
  }

  SingleBlockNest const& nest_;
  IntrinsicNode const& intrinsic_;
  Behaviour const& behaviour_;
  std::map<std::string, For const*> pairs_;
  Known known_;
  NestComparison result_;
  int chosen_ = 0;
};

}  // namespace

std::optional<Behaviour> behaviour_of(IntrinsicNode const& intrinsic) {
  Behaviour behaviour;
  Stmt below = intrinsic.behaviour;
  if (!below || intrinsic.barrier) return std::nullopt;
  while (auto const* loop = below.as<For>()) {
    behaviour.loops.push_back(loop);
    below = loop->body;
  }
  behaviour.store = below.as<Store>();
  if (!behaviour.store) return std::nullopt;
  std::set<std::string> used{behaviour.store->buffer->name};
  bool plain = has_plain_indices(behaviour, *behaviour.store->buffer, behaviour.store->indices);
  for (For const* loop : behaviour.loops) {
    if (auto const* v = loop->extent.as<Variable>()) used.insert(v->name);
    plain = plain && (loop->extent.as<Variable>() || as_int(loop->extent));
  }
  walk(behaviour.store->value, [&](Expr const& e) {
    if (auto const* v = e.as<Variable>()) used.insert(v->name);
    auto const* read = e.as<Load>();
    if (!read) return plain;
    used.insert(read->buffer->name);
    plain = plain && has_plain_indices(behaviour, *read->buffer, read->indices);
    return false;  // indices are plain loops
  });
  for (IntrinsicParam const& param : intrinsic.params) plain = plain && used.contains(param.name());
  return plain ? std::optional(behaviour) : std::nullopt;
}

NestComparison compare(SingleBlockNest const& nest, IntrinsicNode const& intrinsic,
                       Behaviour const& behaviour, LoopPairs const& pairs) {
  return Comparing(nest, intrinsic, behaviour, pairs).run();
}

std::string behaviour_text(Behaviour const& behaviour) {
  std::vector<std::string> loops, indices;
  for (For const* loop : behaviour.loops)
    loops.push_back(fmt::format("{} in {}", loop->name(), to_text(loop->extent)));
  for (Expr const& index : behaviour.store->indices) indices.push_back(to_text(index));
  return fmt::format("for {}: {}[{}] = {}", fmt::join(loops, ", "), behaviour.store->buffer->name,
                     fmt::join(indices, ", "), to_text(behaviour.store->value));
}

}  // namespace tw
