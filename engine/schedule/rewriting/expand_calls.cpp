#include "engine/schedule/rewriting/expand_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/ir/inlined_call.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw {
namespace {

using namespace ir;

constexpr char kInCall[] = "@call";  // in names of loops: as no script can say

/// The behaviour of one call, below the loops of its block.
class Nests {
public:
  Nests(Block const& block, Program& program) : block_(block), program_(program) {}

  Stmt of(Stmt const& s) {
    if (auto const* loop = s.as<For>()) return nest(*loop);
    if (auto const* list = s.as<Seq>()) {
      std::vector<Stmt> nests;
      for (Stmt const& child : list->stmts) nests.push_back(of(child));
      return seq(std::move(nests));
    }
    return leaf(s);
  }

  /// A block of the call's: the first has its name, so that steps find it.
  Stmt leaf(Stmt const& s) {
    bool first = std::exchange(first_, false);
    std::vector<IterVar> iters = block_.iters;
    Substitution to_iters;
    for (For const* loop : around_) {
      Expr iter = var("v" + loop->name());
      iters.push_back({iter, loop->extent, kind_of(s, *loop), loop->var, ""});
      to_iters[loop->name()] = iter;
    }
    return make<Block>(first ? block_.id : program_.fresh_block(),
                       first ? block_.name : free_tensor_name(program_, block_.name + "_part"),
                       block_.op, std::move(iters), block_.predicate, Stmt(),
                       substitute(s, to_iters));
  }

private:
  Stmt nest(For const& loop) {
    around_.push_back(&loop);
    Stmt below = of(loop.body);
    around_.pop_back();
    return make<For>(program_.fresh_loop(), loop.var, loop.extent, LoopKind::kSerial, below);
  }

  /// A loop that the stored element does not depend on goes on with what is there.
  static IterKind kind_of(Stmt const& s, For const& loop) {
    auto const* store = s.as<Store>();
    bool shown = !store || std::ranges::any_of(store->indices, [&](Expr const& index) {
      return uses_variable(index, loop.name());
    });
    return shown || is_int(loop.extent, 1) ? IterKind::kSpatial : IterKind::kReduce;
  }

  Block const& block_;
  Program& program_;
  std::vector<For const*> around_;
  bool first_ = true;
};

/// What the call goes on with is set in the first of its iterations.
Stmt start_of(Block const& block, Program& program) {
  std::vector<IterVar> iters;
  Expr first = block.predicate;
  for (IterVar const& iter : block.iters) {
    if (iter.kind != IterKind::kReduce) {
      iters.push_back(iter);
      continue;
    }
    Expr zero = binary(BinaryOp::kEq, iter.binding, int_imm(0));
    first = first ? first && zero : zero;
  }
  Block start(program.fresh_block(), free_tensor_name(program, block.name + "_start"), block.op,
              std::move(iters), first, Stmt(), block.init);
  Nests nests(start, program);
  return nests.of(with_own_loops(block.init, start.name + kInCall));
}

Stmt written_out(Block const& block, Program& program) {
  auto const& call = block.body.to<IntrinsicCall>();
  Nests nests(block, program);
  Stmt behaviour = inlined(call, block.name + kInCall);
  Stmt works = behaviour ? nests.of(behaviour) : nests.leaf(make<Seq>(std::vector<Stmt>{}));
  return block.init ? seq({start_of(block, program), works}) : works;
}

}  // namespace

bool has_calls(Program const& program) {
  bool found = false;
  walk(program.body, [&](Stmt const& s) { return found = found || s.as<IntrinsicCall>(), !found; });
  return found;
}

Program with_calls_expanded(Program const& program) {
  Program result = program;
  result.body = rewrite_stmts(program.body, [&](Stmt const& s) -> Stmt {
    auto const* block = s.as<Block>();
    return block && block->body.as<IntrinsicCall>() ? written_out(*block, result) : nullptr;
  });
  return result;
}

}  // namespace tw
