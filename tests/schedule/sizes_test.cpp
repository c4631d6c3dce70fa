// Sizes that stay open: steps are decided for every value, and the program with a value is the one
// that a script with the number would have made.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/open_sizes.h"
#include "engine/schedule/trace.h"
#include "tests/support/all_passes.h"
#include "tests/support/open_traces.h"
#include "tests/support/random_sizes.h"

using namespace tw;

namespace {

Schedule scheduled(std::string const& kernel, std::string const& steps) {
  te::Kernel parsed = testing::parsed_kernel(kernel).value();
  auto script = parse_script("tilewright schedule 1\n" + steps, "sizes").value();
  auto schedule = replay(Schedule(te::to_program(parsed).value()), script);
  if (!schedule) qFatal("%s", schedule.error().message.c_str());
  return std::move(*schedule);
}

constexpr char kRows[] = "kernel rows(X: f32[10, 6]) -> Y\n  Y[i in 10, j in 6] = X[i, j] * 2.0\n";

}  // namespace

class SizesTest : public QObject {
  Q_OBJECT
private slots:
  void the_program_shown_is_that_of_the_number() {
    Schedule open = scheduled(kRows, "o, i = split_by_size(Y.i, size=T, low=1, high=5, at=4)\n");
    Schedule fixed = scheduled(kRows, "o, i = split(Y.i, factor=4)\n");
    QCOMPARE(QString::fromStdString(ir::to_text(open.program())),
             QString::fromStdString(ir::to_text(fixed.program())));
    QVERIFY(open.sized());
    QCOMPARE(open.sized()->program.sizes.size(), size_t(1));
  }

  void a_program_with_sizes_prints_and_parses() {
    Schedule open = scheduled(kRows, "o, i = split_by_size(Y.i, size=T, low=1, high=5)\n");
    std::string text = ir::to_text(open.sized()->program);
    QVERIFY2(text.contains("size T in 1..5"), text.c_str());
    auto again = ir::parse_program(text);
    QVERIFY(again);
    QVERIFY(ir::equal(*again, open.sized()->program));
  }

  void a_script_with_sizes_is_replayed() {
    Schedule open = scheduled(kRows,
                              "o, i = split_by_size(Y.i, size=T, low=2, high=5)\n"
                              "reorder(Y.j, o, i)\nparallel(Y.j)\n");
    auto again = replay(Schedule(open.origin()), parse_script(open.script()).value());
    QVERIFY(again);
    QVERIFY(ir::equal(again->sized()->program, open.sized()->program));
    QVERIFY(ir::equal(again->program(), open.program()));
  }

  void two_sizes() {
    Schedule open = scheduled(kRows,
                              "o, i = split_by_size(Y.i, size=T, low=1, high=5)\n"
                              "p, j = split_by_size(Y.j, size=U, low=2, high=4, at=3)\n"
                              "reorder(o, p, i, j)\nop = fuse(o, p)\n");
    QCOMPARE(all_size_values(open.sized()->program).size(), size_t(15));
    QCOMPARE(open.sized()->shown, (std::vector<int64_t>{5, 3}));
  }

