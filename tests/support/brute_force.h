/// Brute force carries the move out, whatever the engine says of its legality, and compares runs:
/// - The result must be a program (names in scope, ranks right) that computes the same outputs with
///   locals poisoned, guards and all; parallel and vector loops run in a shuffled order.
/// - All pairs of accesses below each parallel or vectorized loop are compared: a race that happens
///   to give the same sum is illegal.
/// - Bound loops are lowered to threads with barriers and run so: a race is illegal.
/// - Iterators are what the blocks say: instances that differ in spatial ones only do not meet. (A
///   recurrence computed in its producer's spatial loops is right as long as nobody moves them.)
/// - reorder: for each element the order of accesses stays, except among reads and among the terms
///   of one sum. (Equal outputs would let a maximum start late.)
/// - decompose_reduction: for each element sums start as often as before, with the same terms.
/// - compute_at, compute_root, reverse_compute_at: what the moved block reads is not written
///   afterwards, but for what writes the same value again. (A consumer inside of its producer's sum
///   computes the right value in the end, from wrong ones.)
/// - Other inputs give the right outputs, too: an index that is read from one may hit by chance.
/// - reverse_compute_at, reverse_compute_inline: all elements that the moved block makes are what
///   they were, those too that nobody reads. (Wrong or lost ones would pass where the kernel does
///   not need them.)
/// A rewriting that the engine refuses may meet what it was not written for, so it runs in a
/// process of its own; one that ends there has no result and counts as illegal, and is also counted
/// apart.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "engine/ir/interpreter.h"
#include "engine/schedule/legality/bound_loops.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/dead_prefetches.h"
#include "engine/schedule/rewriting/expand_calls.h"
#include "engine/schedule/rewriting/nests.h"
#include "engine/schedule/trace.h"
#include "engine/schedule/validate.h"
#include "tests/support/access_trace.h"
#include "tests/support/random_schedules.h"
#include "tests/support/thread_passes.h"

