// How much of what is legal is accepted, and that nothing illegal is, for every primitive of the
// table: random moves on small random nests against brute force.
//
// Brute force carries the move out, whatever the engine says of its legality, and compares runs:
// - The result must be a program (names in scope, ranks right) that computes the same outputs with
//   locals poisoned, guards and all; parallel and vector loops run in a shuffled order.
// - All pairs of accesses below each parallel or vectorized loop are compared: a race that happens
//   to give the same sum is illegal.
// - Bound loops are lowered to threads with barriers and run so: a race is illegal.
// - Iterators are what the blocks say: instances that differ in spatial ones only do not meet. (A
//   recurrence computed in its producer's spatial loops is right as long as nobody moves them.)
// - reorder: for each element the order of accesses stays, except among reads and among the terms
//   of one sum. (Equal outputs would let a maximum start late.)
// - compute_at, compute_root, reverse_compute_at: what the moved block reads is not written
//   afterwards. (A consumer inside of its producer's sum computes the right value in the end, from
//   wrong ones.)
// - reverse_compute_at, reverse_compute_inline: all elements that the moved block makes are what
//   they were, those too that nobody reads. (Wrong or lost ones would pass where the kernel does
//   not need them.)
// A rewriting that the engine refuses may meet what it was not written for, so it runs in a
// process of its own; one that ends there has no result and counts as illegal, and is also counted
// apart. Refusals that speak of a step's form (`kNotAMove`) are no answers about legality.
#include <QtTest>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/bound_loops.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/names.h"
#include "engine/schedule/rewriting/idle_hints.h"
#include "engine/schedule/rewriting/written_out.h"
#include "engine/schedule/trace.h"
#include "tests/support/access_trace.h"
#include "tests/support/random_schedules.h"
#include "tests/support/thread_passes.h"

using namespace tw;