  void a_nest_is_specialized_for_a_value() {
    Schedule open = scheduled(kRows,
                              "o, i = split_by_size(Y.i, size=T, low=2, high=5, at=3)\n"
                              "o4 = specialize(o, size=T, value=4)\nvectorize(Y_4.i)\n");
    std::string text = ir::to_text(open.sized()->program);
    QVERIFY2(text == R"(tilewright program 1
program rows(X: f32[10, 6]) -> (Y: f32[10, 6])
  size T in 2..5
  for o4 in 3
    vector i in 4
      for j in 6
        block Y_4(vi: 10 = i+o4*4, vj: 6 = j) if i+o4*4 < 10 && T == 4
          Y[vi, vj] = X[vi, vj]*2.0
  for o in (10+(T-1))//T
    for i in T
      for j in 6
        block Y(vi: 10 = i+o*T, vj: 6 = j) if i+o*T < 10 && T != 4
          Y[vi, vj] = X[vi, vj]*2.0
)",
             text.c_str());
    // The program that is shown has the branch, too, and says that it does not run.
    text = ir::to_text(open.program());
    QVERIFY2(text.contains("block Y_4(vi: 10 = i+o4*4, vj: 6 = j) if false"), text.c_str());
    auto again = replay(Schedule(open.origin()), parse_script(open.script()).value());
    QVERIFY(again);
    QVERIFY(ir::equal(again->sized()->program, open.sized()->program));
  }

  /// Random steps after sizes were opened: for each value the program computes what the plain one
  /// does, by the interpreter, with the sizes open and with their values in place.
  void random_steps_after_a_size_compute_the_same() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261124;
    int traces = qEnvironmentVariableIntValue("TW_TRACES");
    if (traces <= 0) traces = 150;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    std::map<std::string, int> taken, refused;
    int programs = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::test_kernel(trace, testing::kernel_set(), rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      testing::Taken counts;
      Schedule schedule =
          testing::random_open_schedule(kernel, testing::thread_machine(), rng, counts);
      for (auto const& [name, count] : counts.taken) taken[name] += count;
      for (auto const& [name, count] : counts.refused) refused[name] += count;
      if (!schedule.sized()) continue;
      auto inputs = testing::random_inputs(kernel, rng);
      te::Expected expected = testing::expected_of(kernel, inputs);
      for (std::vector<int64_t> const& values : all_size_values(schedule.sized()->program)) {
        ++programs;
        for (bool open : {true, false}) {
          ir::Program program =
              open ? schedule.sized()->program : with_sizes(schedule.sized()->program, values);
          ir::InterpretOptions options{.shuffle_seed = rng.next() | 1};
          if (open) options.sizes = values;
          auto outputs = ir::interpret(program, inputs, options);
          QVERIFY2(outputs, (text + schedule.script() + ir::to_text(program)).c_str());
          QVERIFY2(te::judge(*outputs, expected).equal,
                   (text + schedule.script() + ir::to_text(program)).c_str());
        }
      }
    }
    for (auto const& [name, count] : taken)
      qInfo("%-14s taken %d, refused %d", name.c_str(), count, refused[name]);
    qInfo("%d programs of %d traces", programs, traces);
    QVERIFY(programs >= traces * 2);
    for (char const* name : {"split_by_size", "split", "reorder", "fuse", "parallel", "vectorize",
                             "specialize", "annotate"})
      QVERIFY2(taken[name] >= traces / 20, name);
  }

  void a_schedule_of_open_extents_starts_from_the_program_shown() {
    te::Kernel kernel = testing::open_kernel(1);
    Schedule schedule = testing::open_schedule(kernel);
    QVERIFY(ir::equal(schedule.program(), te::to_program(kernel).value()));
    QVERIFY(ir::equal(schedule.sized()->program, te::to_open_program(kernel).value()));
  }

  /// A factor may be greater than what some values leave of an extent, but not greater than all.
  void a_factor_that_some_values_have_room_for() {
    auto split = [](int factor) {
      return testing::open_schedule(testing::open_kernel(1))
          .apply({"split", {"C.i"}, {{"factor", int64_t(factor)}}, {}});
    };
    QVERIFY2(split(4), split(4) ? "" : split(4).error().message.c_str());
    QVERIFY2(split(11), split(11) ? "" : split(11).error().message.c_str());
    QVERIFY(!split(12));
    QCOMPARE(split(12).error().message,
             std::string("C.i has 11 iterations: 12 is outside the range 1 to 11"));
  }

  /// A tile that small sizes do not fill: parts are as long as they are where it is filled.
  void what_is_legal_with_large_sizes_is_taken_with_sizes_below_a_tile_data() {
    QTest::addColumn<QString>("kernel");
    QTest::addColumn<QString>("steps");
    QString const chain =
        "kernel chain(X: f32[n, 5]) -> Y\n  size n in 1..20 = 16\n"
        "  A[i in n, j in 5] = X[i, j] * 2.0\n  Y[i in n, j in 5] = A[i, j] + 1.0\n";
    QTest::newRow("a producer") << chain << "split(Y.i, factor=8)\ncompute_at(A, Y.i.0)\n";
    QTest::newRow("a consumer") << chain << "split(A.i, factor=8)\nreverse_compute_at(Y, A.i.0)\n";
    QTest::newRow("a window")
        << "kernel window(X: f32[n + 2]) -> Y\n  size n in 1..20 = 16\n"
           "  A[i in n + 2] = X[i] * 2.0\n  Y[i in n] = A[i] + A[i+1] - A[i+2]\n"
        << "split(Y.i, factor=8)\ncompute_at(A, Y.i.0)\n";
    QTest::newRow("a row of attention")
        << "kernel row(Q: f32[n, 4], K: f32[n, 4]) -> Y\n  size n in 1..18 = 16\n"
           "  S[i in n, j in n] = sum[c in 4] Q[i, c] * K[j, c]\n"
           "  M[i in n] = max[j in n] S[i, j]\n"
           "  Y[i in n, j in n] = S[i, j] - M[i]\n"
        << "split(Y.i, factor=8)\ncompute_at(M, Y.i.0)\ncompute_at(S, Y.i.0)\n";
  }
  void what_is_legal_with_large_sizes_is_taken_with_sizes_below_a_tile() {
    QFETCH(QString, kernel);
    QFETCH(QString, steps);
    te::Kernel parsed = testing::parsed_kernel(kernel.toStdString()).value();
    auto script = parse_script("tilewright schedule 1\n" + steps.toStdString()).value();
    auto schedule = replay(testing::open_schedule(parsed), script);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    auto stages = lower(schedule->sized()->program, Target{}, testing::all_passes(),
                        {.verify = VerifyPasses::kEach});
    QVERIFY2(stages, stages ? "" : to_sentence(stages.error()).c_str());
    Rng rng(3);
    for (std::vector<int64_t> const& values : all_size_values(schedule->sized()->program)) {
      compare_with(parsed, *schedule, values, *stages, rng);
      if (QTest::currentTestFailed()) return;
    }
  }

  /// The same over kernels whose extents are open, by the interpreter: the open program, the one
  /// with the value, and at times what every pass makes of the open one.
  void random_steps_over_open_extents_compute_the_same() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261125;
    int traces = qEnvironmentVariableIntValue("TW_TRACES");
    if (traces <= 0) traces = 120;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    testing::OpenCounts counts;
    int programs = 0, lowered = 0;
    for (int trace = 0; trace < traces; ++trace) {
      te::Kernel kernel = testing::open_kernel(trace);
      Schedule schedule = testing::random_open_schedule(kernel, rng, counts);
      auto stages = trace % 3 == 0 ? lower(schedule.sized()->program, Target{},
                                           testing::all_passes(), {.verify = VerifyPasses::kEach})
                                   : std::vector<LoweredStage>();
      if (!stages && stages.error().code == "too_many_statements") stages.emplace();
      QVERIFY2(stages, stages ? "" : (schedule.script() + to_sentence(stages.error())).c_str());
      for (std::vector<int64_t> const& values : all_size_values(schedule.sized()->program)) {
        compare_with(kernel, schedule, values, *stages, rng);
        if (QTest::currentTestFailed()) return;
        ++programs;
        lowered += int(stages->size());
      }
    }
    for (auto const& [name, count] : counts.taken)
      qInfo("%-14s taken %d, refused %d", name.c_str(), count, counts.refused[name]);
    qInfo("%d programs of %d traces, %d stages of lowering", programs, traces, lowered);
    for (Primitive const* one : testing::primitives_where_open())
      if (one->open_sizes) QVERIFY2(counts.taken[one->name] >= traces / 20, one->name.c_str());
    for (char const* name : {"compute_at", "cache_read", "cache_write", "decompose_reduction"})
      QVERIFY2(counts.taken[name] >= traces / 100, name);
    QVERIFY(lowered > programs);
  }

