// How much of what is legal is accepted, and that nothing illegal is, for every primitive of the
// table: random moves on small random nests against brute force. Refusals that speak of a step's
// form (`kNotAMove`) are no answers about legality. Each step is asked once of a program.
#include <QtTest>

#include <cmath>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/hints.h"
#include "engine/schedule/names.h"
#include "engine/schedule/validate.h"
#include "tests/support/brute_force.h"
#include "tests/support/softmax_kernels.h"
#include "tests/support/stencil_kernels.h"

using namespace tw;
using testing::Case;

namespace {

/// The step has no meaning there, or asks for what the machine or the caller does not give. (Where
/// all iterations use the same elements of a tensor they compute the same values: there is nothing
/// to compute ahead or to keep.)
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
    "bad_map",
    "map_leaves_holes",
    "no_such_dimension",
    "cannot_align",
    "writes_an_output",
    "not_one_tensor",
    "not_read_there",
    "no_consumer",
    "no_producer",
    "already_there",
    "loops_are_no_iterators",
    "not_a_sum",
    "no_padding",
    "padding_divides",
    "skipped_already",
    "no_thread_axes",
    "axis_too_short",
    "too_many_threads",
    "bound_loops_do_not_nest",
    "place_is_vector",
    "partition_out_of_range",
    "size_out_of_range",
    "no_intrinsics",
    "not_one_block",
    "call_in_vector_loop",
    "block_is_a_call",
    "program_has_calls",
    "used_by_a_call",
    "nest_differs",
    "extent_differs",
    "chosen_by_data",
    "one_statement",
    "same_elements",
    "inside_vector",
    "nothing_to_keep",
    "rows_do_not_show",
    "rows_do_not_move",
    "scope_overflow",
    "stages_do_not_fit",
    "not_in_a_loop",
    "nothing_after",
    "already_a_multiple",
    "not_a_whole_axis",
    "not_around_the_block",
    "no_words",
    "word_of_another_kind",
    "value_out_of_range",
    "writes_nothing",
    "said_already",
    "no_size_open",
    "unknown_size",
    "one_value",
    "size_not_used",
    "never_there",
    "no_remainder",
    "extents_differ",
    "not_side_by_side",
};

/// What a block writes itself is whole at no place before it: that a copy happens to hold what is
/// read makes no move of it.
bool caches_what_it_writes(ir::Program const& program, Step const& step, Refusal const& refusal) {
  if (step.primitive != "cache_read" || refusal.code != "written_beside") return false;
  auto block = find_block(program, step.targets[0]);
  auto tensor = step.arguments.find("tensor");
  if (!block || tensor == step.arguments.end()) return false;
  for (ir::BlockSite const& writer : writers_of(program, std::get<std::string>(tensor->second)))
    if (writer.block->id == block->block->id) return true;
  return false;
}

