/// Every access of a run of a small program, in order: legality by comparing all pairs.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/expr_evaluator.h"
#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"

namespace tw::testing {

/// A term of a sum is one access: it reads and writes, and terms may come in any order. The first
/// one, which sets the element, is a write.
enum class AccessKind : uint8_t { kRead, kWrite, kTerm };

struct TracedAccess {
  int64_t time = 0;
  ir::BlockId block;
  AccessKind kind = AccessKind::kRead;
  std::vector<std::pair<ir::LoopId, int64_t>> loops;  ///< outermost first
  std::vector<int64_t> iters;                         ///< the values of the block's iterators
  bool first_term = false;                            ///< the write is a sum's start and a term
};

/// An element of a tensor; tensors in loops have one instance for each iteration around.
struct TracedElement {
  std::string tensor;
  std::map<ir::LoopId, int64_t> instance;
  std::vector<int64_t> index;
  auto operator<=>(TracedElement const&) const = default;
};

using AccessTrace = std::map<TracedElement, std::vector<TracedAccess>>;

/// Runs a program in the order of its loops, with its values: an index may be read from a tensor.
/// Statements other than loops, allocations and blocks of one store are not followed. A run that
/// fails (an index outside of its tensor) ends there.
class AccessTracer {
public:
  static AccessTrace run(ir::Program const& program, std::vector<NDArray> const& inputs) {
    AccessTracer tracer;
    for (size_t i = 0; i < program.inputs.size(); ++i)
      tracer.evaluator_.bind(program.inputs[i]->name, inputs[i]);
    for (ir::Buffer const& output : program.outputs) tracer.make(*output);
    tracer.visit(program.body);
    return std::move(tracer.trace_);
  }

private:
  struct Access {
    std::string tensor;
    std::vector<ir::Compiled> conditions, indices;  // the sides of selects that lead to it
    std::vector<bool> wanted;
    AccessKind kind;
  };
  struct Write {
    int buffer = -1;
    std::vector<ir::Compiled> indices;
    ir::Compiled value;
  };
  struct Code {
    std::vector<ir::Compiled> bindings;
    std::vector<int> iterators;
    ir::Compiled predicate;
    bool reduction = false;
    std::vector<Access> placing;  // reads of bindings and of the predicate
    std::vector<Access> start, body;
    Write set_start, set;
  };

  void make(ir::BufferNode const& buffer) {
    evaluator_.bind(buffer.name,
                    NDArray::create(buffer.type, ir::constant_shape(buffer).value()).value());
  }

  void loads(ir::Expr const& e, Access path, std::string const& own, std::vector<Access>& into) {
    if (auto const* choice = e.as<ir::Select>()) {
      loads(choice->condition, path, own, into);
      path.conditions.push_back(evaluator_.compile(choice->condition));
      for (bool side : {true, false}) {
        Access taken = path;
        taken.wanted.push_back(side);
        loads(side ? choice->a : choice->b, taken, own, into);
      }
      return;
    }
    if (auto const* read = e.as<ir::Load>(); read && read->buffer->name != own) {
      Access access = path;
      access.tensor = read->buffer->name;
      for (ir::Expr const& index : read->indices)
        access.indices.push_back(evaluator_.compile(index));
      into.push_back(std::move(access));
    }
    ir::walk(e, [&](ir::Expr const& child) {
      if (child.same_as(e)) return true;
      loads(child, path, own, into);
      return false;
    });
  }

  static Access reading() { return {"", {}, {}, {}, AccessKind::kRead}; }

  Write stores(ir::Stmt const& s, bool term, std::vector<Access>& into) {
    auto const* store = s.as<ir::Store>();
    if (!store) return {};  // a prefetch touches nothing
    loads(store->value, reading(), term ? store->buffer->name : "", into);
    for (ir::Expr const& index : store->indices) loads(index, reading(), "", into);
    Access access{store->buffer->name, {}, {}, {}, term ? AccessKind::kTerm : AccessKind::kWrite};
    for (ir::Expr const& index : store->indices)
      access.indices.push_back(evaluator_.compile(index));
    Write write{evaluator_.buffer_slot(access.tensor), access.indices,
                evaluator_.compile(store->value)};
    into.push_back(std::move(access));
    return write;
  }

