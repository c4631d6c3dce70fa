#include "engine/schedule/rewriting/reindexing.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/instances.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw {

using namespace ir;

namespace {

bool reads_anything(Expr const& e) {
  bool reads = false;
  walk(e, [&](Expr const& x) { return reads = reads || x.as<Load>(), !reads; });
  return reads;
}

bool is_number(Expr const& e) { return e.as<IntImm>() || e.as<FloatImm>(); }

Load const* load_of(Expr const& e, std::string const& tensor) {
  auto const* read = e.as<Load>();
  return read && read->buffer->name == tensor ? read : nullptr;
}

/// The element, or a choice between it and a number by a condition on indices alone.
bool is_use(Expr const& e, std::string const& tensor) {
  auto const* choice = e.as<Select>();
  if (!choice) return load_of(e, tensor);
  return (load_of(choice->a, tensor) && is_number(choice->b) &&
          !reads_anything(choice->condition)) ||
         (load_of(choice->b, tensor) && is_number(choice->a) && !reads_anything(choice->condition));
}

bool data_choose(Expr const& use) {
  bool found = false;
  walk(use, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    if (read) found = found || std::ranges::any_of(read->indices, reads_anything);
    return !found;
  });
  return found;
}

class Exchange : public Rewriter {
public:
  Exchange(Expr const& use, Buffer made, std::vector<Expr> indices)
      : use_(use), made_(std::move(made)), indices_(std::move(indices)) {}
  Expr visit(Expr const& e) override { return equal(e, use_) ? load(made_, indices_) : rebuild(e); }
  Stmt visit(Stmt const& s) override {
    Stmt next = rebuild(s);
    auto const* store = next.as<Store>();
    auto const* element = use_.as<Load>();
    bool stores = store && element && store->buffer->name == element->buffer->name;
    return stores ? make_from<Store>(store->origin, made_, indices_, store->value) : next;
  }

private:
  Expr use_;
  Buffer made_;
  std::vector<Expr> indices_;
};

std::vector<Expr> variables_of(Block const& block, std::vector<size_t> const& places) {
  std::vector<Expr> variables;
  for (size_t place : places) variables.push_back(block.iters[place].var);
  return variables;
}

/// A loop and an iterator "vd0", "vd1", ... for each dimension; `body` speaks of the block's.
Stmt nest_for(Block const& block, Reindexed const& use, std::string const& name, Stmt const& body,
              Program& program) {
  std::vector<IterVar> iters;
  std::vector<Expr> loops;
  Substitution by;
  for (size_t place : use.iterators) {
    IterVar const& iter = block.iters[place];
    loops.push_back(var(fmt::format("d{}", loops.size())));
    iters.push_back({var(fmt::format("vd{}", iters.size())), iter.extent, IterKind::kSpatial,
                     loops.back(), iter.role});
    by[iter.name()] = iters.back().var;
  }
  std::vector<Expr> extents;
  for (IterVar const& iter : iters) extents.push_back(iter.extent);
  Stmt nest = make<Block>(program.fresh_block(), name, "copy", std::move(iters), Expr(), Stmt(),
                          substitute(body, by));
  for (size_t d = loops.size(); d-- > 0;)
    nest = make<For>(program.fresh_loop(), loops[d], extents[d], LoopKind::kSerial, nest);
  return nest;
}

}  // namespace

namespace {

/// Looks for what a block uses of a tensor.
class Uses {
public:
  Uses(std::string const& tensor, bool written) : tensor_(tensor), written_(written) {}

