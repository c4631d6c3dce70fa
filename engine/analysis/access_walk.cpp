#include "engine/analysis/access_walk.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/arith/linear.h"
#include "engine/ir/accesses.h"
#include "engine/ir/expr_evaluator.h"
#include "engine/ir/rewrite.h"

namespace tw::analysis {

using namespace ir;

namespace {

/// An expression over loops: a sum of them where it is one, else evaluated.
struct OverLoops {
  int64_t constant = 0;
  std::vector<std::pair<size_t, int64_t>> terms;  ///< number of the loop, factor
  Compiled other;
};

/// An access of a block, ready to be evaluated.
struct Reached {
  int tensor = 0;
  bool writes = false;
  std::vector<OverLoops> indices;
  std::vector<int64_t> shape;
  std::vector<Compiled> conditions;
};

bool reads_data(Expr const& e) {
  bool reads = false;
  walk(e, [&](Expr const& one) {
    reads = reads || one.as<Load>();
    return !reads;
  });
  return reads;
}

}  // namespace

struct AccessWalk::Tree {
  struct Node {
    StmtKind kind = StmtKind::kSeq;
    int64_t instances = 0;
    std::vector<Node> children;  ///< of a test: what holds, and what else
    size_t loop = 0;
    int64_t extent = 1;
    Compiled condition;
    std::vector<Reached> reached;
  };

  ExprEvaluator evaluator;
  std::vector<Buffer> tensors;
  std::map<std::string, int> numbers;
  std::vector<For const*> loops;
  std::vector<int> slots;  ///< of the loops' variables
  std::vector<std::string> unknown;
  std::vector<std::pair<std::string, int64_t>> blocks;
  bool open_sizes = false;
  Node root;

  // While it runs.
  std::vector<int32_t> values;
  std::vector<WalkedAccess> accesses;
  int64_t number = 0;   ///< of the instance that comes next
  int later_lanes = 0;  ///< vector loops that are past their first iteration
  std::function<bool(WalkedInstance const&)> const* visit = nullptr;

