// Random legal schedules, lowered: the kernel is verified after every pass, and what comes out last
// is interpreted, in a shuffled order, against the plain program.
#include <QtTest>
#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "engine/ir/interpreter.h"
#include "engine/ir/kernel.h"
#include "engine/ir/text.h"
#include "engine/schedule/legality/bound_loops.h"
#include "engine/schedule/rewriting/expand_calls.h"
#include "engine/schedule/trace.h"
#include "engine/tensor/integers.h"
#include "tests/support/access_trace.h"
#include "tests/support/all_passes.h"
#include "tests/support/random_schedules.h"
#include "tests/support/thread_passes.h"

using namespace tw;

namespace {

/// A refusal of lowering that is no fault: the target has no room, or a tensor has no place yet.
bool is_refusal(Error const& error) {
  return error.fault == Fault::kRefused && error.code != "pass_failed_check";
}

/// A schedule's program with what it must compute.
struct Lowered {
  Schedule schedule;
  std::vector<NDArray> inputs;
  te::Expected expected;
  uint64_t shuffle_seed = 1;

  bool threads() const { return has_bound_loops(schedule.program()); }

  Result<std::vector<LoweredStage>> stages() const {
    bool plain = schedule.target().axes.empty() && schedule.target().intrinsics.empty();
    return lower(schedule.program(), schedule.target(),
                 plain ? testing::all_passes() : testing::thread_passes(),
                 {.verify = VerifyPasses::kEach});
  }

  /// Empty: it computes what it must.
  std::string wrong(ir::KernelIr const& kernel) const {
    ir::Sharing sharing = schedule.target().sharing();
    ir::InterpretOptions options{.shuffle_seed = shuffle_seed};
    if (threads()) options.sharing = &sharing;
    auto actual = ir::interpret(kernel, inputs.size(), inputs, options);
    if (!actual) return to_sentence(actual.error());
    return te::judge(*actual, expected).equal ? "" : "another result";
  }

  /// What is wrong, with the first pass after which it is; empty: nothing is. `refused` gets the
  /// code where the kernel is not lowered.
  std::string fault(std::string* refused = nullptr) const {
    auto all = stages();
    if (!all && is_refusal(all.error())) {
      if (refused) *refused = all.error().code;
      return "";
    }
    if (!all) return to_sentence(all.error());
    if (wrong(all->back().kernel).empty()) return "";
    for (LoweredStage const& stage : *all)
      if (std::string what = threads() ? "" : wrong(stage.kernel); !what.empty())
        return what + " after " + stage.name + "\n" + ir::print(stage.kernel).text;
    return wrong(all->back().kernel) + "\n" + ir::print(all->back().kernel).text;
  }
};

/// An element that is read before anybody has written it, though nobody may need what comes of it;
/// empty: there is none.
std::string read_unwritten(ir::Program const& program, std::vector<NDArray> const& inputs) {
  std::set<std::string> given;
  for (ir::Buffer const& input : program.inputs) given.insert(input->name);
  testing::AccessTrace trace = testing::AccessTracer::run(with_calls_expanded(program), inputs);
  for (auto const& [element, accesses] : trace)
    if (!given.contains(element.tensor) && accesses.front().kind != testing::AccessKind::kWrite)
      return element.tensor + " is read where nobody wrote it";
  return "";
}

/// Integers over the whole range of their type, indices among them: what wraps shows.
std::vector<NDArray> with_whole_range(std::vector<NDArray> inputs, Rng& rng) {
  for (NDArray& input : inputs) {
    if (!is_integer(input.type())) continue;
    for (int64_t e = 0; e < input.size(); ++e)
      set_integer(input, e,
                  rng.below(4)   ? int64_t(rng.next())
                  : rng.below(2) ? lowest_integer(input.type())
                                 : highest_integer(input.type()));
  }
  return inputs;
}

/// Several blocks that write one tensor, before anything else is done to it.
Schedule with_several_writers(Schedule schedule, Rng& rng) {
  for (int tries = 0; tries < 6; ++tries) {
    Primitive const& primitive =
        *find_primitive(rng.below(2) ? "loop_partition" : "decompose_reduction");
    if (auto next = schedule.apply(
            testing::propose_step(schedule.program(), rng, primitive, schedule.target())))
      schedule = std::move(*next);
  }
  return schedule;
}

/// Consumers where their producers are made, loops of sums among them.
Schedule with_consumers_inside(Schedule schedule, Rng& rng) {
  Primitive const& primitive = *find_primitive("reverse_compute_at");
  for (int tries = 0; tries < 12; ++tries)
    if (auto next = schedule.apply(
            testing::propose_step(schedule.program(), rng, primitive, schedule.target())))
      schedule = std::move(*next);
  return schedule;
}

Schedule random_schedule(ir::Program const& plain, int trace, Rng& rng) {
  Schedule schedule(plain, testing::test_target(trace));
  if (trace % 5 == 0) schedule = with_several_writers(std::move(schedule), rng);
  if (trace % 5 == 1) schedule = with_consumers_inside(std::move(schedule), rng);
  auto length = size_t(rng.between(3, 14));
  for (int tries = 0; tries < 60 && schedule.trace().size() < length; ++tries)
    if (auto next =
            schedule.apply(testing::propose_step(schedule.program(), rng, schedule.target())))
      schedule = std::move(*next);
  return schedule;
}

}  // namespace

