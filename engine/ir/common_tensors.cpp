#include "engine/ir/common_tensors.h"

#include <algorithm>
#include <vector>

#include "engine/ir/expr.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/ir/stmt.h"

namespace tw::ir {
namespace {

/// One look at everything that is written, with what is thought to be common so far.
class Looking {
public:
  Looking(For const& loop, std::set<std::string> const& common) : common_(common) {
    walk(loop.body, [&](Stmt const& s) {
      if (auto const* alloc = s.as<Alloc>()) inside_.insert(alloc->buffer->name);
      return true;
    });
    told_.insert(loop.name());
    visit(loop.body, false);
  }

  std::set<std::string> differ;  ///< of those, what is not common after all

private:
  /// `chosen`: whether the statement runs depends on the iteration.
  void visit(Stmt const& s, bool chosen) {
    if (auto const* list = s.as<Seq>()) {
      for (Stmt const& child : list->stmts) visit(child, chosen);
    } else if (auto const* loop = s.as<For>()) {
      visit(loop->body, chosen || chooses(loop->extent));
    } else if (auto const* node = s.as<If>()) {
      bool told = chosen || chooses(node->condition);
      visit(node->then_body, told);
      if (node->else_body) visit(node->else_body, told);
    } else if (auto const* alloc = s.as<Alloc>()) {
      visit(alloc->body, chosen);
    } else if (auto const* let = s.as<Let>()) {
      if (chooses(let->value)) told_.insert(let->var.to<Variable>().name);
      visit(let->body, chosen);
    } else if (auto const* block = s.as<Block>()) {
      visit_block(*block, chosen);
    } else {
      visit_leaf(s, chosen);
    }
  }

  void visit_block(Block const& block, bool chosen) {
    for (IterVar const& iter : block.iters)
      if (is_told(iter.binding)) told_.insert(iter.name());
    bool told = chosen || (block.predicate && chooses(block.predicate));
    if (block.init) visit(block.init, told);
    visit(block.body, told);
  }

  void visit_leaf(Stmt const& s, bool chosen) {
    std::vector<std::string> written;
    walk_writes(s, [&](Touched const& at) { written.push_back(at.buffer->name); });
    bool told = chosen || std::ranges::any_of(written, [&](std::string const& name) {
                  return !common_.contains(name);
                });
    walk_exprs(s, [&](Expr const& e) { return told = told || is_told(e), !told; });
    if (told) differ.insert(written.begin(), written.end());
  }

  /// What data choose is taken to differ.
  bool chooses(Expr const& e) const { return is_told(e) || reads_tensor(e); }

  /// By the counter, or by a tensor of the loop that is not common.
  bool is_told(Expr const& e) const {
    bool told = false;
    walk(e, [&](Expr const& part) {
      auto const* used = part.as<Variable>();
      auto const* read = part.as<Load>();
      told =
          told || (used && told_.contains(used->name)) ||
          (read && inside_.contains(read->buffer->name) && !common_.contains(read->buffer->name));
      return !told;
    });
    return told;
  }

  std::set<std::string> const& common_;
  std::set<std::string> inside_, told_;
};

}  // namespace

std::set<std::string> common_tensors(For const& loop) {
  std::set<std::string> common;
  walk(loop.body, [&](Stmt const& s) {
    if (auto const* alloc = s.as<Alloc>()) common.insert(alloc->buffer->name);
    return true;
  });
  for (bool changed = true; changed;) {
    Looking looking(loop, common);
    changed =
        std::erase_if(common, [&](auto const& name) { return looking.differ.contains(name); }) > 0;
  }
  return common;
}

}  // namespace tw::ir
