#include "engine/lowering/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ir/kernel.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"
#include "engine/lowering/registers.h"

namespace tw {
namespace {

using namespace ir;

/// Whether a statement, without those below it, keeps what is promised.
using Keeps = bool (*)(Stmt const&);

struct Row {
  Invariant invariant;
  std::string_view name;
  std::string_view sentence;
  Keeps keeps;  ///< null: not a matter of one statement
};

bool is_loop(Stmt const& s, LoopKind kind) {
  auto const* loop = s.as<For>();
  return loop && loop->loop_kind == kind;
}

/// Every expression of a statement, without those of the statements below it.
template <typename F>
bool all_exprs(Stmt const& s, F const& keeps) {
  bool kept = true;
  auto look = [&](Expr const& e) {
    kept = kept && keeps(e);
    return kept;
  };
  if (auto const* store = s.as<Store>()) {
    for (Expr const& index : store->indices) walk(index, look);
    walk(store->value, look);
  }
  if (auto const* loop = s.as<For>()) walk(loop->extent, look);
  if (auto const* test = s.as<If>()) walk(test->condition, look);
  if (auto const* let = s.as<Let>()) walk(let->value, look);
  if (auto const* hint = s.as<Prefetch>()) walk(hint->element, look);
  return kept;
}

bool is_scalar(Stmt const& s) {
  return all_exprs(s, [](Expr const& e) { return e.lanes() == 1; });
}

bool has_no_init(Stmt const& s) {
  auto const* block = s.as<Block>();
  return !block || !block->init;
}

bool has_flat_buffers(Stmt const& s) {
  auto flat = [](Buffer const& buffer) { return buffer->shape.size() == 1; };
  if (auto const* alloc = s.as<Alloc>(); alloc && !flat(alloc->buffer)) return false;
  if (auto const* store = s.as<Store>(); store && !flat(store->buffer)) return false;
  return all_exprs(s, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    return !read || flat(read->buffer);
  });
}

/// A loop whose extent is not known cannot be written out.
bool is_written_out(Stmt const& s) {
  return !is_loop(s, LoopKind::kUnroll) || !as_int(s.as<For>()->extent);
}

bool is_whole(Buffer const& buffer, std::vector<Expr> const& indices) {
  if (buffer->scope != "register") return true;
  if (indices.size() != 1) return false;
  auto const* ramp = indices[0].as<Ramp>();
  bool from_start = ramp ? is_int(ramp->base, 0) && is_int(ramp->stride, 1) : is_int(indices[0], 0);
  return from_start && is_int(buffer->shape[0], indices[0].lanes());
}

bool has_whole_registers(Stmt const& s) {
  auto const* store = s.as<Store>();
  if (store && !is_whole(store->buffer, store->indices)) return false;
  return all_exprs(s, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    return !read || is_whole(read->buffer, read->indices);
  });
}

bool is_placed(Stmt const& s) {
  auto const* alloc = s.as<Alloc>();
  if (!alloc) return true;
  std::string const& scope = alloc->buffer->scope;
  return alloc->buffer->shape.size() == 1 && as_int(alloc->buffer->shape[0]) &&
         (scope == "register" || scope == kStackScope || scope == kSharedScope ||
          scope == kWorkspaceScope);
}

constexpr std::array<Row, 10> kRows{{
    {Invariant::kLoopsOnce, "loops_once", "every loop occurs once", nullptr},
    {Invariant::kScalarCode, "scalar_code", "every value is a scalar", is_scalar},
    {Invariant::kNoInits, "no_inits", "no block has an init", has_no_init},
    {Invariant::kNoBlocks, "no_blocks", "there are no blocks",
     [](Stmt const& s) { return !s.as<Block>(); }},
    {Invariant::kFlatBuffers, "flat_buffers", "every tensor has one dimension", has_flat_buffers},
    {Invariant::kNoVectorLoops, "no_vector_loops", "there are no vector loops",
     [](Stmt const& s) { return !is_loop(s, LoopKind::kVector); }},
    {Invariant::kNoUnrolledLoops, "no_unrolled_loops", "there are no unrolled loops",
     is_written_out},
    {Invariant::kWholeRegisters, "whole_registers",
     "a tensor in registers is read and written as a whole", has_whole_registers},
    {Invariant::kPlacedBuffers, "placed_buffers",
     "every allocation has its place: registers, the stack, a block's memory or the workspace",
     is_placed},
    {Invariant::kSetRegisters, "set_registers", "calls have the registers that they need", nullptr},
}};

Row const& row_of(Invariant invariant) { return kRows[size_t(invariant)]; }

std::unexpected<Error> broken(Row const& row, Stmt const& culprit) {
  return refused("invariant_broken", fmt::format("{} does not hold ({}): {}", row.name,
                                                 row.sentence, first_line(culprit)));
}

Status each_loop_once(Row const& row, Function const& function) {
  std::set<LoopId> seen;
  Stmt again;
  walk(function.body, [&](Stmt const& s) {
    auto const* loop = s.as<For>();
    if (!again && loop && !seen.insert(loop->id).second) again = s;
    return !again;
  });
  if (again) return broken(row, again);
  return {};
}

Status check(Row const& row, Function const& function) {
  if (row.invariant == Invariant::kLoopsOnce) return each_loop_once(row, function);
  if (row.invariant == Invariant::kSetRegisters) {
    if (Stmt call = call_without_register(function.body)) return broken(row, call);
    return {};
  }
  if (row.invariant == Invariant::kFlatBuffers)
    for (Buffer const& param : function.params)
      if (param->shape.size() != 1)
        return refused("invariant_broken", fmt::format("{} does not hold ({}): the parameter {}",
                                                       row.name, row.sentence, param->name));
  Stmt culprit;
  walk(function.body, [&](Stmt const& s) {
    if (!culprit && !row.keeps(s)) culprit = s;
    return !culprit;
  });
  if (culprit) return broken(row, culprit);
  return {};
}

}  // namespace

std::string_view name_of(Invariant invariant) { return row_of(invariant).name; }
std::string_view sentence_of(Invariant invariant) { return row_of(invariant).sentence; }

Invariants const& program_invariants() {
  static Invariants const hold{Invariant::kLoopsOnce, Invariant::kScalarCode};
  return hold;
}

Invariants const& code_invariants() {
  static Invariants const hold{Invariant::kNoInits, Invariant::kNoBlocks, Invariant::kFlatBuffers,
                               Invariant::kNoVectorLoops, Invariant::kPlacedBuffers};
  return hold;
}

Status verify_kernel(KernelIr const& kernel, Invariants const& hold) {
  TRY(ir::verify(kernel));
  for (Invariant invariant : hold) {
    TRY(check(row_of(invariant), kernel.host));
    for (Function const& function : kernel.device) TRY(check(row_of(invariant), function));
  }
  return {};
}

}  // namespace tw
