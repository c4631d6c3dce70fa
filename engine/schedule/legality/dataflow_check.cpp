#include "engine/schedule/legality/dataflow_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/accesses.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/evaluated_pair.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/legality/instances.h"
#include "engine/schedule/legality/iteration_rows.h"
#include "engine/schedule/legality/mixed_radix.h"
#include "engine/schedule/legality/stages.h"

namespace tw {
namespace {

using namespace ir;

/// Tensors with the loops around their allocation.
using AllocLoops = std::map<std::string, std::vector<LoopId>>;

void note_allocs(Stmt const& s, std::vector<LoopId>& around, AllocLoops& into) {
  if (auto const* loop = s.as<For>()) {
    around.push_back(loop->id);
    note_allocs(loop->body, around, into);
    around.pop_back();
  } else if (auto const* alloc = s.as<Alloc>()) {
    into[alloc->buffer->name] = around;
    note_allocs(alloc->body, around, into);
  } else if (auto const* list = s.as<Seq>()) {
    for (Stmt const& child : list->stmts) note_allocs(child, around, into);
  }
}

AllocLoops allocs_of(Program const& program) {
  AllocLoops allocs;
  std::vector<LoopId> around;
  note_allocs(program.body, around, allocs);
  return allocs;
}

/// A read of one block of what another one writes, both as they stand after the step.
struct Reading {
  BlockSite const& reader;
  Access const& access;
  BlockSite const& writer;
  Access const& store;
  size_t shared;      ///< loops around both
  size_t least;       ///< of them, those around the tensor's allocation
  bool writer_first;  ///< within one iteration of the shared loops
  /// The read is that of an update: of the writer, only what starts the sum must come before.
  bool goes_on;
};

bool depends_on_data(Access const& access) {
  bool depends = false;
  for (Expr const& index : access.indices)
    walk(index, [&](Expr const& e) { return depends = depends || e.as<Load>(), !depends; });
  return depends;
}

class Flow {
public:
  Flow(DataflowQuestion const& question, ProofBudget budget) : question_(question), sets_(budget) {
    for (BlockSite const& site : blocks_of(question.after.body))
      if (!is_hint(*site.block)) blocks_.push_back(site);
    allocs_ = allocs_of(question.after);
    for (size_t b = 0; b < blocks_.size(); ++b) {
      accesses_.push_back(accesses_of(blocks_[b], b));
      // A pair that meets whatever the data are says more.
      std::ranges::stable_partition(accesses_.back(),
                                    [](Access const& access) { return !depends_on_data(access); });
    }
  }

  DataflowAnswer run() {
    for (BlockId id : question_.whole)
      if (!same_instances(id)) break;
    for (size_t r = 0; r < blocks_.size() && answer_.code.empty(); ++r)
      for (Access const& access : accesses_[r])
        if (asked(r, access) && !ask_writers(r, access)) break;
    answer_.questions = sets_.questions();
    return std::move(answer_);
  }

private:
  bool asked(size_t reader, Access const& access) const {
    bool of_reader = question_.readers.contains(blocks_[reader].block->id) &&
                     !question_.kept.contains(access.buffer);
    return !access.writes && (of_reader || question_.tensors.contains(access.buffer));
  }

  /// All of these answer false when the search is over.
  bool ask_writers(size_t r, Access const& access) {
    for (size_t w = 0; w < blocks_.size(); ++w) {
      auto store = std::ranges::find_if(
          accesses_[w], [&](Access const& a) { return a.writes && a.buffer == access.buffer; });
      if (store == accesses_[w].end() || (w == r && own_element(*store, access))) continue;
      Reading reading = reading_of(r, access, w, *store);
      // Blocks that only go on with one sum may come in any order.
      if (reading.goes_on && store->update && w != r && !terms_apart(r, w)) return false;
      if (reading.goes_on && store->update && !blocks_[w].block->init) continue;
      if (!ask_made(reading)) return false;
      // Running such a block again changes nothing, but for a sum that goes on from it.
      if ((!settles(blocks_[w]) || reading.goes_on) && !ask_later(reading)) return false;
    }
    return true;
  }