  void execute(Write const& write) {
    if (write.buffer < 0 || evaluator_.failed()) return;
    int64_t at = evaluator_.offset(write.buffer, write.indices, 0);
    ir::Scalar value = evaluator_.value(write.value, 0);
    if (!evaluator_.failed()) evaluator_.write(write.buffer, at, value);
  }

  Code& code_of(ir::Block const& block) {
    auto [at, added] = codes_.try_emplace(block.id);
    Code& code = at->second;
    if (!added) return code;
    for (ir::IterVar const& iter : block.iters) {
      loads(iter.binding, reading(), "", code.placing);
      code.bindings.push_back(evaluator_.compile(iter.binding));
      code.iterators.push_back(evaluator_.slot(iter.name()));
    }
    if (block.predicate) {
      loads(block.predicate, reading(), "", code.placing);
      code.predicate = evaluator_.compile(block.predicate);
    }
    code.reduction = ir::reduction_of(block).has_value();
    if (block.init) code.set_start = stores(block.init, false, code.start);
    code.set = stores(block.body, code.reduction, code.body);
    return code;
  }

  void record(ir::Block const& block, Access const& access, std::vector<int64_t> const& iters,
              AccessKind kind, bool first_term = false) {
    for (size_t c = 0; c < access.conditions.size(); ++c)
      if ((evaluator_.integer(access.conditions[c], 0) != 0) != access.wanted[c]) return;
    TracedElement element{access.tensor, {}, {}};
    if (auto found = instances_.find(access.tensor); found != instances_.end())
      element.instance = found->second;
    for (ir::Compiled index : access.indices) element.index.push_back(evaluator_.integer(index, 0));
    trace_[element].push_back({++time_, block.id, kind, loops_, iters, first_term});
  }

  void visit_block(ir::Block const& block) {
    Code& code = code_of(block);
    if (code.predicate.valid() && !evaluator_.integer(code.predicate, 0)) return;
    std::vector<int64_t> iters;
    for (ir::Compiled binding : code.bindings) iters.push_back(evaluator_.integer(binding, 0));
    bool starts = bool(block.init);
    for (size_t i = 0; i < iters.size(); ++i) {
      evaluator_.set(code.iterators[i], iters[i]);
      starts = starts && (block.iters[i].kind != ir::IterKind::kReduce || iters[i] == 0);
    }
    for (Access const& access : code.placing) record(block, access, iters, access.kind);
    for (Access const& access : code.start)
      if (starts && access.kind == AccessKind::kRead) record(block, access, iters, access.kind);
    if (starts) execute(code.set_start);
    for (Access const& access : code.body) {
      bool first_term = starts && access.kind == AccessKind::kTerm;
      record(block, access, iters, first_term ? AccessKind::kWrite : access.kind, first_term);
    }
    execute(code.set);
  }

  void visit(ir::Stmt const& s) {
    if (evaluator_.failed()) return;
    if (auto const* loop = s.as<ir::For>()) {
      int slot = evaluator_.slot(loop->name());
      for (int64_t i = 0; i < *ir::as_int(loop->extent); ++i) {
        evaluator_.set(slot, i);
        loops_.push_back({loop->id, i});
        visit(loop->body);
        loops_.pop_back();
      }
    } else if (auto const* alloc = s.as<ir::Alloc>()) {
      instances_[alloc->buffer->name] = {loops_.begin(), loops_.end()};
      make(*alloc->buffer);
      visit(alloc->body);
    } else if (auto const* list = s.as<ir::Seq>()) {
      for (ir::Stmt const& child : list->stmts) visit(child);
    } else if (auto const* block = s.as<ir::Block>()) {
      visit_block(*block);
    }
  }

