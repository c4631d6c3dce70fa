#include "engine/schedule/rewriting/pipelining.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/region.h"
#include "engine/schedule/legality/sliding_window.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/copies.h"

namespace tw {

using namespace ir;

namespace {

int64_t last_stage(Pipelining const& pipelining) {
  return *std::ranges::max_element(pipelining.stages);
}

std::vector<size_t> in_new_order(Pipelining const& pipelining) {
  std::vector<size_t> at(pipelining.stages.size());
  for (size_t i = 0; i < at.size(); ++i) at[i] = i;
  if (!pipelining.order.empty())
    std::ranges::stable_sort(at, {}, [&](size_t i) { return pipelining.order[i]; });
  return at;
}

Stmt with_allocs(std::vector<Buffer> const& tensors, Stmt body) {
  for (size_t i = tensors.size(); i-- > 0;) body = make<Alloc>(tensors[i], body);
  return body;
}

/// Prologue, steady state and epilogue of one pipeline, from statements of the loop.
class Writing {
public:
  Writing(StepRequest const& request, Pipelining const& pipelining, Program& program)
      : copies_(request.program, program),
        pipelining_(pipelining),
        loop_(*pipelining.loop.loop),
        parts_(parts_of(loop_)),
        extent_(*as_int(loop_.extent)),
        last_(last_stage(pipelining)) {}

  Stmt run() {
    int64_t steady = extent_ - last_;
    std::vector<Stmt> all;
    for (int64_t t = 0; t < extent_ + last_; ++t) {
      if (steady > 0 && t == last_) {
        all.push_back(steady_loop(steady));
        t = extent_ - 1;
        continue;
      }
      for (size_t i : in_new_order(pipelining_))
        if (int64_t k = t - pipelining_.stages[i]; k >= 0 && k < extent_)
          all.push_back(at_iteration(i, k, t < last_ ? "_first" : "_last"));
    }
    return with_allocs(parts_.tensors, seq(std::move(all)));
  }

private:
  Stmt steady_loop(int64_t steady) {
    std::vector<Stmt> body;
    for (size_t i : in_new_order(pipelining_)) {
      Expr value = loop_.var + (last_ - pipelining_.stages[i]);
      body.push_back(rebind(parts_.statements[i], {{loop_.name(), value}}, nullptr,
                            {{loop_.name(), steady}}, pipelining_.loop.around));
    }
    return make_from<For>(loop_.origin, loop_.id, loop_.var, int_imm(steady), loop_.loop_kind,
                          seq(std::move(body)));
  }

  Stmt at_iteration(size_t statement, int64_t k, std::string const& suffix) {
    Stmt s = rebind(parts_.statements[statement], {{loop_.name(), int_imm(k)}}, nullptr, {},
                    pipelining_.loop.around);
    bool is_first = extent_ <= last_ && kept_.insert(statement).second;
    return is_first ? s : copied(s, suffix);
  }

  /// A block that cannot be the start of a sum goes on with it.
  Stmt copied(Stmt const& s, std::string const& suffix) {
    std::set<BlockId> going_on;
    for (BlockSite const& site : blocks_of(s))
      if (goes_on(site)) going_on.insert(site.block->id);
    return copies_.copy(s, suffix, going_on);
  }

  bool goes_on(BlockSite const& site) const {
    std::vector<For const*> around = pipelining_.loop.around;
    around.insert(around.end(), site.loops.begin(), site.loops.end());
    arith::Ranges ranges = ranges_of(around);
    return std::ranges::any_of(site.block->iters, [&](IterVar const& iter) {
      return iter.kind == IterKind::kReduce && arith::always(int_imm(1) <= iter.binding, ranges);
    });
  }