/// Also a loop of one iteration that is no part of any axis. A hint is never wrong: what is refused
/// of prefetch is a hint without sense.
bool is_no_move(ir::Program const& program, Step const& step, Refusal const& refusal) {
  if (kNotAMove.contains(refusal.code) || step.primitive == "prefetch") return true;
  if (auto block = find_block(program, step.targets[0]); block && is_hint(*block->block))
    return true;
  return refusal.code == "not_a_reduction_loop" &&
         ir::is_int(find_loop(program, step.targets[0])->loop->extent, 1);
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

/// A schedule with what is known of its program, for all steps that are asked of it.
struct Start {
  Schedule schedule;
  Case known;
  std::set<std::string> asked = {};
};

/// None: what the schedule computes is wrong before any question.
std::optional<Start> start_of(std::string const& text, te::Kernel const& kernel, Schedule schedule,
                              Rng& rng) {
  Case known{text, std::make_shared<Target const>(schedule.target()), schedule.program(),
             testing::random_inputs(kernel, rng)};
  known.expected = testing::expected_of(kernel, known.inputs);
  bool by_data = std::ranges::any_of(known.program.inputs,
                                     [](ir::Buffer const& one) { return !is_float(one->type); });
  for (int more = by_data ? 5 : 1; more > 0; --more) {
    auto inputs = testing::random_inputs(kernel, rng);
    known.more.emplace_back(inputs, testing::expected_of(kernel, inputs));
  }
  auto outputs = ir::interpret(known.program, known.inputs, {.shuffle_seed = 7});
  if (!outputs || !te::judge(*outputs, known.expected).equal) {
    qWarning("wrong before any question:\n%s%s", text.c_str(), schedule.script().c_str());
    return std::nullopt;
  }
  known.trace = testing::AccessTracer::run(with_calls_expanded(known.program), known.inputs);
  return Start{std::move(schedule), std::move(known)};
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
    for (int i = 0; i < schedules; ++i)
      ask_all(testing::test_kernel(i, testing::kernel_set(), rng), testing::test_target(i / 2),
              rng);
    ask_seldom(rng);
    ask_about_softmax(rng);
    for (Primitive const* primitive : primitive_table()) report(*primitive);
  }

private:
  void ask_all(std::string const& text, std::shared_ptr<Target const> const& target, Rng& rng) {
    auto kernel = testing::parsed_kernel(text);
    QVERIFY2(kernel, kernel ? "" : (text + to_sentence(kernel.error())).c_str());
    auto start = start_of(text, *kernel, random_schedule(rng, *kernel, target), rng);
    QVERIFY(start);
    auto inside = start_of(text, *kernel, with_tensors_in_loops(start->schedule, rng), rng);
    QVERIFY(inside);
    for (Primitive const* primitive : primitive_table())
      if (names_a_size(*primitive))
        ask_about_sizes(*start, *primitive, rng);
      else
        ask_some(is_about_tensors_in_loops(*primitive) ? *inside : *start, *primitive, rng);
  }

  /// Few of the kernels have rows that can be kept, or nests that are what an instruction does.
  void ask_seldom(Rng& rng) {
    for (int i = 0; i < 400 && QTest::currentTestFailed() == false; ++i) {
      bool rows = i % 2 == 0;
      Primitive const& primitive = *find_primitive(rows ? "rolling_buffer" : "tensorize");
      if (counts_[primitive.name].legal >= 60) continue;
      std::string text =
          rows ? testing::stencil(rng) : testing::test_kernel(i / 2, testing::kernel_set(), rng);
      auto kernel = testing::parsed_kernel(text);
      QVERIFY2(kernel, text.c_str());
      auto target = testing::test_target(rows ? i : 6 + i / 2 % 2);
      Schedule schedule = random_schedule(rng, *kernel, target);
      if (rows) schedule = with_tensors_in_loops(schedule, rng);
      auto start = start_of(text, *kernel, schedule, rng);
      QVERIFY(start);
      ask_some(*start, primitive, rng);
    }
  }

  /// Few kernels have a maximum in powers of e, and none by chance with the loops in order.
  void ask_about_softmax(Rng& rng) {
    Primitive const& update = *find_primitive("rolling_update");
    for (int i = 0; i < 60 && QTest::currentTestFailed() == false; ++i) {
      std::string text = testing::softmax_kernel(rng);
      auto kernel = testing::parsed_kernel(text);
      QVERIFY2(kernel, text.c_str());
      Schedule schedule(te::to_program(*kernel).value(), testing::test_target(i));
      auto [steps, whole] = testing::rolling_steps(schedule.program(), rng, true);
      for (Step const& step : steps)
        if (auto next = schedule.apply(step)) schedule = std::move(*next);
      auto start = start_of(text, *kernel, schedule, rng);
      QVERIFY(start);
      if (whole.targets.size() > 1) ask(schedule, start->known, update, whole);
      ask_some(*start, update, rng);
    }
  }

  /// Each step once: of few that a program has, some would come many times.
  void ask_some(Start& start, Primitive const& primitive, Rng& rng) {
    Schedule const& schedule = start.schedule;
    for (int tries = tries_of(primitive, schedule.target()); tries > 0; --tries) {
      Step step = testing::propose_step(schedule.program(), rng, primitive, schedule.target());
      if (start.asked.insert(to_text(step)).second) ask(schedule, start.known, primitive, step);
    }
  }

  /// The truth is asked for every value of the size.
  void ask_about_sizes(Start const& start, Primitive const& primitive, Rng& rng) {
    auto open = start.schedule.apply(testing::random_size(start.schedule.program(), "T", rng));
    if (!open) return;
    Case sized = start.known;
    sized.program = open->sized()->program;
    for (int tries = 3; tries > 0; --tries)
      ask(*open, sized, primitive,
          testing::propose_step(sized.program, rng, primitive, open->target()));
  }

  void ask(Schedule const& schedule, Case const& before, Primitive const& primitive,
           Step const& step) {
    Count& count = counts_[primitive.name];
    auto answer = schedule.check(step);
    ++count.asked;
    if (!answer && is_no_move(before.program, step, answer.error())) {
      ++count.left_out[answer.error().code];
      return;
    }
    testing::Truth truth = testing::brute_force(before, primitive, step);
    std::string text =
        before.text + schedule.script() + to_text(step) + "\n" + ir::to_text(schedule.program());
    QVERIFY2(truth == testing::kLegal || !answer, ("accepted, but wrong:\n" + text).c_str());
    if (truth != testing::kLegal) {
      ++(truth == testing::kIllegal ? count.illegal : count.no_result);
      return;
    }
    if (!answer && caches_what_it_writes(before.program, step, answer.error())) {
      ++count.left_out[answer.error().code];
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
    Count const& count = counts_[primitive.name];
    print(primitive.name, count);
    QVERIFY2(count.legal >= 15, primitive.name.c_str());
    // Of few cases some more or less are chance: two standard deviations of the binomial.
    double chance = 2 * std::sqrt(count.legal * 0.05 * 0.95);
    QVERIFY2(count.accepted + chance >= count.legal * 0.95, primitive.name.c_str());
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
};

QTEST_GUILESS_MAIN(AcceptanceTest)
#include "acceptance_test.moc"