class RandomLoweredTest : public QObject {
  Q_OBJECT
private slots:
  void starts_of_sums_stay_inside_of_their_tensors_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("steps");
    QTest::newRow("a sum of one term")
        << "kernel k(X: f32[4, 1]) -> Y\n  C[i in 4] = sum[k in 1] X[i, k]\n"
           "  Y[i in 4] = max(C[i], 0)\n"
        << "reverse_compute_at(Y, C.k)";
    QTest::newRow("a convolution of one channel")
        << "kernel k(X: f32[1, 6], W: f32[3, 1, 2]) -> Y\n"
           "  C[o in 3, x in 5] = sum[c in 1, r in 2] X[c, x+r] * W[o, c, r]\n"
           "  Y[o in 3, x in 5] = max(C[o, x], 0)\n"
        << "reverse_compute_at(Y, C.c)";
    QTest::newRow("a copy of its sums")
        << "kernel c1(X: f32[1, 6], W: f32[3, 1, 2]) -> Y\n"
           "  P[c in 1, x in 10]: f32 = select(2 <= x && x < 8, X[c, x-2], 0)\n"
           "  C[o in 3, x in 8]: f32 = sum[c in 1, r in 2] P[c, x*1+r*2] * W[o, c, r]\n"
           "  Y[o in 3, x in 8]: f32 = max(C[o, x], 0)\n"
        << "cache_read(Y, tensor=C)\nreverse_compute_at(C_cache, C.c)";
    QTest::newRow("partial sums of a part of an axis")
        << "kernel fr(X: f32[3, 3], W: f32[2]) -> Y\n"
           "  Y[y in 4, x in 3]: f32 = sum[r in 2] select(1 <= y+r && y+r < 4, X[y+r-1, x], 1.0) * "
           "W[r]\n"
        << "pad(Y.x, to=2)\ncompute_at(Y, Y_crop.y)\nfission(Y.y, Y)\nrfactor(Y.r)";
  }
  void starts_of_sums_stay_inside_of_their_tensors() {
    QFETCH(QString, kernel);
    QFETCH(QString, steps);
    te::Kernel parsed = testing::parsed_kernel(kernel.toStdString()).value();
    Schedule plain(te::to_program(parsed).value());
    auto script = parse_script("tilewright schedule 1\n" + steps.toStdString() + "\n").value();
    auto schedule = replay(plain, script);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    Rng rng(1);
    Lowered one{*schedule, testing::random_inputs(parsed, rng), {}};
    one.expected = testing::expected_of(parsed, one.inputs);
    std::string fault = one.fault(), unwritten = read_unwritten(schedule->program(), one.inputs);
    QVERIFY2(fault.empty(), fault.c_str());
    QVERIFY2(unwritten.empty(), unwritten.c_str());
  }

  void lowered_kernels_compute_what_the_plain_program_computes() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261127;
    // A long run is asked for with TW_TRACES.
    int traces = qEnvironmentVariableIntValue("TW_TRACES");
    if (traces <= 0) traces = 1200;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    testing::KernelSet set = testing::kernel_set();
    std::map<std::string, int> refused;
    int lowered = 0, wrong = 0, threads = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, set, rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Lowered one{random_schedule(te::to_program(kernel).value(), trace, rng),
                  testing::random_inputs(kernel, rng),
                  {},
                  rng.next() | 1};
      if (rng.below(2)) one.inputs = with_whole_range(std::move(one.inputs), rng);
      one.expected = testing::expected_of(kernel, one.inputs);
      std::string code, fault = one.fault(&code);
      ++(code.empty() ? lowered : refused[code]);
      threads += code.empty() && one.threads();
      // Tails compute more than is needed, and padded layouts are copied whole.
      std::string script = text + one.schedule.script();
      bool whole = std::ranges::none_of(
          std::array{"tail=", "layout=", "scan "},
          [&](char const* word) { return script.find(word) != std::string::npos; });
      if (fault.empty() && whole) fault = read_unwritten(one.schedule.program(), one.inputs);
      if (fault.empty()) continue;
      auto is_wrong = [&](Schedule const& schedule) {
        return !Lowered{schedule, one.inputs, one.expected, one.shuffle_seed}.fault().empty() ||
               (whole && !read_unwritten(schedule.program(), one.inputs).empty());
      };
      one.schedule = testing::shrunk(one.schedule, is_wrong);
      if (++wrong <= 8)
        qInfo("--- trace %d\n%s%s%s", trace, text.c_str(), one.schedule.script().c_str(),
              one.fault().c_str());
    }
    for (auto const& [code, count] : refused) qInfo("%d not lowered: %s", count, code.c_str());
    qInfo("%d of %d lowered, %d of them as threads", lowered, traces, threads);
    QCOMPARE(wrong, 0);
    QVERIFY(lowered * 10 >= traces * 7);
    QVERIFY(threads * 50 >= traces);
  }
};

QTEST_GUILESS_MAIN(RandomLoweredTest)
#include "random_lowered_test.moc"