  ir::ExprEvaluator evaluator_;
  std::map<ir::BlockId, Code> codes_;
  std::map<std::string, std::map<ir::LoopId, int64_t>> instances_;
  std::vector<std::pair<ir::LoopId, int64_t>> loops_;
  int64_t time_ = 0;
  AccessTrace trace_;
};

/// All pairs: no two iterations that differ in the loop, with equal loops around it, meet in an
/// element that one of them writes.
inline bool independent(AccessTrace const& trace, ir::LoopId loop) {
  for (auto const& [element, accesses] : trace) {
    // The first two different iterations that touched it are enough, and the first that wrote it.
    std::map<std::vector<std::pair<ir::LoopId, int64_t>>, std::pair<std::set<int64_t>, bool>> seen;
    for (TracedAccess const& access : accesses) {
      auto at = std::ranges::find(access.loops, loop, &std::pair<ir::LoopId, int64_t>::first);
      if (at == access.loops.end()) continue;
      auto& [iterations, written] = seen[{access.loops.begin(), at}];
      iterations.insert(at->second);
      written = written || access.kind != AccessKind::kRead;
      if (written && iterations.size() > 1) return false;
    }
  }
  return true;
}

/// What happens to one element, where neither the order of reads nor that of one sum's terms
/// counts.
inline std::vector<std::multiset<std::pair<ir::BlockId, std::vector<int64_t>>>> essence(
    std::vector<TracedAccess> const& accesses) {
  std::vector<std::multiset<std::pair<ir::BlockId, std::vector<int64_t>>>> groups;
  TracedAccess const* last = nullptr;
  for (TracedAccess const& access : accesses) {
    bool joins = last && last->kind == access.kind &&
                 (access.kind == AccessKind::kRead ||
                  (access.kind == AccessKind::kTerm && last->block == access.block));
    if (!joins) groups.emplace_back();
    groups.back().insert({access.block, access.iters});
    last = &access;
  }
  return groups;
}

/// Whether all accesses that matter to one another come in the same order.
inline bool same_order(AccessTrace const& a, AccessTrace const& b) {
  return std::ranges::equal(a, b, [](auto const& left, auto const& right) {
    return left.first == right.first && essence(left.second) == essence(right.second);
  });
}

/// How often an element starts to sum up, and the terms after each start, whoever sets the start.
inline std::vector<std::multiset<std::pair<ir::BlockId, std::vector<int64_t>>>> sums_of(
    std::vector<TracedAccess> const& accesses) {
  std::vector<std::multiset<std::pair<ir::BlockId, std::vector<int64_t>>>> sums;
  for (TracedAccess const& access : accesses) {
    if (access.kind == AccessKind::kRead) continue;
    if (access.kind == AccessKind::kWrite || sums.empty()) sums.emplace_back();
    if (access.kind == AccessKind::kTerm || access.first_term)
      sums.back().insert({access.block, access.iters});
  }
  std::erase_if(sums, [](auto const& terms) { return terms.empty(); });  // set, and set again
  return sums;
}

/// Whether every element sums up the same terms.
inline bool same_sums(AccessTrace const& a, AccessTrace const& b) {
  return std::ranges::equal(a, b, [](auto const& left, auto const& right) {
    return left.first == right.first && sums_of(left.second) == sums_of(right.second);
  });
}

/// Whether no two instances of the block that differ in spatial iterators only meet in an element
/// that one of them writes.
inline bool kinds_are_true(AccessTrace const& trace, ir::Block const& block) {
  for (auto const& [element, accesses] : trace) {
    // By the values of the other iterators: the spatial ones seen, and whether one wrote.
    std::map<std::vector<int64_t>, std::pair<std::set<std::vector<int64_t>>, bool>> seen;
    for (TracedAccess const& access : accesses) {
      if (access.block != block.id) continue;
      std::vector<int64_t> spatial, others;
      for (size_t i = 0; i < access.iters.size(); ++i)
        (block.iters[i].kind == ir::IterKind::kSpatial ? spatial : others)
            .push_back(access.iters[i]);
      auto& [instances, written] = seen[others];
      instances.insert(std::move(spatial));
      written = written || access.kind != AccessKind::kRead;
      if (written && instances.size() > 1) return false;
    }
  }
  return true;
}

/// Whether some block writes an element after `block` read it: another value than there was, so not
/// an instance that had written it before.
inline bool reads_unfinished(AccessTrace const& trace, ir::BlockId block) {
  for (auto const& [element, accesses] : trace) {
    bool read = false;
    std::set<std::pair<ir::BlockId, std::vector<int64_t>>> written;
    for (TracedAccess const& access : accesses) {
      bool sets = access.kind == AccessKind::kWrite && !access.first_term;
      std::pair instance{access.block, access.iters};
      if (read && access.kind != AccessKind::kRead && access.block != block &&
          !(sets && written.contains(instance)))
        return true;
      if (sets) written.insert(std::move(instance));
      read = read || (access.block == block && access.kind == AccessKind::kRead);
    }
  }
  return false;
}

}  // namespace tw::testing
