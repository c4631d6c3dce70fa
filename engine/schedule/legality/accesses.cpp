#include "engine/schedule/legality/accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/digits.h"

namespace tw {
namespace {

using namespace ir;

/// What holds on the other side of a select.
Expr opposite(Expr const& condition) {
  auto const* test = condition.as<Binary>();
  if (test && test->op == BinaryOp::kLt) return binary(BinaryOp::kLe, test->b, test->a);
  if (test && test->op == BinaryOp::kLe) return binary(BinaryOp::kLt, test->b, test->a);
  return unary(UnaryOp::kNot, condition);
}

/// Goes through the expressions of a block, with the conditions under which they are evaluated.
class Collector {
public:
  Collector(BlockSite const& site, size_t number, std::vector<Access>& into)
      : number_(number), update_(reduction_of(*site.block).has_value()), into_(into) {
    for (IterVar const& iter : site.block->iters) bindings_[iter.name()] = iter.binding;
  }

  void visit(Expr const& e) {
    if (auto const* choice = e.as<Select>()) {
      visit(choice->condition);
      std::vector<Expr> outside = conditions_;
      for (Expr const& part : conjuncts(choice->condition)) assume(part);
      visit(choice->a);
      conditions_ = outside;
      assume(opposite(choice->condition));
      visit(choice->b);
      conditions_ = outside;
      return;
    }
    if (auto const* read = e.as<Load>()) add(read->buffer, read->indices, false);
    walk(e, [&](Expr const& child) {
      if (child.same_as(e)) return true;
      visit(child);
      return false;
    });
  }

  void visit(Stmt const& s) {
    walk_writes(s, [&](Touched const& at) { add(at.buffer, at.indices, true, at.axes); });
    visit_reads(s);
  }

private:
  void visit_reads(Stmt const& s) {
    dispatch(*s, [&](auto const& node) { reads_of(node); });
  }
  /// A hint's element is not read; what its index reads is.
  void reads_of(Prefetch const& hint) {
    for (Expr const& index : hint.element.to<Load>().indices) visit(index);
  }
  void reads_of(IntrinsicCall const& call) {
    for (size_t i = 0; i < call.operands.size(); ++i) {
      auto const* element = call.operands[i].value.as<Load>();
      IntrinsicParam const& param = call.intrinsic->params[i];
      if (!param.buffer || !element) {
        visit(call.operands[i].value);
        continue;
      }
      if (param.reads()) add(element->buffer, element->indices, false, call.operands[i].axes);
      for (Expr const& index : element->indices) visit(index);
    }
  }
  template <typename N>
  void reads_of(N const& node) {
    for_each_field(node, overloaded{
                             [&](Expr const& e) {
                               if (e) visit(e);
                             },
                             [&](std::vector<Expr> const& list) {
                               for (Expr const& e : list) visit(e);
                             },
                             [&](Stmt const& s) {
                               if (s) visit_reads(s);
                             },
                             [&](std::vector<Stmt> const& list) {
                               for (Stmt const& s : list) visit_reads(s);
                             },
                             [](auto const&) {},
                         });
  }

  /// What depends on data may hold or not.
  void assume(Expr const& condition) {
    bool reads = false;
    walk(condition, [&](Expr const& e) { return reads = reads || e.as<Load>(), !reads; });
    if (!reads) conditions_.push_back(condition);
  }

  void add(Buffer const& buffer, std::vector<Expr> const& indices, bool writes,
           std::vector<OperandAxis> const& axes = {}) {
    Access access{number_, buffer->name, {}, writes, writes && update_};
    Substitution names = bindings_;
    for (OperandAxis const& axis : axes) {
      Expr own = var(fmt::format("{}@{}.{}", axis.name(), number_, into_.size()));
      access.axes.push_back({own, axis.extent});
      names[axis.name()] = own;
    }
    for (Expr const& index : indices) access.indices.push_back(substitute(index, names));
    for (Expr const& one : conditions_) access.conditions.push_back(substitute(one, bindings_));
    into_.push_back(std::move(access));
  }

