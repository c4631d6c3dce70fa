// How those that run iterations of bound loops at once meet: everything that holds a barrier, a
// bound loop or a tensor that they share is run by all of them together, step by step; what holds
// none, by each of them as a whole, in random order. That no order could matter is shown by the
// record of races: between two barriers nobody touches an element that another one writes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/ir/fields.h"
#include "engine/ir/intrinsic.h"
#include "engine/ir/statement_interpreter.h"
#include "engine/ir/stmt.h"

namespace tw::ir {

bool StatementInterpreter::is_shared(BufferNode const& buffer) const {
  auto memory = options_.sharing->scopes.find(buffer.scope);
  return memory == options_.sharing->scopes.end() || memory->second > Level::kThread;
}

size_t StatementInterpreter::processor_loops(Thread const& thread) const {
  return size_t(std::ranges::count_if(thread.at, [&](auto const& at) {
    return !options_.sharing->interleaved.contains(at.first->bind);
  }));
}

template <typename F>
void StatementInterpreter::as_each(Threads const& threads, F const& f) {
  for (int64_t i : order_of(int64_t(threads.size()), true)) {
    if (evaluator_.failed()) return;
    as_one(*threads[size_t(i)], [&] { f(*threads[size_t(i)]); });
  }
}

int64_t StatementInterpreter::agreed(Compiled e, Threads const& threads, std::string const& what) {
  std::string first_iteration;
  int64_t first = 0;
  for (size_t i = 0; i < threads.size() && !evaluator_.failed(); ++i)
    as_one(*threads[i], [&] {
      int64_t value = evaluator_.integer(e, 0);
      if (i == 0) {
        first = value;
        first_iteration = iteration_text();
      } else if (value != first) {
        fail("divergent_barrier",
             fmt::format("{} is {} in iteration {} and {} in iteration {}, but all of them have to "
                         "meet below it",
                         what, first, first_iteration, value, iteration_text()));
      }
    });
  return first;
}

void StatementInterpreter::run_together(Code const& code, Threads const& threads) {
  if (evaluator_.failed()) return;
  if (!code.together) return as_each(threads, [&](Thread&) { execute(code); });
  dispatch(*code.source, [&](auto const& node) { together(node, code, threads); });
}

void StatementInterpreter::together(Seq const&, Code const& code, Threads const& threads) {
  for (CodePtr const& child : code.children) run_together(*child, threads);
}

void StatementInterpreter::together(Let const&, Code const& code, Threads const& threads) {
  as_each(threads, [&](Thread&) { evaluator_.set_from(code.slot, code.exprs[0]); });
  run_together(*code.children[0], threads);
}

void StatementInterpreter::together(If const&, Code const& code, Threads const& threads) {
  if (code.lanes > 1) return fail("divergent_barrier", "threads cannot meet under a mask");
  if (!code.for_all) {
    std::array<Threads, 2> roles;
    for (Thread* thread : threads)
      as_one(*thread,
             [&] { roles[evaluator_.integer(code.exprs[0], 0) != 0 ? 0 : 1].push_back(thread); });
    if (code.awaits && !roles[0].empty() && !roles[1].empty()) return roles_.run(code, roles);
    for (size_t side = 0; side < code.children.size() && !code.awaits; ++side)
      if (!roles[side].empty()) run_together(*code.children[side], roles[side]);
    if (!code.awaits) return;
  }
  bool holds = agreed(code.exprs[0], threads, "a condition") != 0;
  if (evaluator_.failed()) return;
  if (holds)
    run_together(*code.children[0], threads);
  else if (code.children.size() > 1)
    run_together(*code.children[1], threads);
}

void StatementInterpreter::together(Block const& node, Code const& code, Threads const& threads) {
  Threads running;
  bool all_first = true;
  as_each(threads, [&](Thread& thread) {
    bool first = true;
    if (enter_block(code, first)) running.push_back(&thread);
    all_first = all_first && first;
  });
  if (evaluator_.failed() || running.empty()) return;
  if (running.size() < threads.size() && code.for_all)
    return fail("divergent_barrier",
                fmt::format("block {} runs in some iterations only, but all of them have to meet "
                            "in it",
                            node.name));
  if (all_first && code.children.size() > 1) run_together(*code.children[1], running);
  run_together(*code.children[0], running);
}

/// Those in whose iterations it is the same instance get the same tensor.
void StatementInterpreter::together(Alloc const& node, Code const& code, Threads const& threads) {
  std::map<std::vector<int64_t>, NDArray> instances;
  for (Thread* thread : threads) {
    std::vector<int64_t> key;
    for (auto const& [loop, iteration] : thread->at)
      if (options_.sharing->instance_per_iteration(*loop, *node.buffer)) key.push_back(iteration);
    auto [at, is_new] = instances.try_emplace(std::move(key));
    if (is_new) {
      auto made = as_one(*thread, [&] { return fresh(*node.buffer); });
      if (!made) return evaluator_.fail(made.error());
      at->second = std::move(*made);
      if (!is_shared(*node.buffer)) owners_[at->second.data()] = processor_loops(*thread);
    }
    thread->state.buffers[size_t(code.buffer)] = at->second;
  }
  run_together(*code.children[0], threads);
  as_one(*threads[0], [&] {
    for (auto const& [key, tensor] : instances) check_released(*node.buffer, tensor);
  });
}

void StatementInterpreter::together(IntrinsicCall const& node, Code const& code,
                                    Threads const& threads) {
  if (node.intrinsic->completion == Completion::kAwaits) return roles_.await(code, threads);
  if (shuffles(node.intrinsic->completion))
    return run_shuffle(*this, *node.intrinsic, code, threads);
  ++epoch_;
  as_each(threads, [&](Thread&) { execute(node, code); });
  ++epoch_;
}

void StatementInterpreter::together(For const& node, Code const& code, Threads const& threads) {
  int64_t extent = agreed(code.exprs[0], threads, "the extent of " + node.name());
  if (evaluator_.failed()) return;
  around_.emplace_back(&node.name(), code.slot);
  if (node.loop_kind == LoopKind::kBind) {
    run_bound(node, code, threads, extent);
  } else {
    bool free_order = code.loop_kind != LoopKind::kSerial && code.loop_kind != LoopKind::kUnroll;
    at_once_ += free_order;
    for (int64_t i : order_of(extent, free_order)) {
      for (Thread* thread : threads) thread->state.variables[size_t(code.slot)].i = i;
      run_together(*code.children[0], threads);
    }
    at_once_ -= free_order;
  }
  around_.pop_back();
}

bool StatementInterpreter::is_launched(For const& node, Level level, Threads const& threads) {
  for (auto const& [loop, iteration] : threads[0]->at) {
    Level outer = options_.sharing->axes.at(loop->bind);
    if (loop->bind != node.bind && outer >= level) continue;
    fail("not_launched",
         fmt::format("the loop {} is bound to {} inside of the loop {}, which is bound to {}: its "
                     "threads were not launched",
                     node.name(), node.bind, loop->name(), loop->bind));
    return false;
  }
  return true;
}

void StatementInterpreter::run_bound(For const& node, Code const& code, Threads const& threads,
                                     int64_t extent) {
  auto axis = options_.sharing->axes.find(node.bind);
  if (axis == options_.sharing->axes.end())
    return fail("unknown_axis",
                fmt::format("the loop {} is bound to {}, which the target does not have",
                            node.name(), node.bind));
  if (!is_launched(node, axis->second, threads)) return;
  if (axis->second == Level::kThread) return run_threads(node, code, threads, extent);
  for (Thread* thread : threads) run_blocks(node, code, *thread, extent);
}

Thread StatementInterpreter::made_from(Thread const& from, For const& node, Code const& code,
                                       int64_t iteration) {
  Thread thread{from.state, from.at};
  thread.block = from.block;
  thread.number = ++threads_made_;
  thread.at.emplace_back(&node, iteration);
  thread.state.variables[size_t(code.slot)].i = iteration;
  return thread;
}

/// One after the other. They never meet: only the end of the outermost loop orders them.
void StatementInterpreter::run_blocks(For const& node, Code const& code, Thread const& from,
                                      int64_t extent) {
  bool outermost = from.at.empty();
  launch_ += outermost;
  for (int64_t i : order_of(extent, true)) {
    if (evaluator_.failed()) return;
    Thread one = made_from(from, node, code, i);
    one.block = ++blocks_made_;
    run_together(*code.children[0], {&one});
    check_landed(one);
  }
  launch_ += outermost;
}

void StatementInterpreter::run_threads(For const& node, Code const& code, Threads const& threads,
                                       int64_t extent) {
  std::vector<Thread> made;
  made.reserve(threads.size() * size_t(std::max<int64_t>(extent, 0)));
  for (Thread* thread : threads)
    for (int64_t i = 0; i < extent; ++i) made.push_back(made_from(*thread, node, code, i));
  Threads all;
  for (Thread& thread : made) all.push_back(&thread);
  ++epoch_;
  if (!all.empty()) run_together(*code.children[0], all);
  for (Thread const& thread : made) check_landed(thread);
  ++epoch_;
}

void StatementInterpreter::touched(int buffer, NDArray const& tensor, int64_t element,
                                   bool writes) {
  if (!current_ || buffer == operand_ || evaluator_.failed()) return;
  auto owner = owners_.find(tensor.data());
  if (owner != owners_.end() && processor_loops(*current_) > owner->second)
    return fail("another_instance",
                fmt::format("iteration {} touches {}, of which every thread has an instance of its "
                            "own, but this one was allocated around the threads",
                            iteration_text(), evaluator_.buffer_name(buffer)));
  if (disturbs_flight(buffer, tensor, element, writes)) return;
  if (starting_) starting_flights_.push_back({buffer, tensor, element, writes, updates_});
  Touch now{launch_, current_->block, epoch_, current_->number, steps_, writes};
  Seen const& seen = current_->seen;
  if (!seen.arrivals.empty()) now.arrivals = seen.arrivals[size_t(now.thread - seen.first)];
  if (auto earlier = races_.touch(tensor, element, now, seen)) {
    raced_ = *earlier;
    fail_race(buffer, tensor, element, writes);
  }
}

/// "S[3,1]"
std::string StatementInterpreter::element_text(int buffer, NDArray const& tensor, int64_t element) {
  std::string index;
  for (size_t d = tensor.shape().size(); d-- > 0; element /= tensor.shape()[d])
    index = fmt::format("{}{}{}", element % tensor.shape()[d], index.empty() ? "" : ",", index);
  return fmt::format("{}[{}]", evaluator_.buffer_name(buffer), index);
}

void StatementInterpreter::fail_race(int buffer, NDArray const& tensor, int64_t element,
                                     bool writes) {
  std::string earlier = watched_.empty() ? "an earlier iteration" : "iteration " + watched_;
  fail("race", fmt::format("race on {}: {} {} it, and iteration {} {} it, with no barrier "
                           "between the two",
                           element_text(buffer, tensor, element), earlier,
                           raced_.writes ? "writes" : "reads", iteration_text(),
                           writes ? "writes" : "reads"));
}

}  // namespace tw::ir