  Node grow(Stmt const& s, std::vector<size_t> const& around);
  int64_t count_blocks(Node const& node, int64_t before, size_t& block);
  Node grow_block(Block const& block, std::vector<size_t> const& around);
  void reach(Block const& block, BlockAccess const& access, std::vector<size_t> const& around,
             Node& node);
  OverLoops over_loops(Expr const& e, std::vector<size_t> const& around);
  int number_of(Buffer const& tensor);
  bool go(Node const& node, int64_t& skip);
  bool go_loop(Node const& node, int64_t& skip);
  bool go_block(Node const& node);
  std::optional<WalkedAccess> touched(Reached const& one);
  bool holds(Compiled condition) { return evaluator.integer(condition, 0) != 0; }
};

int AccessWalk::Tree::number_of(Buffer const& tensor) {
  auto [place, fresh] = numbers.try_emplace(tensor->name, int(tensors.size()));
  if (fresh) tensors.push_back(tensor);
  return place->second;
}

OverLoops AccessWalk::Tree::over_loops(Expr const& e, std::vector<size_t> const& around) {
  arith::Linear linear = arith::to_linear(e);
  OverLoops result{linear.constant, {}, {}};
  for (arith::Linear::Term const& term : linear.terms) {
    auto const* variable = term.term.as<Variable>();
    auto loop = std::ranges::find_if(
        around, [&](size_t one) { return variable && loops[one]->name() == variable->name; });
    if (loop == around.end()) return {0, {}, evaluator.compile(e)};
    result.terms.push_back({*loop, term.factor});
  }
  return result;
}

void AccessWalk::Tree::reach(Block const& block, BlockAccess const& access,
                             std::vector<size_t> const& around, Node& node) {
  if (std::ranges::any_of(access.indices, reads_data)) {
    if (std::ranges::find(unknown, access.buffer->name) == unknown.end())
      unknown.push_back(access.buffer->name);
    return;
  }
  auto shape = constant_shape(*access.buffer);
  if (!shape) return void(open_sizes = true);
  Reached one{number_of(access.buffer), access.kind == AccessKind::kWrite, {}, *shape, {}};
  for (Expr const& index : access.indices) one.indices.push_back(over_loops(index, around));
  for (Expr const& condition : access.conditions)
    if (!reads_data(condition)) one.conditions.push_back(evaluator.compile(condition));
  if (access.part == BlockPart::kInit)
    for (IterVar const& iter : block.iters)
      if (iter.kind == IterKind::kReduce)
        one.conditions.push_back(evaluator.compile(
            binary(BinaryOp::kEq, iter.binding, int_imm(0, iter.binding.type()))));
  node.reached.push_back(std::move(one));
}

AccessWalk::Tree::Node AccessWalk::Tree::grow_block(Block const& block,
                                                    std::vector<size_t> const& around) {
  Node node{.kind = StmtKind::kBlock, .instances = 1, .children = {}, .reached = {}};
  blocks.push_back({block.name, 0});
  if (block.predicate) node.condition = evaluator.compile(block.predicate);
  std::vector<BlockAccess> all = accesses_of(block);
  // What an instance reads comes before what it writes; a sum's start comes before both.
  for (BlockPart part : {BlockPart::kInit, BlockPart::kBody})
    for (AccessKind kind : {AccessKind::kRead, AccessKind::kWrite})
      for (BlockAccess const& access : all)
        if (access.part == part && access.kind == kind) reach(block, access, around, node);
  return node;
}

AccessWalk::Tree::Node AccessWalk::Tree::grow(Stmt const& s, std::vector<size_t> const& around) {
  if (auto const* block = s.as<Block>()) return grow_block(*block, around);
  if (auto const* alloc = s.as<Alloc>()) return grow(alloc->body, around);
  Node node{.kind = s->kind, .children = {}, .reached = {}};
  if (auto const* loop = s.as<For>()) {
    node.loop = loops.size();
    node.extent = as_int(loop->extent).value_or(0);
    open_sizes = open_sizes || !as_int(loop->extent);
    loops.push_back(loop);
    slots.push_back(evaluator.slot(loop->name()));
    std::vector<size_t> inside = around;
    inside.push_back(node.loop);
    node.children.push_back(grow(loop->body, inside));
    node.instances = node.extent * node.children.front().instances;
    return node;
  }
  if (auto const* test = s.as<If>()) {
    node.condition = evaluator.compile(test->condition);
    node.children.push_back(grow(test->then_body, around));
    if (test->else_body) node.children.push_back(grow(test->else_body, around));
  }
  if (auto const* list = s.as<Seq>())
    for (Stmt const& one : list->stmts) node.children.push_back(grow(one, around));
  for (Node const& child : node.children) node.instances += child.instances;
  return node;
}

/// Notes where each block begins; the instances up to the node's end.
int64_t AccessWalk::Tree::count_blocks(Node const& node, int64_t before, size_t& block) {
  if (node.kind == StmtKind::kBlock) blocks[block++].second = before;
  int64_t at = before;
  for (Node const& child : node.children) at = count_blocks(child, at, block);
  return before + node.instances;
}

std::optional<WalkedAccess> AccessWalk::Tree::touched(Reached const& one) {
  for (Compiled condition : one.conditions)
    if (!holds(condition)) return std::nullopt;
  int64_t element = 0;
  for (size_t d = 0; d < one.indices.size(); ++d) {
    OverLoops const& index = one.indices[d];
    int64_t at = index.other.valid() ? evaluator.integer(index.other, 0) : index.constant;
    for (auto const& [loop, factor] : index.terms) at += factor * values[loop];
    if (at < 0 || at >= one.shape[d]) return std::nullopt;
    element = element * one.shape[d] + at;
  }
  return WalkedAccess{one.tensor, element, one.writes};
}

bool AccessWalk::Tree::go_block(Node const& node) {
  int64_t mine = number++;
  if (node.condition.valid() && !holds(node.condition)) return true;
  accesses.clear();
  for (Reached const& one : node.reached)
    if (auto access = touched(one)) accesses.push_back(*access);
  return (*visit)({values, accesses, mine, later_lanes == 0});
}

bool AccessWalk::Tree::go_loop(Node const& node, int64_t& skip) {
  int64_t each = node.children.front().instances;
  if (each == 0) return true;
  bool vector = loops[node.loop]->loop_kind == LoopKind::kVector;
  bool goes_on = true;
  int64_t first = skip / each;
  skip %= each;
  for (int64_t i = first; i < node.extent && goes_on; ++i) {
    values[node.loop] = int32_t(i);
    evaluator.set(slots[node.loop], i);
    later_lanes += vector && i > 0;
    goes_on = go(node.children.front(), skip);
    later_lanes -= vector && i > 0;
  }
  values[node.loop] = -1;
  return goes_on;
}

bool AccessWalk::Tree::go(Node const& node, int64_t& skip) {
  if (skip >= node.instances) return skip -= node.instances, true;
  if (node.kind == StmtKind::kBlock) return go_block(node);
  if (node.kind == StmtKind::kFor) return go_loop(node, skip);
  bool test = node.kind == StmtKind::kIf, holding = test && holds(node.condition);
  for (size_t i = 0; i < node.children.size(); ++i)
    if (!test || holding == (i == 0)) {
      if (!go(node.children[i], skip)) return false;
    } else {
      int64_t before = std::min(skip, node.children[i].instances);
      skip -= before;
      number += node.children[i].instances - before;
    }
  return true;
}

AccessWalk::AccessWalk(Program const& program) : tree_(std::make_unique<Tree>()) {
  for (Buffer const& tensor : program.inputs) tree_->number_of(tensor);
  for (Buffer const& tensor : program.outputs) tree_->number_of(tensor);
  tree_->root = tree_->grow(program.body, {});
  size_t block = 0;
  tree_->count_blocks(tree_->root, 0, block);
}

AccessWalk::~AccessWalk() = default;

std::vector<Buffer> const& AccessWalk::tensors() const { return tree_->tensors; }
std::vector<For const*> const& AccessWalk::loops() const { return tree_->loops; }
std::vector<std::string> const& AccessWalk::unknown() const { return tree_->unknown; }

std::vector<std::pair<std::string, int64_t>> const& AccessWalk::blocks() const {
  return tree_->blocks;
}

int64_t AccessWalk::instances() const { return tree_->open_sizes ? 0 : tree_->root.instances; }

void AccessWalk::run(int64_t from, std::function<bool(WalkedInstance const&)> const& visit) {
  tree_->values.assign(tree_->loops.size(), -1);
  tree_->visit = &visit;
  tree_->number = from;
  tree_->go(tree_->root, from);
}

}  // namespace tw::analysis