  size_t number_;
  bool update_;
  std::vector<Access>& into_;
  Substitution bindings_;
  std::vector<Expr> conditions_;  ///< of the selects around
};

void collect(BlockSite const& site, size_t number, std::vector<Access>& into) {
  Collector collector(site, number, into);
  // Bindings and guard speak of loops, of which the bindings' names are none.
  for (IterVar const& iter : site.block->iters) collector.visit(iter.binding);
  if (site.block->predicate) collector.visit(site.block->predicate);
  collector.visit(site.block->body);
  if (site.block->init) collector.visit(site.block->init);
}

bool same(Access const& a, Access const& b) {
  auto alike = [](Expr const& x, Expr const& y) { return equal(x, y); };
  return a.block == b.block && a.buffer == b.buffer && a.writes == b.writes &&
         std::ranges::equal(a.indices, b.indices, alike) &&
         std::ranges::equal(a.conditions, b.conditions, alike);
}

/// Digits of the dimensions in which all accesses to the buffer agree.
std::vector<Digit> common_digits(std::vector<Access const*> const& accesses,
                                 std::vector<arith::Ranges> const& ranges) {
  std::vector<Digit> digits;
  for (size_t d = 0; d < accesses.front()->indices.size(); ++d) {
    auto form = radix_form(accesses.front()->indices[d], ranges[accesses.front()->block]);
    bool agree = form.has_value();
    for (size_t a = 1; agree && a < accesses.size(); ++a)
      agree = radix_form(accesses[a]->indices[d], ranges[accesses[a]->block]) == form;
    if (agree) digits.insert(digits.end(), form->digits.begin(), form->digits.end());
  }
  return digits;
}

}  // namespace

void walk_reads(Block const& block, std::function<void(Touched const&)> const& f) {
  for (IterVar const& iter : block.iters) ir::walk_reads(iter.binding, f);
  if (block.predicate) ir::walk_reads(block.predicate, f);
  ir::walk_reads(block.body, f);
  if (block.init) ir::walk_reads(block.init, f);
}

std::vector<Access> accesses_of(BlockSite const& site, size_t number) {
  std::vector<Access> accesses;
  collect(site, number, accesses);
  return accesses;
}

std::set<std::string> private_tensors(Stmt const& body) {
  std::set<std::string> names;
  walk(body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>()) names.insert(alloc->buffer->name);
    return !s.as<Block>();
  });
  return names;
}

std::vector<Access> shared_accesses(std::vector<BlockSite> const& blocks,
                                    std::set<std::string> const& except) {
  std::vector<Access> all, kept;
  for (size_t b = 0; b < blocks.size(); ++b) collect(blocks[b], b, all);
  std::set<std::string> written;
  for (Access const& access : all)
    if (access.writes && !except.contains(access.buffer)) written.insert(access.buffer);
  for (Access& access : all) {
    bool known =
        std::any_of(kept.begin(), kept.end(), [&](Access const& k) { return same(k, access); });
    if (!known && written.contains(access.buffer)) kept.push_back(std::move(access));
  }
  return kept;
}

std::vector<bool> separated_loops(std::vector<BlockSite> const& blocks,
                                  std::vector<For const*> const& loops,
                                  std::set<std::string> const& except) {
  std::vector<arith::Ranges> ranges;
  for (BlockSite const& block : blocks) ranges.push_back(ranges_of(block.loops));
  std::vector<Access> accesses = shared_accesses(blocks, except);
  std::map<std::string, std::vector<Access const*>> by_buffer;
  for (Access const& access : accesses) by_buffer[access.buffer].push_back(&access);
  std::vector<bool> separated(loops.size(), true);
  for (auto const& [buffer, list] : by_buffer) {
    std::vector<Digit> digits = common_digits(list, ranges);
    for (size_t i = 0; i < loops.size(); ++i) {
      auto extent = as_int(loops[i]->extent);
      separated[i] = separated[i] && extent && covers(digits, loops[i]->name(), *extent);
    }
  }
  return separated;
}

}  // namespace tw
