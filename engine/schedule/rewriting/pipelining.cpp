#include "engine/schedule/rewriting/pipelining.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/digits.h"
#include "engine/schedule/legality/flow.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/region.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw {

using namespace ir;

namespace {

constexpr int64_t kMostStages = 8;

int64_t last_stage(Pipelining const& pipelining) {
  return *std::ranges::max_element(pipelining.stages);
}

/// Of two parts that move alike, in one dimension.
std::optional<Span> joined(Span const& a, Span const& b) {
  auto apart = as_int(arith::simplify(b.base - a.base));
  if (!apart) return std::nullopt;
  int64_t low = std::min<int64_t>(0, *apart);
  return Span{arith::simplify(a.base + low), std::max(a.extent, *apart + b.extent) - low};
}

/// What all blocks below the loop touch of a tensor in one iteration.
std::vector<std::optional<Span>> touched_box(Program const& program, Target const& target,
                                             LoopSite const& loop, BufferNode const& tensor) {
  std::vector<std::optional<Span>> box(tensor.shape.size());
  std::vector<For const*> place = place_loops(loop);
  auto sharing = loops_sharing(target, place, tensor);
  bool first = true;
  for (bool writes : {true, false}) {
    std::vector<BlockSite> sites =
        writes ? writers_of(program, tensor.name) : readers_of(program, tensor.name);
    std::erase_if(sites, [&](BlockSite const& s) { return !is_under(s, loop.loop->id); });
    if (sites.empty()) continue;
    std::vector<Span> part = box_of(sites, tensor, place.size(), writes, sharing);
    for (size_t d = 0; d < box.size(); ++d)
      box[d] = first ? part[d] : box[d] ? joined(*box[d], part[d]) : std::nullopt;
    first = false;
  }
  return box;
}

/// How many instances are in use at the same time of a tensor that each iteration has for itself.
int64_t instances_of(Pipelining const& pipelining, LoopParts const& parts,
                     std::string const& tensor) {
  int64_t first = kMostStages, last = 0;
  for (size_t i = 0; i < parts.statements.size(); ++i)
    for (BlockSite const& site : blocks_of(parts.statements[i])) {
      if (accesses_to(site, tensor).empty()) continue;
      first = std::min(first, pipelining.stages[i]);
      last = std::max(last, pipelining.stages[i]);
    }
  return std::max<int64_t>(last - first + 1, 1);
}

/// A dimension with fewer elements than the tensor has; empty: it stays as it is.
struct Turns {
  size_t dimension = 0;
  int64_t modulus = 0;
};

std::expected<std::optional<Turns>, Refusal> turns_of(Program const& program, Target const& target,
                                                      LoopSite const& loop,
                                                      BufferNode const& tensor, int64_t instances,
                                                      std::string const& verb) {
  Movement movement = movement_of(program, target, loop, tensor);
  std::string name = reference_of(program, loop.loop->id);
  std::string condition =
      verb +
      ": iterations that are under way at the same time must use different elements, which "
      "move on by the same number from each to the next";
  if (!movement.part) {
    if (instances == 1) return std::nullopt;
    return refuse(
        "same_elements",
        fmt::format("the elements of {} that an iteration of {} uses {}", tensor.name, name,
                    movement.stays ? "are the same in all of them"
                                   : "do not move on evenly, in one dimension"),
        condition, {loop});
  }
  MovingPart const& part = *movement.part;
  if (instances > 1 && part.step < part.extent)
    return refuse("parts_overlap",
                  fmt::format("an iteration of {} uses {} elements of dimension {} of {}, and the "
                              "next one begins {} after it",
                              name, part.extent, part.dimension, tensor.name, part.step),
                  condition, {loop});
  int64_t modulus = part.step * (instances - 1) + part.extent;
  if (modulus >= as_int(tensor.shape[part.dimension]).value_or(0)) return std::nullopt;
  return Turns{part.dimension, modulus};
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

/// The pipeline as one loop with guards, and every tensor as large as it is declared: the question
/// about the order of reads and writes.
Program guarded_form(Move const& move, Pipelining const& pipelining) {
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
  Program form = move.program;
  form.body =
      replace_loop(form.body, loop.id,
                   with_allocs(parts.tensors, make_from<For>(loop.origin, loop.id, loop.var,
                                                             int_imm(extent + last), loop.loop_kind,
                                                             seq(std::move(body)))));
  return form;
}

/// Prologue, steady state and epilogue of one pipeline, from statements of the loop.
class Writing {
public:
  Writing(Move const& move, Pipelining const& pipelining, Program& program)
      : program_(program),
        original_(move.program),
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

  /// Copies of loops and blocks are loops and blocks of their own; one that cannot be the start of
  /// a sum goes on with it.
  Stmt copied(Stmt const& s, std::string const& suffix) {
    std::set<BlockId> going_on;
    for (BlockSite const& site : blocks_of(s))
      if (goes_on(site)) going_on.insert(site.block->id);
    return rewrite_stmts(s, [&](Stmt const& part) -> Stmt {
      if (auto const* inner = part.as<For>())
        return make_from<For>(inner->origin, program_.fresh_loop(), inner->var, inner->extent,
                              inner->loop_kind, inner->body, inner->bind);
      auto const* block = part.as<Block>();
      if (!block) return nullptr;
      Stmt init = going_on.contains(block->id) ? Stmt() : block->init;
      return make_from<Block>(block->origin, program_.fresh_block(),
                              free_name_of(block->name + suffix), block->op, block->iters,
                              block->predicate, init, block->body);
    });
  }

  bool goes_on(BlockSite const& site) const {
    std::vector<For const*> around = pipelining_.loop.around;
    around.insert(around.end(), site.loops.begin(), site.loops.end());
    arith::Ranges ranges = ranges_of(around);
    return std::ranges::any_of(site.block->iters, [&](IterVar const& iter) {
      return iter.kind == IterKind::kReduce && arith::always(int_imm(1) <= iter.binding, ranges);
    });
  }

  std::string free_name_of(std::string const& wanted) {
    std::string name = free_tensor_name(original_, wanted);
    for (int number = 2; !taken_.insert(name).second; ++number)
      name = free_tensor_name(original_, fmt::format("{}_{}", wanted, number));
    return name;
  }

  Program& program_;
  Program const& original_;
  Pipelining const& pipelining_;
  For const& loop_;
  LoopParts parts_;
  int64_t extent_, last_;
  std::set<size_t> kept_;  ///< statements that have kept their names
  std::set<std::string> taken_;
};

std::expected<void, Refusal> fits(Move const& move, Pipelining const& pipelining,
                                  std::string const& verb) {
  LoopParts parts = parts_of(*pipelining.loop.loop);
  std::string name = reference_of(move.program, pipelining.loop.loop->id);
  size_t count = parts.statements.size();
  if (count < 2)
    return refuse("one_statement", fmt::format("{} has one statement only", name),
                  verb + ": the loop must have two or more statements", {pipelining.loop});
  for (Stmt const& s : parts.statements)
    if (std::string tensor; walk(s,
                                 [&](Stmt const& part) {
                                   if (auto const* alloc = part.as<Alloc>())
                                     tensor = alloc->buffer->name;
                                   return true;
                                 }),
                            !tensor.empty())
      return refuse("holds_a_tensor",
                    fmt::format("{} is allocated inside a statement of {}", tensor, name),
                    verb + ": tensors must be allocated around all statements of the loop",
                    {pipelining.loop});
  auto say = [&](std::string const& what) {
    return refuse("stages_do_not_fit", what,
                  fmt::format("{}: one number for each statement of the loop, stages from 0 to {}, "
                              "the least of them 0, and no two places the same",
                              verb, kMostStages - 1),
                  {pipelining.loop});
  };
  for (auto const& [word, list] :
       {std::pair{"stages", &pipelining.stages}, std::pair{"places", &pipelining.order}}) {
    bool left_out = list->empty() && list == &pipelining.order;
    if (!left_out && list->size() != count)
      return say(fmt::format("{} has {} statements, but {} {} are given", name, count, list->size(),
                             word));
  }
  auto [least, most] = std::ranges::minmax(pipelining.stages);
  if (least != 0 || most >= kMostStages)
    return say(fmt::format("the stages of {} are from {} to {}", name, least, most));
  if (most == 0 && pipelining.order.empty())
    return say(fmt::format("all statements of {} are in one stage", name));
  std::set<int64_t> places(pipelining.order.begin(), pipelining.order.end());
  if (places.size() != pipelining.order.size())
    return say(fmt::format("two statements of {} have one place", name));
  return {};
}

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

Movement movement_of(Program const& program, Target const& target, LoopSite const& loop,
                     BufferNode const& tensor) {
  Movement movement{std::nullopt, true};
  std::string const& counter = loop.loop->name();
  auto box = touched_box(program, target, loop, tensor);
  for (size_t d = 0; d < box.size(); ++d) {
    if (!box[d]) return {};
    if (!uses_variable(box[d]->base, counter)) continue;
    arith::Linear base = arith::to_linear(box[d]->base);
    int64_t step = base.factor_of(counter);
    Expr rest = arith::simplify(box[d]->base - loop.loop->var * step);
    if (step <= 0 || uses_variable(rest, counter) || movement.part) return {};
    movement = {MovingPart{d, step, box[d]->extent}, false};
  }
  return movement;
}

Program with_turns(Program program, Buffer const& tensor, size_t dimension, int64_t modulus) {
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

namespace {

struct Uses {
  size_t statement = 0;
  bool writes = false;
};

/// Two statements keep the order of what they do to a tensor, as far as that can be told from where
/// they stand. A tensor of one iteration is used by statements of this iteration alone: who comes
/// first is in an earlier stage, or an earlier one of the same stage. Of other tensors all uses are
/// in one stage, so that iterations follow one another as before.
bool keeps_order(Pipelining const& pipelining, size_t a, size_t b, bool of_one_iteration) {
  auto place = [&](size_t i) {
    return pipelining.order.empty() ? int64_t(i) : pipelining.order[i];
  };
  int64_t first = pipelining.stages[a], second = pipelining.stages[b];
  bool same_stage = first == second && place(a) < place(b);
  return same_stage || (of_one_iteration && first < second);
}

bool is_of_one_iteration(LoopParts const& parts, std::string const& tensor) {
  return std::ranges::any_of(parts.tensors, [&](Buffer const& one) { return one->name == tensor; });
}

/// Every pair of statements that meet in an element keeps its order.
bool keep_their_order(Pipelining const& pipelining, LoopParts const& parts) {
  std::map<std::string, std::vector<Uses>> uses;
  for (size_t i = 0; i < parts.statements.size(); ++i) {
    walk_writes(parts.statements[i], [&](Touched const& at) {
      uses[at.buffer->name].push_back({i, true});
    });
    walk_reads(parts.statements[i], [&](Touched const& at) {
      uses[at.buffer->name].push_back({i, false});
    });
  }
  for (auto const& [tensor, all] : uses) {
    bool own = is_of_one_iteration(parts, tensor);
    for (Uses const& a : all)
      for (Uses const& b : all) {
        if (a.statement >= b.statement || (!a.writes && !b.writes)) continue;
        if (!keeps_order(pipelining, a.statement, b.statement, own)) return false;
      }
  }
  return true;
}

/// Blocks below the loop that write a tensor, by the statement that they are in.
std::map<std::string, std::vector<std::pair<size_t, BlockSite>>> writers_in(
    Pipelining const& pipelining, LoopParts const& parts) {
  std::map<std::string, std::vector<std::pair<size_t, BlockSite>>> writers;
  for (BlockSite const& site : blocks_under(pipelining.loop))
    for (size_t i = 0; i < parts.statements.size(); ++i)
      for (BlockSite const& own : blocks_of(parts.statements[i])) {
        if (own.block->id != site.block->id) continue;
        std::set<std::string> written;
        walk_writes(site.block->body, [&](Touched const& at) { written.insert(at.buffer->name); });
        for (std::string const& tensor : written) writers[tensor].emplace_back(i, site);
      }
  return writers;
}

/// Who writes an element last stays the same, which the question of what is read does not ask.
std::expected<void, Refusal> writers_keep_order(Move const& move, Pipelining const& pipelining,
                                                LoopParts const& parts, std::string const& verb) {
  for (auto const& [tensor, writers] : writers_in(pipelining, parts))
    for (auto const& [a, first] : writers)
      for (auto const& [b, second] : writers) {
        if (a >= b || keeps_order(pipelining, a, b, is_of_one_iteration(parts, tensor))) continue;
        if (find_written_by_both(first, second, move.effort).none()) continue;
        return refuse_stage("writers_change_places",
                            fmt::format("{} and {} write some of the same elements of {}, and "
                                        "would do so in another order",
                                        first.block->name, second.block->name, tensor),
                            verb + ": of blocks that write one element the last one stays it");
      }
  return {};
}

}  // namespace

namespace {

FlowAnswer ask_order(Move const& move, Pipelining const& pipelining, LoopParts const& parts) {
  Program form = guarded_form(move, pipelining);
  FlowQuestion question{move.program, form};
  for (Stmt const& s : parts.statements)
    for (BlockSite const& site : blocks_of(s)) {
      question.readers.insert(site.block->id);
      question.whole.insert(site.block->id);
      walk_writes(site.block->body,
                  [&](Touched const& at) { question.tensors.insert(at.buffer->name); });
    }
  return ask_flow(question, move.effort);
}

/// A statement's block that uses a tensor in an iteration, and the statement's stage.
struct UserInStage {
  std::string block;
  int64_t stage = 0;
};

std::optional<UserInStage> user_at(Pipelining const& pipelining, LoopParts const& parts,
                                   Iteration const& iteration, std::string const& tensor,
                                   bool writes) {
  std::vector<std::string> wanted;
  for (auto const& [name, value] : iteration.loops) wanted.push_back(name);
  for (size_t i = 0; i < parts.statements.size(); ++i)
    for (BlockSite const& site : blocks_of(parts.statements[i])) {
      std::vector<std::string> names;
      for (For const* loop : pipelining.loop.around) names.push_back(loop->name());
      names.push_back(pipelining.loop.loop->name());
      for (For const* loop : site.loops) names.push_back(loop->name());
      bool uses = false;
      auto look = [&](Touched const& at) { uses = uses || at.buffer->name == tensor; };
      if (writes)
        walk_writes(site.block->body, look);
      else
        walk_reads(site.block->body, look);
      if (uses && names == wanted) return UserInStage{site.block->name, pipelining.stages[i]};
    }
  return std::nullopt;
}

/// The pair that was found in the loop of all stages, in the iterations of the loop as it is.
void tell_by_stages(Pipelining const& pipelining, LoopParts const& parts, Refusal& refusal) {
  if (!refusal.conflict) return;
  Conflict& pair = *refusal.conflict;
  auto writer = user_at(pipelining, parts, pair.first, pair.buffer, true);
  auto reader = user_at(pipelining, parts, pair.second, pair.buffer, false);
  if (!writer || !reader) return;
  auto shift = [&](Iteration& iteration, int64_t stage) {
    for (auto& [name, value] : iteration.loops)
      if (name == pipelining.loop.loop->name()) value -= stage;
  };
  shift(pair.first, writer->stage);
  shift(pair.second, reader->stage);
  refusal.message = fmt::format(
      "{} reads {}[{}] in iteration {} in stage {}, but {} computes it in iteration {} in stage "
      "{}, which is not before that",
      reader->block, pair.buffer, fmt::join(pair.index, ","), to_text(pair.second), reader->stage,
      writer->block, to_text(pair.first), writer->stage);
}

}  // namespace

std::expected<Proof, Refusal> can_pipeline(Move const& move, Pipelining const& pipelining,
                                           std::string const& verb) {
  if (auto plain = plain_loop(move.program, pipelining.loop, verb); !plain)
    return std::unexpected(plain.error());
  if (auto fit = fits(move, pipelining, verb); !fit) return std::unexpected(fit.error());
  LoopParts parts = parts_of(*pipelining.loop.loop);
  std::string proof = "statements that meet in an element keep their order";
  if (!keep_their_order(pipelining, parts)) {
    if (auto kept = writers_keep_order(move, pipelining, parts, verb); !kept)
      return std::unexpected(kept.error());
    FlowAnswer flow = ask_order(move, pipelining, parts);
    if (!flow.holds()) {
      auto refused = refuse_flow(flow, {},
                                 verb +
                                     ": what a statement reads must be computed before it, by an "
                                     "earlier stage or an earlier statement of the same one");
      tell_by_stages(pipelining, parts, refused.error());
      return refused;
    }
    proof = flow.proof();
  }
  for (Buffer const& tensor : parts.tensors) {
    auto turns = turns_of(move.program, move.target, pipelining.loop, *tensor,
                          instances_of(pipelining, parts, tensor->name), verb);
    if (!turns) return std::unexpected(turns.error());
  }
  return Proof{proof};
}

Applied pipelined(Move const& move, Pipelining const& pipelining) {
  Applied applied{move.program, {}, {}};
  For const& loop = *pipelining.loop.loop;
  LoopParts parts = parts_of(loop);
  applied.program.body =
      replace_loop(move.program.body, loop.id, Writing(move, pipelining, applied.program).run());
  for (Buffer const& tensor : parts.tensors) {
    auto turns = turns_of(move.program, move.target, pipelining.loop, *tensor,
                          instances_of(pipelining, parts, tensor->name), "");
    if (turns && *turns)
      applied.program =
          with_turns(std::move(applied.program), tensor, (*turns)->dimension, (*turns)->modulus);
  }
  return applied;
}

}  // namespace tw