  void look(Stmt const& s) {
    walk(s, [&](Stmt const& part) {
      auto const* store = part.as<Store>();
      if (!store) return true;
      if (store->buffer->name == tensor_) meet(load(store->buffer, store->indices), true);
      for (Expr const& index : store->indices) look(index, true);
      look(store->value, true);
      return true;
    });
  }
  std::optional<Reindexed> found() const {
    return one_ && use_.value && !data_choose(use_.value) ? std::optional(use_) : std::nullopt;
  }

private:
  void meet(Expr const& e, bool always) {
    one_ = one_ && !(written_ && e.as<Select>()) && (!use_.value || equal(use_.value, e));
    use_.value = e;
    use_.always = use_.always && always;
  }
  /// What stands behind a condition is not read in each instance.
  void look(Expr const& root, bool always) {
    walk(root, [&](Expr const& e) {
      if (is_use(e, tensor_)) return meet(e, always), false;
      if (auto const* choice = e.as<Select>()) {
        look(choice->condition, always);
        look(choice->a, false);
        look(choice->b, false);
        return false;
      }
      if (auto const* both = e.as<Binary>();
          both && (both->op == BinaryOp::kAnd || both->op == BinaryOp::kOr)) {
        look(both->a, always);
        look(both->b, false);
        return false;
      }
      return true;
    });
  }

  std::string const& tensor_;
  bool written_, one_ = true;
  Reindexed use_;
};

}  // namespace

std::optional<Reindexed> reindexed(Block const& block, std::string const& tensor, bool written) {
  Uses uses(tensor, written);
  uses.look(block.body);
  if (block.init) uses.look(block.init);
  auto use = uses.found();
  for (size_t i = 0; use && i < block.iters.size(); ++i)
    if (uses_variable(use->value, block.iters[i].name())) use->iterators.push_back(i);
  return use && !use->iterators.empty() ? use : std::nullopt;
}

bool always_exists(Block const& block, Expr const& use) {
  auto const* element = use.as<Load>();
  arith::Ranges ranges = iterator_ranges(block);
  for (size_t d = 0; element && d < element->indices.size(); ++d) {
    auto taken = arith::bounds(element->indices[d], ranges);
    auto extent = as_int(element->buffer->shape[d]);
    if (!taken || !extent || taken->low < 0 || taken->high >= *extent) return false;
  }
  return element;
}

bool runs_whole(BlockSite const& site, ProofBudget budget) {
  if (site.block->predicate && budget == ProofBudget::kTrusted) return true;
  std::vector<arith::Interval> domains;
  std::vector<std::string> counted;
  for (IterVar const& iter : site.block->iters) {
    domains.push_back({0, as_int(iter.extent).value_or(0) - 1});
    auto const* v = iter.binding.as<Variable>();
    for (For const* loop : site.loops)
      if (v && loop->name() == v->name && equal(loop->extent, iter.extent) &&
          std::ranges::find(counted, v->name) == counted.end())
        counted.push_back(v->name);
  }
  bool plain = counted.size() == domains.size() && !site.block->predicate;
  return plain || runs_all_of(site, domains, budget);
}

std::string reindexed_name(Program const& program, std::string const& tensor) {
  return free_tensor_name(program, tensor + "_reindex");
}

Buffer reindexed_buffer(Program const& program, Block const& block, BufferNode const& source,
                        Reindexed const& use) {
  BufferNode node = source;
  node.name = reindexed_name(program, source.name);
  node.scope = kGlobalScope;
  node.alignments.clear();
  node.map = nullptr;
  node.shape.clear();
  for (size_t place : use.iterators) node.shape.push_back(block.iters[place].extent);
  return std::make_shared<BufferNode const>(std::move(node));
}

Stmt with_reindexed(Block const& block, Reindexed const& use, Buffer const& made) {
  Exchange exchange(use.value, made, variables_of(block, use.iterators));
  return make_from<Block>(block.origin, block.id, block.name, block.op, block.iters,
                          block.predicate, block.init ? exchange.visit(block.init) : Stmt(),
                          exchange.visit(block.body));
}

Stmt read_nest(Block const& block, Reindexed const& use, Buffer const& made, Program& program) {
  Stmt body = make<Store>(made, variables_of(block, use.iterators), use.value);
  return nest_for(block, use, made->name, body, program);
}

Stmt write_nest(Block const& block, Reindexed const& use, Buffer const& made, Buffer const& target,
                Program& program) {
  Stmt body = make<Store>(target, use.value.to<Load>().indices,
                          load(made, variables_of(block, use.iterators)));
  return nest_for(block, use, free_tensor_name(program, block.name + "_write"), body, program);
}

}  // namespace tw