private:
  static void compare_with(te::Kernel const& kernel, Schedule const& schedule,
                           std::vector<int64_t> const& values,
                           std::vector<LoweredStage> const& stages, Rng& rng) {
    te::Kernel closed = te::with_values(kernel, testing::of_kernel(kernel, values));
    auto inputs = testing::random_inputs(closed, rng);
    te::Expected expected = testing::expected_of(closed, inputs);
    auto right = [&](Result<std::vector<NDArray>> const& outputs, auto const& what) {
      if (outputs && te::judge(*outputs, expected).equal) return true;
      std::string text = te::to_text(closed) + schedule.script();
      for (int64_t value : values) text += std::to_string(value) + " ";
      text += outputs ? "wrong: " : to_sentence(outputs.error());
      QTest::qVerify(false, "right", (text + what()).c_str(), __FILE__, __LINE__);
      return false;
    };
    ir::InterpretOptions options{.shuffle_seed = rng.next() | 1};
    ir::Program fixed = with_sizes(schedule.sized()->program, values);
    if (!right(ir::interpret(fixed, inputs, options), [&] { return ir::to_text(fixed); })) return;
    options.sizes = values;
    ir::Program const& open = schedule.sized()->program;
    if (!right(ir::interpret(open, inputs, options), [&] { return ir::to_text(open); })) return;
    for (LoweredStage const& stage : stages) {
      bool last = stage.kernel.host.sizes.empty();
      if (last) options.sizes.clear();
      auto given = last ? testing::with_sizes_first(values, inputs) : inputs;
      if (!right(ir::interpret(stage.kernel, given.size(), given, options),
                 [&] { return stage.name + "\n" + ir::print(stage.kernel).text; }))
        return;
    }
  }
};

QTEST_GUILESS_MAIN(SizesTest)
#include "sizes_test.moc"