namespace {

/// The step has no meaning there, or asks for what the machine or the caller does not give.
std::set<std::string> const kNotAMove = {
    "wrong_targets",
    "loop_twice",
    "argument_out_of_range",
    "bad_argument",
    "unknown_loop",
    "ambiguous_loop",
    "unknown_block",
    "missing_argument",
    "loop_annotated",
    "kinds_do_not_nest",
    "too_many_lanes",
    "too_many_copies",
    "factor_out_of_range",
    "factor_or_parts",
    "extent_too_large",
    "not_perfectly_nested",
    "not_on_one_chain",
    "not_neighbours",
    "bad_layout",
    "no_such_dimension",
    "cannot_align",
    "writes_an_output",
    "not_one_tensor",
    "not_read_there",
    "no_consumer",
    "no_producer",
    "already_there",
    "not_a_sum",
    "no_padding",
    "skipped_already",
    "no_thread_axes",
    "axis_too_short",
    "too_many_threads",
    "bound_loops_do_not_nest",
    "holds_a_tensor",
    "place_is_vector",
    "partition_out_of_range",
    "size_out_of_range",
    "no_intrinsics",
    "not_one_block",
    "call_in_vector_loop",
    "block_is_a_call",
    "program_has_calls",
    "starts_a_sum",
    "nest_differs",
    "extent_differs",
    "chosen_by_data",
    "one_statement",
    "nothing_to_keep",
    "rows_do_not_show",
    "order_of_turns",
    "scope_overflow",
    "stages_do_not_fit",
    "same_elements",
    "parts_overlap",
    "not_in_a_loop",
    "nothing_after",
    "already_a_multiple",
    "not_a_whole_axis",
    "not_around_the_block",
};

/// Also a loop of one iteration that is no part of any axis. A hint is never wrong: what is refused
/// of prefetch is a hint without sense.
bool is_no_move(ir::Program const& program, Step const& step, Refusal const& refusal) {
  if (kNotAMove.contains(refusal.code) || step.primitive == "prefetch") return true;
  if (auto block = find_block(program, step.targets[0]); block && is_hint(*block->block))
    return true;
  return refusal.code == "not_a_reduction_loop" &&
         ir::is_int(find_loop(program, step.targets[0])->loop->extent, 1);
}

struct Targets {
  std::vector<ir::LoopSite> loops;
  std::vector<ir::BlockSite> blocks;
};

Targets targets_of(ir::Program const& program, Primitive const& primitive, Step const& step) {
  Targets targets;
  for (size_t i = 0; i < step.targets.size(); ++i)
    if (!primitive.kinds.empty() && primitive.kinds[i] == TargetKind::kBlock)
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
  te::Expected expected;
  testing::AccessTrace trace;
};

/// The statement without the place of `tensor`, if that is around all of it.
ir::Stmt without_place(ir::Stmt const& statement, ir::Buffer const& tensor) {
  auto const* alloc = statement.as<ir::Alloc>();
  if (!alloc) return {};
  if (alloc->buffer->name == tensor->name) return alloc->body;
  ir::Stmt body = without_place(alloc->body, tensor);
  return body ? ir::make<ir::Alloc>(alloc->buffer, body) : ir::Stmt();
}

/// The program with one of its whole tensors as its last output; none: it has no such tensor.
std::optional<ir::Program> showing(ir::Program program, ir::Buffer const& tensor) {
  program.body = without_place(program.body, tensor);
  program.outputs.push_back(tensor);
  return program.body ? std::optional(program) : std::nullopt;
}

/// Whether every element that the moved block makes is what it was, wherever nobody reads it, too.
bool makes_the_same(Case const& before, ir::Program const& after, ir::Buffer const& tensor) {
  auto then = showing(before.program, tensor), now = showing(after, tensor);
  if (!then || !now) return true;
  auto was = ir::interpret(*then, before.inputs), is = ir::interpret(*now, before.inputs);
  return was && is && was->back().hash() == is->back().hash();
}

/// Lowered, with its barriers, and interpreted as threads. A tensor that is not in its place yet
/// is no fault: then as loops.
Result<std::vector<NDArray>> run_as_threads(ir::Program const& program, Target const& target,
                                            std::vector<NDArray> const& inputs) {
  auto stages = lower(program, target, testing::thread_passes());
  bool unplaced = !stages && (stages.error().code == "instance_outside" ||
                              stages.error().code == "scope_overflow");
  if (unplaced) return ir::interpret(program, inputs);
  if (!stages) return std::unexpected(stages.error());
  ir::Sharing sharing = target.sharing();
  return ir::interpret(stages->back().kernel, inputs.size(), inputs,
                       {.shuffle_seed = 7, .sharing = &sharing});
}

bool right(Case const& before, ir::Program const& after, Step const& step, Targets const& targets) {
  if (!ir::verify(after)) return false;
  auto outputs = ir::interpret(after, before.inputs, {.shuffle_seed = 7});
  if (!outputs || !te::judge(*outputs, before.expected).equal) return false;
  ir::Program plain = with_calls_written_out(after);
  testing::AccessTrace trace = testing::AccessTracer::run(plain, before.inputs);
  for (ir::LoopSite const& site : ir::loops_of(after.body))
    if (site.loop->loop_kind == ir::LoopKind::kParallel ||
        site.loop->loop_kind == ir::LoopKind::kVector)
      if (!testing::independent(trace, site.loop->id)) return false;
  for (ir::BlockSite const& site : ir::blocks_of(plain.body))
    if (!testing::kinds_are_true(trace, *site.block)) return false;
  if (has_bound_loops(after)) {
    auto as_threads = run_as_threads(after, *before.target, before.inputs);
    if (!as_threads || !te::judge(*as_threads, before.expected).equal) return false;
  }
  if (step.primitive == "reorder") return testing::same_order(before.trace, trace);
  if (step.primitive == "compute_at" || step.primitive == "compute_root" ||
      step.primitive == "reverse_compute_at")
    return !testing::reads_unfinished(trace, targets.blocks[0].block->id) &&
           (step.primitive != "reverse_compute_at" ||
            makes_the_same(before, after, written_buffer(targets.blocks[0])));
  if (step.primitive == "reverse_compute_inline")
    return makes_the_same(before, after, written_buffer(targets.blocks[0]));
  return true;
}

enum Truth { kLegal, kIllegal, kNoResult };

/// In a process of its own; what is thrown ends it.
[[noreturn]] void carry_out(Case const& before, Primitive const& primitive,
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
  bool good = right(before, without_idle_hints(applied.program), step, targets);
  _exit(good ? kLegal : kIllegal);
}

Truth brute_force(Case const& before, Primitive const& primitive, Step step) {
  for (Parameter const& parameter : primitive.parameters)
    if (parameter.preset) step.arguments.try_emplace(parameter.name, *parameter.preset);
  pid_t child = fork();
  if (child == 0) carry_out(before, primitive, step);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? Truth(WEXITSTATUS(status)) : kNoResult;
}

struct Count {
  int legal = 0, accepted = 0, illegal = 0, no_result = 0, asked = 0;
  std::map<std::string, int> refused_legal, left_out;  // by code
};

/// Small enough for all pairs.
bool is_small(ir::Program const& program) {
  int64_t total = 0;
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    int64_t points = 1;
    for (ir::For const* loop : site.loops) points *= *ir::as_int(loop->extent);
    total += points;
  }
  return total < 6000;
}