  /// What starts a sum anew with terms that were added before must stay behind them.
  bool terms_apart(size_t a, size_t b) {
    InstanceAnswer terms = ask_terms_apart(blocks_[a], blocks_[b], sets_);
    if (!terms.unknown.empty()) return undecided(std::move(terms.unknown));
    answer_.code = std::move(terms.code);
    answer_.message = std::move(terms.message);
    return answer_.code.empty();
  }

  static bool own_element(Access const& store, Access const& read) {
    return std::ranges::equal(store.indices, read.indices,
                              [](Expr const& a, Expr const& b) { return equal(a, b); });
  }

  Reading reading_of(size_t r, Access const& access, size_t w, Access const& store) const {
    auto alloc = allocs_.find(access.buffer);
    return {blocks_[r],
            access,
            blocks_[w],
            store,
            shared_loops(blocks_[r].loops, blocks_[w].loops),
            alloc == allocs_.end() ? 0 : alloc->second.size(),
            w < r,
            updates_with(r, access)};
  }

  /// The block adds to the very element that it reads.
  bool updates_with(size_t block, Access const& read) const {
    return std::ranges::any_of(accesses_[block], [&](Access const& store) {
      return store.update && store.buffer == read.buffer && own_element(store, read);
    });
  }

  bool undecided(std::string why) {
    if (answer_.unknown.empty()) answer_.unknown = std::move(why);
    return true;
  }

  /// Every instance of the writer that makes the element comes before the read.
  bool ask_made(Reading const& reading) {
    IntegerSystem base;
    LinearRows loops = free_loops(reading.reader, base);
    LinearRows iters = free_iters(*reading.writer.block, base);
    IntegerSystem need = needed(reading, loops, iters, base);
    std::vector<IntegerSystem> made;
    for (size_t level = reading.shared + 1; level-- > reading.least;)
      if (!add_made(reading, level, loops, iters, base, made))
        return undecided(fmt::format("the iterators of {} are not linear in the loop variables",
                                     reading.writer.block->name));
    int kept = int(base.variables.size());
    // Most of the time what this very iteration made is enough.
    if (made.size() > 1 && sets_.outside(need, {made.front()}, kept).solvable == Solvable::kNo)
      return true;
    Solution missing = sets_.outside(need, made, kept);
    if (missing.solvable == Solvable::kYes && !runs_everywhere(reading.writer, iters, need))
      missing = sets_.outside(need, made, kept);
    if (missing.solvable == Solvable::kNo) return true;
    if (missing.solvable == Solvable::kOutOfTime)
      return undecided("the integer-set solver gave no answer in time");
    return fault(reading, missing.values);
  }

  /// Iterations of the reader with instances of the writer that make what they read.
  static IntegerSystem needed(Reading const& reading, LinearRows loops, LinearRows iters,
                              IntegerSystem const& base) {
    IntegerSystem need = base;
    loops.add_guard(reading.reader.block->predicate, need);
    for (Expr const& condition : reading.access.conditions) loops.add_condition(condition, need);
    auto const* store = reading.writer.block->body.as<Store>();
    for (size_t d = 0; store && d < store->indices.size(); ++d) {
      auto made = iters.row_of(store->indices[d], need);
      auto read = made ? loops.row_of(reading.access.indices[d], need) : std::nullopt;
      if (!read) continue;  // the whole dimension
      made->add(*read, -1);
      need.zero.push_back(std::move(*made));
    }
    if (reading.goes_on)
      for (IterVar const& iter : reading.writer.block->iters)
        if (iter.kind == IterKind::kReduce)
          need.zero.push_back({{{iters.variable(iter.name()), 1}}, 0});
    return need;
  }

  /// Instances that ran in an earlier iteration of the shared loop `level` (or in the same
  /// iteration of them all).
  static bool add_made(Reading const& reading, size_t level, LinearRows const& loops,
                       LinearRows const& iters, IntegerSystem const& base,
                       std::vector<IntegerSystem>& into) {
    bool same = level == reading.shared;
    if (same && !reading.writer_first) return true;
    if (!same && !in_order(*reading.writer.loops[level])) return true;
    IntegerSystem system = base;
    LinearRows run(ranges_of(reading.writer.loops));
    for (size_t i = 0; i < reading.writer.loops.size(); ++i) {
      For const& loop = *reading.writer.loops[i];
      run.set(loop.name(), i < level ? loops.variable(loop.name()) : variable_for(loop, system));
    }
    if (!same) {
      std::string const& name = reading.writer.loops[level]->name();
      system.not_negative.push_back({{{loops.variable(name), 1}, {run.variable(name), -1}}, -1});
    }
    if (!add_run(reading.writer, run, iters, system)) return false;
    into.push_back(std::move(system));
    return true;
  }

