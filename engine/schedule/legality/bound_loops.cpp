#include "engine/schedule/legality/bound_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/ir/loop_words.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/independence.h"
#include "engine/schedule/legality/sharing.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/legality/structure.h"
#include "engine/schedule/legality/thread_sums.h"
#include "engine/schedule/names.h"
#include "engine/target/axis_of.h"

namespace tw {
namespace {

using namespace ir;
using Answer = std::expected<void, Refusal>;

bool is_bound(For const& loop) { return loop.loop_kind == LoopKind::kBind; }

/// The loops that a question is about, with its words.
struct Asking {
  Program const& program;
  Target const& target;
  std::string const& verb;

  std::string name(For const& loop) const { return reference_of(program, loop.id); }
  ThreadAxis const* axis(For const& loop) const { return axis_of(target, loop); }
};

Answer axis_fits(Asking const& ask, LoopSite const& site) {
  ThreadAxis const* axis = ask.axis(*site.loop);
  std::string name = ask.name(*site.loop);
  if (!axis)
    return refuse("unknown_axis",
                  fmt::format("{} is bound to {}, which the target {} does not have", name,
                              site.loop->bind, ask.target.name),
                  ask.verb + ": the target must have the axis", {site});
  int64_t extent = as_int(site.loop->extent).value_or(0);
  if (extent <= axis->extent) return {};
  return refuse("axis_too_short",
                fmt::format("{} has {} iterations, but {} has at most {}: split it first", name,
                            extent, axis->name, axis->extent),
                fmt::format("{}: at most {} iterations for {}", ask.verb, axis->extent, axis->name),
                {site});
}

/// Threads of one block: those of all loops in its launch, nests beside `site` among them.
Answer threads_fit(Asking const& ask, LoopSite const& site) {
  if (ask.target.threads_per_block == 0) return {};
  std::map<std::string, int64_t> extents;
  auto put = [&](For const& loop) {
    ThreadAxis const* axis = ask.axis(loop);
    if (!axis || axis->level != Level::kThread || axis->interleaved) return;
    int64_t& most = extents[loop.bind];
    most = std::max(most, as_int(loop.extent).value_or(1));
  };
  auto outermost = std::ranges::find_if(site.around, [](For const* one) { return is_bound(*one); });
  For const& launch = outermost == site.around.end() ? *site.loop : **outermost;
  put(launch);
  for (LoopSite const& inside : loops_of(launch.body)) put(*inside.loop);
  int64_t threads = 1;
  std::string parts;
  for (auto const& [axis, extent] : extents) {
    threads *= extent;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", axis, extent);
  }
  if (threads <= ask.target.threads_per_block) return {};
  return refuse(
      "too_many_threads",
      fmt::format("a block would have {} threads ({}); the target {} has at most {}", threads,
                  parts, ask.target.name, ask.target.threads_per_block),
      fmt::format("{}: at most {} threads in a block", ask.verb, ask.target.threads_per_block),
      {site});
}

Answer nests(Asking const& ask, LoopSite const& site) {
  for (For const* around : site.around) {
    bool holds = around->loop_kind == LoopKind::kSerial || is_bound(*around);
    bool blocks_in_threads = is_bound(*around) && ask.axis(*around) &&
                             ask.axis(*site.loop)->level > ask.axis(*around)->level;
    if (holds && !blocks_in_threads) continue;
    std::string kind =
        is_bound(*around) ? "loop of threads" : std::string(adjective(around->loop_kind)) + " loop";
    return refuse("bound_loops_do_not_nest",
                  fmt::format("{}, bound to {}, would be inside of the {} {}", ask.name(*site.loop),
                              site.loop->bind, kind, ask.name(*around)),
                  ask.verb +
                      ": only serial and bound loops may be around a bound one, and no loop of "
                      "threads around one of blocks",
                  {site});
  }
  return {};
}

/// Blocks never meet, so that nothing stands beside or between their loops inside of one of them.
Answer blocks_alone(Asking const& ask, LoopSite const& site) {
  if (ask.axis(*site.loop)->level == Level::kThread) return {};
  auto outer = std::ranges::find_if(site.around, [](For const* one) { return is_bound(*one); });
  for (; outer != site.around.end(); ++outer)
    if (auto const* below = (*outer)->body.as<For>(); !below || !is_bound(*below))
      return refuse(
          "bound_loops_do_not_nest",
          fmt::format("{}, bound to {}, would not be all that is inside of {}, which is bound to "
                      "{}, and blocks cannot synchronize",
                      ask.name(*site.loop), site.loop->bind, ask.name(**outer), (*outer)->bind),
          ask.verb + ": loops of blocks must be directly nested", {site});
  return {};
}

/// A sum's start stands outside of the loops that its terms run in, and blocks never meet.
Answer no_sum_over_blocks(Asking const& ask, LoopSite const& site) {
  if (ask.axis(*site.loop)->level == Level::kThread) return {};
  for (BlockSite const& block : blocks_under(site))
    for (IterVar const& iter : block.block->iters)
      if (iter.kind == IterKind::kReduce && uses_variable(iter.binding, site.loop->name()))
        return refuse(
            "sum_over_blocks",
            fmt::format("{} holds a part of the sum of {}, and blocks cannot wait for its "
                        "start",
                        ask.name(*site.loop), block.block->name),
            ask.verb + ": loops of blocks must be spatial (rfactor makes one)", {site});
  return {};
}

/// Work that the threads of `outer` share: `inner` is bound to the same axis. What is allocated
/// inside of it is there for each of its iterations.
Answer shares_work(Asking const& ask, LoopSite const& inner, For const& outer) {
  if (ask.axis(outer)->interleaved)
    return refuse("bound_loops_do_not_nest",
                  fmt::format("{} would be bound to {} inside of {}, which is, too",
                              ask.name(*inner.loop), outer.bind, ask.name(outer)),
                  ask.verb + ": virtual threads share no work: fuse the two loops first", {inner});
  std::string condition = ask.verb +
                          ": inside of a loop bound to the same axis a loop must fill tensors that "
                          "the threads share, with values that do not depend on the thread";
  int64_t more = as_int(inner.loop->extent).value_or(0), there = as_int(outer.extent).value_or(0);
  if (more > there)
    return refuse("not_shared_work",
                  fmt::format("{} has {} iterations, but {} around it has {} threads for them",
                              ask.name(*inner.loop), more, ask.name(outer), there),
                  condition, {inner});
  std::set<std::string> shared = replicated_tensors(ask.target, outer);
  std::string alone;
  for (BlockSite const& block : blocks_under(inner))
    walk_writes(block.block->body, [&](Touched const& at) {
      if (!shared.contains(at.buffer->name) && !is_allocated_in(inner.loop->body, at.buffer->name))
        alone = at.buffer->name;
    });
  if (alone.empty()) return {};
  return refuse("not_shared_work",
                fmt::format("{} writes {}, of which each thread of {} would write a part only",
                            ask.name(*inner.loop), alone, ask.name(outer)),
                condition, {inner});
}

Answer holds_for(Asking const& ask, LoopSite const& site, ProofBudget budget) {
  if (auto fits = axis_fits(ask, site); !fits) return fits;
  if (auto fit = nests(ask, site); !fit) return fit;
  if (auto alone = blocks_alone(ask, site); !alone) return alone;
  if (auto fit = threads_fit(ask, site); !fit) return fit;
  for (For const* around : site.around)
    if (is_bound(*around) && around->bind == site.loop->bind)
      if (auto shares = shares_work(ask, site, *around); !shares) return shares;
  if (is_thread_sum(site, ask.target, budget)) return {};
  auto free = independent_iterations(ask.program, ask.target, site, ask.verb, budget);
  if (!free) return std::unexpected(free.error());
  return no_sum_over_blocks(ask, site);
}

}  // namespace

bool has_bound_loops(Program const& program) {
  return std::ranges::any_of(loops_of(program.body),
                             [](LoopSite const& site) { return is_bound(*site.loop); });
}

Answer bound_loops_hold(Program const& program, Target const& target, std::string const& verb,
                        ProofBudget budget) {
  Asking ask{program, target, verb};
  for (LoopSite const& site : loops_of(program.body))
    if (is_bound(*site.loop))
      if (auto holds = holds_for(ask, site, budget); !holds) return holds;
  return {};
}

}  // namespace tw
