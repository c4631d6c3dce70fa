// host f: for(blockIdx.x) b in 8: S   -->   host f: call f_1(X, Y)   device f_1: for(blockIdx.x)
// ...
// A loop around several launches, or around one that goes on from what it made before, stays the
// host's: its counter is a size of what it launches.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/kernel.h"
#include "engine/ir/launches.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;

bool is_bound(Stmt const& s) {
  auto const* loop = s.as<For>();
  return loop && loop->loop_kind == LoopKind::kBind;
}

bool is_in_workspace(Stmt const& s) {
  auto const* alloc = s.as<Alloc>();
  return alloc && alloc->buffer->scope == kWorkspaceScope;
}

/// One bound nest with what it needs of the host.
struct Nest {
  Stmt body;
  std::vector<Buffer> lifted;  ///< of the device's main memory, allocated inside
  std::set<std::string> tensors, variables;
};

/// There is one instance of what lies in the device's main memory, however many threads the nest
/// has.
Nest nest_of(Stmt const& s) {
  Nest nest;
  nest.body = rewrite_stmts(s, [&](Stmt const& child) -> Stmt {
    if (!is_in_workspace(child)) return nullptr;
    auto const& alloc = child.to<Alloc>();
    bool seen = std::ranges::any_of(nest.lifted,
                                    [&](Buffer const& b) { return b->name == alloc.buffer->name; });
    if (!seen) nest.lifted.push_back(alloc.buffer);
    return alloc.body;
  });
  walk_writes(nest.body, [&](Touched const& at) { nest.tensors.insert(at.buffer->name); });
  walk_exprs(nest.body, [&](Expr const& e) {  // those of hints, too
    if (auto const* used = e.as<Variable>()) nest.variables.insert(used->name);
    if (auto const* read = e.as<Load>()) nest.tensors.insert(read->buffer->name);
    return true;
  });
  return nest;
}

bool has_bound(Stmt const& s) {
  bool any = false;
  walk(s, [&](Stmt const& child) {
    any = any || is_bound(child);
    return !any;
  });
  return any;
}

/// Some element that is read of a tensor around is none that the statement writes with the same
/// index: an earlier iteration of the loop around made it, maybe in another thread.
bool goes_on_from_others(Stmt const& s) {
  std::set<std::string> inside;
  std::map<std::string, std::vector<std::vector<Expr>>> writes;
  walk(s, [&](Stmt const& child) {
    if (auto const* alloc = child.as<Alloc>()) inside.insert(alloc->buffer->name);
    return true;
  });
  walk_writes(s, [&](Touched const& at) {
    if (!inside.contains(at.buffer->name)) writes[at.buffer->name].push_back(at.indices);
  });
  bool others = false;
  walk_reads(s, [&](Touched const& read) {
    auto written = writes.find(read.buffer->name);
    others = others || (written != writes.end() &&
                        std::ranges::none_of(written->second, [&](std::vector<Expr> const& at) {
                          return std::ranges::equal(at, read.indices,
                                                    [](auto& x, auto& y) { return equal(x, y); });
                        }));
  });
  return others;
}

/// Steps in time, of which each starts several launches, or one that reads what the step before it
/// made: no other order of loops would have the bound ones outermost.
bool repeats_launches(Stmt const& s) {
  auto const* loop = s.as<For>();
  if (!loop || loop->loop_kind != LoopKind::kSerial || !as_int(loop->extent)) return false;
  Stmt inside = loop->body;
  while (is_in_workspace(inside)) inside = inside.to<Alloc>().body;
  auto const* list = inside.as<Seq>();
  auto launches = list ? std::ranges::count_if(list->stmts, has_bound) : int64_t(has_bound(inside));
  return launches > 1 || (launches == 1 && goes_on_from_others(loop->body));
}

/// Nothing in it is or could be spread over threads: all that it makes is tensors of one element.
bool makes_one_element(Stmt const& s) {
  std::set<std::string> inside;
  bool any = false, one = true;
  walk(s, [&](Stmt const& child) {
    if (auto const* alloc = child.as<Alloc>()) inside.insert(alloc->buffer->name);
    one = one && !is_bound(child);
    return true;
  });
  walk_writes(s, [&](Touched const& at) {
    any = true;
    one = one && (inside.contains(at.buffer->name) || is_int(at.buffer->shape[0], 1));
  });
  return any && one;
}

/// Neighbours that one thread runs are one launch.
std::vector<Stmt> with_joined_elements(std::vector<Stmt> const& stmts) {
  std::vector<Stmt> joined;
  bool joins = false;
  for (Stmt const& s : stmts) {
    bool one = !is_bound(s) && !s.as<Alloc>() && makes_one_element(s);
    if (one && joins)
      joined.back() = seq({joined.back(), s});
    else
      joined.push_back(s);
    joins = one;
  }
  return joined;
}