Schedule random_schedule(Rng& rng, te::Kernel const& kernel, std::shared_ptr<Target const> target) {
  Schedule schedule(te::to_program(kernel).value(), std::move(target));
  size_t length = size_t(rng.between(0, 5));
  for (int tries = 0; tries < 30 && schedule.trace().size() < length; ++tries)
    if (auto next =
            schedule.apply(testing::propose_step(schedule.program(), rng, schedule.target())))
      if (is_small(next->program())) schedule = std::move(*next);
  return schedule;
}

/// What is about tensors inside of loops is asked of programs that have some.
bool is_about_tensors_in_loops(Primitive const& primitive) {
  return primitive.name == "double_buffer" || primitive.name == "rolling_buffer" ||
         primitive.name == "software_pipeline";
}

Schedule with_tensors_in_loops(Schedule schedule, Rng& rng) {
  Primitive const& move = *find_primitive("compute_at");
  for (int tries = 0; tries < 20; ++tries)
    if (auto next =
            schedule.apply(testing::propose_step(schedule.program(), rng, move, schedule.target())))
      if (is_small(next->program())) schedule = std::move(*next);
  return schedule;
}

/// What seldom has a meaning is asked more often: few nests are what an instruction does.
int tries_of(Primitive const& primitive, Target const& target) {
  if (primitive.name == "tensorize") return target.intrinsics.empty() ? 1 : 60;
  bool seldom = primitive.name.starts_with("reverse_") || primitive.name == "fission" ||
                primitive.name == "rolling_buffer";
  return seldom ? 15 : 5;
}

/// Blocks that are computed together step by step: moving them is refused where it is not proved.
bool is_recurrent(Schedule const& schedule) {
  std::string const& name = schedule.origin().name;
  return name == "gated" || name == "power" || name == "steps";
}

}  // namespace

class AcceptanceTest : public QObject {
  Q_OBJECT
private slots:
  void every_primitive_accepts_what_is_legal_and_nothing_else() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20260301;
    int schedules = qEnvironmentVariableIntValue("TW_SCHEDULES");
    if (schedules <= 0) schedules = 220;
    qInfo("seed %llu, %d schedules", static_cast<unsigned long long>(seed), schedules);
    Rng rng(seed);
    testing::KernelSet set = testing::kernel_set();
    int wrong_starts = 0;
    for (int i = 0; i < schedules; ++i) {
      std::string text = testing::test_kernel(i, set, rng);
      auto kernel = testing::parsed_kernel(text);
      QVERIFY2(kernel, kernel ? "" : (text + to_sentence(kernel.error())).c_str());
      auto target = testing::test_target(i / 2);
      Schedule schedule = random_schedule(rng, *kernel, target);
      Case before{text, target, schedule.program(), testing::random_inputs(*kernel, rng), {}, {}};
      before.expected = testing::expected_of(*kernel, before.inputs);
      auto start = ir::interpret(before.program, before.inputs, {.shuffle_seed = 7});
      if (!start || !te::judge(*start, before.expected).equal) {
        qWarning("wrong before any question:\n%s%s", text.c_str(), schedule.script().c_str());
        ++wrong_starts;
        continue;
      }
      before.trace =
          testing::AccessTracer::run(with_calls_written_out(before.program), before.inputs);
      Schedule moved = with_tensors_in_loops(schedule, rng);
      Case inside = before;
      inside.program = moved.program();
      inside.trace =
          testing::AccessTracer::run(with_calls_written_out(inside.program), inside.inputs);
      for (Primitive const* primitive : primitive_table()) {
        bool in_loops = is_about_tensors_in_loops(*primitive);
        Schedule const& asked = in_loops ? moved : schedule;
        for (int tries = tries_of(*primitive, *target); tries > 0; --tries)
          ask(asked, in_loops ? inside : before, *primitive,
              testing::propose_step(asked.program(), rng, *primitive, asked.target()));
      }
    }
    QCOMPARE(wrong_starts, 0);
    for (Primitive const* primitive : primitive_table()) report(*primitive);
  }

