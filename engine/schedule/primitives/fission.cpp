#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/instances.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_fission {
namespace {

using namespace ir;

constexpr char kVerb[] = "fission";
constexpr char kCondition[] =
    "fission: nothing in the first part may come after something in the second part that it needs, "
    "or that needs what was there before";

/// Where a loop is cut: the loops down to the statements, the tensors that live there, and the
/// statements before and after the cut.
struct Cut {
  struct Tensor {
    Buffer buffer;
    size_t around;  ///< loops of the chain around its allocation
  };
  std::vector<For const*> chain;
  std::vector<Tensor> tensors;
  std::vector<Stmt> first, second;
};

bool holds(Stmt const& s, BlockId id) {
  std::vector<BlockSite> blocks = blocks_of(s);
  return std::ranges::any_of(blocks, [&](BlockSite const& b) { return b.block->id == id; });
}

/// The cut is behind the statement that holds the block; nothing where all is one statement, or it
/// is the last.
std::optional<Cut> cut_of(StepRequest const& request) {
  Cut cut;
  cut.chain.push_back(request.loops[0].loop);
  Stmt body = request.loops[0].loop->body;
  while (true) {
    if (auto const* loop = body.as<For>()) {
      cut.chain.push_back(loop);
      body = loop->body;
    } else if (auto const* alloc = body.as<Alloc>()) {
      cut.tensors.push_back({alloc->buffer, cut.chain.size()});
      body = alloc->body;
    } else {
      break;
    }
  }
  auto const* list = body.as<Seq>();
  if (!list) return std::nullopt;
  BlockId id = request.blocks[0].block->id;
  auto at = std::ranges::find_if(list->stmts, [&](Stmt const& s) { return holds(s, id); });
  if (at == list->stmts.end() || at + 1 == list->stmts.end()) return std::nullopt;
  cut.first.assign(list->stmts.begin(), at + 1);
  cut.second.assign(at + 1, list->stmts.end());
  return cut;
}

bool uses(std::vector<Stmt> const& stmts, std::string const& tensor) {
  bool found = false;
  for (Stmt const& s : stmts) {
    auto look = [&](Touched const& at) { found = found || at.buffer->name == tensor; };
    walk_reads(s, look);
    walk_writes(s, look);
  }
  return found;
}

/// Tensors that both parts use: they live across the cut.
std::set<std::string> shared_tensors(Cut const& cut) {
  std::set<std::string> shared;
  for (auto const& [tensor, around] : cut.tensors)
    if (uses(cut.first, tensor->name) && uses(cut.second, tensor->name))
      shared.insert(tensor->name);
  return shared;
}

/// The loops around one part, with the tensors that it alone uses.
Stmt part_of(Cut const& cut, std::vector<Stmt> const& stmts, std::vector<LoopId> const& ids) {
  std::set<std::string> shared = shared_tensors(cut);
  Stmt part = seq(stmts);
  for (size_t i = cut.chain.size(); i > 0; --i) {
    for (auto const& [tensor, around] : cut.tensors)
      if (around == i && uses(stmts, tensor->name) && !shared.contains(tensor->name))
        part = make<Alloc>(tensor, part);
    For const& loop = *cut.chain[i - 1];
    part = make_from<For>(loop.origin, ids[i - 1], loop.var, loop.extent, loop.loop_kind, part,
                          loop.bind);
  }
  return part;
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  Cut cut = *cut_of(request);
  std::vector<LoopId> same, fresh;
  for (For const* loop : cut.chain) {
    same.push_back(loop->id);
    fresh.push_back(applied.program.fresh_loop());
    applied.cursors[loop->id] = {same.back(), fresh.back()};
  }
  Stmt parts = seq({part_of(cut, cut.first, same), part_of(cut, cut.second, fresh)});
  applied.program.body = replace_loop(request.program.body, cut.chain.front()->id, parts);
  std::set<std::string> shared = shared_tensors(cut);
  for (auto const& [tensor, around] : cut.tensors) {
    if (!shared.contains(tensor->name)) continue;
    if (request.loops[0].around.empty()) {
      applied.program.body = make<Alloc>(tensor, applied.program.body);
      continue;
    }
    LoopId outer = request.loops[0].around.back()->id;
    Stmt body = site_of(applied.program, outer).loop->body;
    set_loop_body(applied.program, outer, make<Alloc>(tensor, body));
  }
  return applied;
}

std::vector<BlockSite> blocks_in(StepRequest const& request, std::vector<Stmt> const& stmts) {
  std::vector<BlockSite> found;
  for (BlockSite const& site : blocks_under(request.loops[0]))
    if (std::ranges::any_of(stmts, [&](Stmt const& s) { return holds(s, site.block->id); }))
      found.push_back(site);
  return found;
}

/// Iterations that change places and meet in an element that they do not have to themselves.
std::expected<void, Refusal> nothing_crosses(StepRequest const& request, Cut const& cut) {
  std::set<std::string> own;
  for (auto const& [tensor, around] : cut.tensors) own.insert(tensor->name);
  std::vector<BlockSite> first = blocks_in(request, cut.first),
                         second = blocks_in(request, cut.second);
  if (first.empty() || second.empty()) return {};
  PairAnswer pairs = find_crossing(first, second, cut.chain, own, request.budget);
  if (pairs.none()) return {};
  std::string name = reference_of(request.program, request.loops[0].loop->id);
  std::string message = fmt::format(
      "it could not be proved that no two iterations of the parts of {} that change "
      "places touch the same element: {}",
      name, pairs.unknown);
  if (auto const& met = pairs.conflict)
    message = fmt::format(
        "in iteration {}, the second part {} {}[{}], which {} {} later, in iteration {}",
        to_text(met->first), met->first_writes ? "writes" : "reads", met->buffer,
        fmt::join(met->index, ","), met->block, met->second_writes ? "writes" : "reads",
        to_text(met->second));
  auto refusal = refuse(pairs.conflict ? "parts_depend" : "undecided", std::move(message),
                        kCondition, request.loops);
  refusal.error().conflict = pairs.conflict;
  refusal.error().undecided = !pairs.conflict;
  return refusal;
}

/// Iterations that change places do not meet in tensors of single iterations either, were those one
/// for all: then it does not matter that they are.
bool never_meets(StepRequest const& request, Cut const& cut) {
  std::vector<BlockSite> first = blocks_in(request, cut.first),
                         second = blocks_in(request, cut.second);
  return !first.empty() && !second.empty() &&
         find_crossing(first, second, cut.chain, {}, request.budget).none();
}

/// The first part makes the elements of the tensor that an iteration needs, each of them whole:
/// what another iteration leaves in them is the same.
bool is_made_whole(StepRequest const& request, Cut const& cut, std::string const& tensor) {
  auto at = std::ranges::find_if(
      cut.tensors, [&](Cut::Tensor const& one) { return one.buffer->name == tensor; });
  size_t shared = request.loops[0].around.size() + at->around;
  std::vector<BlockSite> writers = writers_of(request.program, tensor);
  std::vector<BlockSite> first = blocks_in(request, cut.first);
  auto is_first = [&](BlockSite const& writer) {
    return std::ranges::find(first, writer.block->id,
                             [](BlockSite const& one) { return one.block->id; }) != first.end();
  };
  for (BlockSite const& one : writers) {
    if (!is_first(one) || takes_turns(*one.block) || (!is_complete(one) && !is_reduction(one)))
      return false;
    for (BlockSite const& other : writers)
      if (!runs_with(one, other, shared, request.budget)) return false;
  }
  return true;
}

/// What adds to a tensor of each iteration does so once for every term, also when the iterations
/// share it.
std::expected<void, Refusal> terms_come_once(StepRequest const& request,
                                             std::set<std::string> const& moved) {
  for (std::string const& tensor : moved)
    for (BlockSite const& writer : writers_of(request.program, tensor)) {
      if (!may_run_again(writer) && !runs_each_once(writer, request.budget))
        return refuse("terms_twice",
                      fmt::format("{} would add terms to {} again, which the iterations of {} "
                                  "would share",
                                  writer.block->name, tensor,
                                  reference_of(request.program, request.loops[0].loop->id)),
                      kCondition, request.loops);
    }
  return {};
}

/// Tensors that each iteration had to itself may be one for all of them.
std::expected<void, Refusal> may_share(StepRequest const& request, Program const& after,
                                       std::set<std::string> const& moved) {
  if (auto once = terms_come_once(request, moved); !once) return once;
  DataflowQuestion question{request.program, after, {}, moved, {}};
  if (DataflowAnswer flow = check_dataflow(question, request.budget); !flow.holds())
    return refuse_flow(flow, {}, kCondition);
  return {};
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  std::string name = reference_of(request.program, request.loops[0].loop->id);
  std::string const& block = request.blocks[0].block->name;
  if (!is_under(request.blocks[0], request.loops[0].loop->id))
    return refuse("not_around_the_block", fmt::format("{} is not inside {}", block, name),
                  "fission: the block must be inside the loop", request.loops);
  if (auto plain = plain_chain(request.program, {request.loops[0]}, kVerb); !plain)
    return std::unexpected(plain.error());
  auto cut = cut_of(request);
  if (!cut)
    return refuse("nothing_after", fmt::format("nothing comes after {} inside {}", block, name),
                  "fission: the loop must contain several nests, and the block must not be in the "
                  "last one",
                  request.loops);
  if (auto free = nothing_crosses(request, *cut); !free) return std::unexpected(free.error());
  Program after = apply(request).program;
  if (auto scoped = tensors_in_scope(after, kVerb); !scoped) return std::unexpected(scoped.error());
  std::set<std::string> moved = shared_tensors(*cut);
  bool apart = never_meets(request, *cut);
  if (!apart) {
    std::set<std::string> asked = moved;
    std::erase_if(asked, [&](std::string const& one) { return is_made_whole(request, *cut, one); });
    if (auto may = may_share(request, after, asked); !may) return std::unexpected(may.error());
  }
  if (auto hold = shared_tensors_hold(after, request.target, moved, kVerb, request.budget); !hold)
    return std::unexpected(hold.error());
  return Proof{.by = "iterations that are reordered touch different elements",
               .orders_turns = apart};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "fission",
      .key = "Shift+F",
      .title = "Split a loop after a block (fission)",
      .doc =
          "Distributes a loop that contains several nests over two loops: the first one runs "
          "everything up to the nest of the block, the second one runs the rest. Tensors that both "
          "use move out of the loop.",
      .rewrite = "for i: A(i); B(i)  -- behind A -->  for i: A(i); for i: B(i)",
      .refused = "cannot be split there",
      .targets = 2,
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kLoop, TargetKind::kBlock},
      .beside_calls = true,
      .refuses = {"dependence_carried", "extent_unknown", "input_out_of_scope", "instances_added",
                  "instances_lost", "not_around_the_block", "not_finished", "not_only_blocks",
                  "nothing_after", "opaque_block", "order_carried", "parts_depend",
                  "reduction_carried", "terms_twice", "undecided"},
  };
  return primitive;
}

}  // namespace tw::primitive_fission