  Copies copies_;
  Pipelining const& pipelining_;
  For const& loop_;
  LoopParts parts_;
  int64_t extent_, last_;
  std::set<size_t> kept_;  ///< statements that have kept their names
};

}  // namespace

LoopParts parts_of(For const& loop) {
  LoopParts parts;
  Stmt body = loop.body;
  while (auto const* alloc = body.as<Alloc>()) {
    parts.tensors.push_back(alloc->buffer);
    body = Stmt(alloc->body);
  }
  if (auto const* list = body.as<Seq>())
    parts.statements = list->stmts;
  else
    parts.statements = {body};
  return parts;
}

int64_t instances_of(Pipelining const& pipelining, LoopParts const& parts,
                     std::string const& tensor) {
  int64_t first = last_stage(pipelining), last = 0;
  for (size_t i = 0; i < parts.statements.size(); ++i)
    for (BlockSite const& site : blocks_of(parts.statements[i])) {
      if (accesses_to(site, tensor).empty()) continue;
      first = std::min(first, pipelining.stages[i]);
      last = std::max(last, pipelining.stages[i]);
    }
  return std::max<int64_t>(last - first + 1, 1);
}

Program with_turns(Program program, Buffer const& tensor, size_t dimension, int64_t modulus) {
  Stmt const before = program.body;  // the sites point into it
  for (BlockSite const& site : writers_of(program, tensor->name)) {
    auto const* store = site.block->body.as<Store>();
    if (!store) continue;
    std::vector<IterVar> iters = site.block->iters;
    for (IterVar& iter : iters)
      if (iter.kind == IterKind::kSpatial && uses_variable(store->indices[dimension], iter.name()))
        iter.kind = IterKind::kOrdered;
    Block const& block = *site.block;
    program.body =
        replace_block(program.body, block.id,
                      make_from<Block>(block.origin, block.id, block.name, block.op,
                                       std::move(iters), block.predicate, block.init, block.body));
  }
  BufferNode node = *tensor;
  node.shape[dimension] = int_imm(modulus);
  program.body = remap_buffer(program.body, tensor->name, std::make_shared<BufferNode const>(node),
                              [&](std::vector<Expr> indices) {
                                indices[dimension] =
                                    floor_mod(indices[dimension], int_imm(modulus));
                                return indices;
                              });
  return program;
}

Program guarded_form(StepRequest const& request, Pipelining const& pipelining) {
  For const& loop = *pipelining.loop.loop;
  LoopParts parts = parts_of(loop);
  int64_t extent = *as_int(loop.extent), last = last_stage(pipelining);
  std::vector<Stmt> body;
  for (size_t i : in_new_order(pipelining)) {
    int64_t stage = pipelining.stages[i];
    Expr guard;
    if (stage > 0) guard = int_imm(stage) <= loop.var;
    if (stage < last)
      guard = guard ? guard && loop.var < extent + stage : loop.var < extent + stage;
    body.push_back(rebind(parts.statements[i], {{loop.name(), loop.var - stage}}, guard,
                          {{loop.name(), extent + last}}, pipelining.loop.around));
  }
  Program form = request.program;
  form.body =
      replace_loop(form.body, loop.id,
                   with_allocs(parts.tensors, make_from<For>(loop.origin, loop.id, loop.var,
                                                             int_imm(extent + last), loop.loop_kind,
                                                             seq(std::move(body)))));
  return form;
}

Applied pipelined(StepRequest const& request, Pipelining const& pipelining) {
  Applied applied{request.program, {}, {}};
  For const& loop = *pipelining.loop.loop;
  LoopParts parts = parts_of(loop);
  applied.program.body = replace_loop(request.program.body, loop.id,
                                      Writing(request, pipelining, applied.program).run());
  for (Buffer const& tensor : parts.tensors) {
    auto turns =
        folded_dim_of(request.program, request.target, pipelining.loop, *tensor,
                      instances_of(pipelining, parts, tensor->name), "", ProofBudget::kTrusted);
    if (turns && *turns)
      applied.program =
          with_turns(std::move(applied.program), tensor, (*turns)->dimension, (*turns)->modulus);
  }
  return applied;
}

}  // namespace tw