  static bool in_order(For const& loop) {
    return loop.loop_kind == LoopKind::kSerial || loop.loop_kind == LoopKind::kUnroll;
  }

  /// False when `need` was narrowed: the block ran a part of its iterators' values only.
  bool runs_everywhere(BlockSite const& writer, LinearRows const& iters, IntegerSystem& need) {
    std::vector<BlockSite> before = blocks_of(question_.before.body);
    auto same = std::ranges::find(before, writer.block->id,
                                  [](BlockSite const& site) { return site.block->id; });
    BlockSite const& ran = same == before.end() ? writer : *same;
    IntegerSystem narrowed = need;
    if (!add_run(ran, free_loops(ran, narrowed), iters, narrowed)) return true;
    need = std::move(narrowed);
    return false;
  }

  /// A sum that goes on, or starts again, after it was read.
  bool ask_later(Reading const& reading) {
    for (size_t level = reading.least; level <= reading.shared; ++level) {
      bool same = level == reading.shared;
      if (same && (reading.writer_first || reading.reader.block == reading.writer.block)) continue;
      IntegerSystem system;
      LinearRows read = free_loops(reading.reader, system);
      LinearRows write(ranges_of(reading.writer.loops));
      for (size_t i = 0; i < reading.writer.loops.size(); ++i) {
        For const& loop = *reading.writer.loops[i];
        write.set(loop.name(), i < level ? read.variable(loop.name()) : variable_for(loop, system));
      }
      if (!same) {
        std::string const& name = reading.writer.loops[level]->name();
        system.not_negative.push_back({{{write.variable(name), 1}, {read.variable(name), -1}}, -1});
      }
      if (!meets_later(reading, read, write, system)) return false;
    }
    return true;
  }

  bool meets_later(Reading const& reading, LinearRows read, LinearRows write,
                   IntegerSystem system) {
    LinearRows const loops = read, writing = write;
    read.add_guard(reading.reader.block->predicate, system);
    for (Expr const& condition : reading.access.conditions) read.add_condition(condition, system);
    write.add_guard(reading.writer.block->predicate, system);
    for (size_t d = 0; d < reading.store.indices.size(); ++d) {
      auto at = write.row_of(reading.store.indices[d], system);
      auto from = at ? read.row_of(reading.access.indices[d], system) : std::nullopt;
      if (!from) continue;
      at->add(*from, -1);
      system.zero.push_back(std::move(*at));
    }
    if (reading.goes_on)
      for (IterVar const& iter : reading.writer.block->iters)
        if (auto row =
                iter.kind == IterKind::kReduce ? write.row_of(iter.binding, system) : std::nullopt)
          system.zero.push_back(std::move(*row));
    Solution later = sets_.solve(system);
    if (later.solvable == Solvable::kNo) return true;
    if (later.solvable == Solvable::kOutOfTime)
      return undecided("the integer-set solver gave no answer in time");
    return refuse_pair(reading,
                       {reading.writer, iteration_at(reading.writer, writing, later.values)},
                       iteration_at(reading.reader, loops, later.values), "comes later");
  }

  /// The first values are those of the reader's loops, then of the writer's iterators.
  bool fault(Reading const& reading, std::vector<int64_t> const& values) {
    Iteration read;
    for (size_t i = 0; i < reading.reader.loops.size(); ++i)
      read.loops.push_back({reading.reader.loops[i]->name(), values[i]});
    std::vector<int64_t> instance(values.begin() + int64_t(read.loops.size()), values.end());
    for (auto const* program : {&question_.after, &question_.before})
      for (BlockSite const& site : blocks_of(program->body))
        if (site.block->id == reading.writer.block->id)
          if (auto write = iteration_of(site, instance))
            return refuse_pair(reading, {site, std::move(*write)}, std::move(read),
                               program == &question_.after ? "is not before that" : "is gone");
    return undecided(
        fmt::format("{} did not compute it before, either", reading.writer.block->name));
  }