namespace tw::testing {

struct Targets {
  std::vector<ir::LoopSite> loops;
  std::vector<ir::BlockSite> blocks;
};

inline Targets targets_of(ir::Program const& program, Primitive const& primitive,
                          Step const& step) {
  Targets targets;
  for (size_t i = 0; i < step.targets.size(); ++i)
    if (is_block_target(program, primitive, i, step.targets[i]))
      targets.blocks.push_back(find_block(program, step.targets[i]).value());
    else
      targets.loops.push_back(find_loop(program, step.targets[i]).value());
  return targets;
}

/// The program before a move, with what is known of it.
struct Case {
  std::string text;  ///< of the kernel
  std::shared_ptr<Target const> target;
  ir::Program program;
  std::vector<NDArray> inputs;
  te::Expected expected = {};
  AccessTrace trace = {};
  /// More inputs with what they give: what is right for one may be so by chance.
  std::vector<std::pair<std::vector<NDArray>, te::Expected>> more = {};
};

/// The program with one of its whole tensors as its last output; none: it has no such tensor.
inline std::optional<ir::Program> showing(ir::Program program, ir::Buffer const& tensor) {
  if (is_parameter(program, tensor->name) || !lives_at_top(program, tensor->name))
    return std::nullopt;
  program.body = without_alloc(program.body, tensor->name);
  program.outputs.push_back(tensor);
  return program;
}

/// Whether every element that the moved block makes is what it was, wherever nobody reads it, too.
inline bool makes_the_same(Case const& before, ir::Program const& after, ir::Buffer const& tensor) {
  auto then = showing(before.program, tensor), now = showing(after, tensor);
  if (!then || !now) return true;
  auto was = ir::interpret(*then, before.inputs), is = ir::interpret(*now, before.inputs);
  return was && is && was->back().hash() == is->back().hash();
}

/// Lowered, with its barriers, and interpreted as threads. A tensor that is not in its place yet
/// is no fault: then as loops.
inline Result<std::vector<NDArray>> run_as_threads(ir::Program const& program, Target const& target,
                                                   std::vector<NDArray> const& inputs) {
  auto stages = lower(program, target, thread_passes());
  bool unplaced = !stages && (stages.error().code == "instance_outside" ||
                              stages.error().code == "scope_overflow");
  if (unplaced) return ir::interpret(program, inputs);
  if (!stages) return std::unexpected(stages.error());
  ir::Sharing sharing = target.sharing();
  return ir::interpret(stages->back().kernel, inputs.size(), inputs,
                       {.shuffle_seed = 7, .sharing = &sharing});
}

inline bool right(Case const& before, ir::Program const& after, Step const& step,
                  Targets const& targets) {
  if (!ir::verify(after)) return false;
  auto outputs = ir::interpret(after, before.inputs, {.shuffle_seed = 7});
  if (!outputs || !te::judge(*outputs, before.expected).equal) return false;
  for (auto const& [inputs, expected] : before.more) {
    auto others = ir::interpret(after, inputs, {.shuffle_seed = 7});
    if (!others || !te::judge(*others, expected).equal) return false;
  }
  ir::Program plain = with_calls_expanded(after);
  AccessTrace trace = AccessTracer::run(plain, before.inputs);
  for (ir::LoopSite const& site : ir::loops_of(after.body))
    if (site.loop->loop_kind == ir::LoopKind::kParallel ||
        site.loop->loop_kind == ir::LoopKind::kVector)
      if (!independent(trace, site.loop->id)) return false;
  for (ir::BlockSite const& site : ir::blocks_of(plain.body))
    if (!kinds_are_true(trace, *site.block)) return false;
  if (has_bound_loops(after)) {
    auto as_threads = run_as_threads(after, *before.target, before.inputs);
    if (!as_threads || !te::judge(*as_threads, before.expected).equal) return false;
  }
  if (step.primitive == "decompose_reduction") return same_sums(before.trace, trace);
  if (step.primitive == "reorder") return same_order(before.trace, trace);
  if (step.primitive == "compute_at" || step.primitive == "compute_root" ||
      step.primitive == "reverse_compute_at")
    return !reads_unfinished(trace, targets.blocks[0].block->id) &&
           (step.primitive != "reverse_compute_at" ||
            makes_the_same(before, after, written_buffer(targets.blocks[0])));
  if (step.primitive == "reverse_compute_inline")
    return makes_the_same(before, after, written_buffer(targets.blocks[0]));
  return true;
}

enum Truth : uint8_t { kLegal, kIllegal, kNoResult };

/// In a process of its own; what is thrown ends it.
[[noreturn]] inline void carry_out(Case const& before, Primitive const& primitive,
                                   Step const& step) noexcept {
  // The ends of failed rewritings are expected and not worth a line or a dump.
  for (int stream : {1, 2}) close(stream);
  rlimit const no_dump{0, 0}, seconds{20, 20};
  setrlimit(RLIMIT_CORE, &no_dump);
  setrlimit(RLIMIT_CPU, &seconds);
  // The test library's handlers wait for a thread that this process does not have.
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGXCPU})
    std::signal(signal, SIG_DFL);
  Targets targets = targets_of(before.program, primitive, step);
  Applied applied =
      primitive.apply({before.program, *before.target, targets.loops, step, targets.blocks});
  bool good = true;
  for (std::vector<int64_t> const& values : all_size_values(applied.program)) {
    ir::Program program = with_sizes(applied.program, values);
    good = good && right(before, without_dead_prefetches(std::move(program)), step, targets);
  }
  _exit(good ? kLegal : kIllegal);
}

inline Truth brute_force(Case const& before, Primitive const& primitive, Step step) {
  for (Parameter const& parameter : primitive.parameters)
    if (parameter.preset) step.arguments.try_emplace(parameter.name, *parameter.preset);
  pid_t child = fork();
  if (child == 0) carry_out(before, primitive, step);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? Truth(WEXITSTATUS(status)) : kNoResult;
}

}  // namespace tw::testing