private:
  void ask(Schedule const& schedule, Case const& before, Primitive const& primitive,
           Step const& step) {
    Count& count = (is_recurrent(schedule) ? recurrent_ : counts_)[primitive.name];
    auto answer = schedule.check(step);
    ++count.asked;
    if (!answer && is_no_move(before.program, step, answer.error())) {
      ++count.left_out[answer.error().code];
      return;
    }
    Truth truth = brute_force(before, primitive, step);
    std::string text =
        before.text + schedule.script() + to_text(step) + "\n" + ir::to_text(schedule.program());
    QVERIFY2(truth == kLegal || !answer, ("accepted, but wrong:\n" + text).c_str());
    if (truth != kLegal) {
      ++(truth == kIllegal ? count.illegal : count.no_result);
      return;
    }
    ++count.legal;
    count.accepted += answer.has_value();
    if (answer) return;
    ++count.refused_legal[answer.error().code];
    if (qEnvironmentVariable("TW_SHOW") == primitive.name.c_str())
      qInfo("%s: %s\n%s", answer.error().code.c_str(), answer.error().message.c_str(),
            text.c_str());
  }

  void report(Primitive const& primitive) {
    print(primitive.name + ", recurrences", recurrent_[primitive.name]);
    Count const& count = counts_[primitive.name];
    print(primitive.name, count);
    QVERIFY2(count.legal >= 25, primitive.name.c_str());
    // Where a block may stand is the hardest question. A part of a sum that was cut in several
    // blocks is not factored, and every step that takes nests apart leaves more of them. Of a
    // pipeline a sum whose terms come in two statements keeps both in one stage.
    static std::set<std::string> const kPlaces = {"compute_at", "compute_root", "fission",
                                                  "reverse_compute_at", "reverse_compute_inline"};
    bool hard = kPlaces.contains(primitive.name) || is_about_tensors_in_loops(primitive);
    int least = primitive.name == "rfactor" ? 85 : hard ? 90 : 95;
    QVERIFY2(count.accepted * 100 >= count.legal * least, primitive.name.c_str());
  }

  static std::string by_code(std::map<std::string, int> const& counts) {
    std::string text;
    for (auto const& [code, number] : counts) text += " " + code + " " + std::to_string(number);
    return text;
  }

  static void print(std::string const& name, Count const& count) {
    int left_out = 0;
    for (auto const& [code, number] : count.left_out) left_out += number;
    qInfo("%-22s %4d of %4d legal accepted, 0 of %4d illegal (%d without a result)%s", name.c_str(),
          count.accepted, count.legal, count.illegal + count.no_result, count.no_result,
          by_code(count.refused_legal).c_str());
    qInfo("%-22s left out of that as no moves: %d of %d (%.1f %%):%s", "", left_out, count.asked,
          100.0 * left_out / std::max(count.asked, 1), by_code(count.left_out).c_str());
  }

  std::map<std::string, Count> counts_;
  std::map<std::string, Count> recurrent_;  ///< refused more often; nothing wrong is accepted
};

QTEST_GUILESS_MAIN(AcceptanceTest)
#include "acceptance_test.moc"