  /// An iteration in which the block runs the instance.
  std::optional<Iteration> iteration_of(BlockSite const& site,
                                        std::vector<int64_t> const& instance) {
    IntegerSystem system;
    LinearRows rows = free_loops(site, system), iters(iterator_ranges(*site.block));
    if (site.block->iters.size() != instance.size()) return std::nullopt;
    for (size_t i = 0; i < instance.size(); ++i)
      iters.set(site.block->iters[i].name(), system.variable(instance[i], instance[i]));
    LinearRows const loops = rows;
    if (!add_run(site, rows, iters, system)) return std::nullopt;
    Solution found = sets_.solve(system);
    if (found.solvable != Solvable::kYes) return std::nullopt;
    return iteration_at(site, loops, found.values);
  }

  /// A block in an iteration of its loops, before the step or after it.
  struct Written {
    BlockSite site;
    Iteration at;
  };

  /// The pair as the program would run it: they must meet in an element, by what is known of it.
  static EvaluatedPair evaluated(Reading const& reading, Written const& write,
                                 Iteration const& read) {
    EvaluatedPair best;
    for (Access const& store : accesses_of(write.site)) {
      if (!store.writes || store.buffer != reading.access.buffer) continue;
      EvaluatedPair pair =
          evaluated_pair(reading.reader, reading.access, read, write.site, store, write.at);
      if (best.meeting == Meeting::kApart) best = std::move(pair);
    }
    return best;
  }

  bool refuse_pair(Reading const& reading, Written written, Iteration read, std::string how) {
    EvaluatedPair pair = evaluated(reading, written, read);
    if (pair.meeting == Meeting::kApart)
      return undecided("its conditions are not linear in the loop variables");
    Iteration write = std::move(written.at);
    std::string element = fmt::format("{}[{}]", reading.access.buffer, fmt::join(pair.index, ","));
    std::string at = to_text(write);
    std::string made =
        how == "is gone"
            ? fmt::format("which {} would no longer compute", reading.writer.block->name)
        : how == "comes later"
            ? fmt::format("which {} still changes in iteration {}, which comes later",
                          reading.writer.block->name, at)
            : fmt::format("which {} computes in iteration {}, not before that",
                          reading.writer.block->name, at);
    answer_.code = "not_finished";
    answer_.message = fmt::format("{} {} {} in iteration {}, {}", reading.reader.block->name,
                                  pair.meeting == Meeting::kByData ? "may read" : "reads", element,
                                  to_text(read), made);
    if (pair.meeting == Meeting::kMeet)
      answer_.conflict = Conflict{std::move(write),
                                  std::move(read),
                                  reading.reader.block->name,
                                  reading.access.buffer,
                                  std::move(pair.index),
                                  "",
                                  true,
                                  false,
                                  false};
    return false;
  }

  /// The block's instances are those from before.
  bool same_instances(BlockId id) {
    auto site_in = [&](Program const& program) {
      for (BlockSite const& site : blocks_of(program.body))
        if (site.block->id == id) return site;
      return BlockSite{nullptr, {}};
    };
    BlockSite was = site_in(question_.before), is = site_in(question_.after);
    if (!was.block || !is.block) return true;
    InstanceAnswer instances = ask_instances(was, is, sets_);
    if (!instances.unknown.empty()) return undecided(std::move(instances.unknown));
    answer_.code = std::move(instances.code);
    answer_.message = std::move(instances.message);
    return answer_.code.empty();
  }

  DataflowQuestion const& question_;
  IntegerSets sets_;
  std::vector<BlockSite> blocks_;
  std::vector<std::vector<Access>> accesses_;
  AllocLoops allocs_;
  DataflowAnswer answer_;
};

}  // namespace

std::string DataflowAnswer::proof() const {
  return fmt::format(
      "every read comes after the writes that it needs: proved with integer sets ({} question{})",
      questions, questions == 1 ? "" : "s");
}

DataflowAnswer check_dataflow(DataflowQuestion const& question, ProofBudget budget) {
  if (budget == ProofBudget::kTrusted) return {};
  return Flow(question, budget).run();
}

std::set<std::string> moved_tensors(Program const& before, Program const& after) {
  std::set<std::string> moved;
  AllocLoops old = allocs_of(before);
  for (auto const& [tensor, loops] : allocs_of(after))
    if (auto at = old.find(tensor); at != old.end() && at->second != loops) moved.insert(tensor);
  return moved;
}

}  // namespace tw
