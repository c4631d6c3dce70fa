#include "engine/schedule/legality/pipelining.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/dataflow_check.h"
#include "engine/schedule/legality/evaluated_pair.h"
#include "engine/schedule/legality/iteration_pairs.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/legality/sliding_window.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/names.h"

namespace tw {

using namespace ir;

namespace {

constexpr int64_t kMostStages = 8;

std::expected<void, Refusal> fits(StepRequest const& request, Pipelining const& pipelining,
                                  std::string const& verb) {
  LoopParts parts = parts_of(*pipelining.loop.loop);
  std::string name = reference_of(request.program, pipelining.loop.loop->id);
  size_t count = parts.statements.size();
  if (count < 2)
    return refuse("one_statement", fmt::format("{} has one statement only", name),
                  verb + ": the loop must have two or more statements", {pipelining.loop});
  auto say = [&](std::string const& what) {
    return refuse("stages_do_not_fit", what,
                  fmt::format("{}: one number for each statement of the loop, stages from 0 to {} "
                              "with a minimum of 0, and distinct positions in the order",
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
    return say(fmt::format("two statements of {} have the same position", name));
  return {};
}

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

/// The blocks below the loop, by the statement that they are in.
std::vector<std::vector<BlockSite>> blocks_in(Pipelining const& pipelining,
                                              LoopParts const& parts) {
  std::vector<std::vector<BlockSite>> blocks(parts.statements.size());
  for (BlockSite const& site : blocks_under(pipelining.loop))
    for (size_t i = 0; i < blocks.size(); ++i)
      for (BlockSite const& own : blocks_of(parts.statements[i]))
        if (own.block->id == site.block->id) blocks[i].push_back(site);
  return blocks;
}

/// Those that write a tensor, with their statements.
std::map<std::string, std::vector<std::pair<size_t, BlockSite>>> writers_in(
    Pipelining const& pipelining, LoopParts const& parts) {
  std::map<std::string, std::vector<std::pair<size_t, BlockSite>>> writers;
  std::vector<std::vector<BlockSite>> blocks = blocks_in(pipelining, parts);
  for (size_t i = 0; i < blocks.size(); ++i)
    for (BlockSite const& site : blocks[i]) {
      std::set<std::string> written;
      walk_writes(site.block->body, [&](Touched const& at) { written.insert(at.buffer->name); });
      for (std::string const& tensor : written) writers[tensor].emplace_back(i, site);
    }
  return writers;
}

/// Two blocks meet in no element in different iterations of the loop, in whichever order.
bool meet_in_one_iteration(StepRequest const& request, Pipelining const& pipelining,
                           BlockSite const& a, BlockSite const& b) {
  std::vector<For const*> loop{pipelining.loop.loop};
  return find_crossing({a}, {b}, loop, {}, request.budget).none() &&
         find_crossing({b}, {a}, loop, {}, request.budget).none();
}

bool meet(BlockSite const& a, BlockSite const& b) {
  std::vector<Access> all = accesses_of(a), of_b = accesses_of(b);
  return std::ranges::any_of(all, [&](Access const& x) {
    return std::ranges::any_of(
        of_b, [&](Access const& y) { return x.buffer == y.buffer && (x.writes || y.writes); });
  });
}

/// Blocks of different statements meet in an element in one iteration only, where the statement
/// that came first still does: then nothing that meets changes places.
bool meet_in_order(StepRequest const& request, Pipelining const& pipelining,
                   LoopParts const& parts) {
  std::vector<std::vector<BlockSite>> sites = blocks_in(pipelining, parts);
  for (size_t a = 0; a < sites.size(); ++a)
    for (size_t b = a + 1; b < sites.size(); ++b)
      for (BlockSite const& first : sites[a])
        for (BlockSite const& second : sites[b])
          if (meet(first, second) && !(keeps_order(pipelining, a, b, true) &&
                                       meet_in_one_iteration(request, pipelining, first, second)))
            return false;
  return true;
}

/// Tensors that iterations use as they are, though they lie in the loop: no part of them moves on
/// evenly, that each iteration could have for itself.
struct Whole {
  std::set<std::string> tensors = {};
  std::optional<Refusal> why = {};  ///< of the first one
  std::set<std::string> same = {};  ///< of these every iteration uses the same elements
  bool some_move = false;           ///< a tensor that lives from stage to stage is none of these
  /// Nothing is computed ahead that the iteration before did not compute.
  bool all_the_same() const { return !same.empty() && !some_move; }
};

Whole whole_tensors(StepRequest const& request, Pipelining const& pipelining,
                    LoopParts const& parts, std::string const& verb) {
  Whole whole;
  for (Buffer const& tensor : parts.tensors) {
    int64_t instances = instances_of(pipelining, parts, tensor->name);
    auto turns = folded_dim_of(request.program, request.target, pipelining.loop, *tensor, instances,
                               verb, request.budget);
    bool same = !turns && turns.error().code == "same_elements";
    whole.some_move = whole.some_move || (instances > 1 && !same);
    if (turns) continue;
    whole.tensors.insert(tensor->name);
    if (!whole.why || (same && whole.same.empty())) whole.why = turns.error();
    if (same) whole.same.insert(tensor->name);
  }
  return whole;
}

/// Who writes an element last stays the same, which the question of what is read does not ask.
std::expected<void, Refusal> writers_keep_order(StepRequest const& request,
                                                Pipelining const& pipelining,
                                                LoopParts const& parts, Whole const& whole,
                                                std::string const& verb) {
  for (auto const& [tensor, writers] : writers_in(pipelining, parts))
    for (auto const& [a, first] : writers)
      for (auto const& [b, second] : writers) {
        bool own = is_of_one_iteration(parts, tensor) && !whole.tensors.contains(tensor);
        if (a >= b || keeps_order(pipelining, a, b, own)) continue;
        if (keeps_order(pipelining, a, b, true) &&
            meet_in_one_iteration(request, pipelining, first, second))
          continue;
        if (find_written_by_both(first, second, request.budget).none()) continue;
        return refuse_stage("writers_change_places",
                            fmt::format("{} and {} write some of the same elements of {}, and "
                                        "would do so in another order",
                                        first.block->name, second.block->name, tensor),
                            verb + ": blocks that write one element must keep their write order");
      }
  return {};
}

DataflowAnswer ask_order(StepRequest const& request, Pipelining const& pipelining,
                         LoopParts const& parts) {
  Program form = guarded_form(request, pipelining);
  DataflowQuestion question{request.program, form};
  for (Stmt const& s : parts.statements)
    for (BlockSite const& site : blocks_of(s)) {
      question.readers.insert(site.block->id);
      question.whole.insert(site.block->id);
      walk_writes(site.block->body,
                  [&](Touched const& at) { question.tensors.insert(at.buffer->name); });
    }
  return check_dataflow(question, request.budget);
}

/// A block of a statement, in an iteration of the loop as it is, and the statement's stage.
struct UserInStage {
  std::string block;
  int64_t stage = 0;
  Iteration at;
};

std::vector<std::string> names_of(Iteration const& iteration) {
  std::vector<std::string> names;
  for (auto const& [name, value] : iteration.loops) names.push_back(name);
  return names;
}

/// The access happens in the iteration, to the element of the pair.
bool uses_element(BlockSite const& site, Access const& access, Iteration const& at,
                  Conflict const& pair) {
  EvaluatedPair self = evaluated_pair(site, access, at, site, access, at);
  return self.meeting == Meeting::kMeet && self.index == pair.index;
}

/// Who uses the pair's element in an iteration of the loop of all stages.
std::optional<UserInStage> user_at(Pipelining const& pipelining, LoopParts const& parts,
                                   Conflict const& pair, bool writes) {
  std::vector<std::vector<BlockSite>> sites = blocks_in(pipelining, parts);
  std::string const& loop = pipelining.loop.loop->name();
  for (size_t i = 0; i < sites.size(); ++i)
    for (BlockSite const& site : sites[i]) {
      Iteration at = writes ? pair.first : pair.second;
      std::vector<std::string> names;
      for (For const* around : site.loops) names.push_back(around->name());
      bool asked = names == names_of(at) && (writes || site.block->name == pair.block);
      for (auto& [name, value] : at.loops)
        if (name == loop) value -= pipelining.stages[i];
      for (Access const& access : accesses_of(site))
        if (asked && access.writes == writes && access.buffer == pair.buffer &&
            uses_element(site, access, at, pair))
          return UserInStage{site.block->name, pipelining.stages[i], std::move(at)};
    }
  return std::nullopt;
}

/// The pair that was found in the loop of all stages, in the iterations of the loop as it is.
void tell_by_stages(Pipelining const& pipelining, LoopParts const& parts, Refusal& refusal) {
  if (!refusal.conflict) return;
  Conflict& pair = *refusal.conflict;
  auto writer = user_at(pipelining, parts, pair, true);
  auto reader = user_at(pipelining, parts, pair, false);
  if (!writer || !reader) {
    refusal.conflict.reset();
    return;
  }
  pair.first = std::move(writer->at);
  pair.second = std::move(reader->at);
  refusal.message = fmt::format(
      "{} reads {}[{}] in iteration {} in stage {}, but {} computes it in iteration {} in stage "
      "{}, which is not before that",
      reader->block, pair.buffer, fmt::join(pair.index, ","), to_text(pair.second), reader->stage,
      writer->block, to_text(pair.first), writer->stage);
}

/// The exact question, with every tensor as large as it is declared.
std::expected<Proof, Refusal> order_holds(StepRequest const& request, Pipelining const& pipelining,
                                          LoopParts const& parts, Whole const& whole,
                                          std::string const& verb) {
  if (auto kept = writers_keep_order(request, pipelining, parts, whole, verb); !kept)
    return std::unexpected(kept.error());
  DataflowAnswer flow = ask_order(request, pipelining, parts);
  if (flow.holds()) return Proof{flow.proof()};
  auto refused = refuse_flow(flow, {},
                             verb +
                                 ": what a statement reads must be computed before it, by an "
                                 "earlier stage or an earlier statement of the same one");
  tell_by_stages(pipelining, parts, refused.error());
  return refused;
}

}  // namespace

std::expected<Proof, Refusal> can_pipeline(StepRequest const& request, Pipelining const& pipelining,
                                           std::string const& verb) {
  if (auto plain = plain_loop(request.program, pipelining.loop, verb); !plain)
    return std::unexpected(plain.error());
  if (auto fit = fits(request, pipelining, verb); !fit) return std::unexpected(fit.error());
  LoopParts parts = parts_of(*pipelining.loop.loop);
  Proof proof{"statements that access the same element keep their order"};
  bool by_place = keep_their_order(pipelining, parts);
  Whole whole = whole_tensors(request, pipelining, parts, verb);
  // Iterations may use the same elements of a whole tensor where each finds the values there that
  // it needs.
  if (!by_place || (!whole.tensors.empty() && !whole.all_the_same())) {
    proof.orders_turns = meet_in_order(request, pipelining, parts);
    auto holds = proof.orders_turns ? proof : order_holds(request, pipelining, parts, whole, verb);
    if (!holds) return by_place ? std::unexpected(*whole.why) : holds;
    proof = *holds;
  }
  if (whole.all_the_same()) return std::unexpected(*whole.why);
  return proof;
}

}  // namespace tw