/// Loops of blocks stand around everything else, so that each axis has one extent for the launch.
Status check_blocks(Target const& target, Stmt const& nest) {
  auto of_blocks = [&](Stmt const& s) {
    auto const* loop = s.as<For>();
    ThreadAxis const* axis = loop ? axis_of(target, *loop) : nullptr;
    return axis && !inside_block(axis->level);
  };
  Stmt inside = nest;
  std::set<std::string> axes;
  while (of_blocks(inside) && axes.insert(inside.to<For>().bind).second)
    inside = inside.to<For>().body;
  Stmt culprit;
  walk(inside, [&](Stmt const& s) {
    if (!culprit && of_blocks(s)) culprit = s;
    return !culprit;
  });
  if (culprit)
    return refused("blocks_not_outermost",
                   fmt::format("the loop {} is bound to {} inside of what the blocks of a launch "
                               "do: bind loops of blocks around everything else",
                               culprit.to<For>().name(), culprit.to<For>().bind));
  return {};
}

class Cutting {
public:
  Cutting(Function const& host, Target const& target) : host_(host), target_(target) {
    for (Buffer const& param : host.params) visible_.push_back(param);
  }

  Result<KernelIr> run() {
    Function host = host_;
    TRY_ASSIGN(host.body, cut(host_.body));
    return KernelIr{std::move(host), std::move(device_)};
  }

private:
  Result<Stmt> cut(Stmt const& s) {
    if (auto const* list = s.as<Seq>(); list && !makes_one_element(s)) {
      std::vector<Stmt> stmts;
      for (Stmt const& child : with_joined_elements(list->stmts)) {
        TRY_ASSIGN(Stmt next, cut(child));
        stmts.push_back(std::move(next));
      }
      return seq(std::move(stmts));
    }
    if (is_in_workspace(s)) {
      auto const& alloc = s.to<Alloc>();
      visible_.push_back(alloc.buffer);
      TRY_ASSIGN(Stmt body, cut(alloc.body));
      visible_.pop_back();
      return make_from<Alloc>(alloc.origin, alloc.buffer, body);
    }
    if (repeats_launches(s)) {
      auto const& loop = s.to<For>();
      counters_.push_back({loop.var, 0, *as_int(loop.extent) - 1});
      TRY_ASSIGN(Stmt body, cut(loop.body));
      counters_.pop_back();
      return make_from<For>(loop.origin, loop.id, loop.var, loop.extent, loop.loop_kind, body);
    }
    if (!is_bound(s) && !makes_one_element(s)) return unbound(s);
    TRY(check_blocks(target_, s));
    return launch(nest_of(s));
  }

  std::unexpected<Error> unbound(Stmt const& s) const {
    std::string line = first_line(s);
    if (has_bound(s))
      return refused("blocks_not_outermost",
                     fmt::format("'{}' is around loops that are bound to blocks or threads: a "
                                 "launch has those outermost (reorder)",
                                 line));
    return refused("unbound_work",
                   fmt::format("'{}' runs on no thread: on the target {} a loop around all that is "
                               "computed must be bound (bind)",
                               line, target_.name));
  }

  /// The call, with the memory of the nest around it.
  Stmt launch(Nest const& nest) {
    std::vector<Buffer> visible = visible_;
    visible.insert(visible.end(), nest.lifted.begin(), nest.lifted.end());
    Function function{fmt::format("{}_{}", host_.name, device_.size() + 1), {}, {}, nest.body};
    std::set<std::string> variables = nest.variables;
    for (Buffer const& tensor : visible) {
      if (!nest.tensors.contains(tensor->name)) continue;
      function.params.push_back(tensor);
      for (Expr const& extent : tensor->shape)
        walk(extent, [&](Expr const& e) {
          if (auto const* used = e.as<Variable>()) variables.insert(used->name);
          return true;
        });
    }
    for (SizeParam const& size : host_.sizes)
      if (variables.contains(size.var.to<Variable>().name)) function.sizes.push_back(size);
    for (SizeParam const& counter : counters_)
      if (variables.contains(counter.var.to<Variable>().name)) function.sizes.push_back(counter);
    Stmt call = launch_of(function);
    device_.push_back(std::move(function));
    for (Buffer const& tensor : nest.lifted) call = make<Alloc>(tensor, call);
    return call;
  }

  Function const& host_;
  Target const& target_;
  std::vector<Buffer> visible_;
  std::vector<SizeParam> counters_;  ///< of the host's loops around
  std::vector<Function> device_;
};

Result<KernelIr> run_cut_launches(KernelIr const& kernel, PassContext const& context) {
  return Cutting(kernel.host, context.target).run();
}

}  // namespace

Pass cut_launches() {
  return {"cut_launches",
          "Cuts each nest of bound loops into a device function that the host launches",
          "last but for the host's sizes: all passes before it see one function",
          run_cut_launches,
          {.needs = {Invariant::kNoBlocks, Invariant::kFlatBuffers, Invariant::kPlacedBuffers}}};
}

}  // namespace tw
