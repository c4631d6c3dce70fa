#include <QElapsedTimer>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "engine/ir/text.h"
#include "engine/schedule/explain.h"
#include "engine/schedule/names.h"
#include "engine/schedule/repairs.h"
#include "engine/schedule/trace.h"
#include "tests/support/mutate.h"
#include "tests/support/random_schedules.h"
#include "tests/support/softmax_kernels.h"

using namespace tw;

namespace {

Schedule plain(size_t kernel, std::shared_ptr<Target const> target = any_target()) {
  return Schedule(testing::small_program(kernel).value(), std::move(target));
}

Schedule after(Schedule schedule, std::vector<std::string> const& lines) {
  for (std::string const& line : lines) schedule = schedule.apply(parse_step(line).value()).value();
  return schedule;
}

ir::LoopId id_of(Schedule const& schedule, std::string const& name) {
  return find_loop(schedule.program(), name).value().loop->id;
}

constexpr char kResNet[] =
    "tilewright te 1\n"
    "kernel conv2d(X: f32[1, 128, 28, 28], W: f32[128, 128, 3, 3], B: f32[128]) -> Z\n"
    "  pad[n in 1, c in 128, y in 30, x in 30] = select(1 <= y && y < 29 && 1 <= x && x < 29, X[n, "
    "c, y-1, x-1], 0)\n"
    "  Y[n in 1, o in 128, y in 28, x in 28] = sum[c in 128, r in 3, s in 3] pad[n, c, y+r, x+s] * "
    "W[o, c, r, s]\n"
    "  Z[n in 1, o in 128, y in 28, x in 28] = max(Y[n, o, y, x] + B[o], 0)\n";

/// A softmax whose loops are ready, and the step.
Schedule before_rolling_update(Rng& rng, Step& update) {
  Schedule schedule(
      te::to_program(testing::parsed_kernel(testing::softmax_kernel(rng)).value()).value());
  auto [steps, last] = testing::rolling_steps(schedule.program(), rng, false);
  for (Step const& step : steps) schedule = schedule.apply(step).value();
  update = std::move(last);
  return schedule;
}

}  // namespace

class ScheduleTest : public QObject {
  Q_OBJECT
private slots:
  void a_script_takes_time_in_proportion_to_its_length() {
    auto milliseconds = [&](int pairs) {
      std::string text = "tilewright schedule 1\n";
      for (int i = 0; i < pairs; ++i) text += "a, b = split(C.i, factor=2)\ni = fuse(a, b)\n";
      Script script = parse_script(text).value();
      QElapsedTimer timer;
      timer.start();
      auto done = replay(plain(0), script);
      return done ? double(timer.nsecsElapsed()) / 1e6 : -1;
    };
    double least = milliseconds(500), most = milliseconds(4000);
    QVERIFY(least > 0 && most > 0);
    QVERIFY2(most < 24 * least, qPrintable(QString("%1 and %2 ms").arg(least).arg(most)));
  }

  void ten_thousand_nested_splits_are_refused_at_once() {
    std::string text = "tilewright schedule 1\na0, b0 = split(C.i, factor=1)\n";
    for (int i = 1; i < 10000; ++i)
      text += "a" + std::to_string(i) + ", b" + std::to_string(i) + " = split(b" +
              std::to_string(i - 1) + ", factor=1)\n";
    auto done = replay(plain(0), parse_script(text).value());
    QVERIFY(!done);
    QCOMPARE(done.error().code, std::string("too_many_loops"));
    QCOMPARE(done.error().message, std::string("a block would be in 129 loops; the limit is 128"));
  }

  void every_primitive_prints_parses_and_replays() {
    Rng rng(5);
    for (Primitive const* primitive : primitive_table()) {
      QVERIFY(!primitive->key.empty() && !primitive->title.empty() &&
              primitive->rewrite.find("-->") != std::string::npos);
      QVERIFY(QString::fromStdString(help_text(*primitive))
                  .contains(QString::fromStdString(primitive->doc)));
      int taken = 0;
      for (int tries = 0; tries < 200000 && taken < 20; ++tries) {
        Schedule schedule =
            plain(size_t(tries) % testing::small_kernels().size(), testing::test_target(tries));
        if (!is_for(*primitive, schedule.target())) continue;
        // Some are about what others leave behind: a tensor in a loop, nests beside each other.
        for (int64_t before = rng.below(6); before > 0; --before)
          if (auto more =
                  schedule.apply(testing::propose_step(schedule.program(), rng, schedule.target())))
            schedule = std::move(*more);
        if (names_a_size(*primitive))
          if (auto more = schedule.apply(testing::random_size(schedule.program(), "T", rng)))
            schedule = std::move(*more);
        Step step = testing::propose_step(testing::asked_program(schedule, *primitive), rng,
                                          *primitive, schedule.target());
        if (primitive->name == "rolling_update") schedule = before_rolling_update(rng, step);
        auto next = schedule.apply(step);
        if (!next) continue;
        ++taken;
        Step made = next->trace().back().step;
        QVERIFY(parse_step(to_text(made)).value() == made);
        QVERIFY(step_from_json(nlohmann::ordered_json::parse(to_json(made).dump())).value() ==
                made);
        QVERIFY(ir::equal(schedule.apply(made).value().program(), next->program()));
        QVERIFY(!next->trace().back().proof.empty());
      }
      QVERIFY2(taken == 20, primitive->name.c_str());
    }
  }

  void a_reduction_loop_can_be_made_parallel_by_the_repair_that_is_offered() {
    Schedule matmul = plain(0);
    std::vector<Repair> repairs = repairs_for(matmul, parse_step("parallel(C.k)").value());
    QCOMPARE(repairs.size(), size_t(3));
    auto steps = parse_steps(repairs.back().step);
    QVERIFY(steps);
    QCOMPARE(steps->size(), size_t(2));
    Schedule repaired = matmul;
    for (Step const& step : *steps) repaired = repaired.apply(step).value();
    QCOMPARE(repaired.trace().front().step.primitive, std::string("rfactor"));
    QVERIFY(!parse_steps("split(C.i, factor=2);"));
    // Splitting has no such way, and a spatial loop needs none.
    for (char const* line : {"split(C.k, factor=100)", "unroll(C.i)"})
      for (Repair const& repair : repairs_for(matmul, parse_step(line).value()))
        QVERIFY(!repair.step.contains("rfactor"));
  }

  void cursors_say_where_loops_went_and_other_ids_stay() {
    Schedule schedule = plain(0);
    ir::LoopId i = id_of(schedule, "i"), j = id_of(schedule, "j"), k = id_of(schedule, "k");
    Schedule split = after(schedule, {"split(i, factor=2)"});
    QCOMPARE(split.last_cursors().at(i), (std::vector{id_of(split, "i.0"), id_of(split, "i.1")}));
    QCOMPARE(id_of(split, "j"), j);
    Schedule fused = after(split, {"reorder(i.0, k, i.1, j)", "fuse(i.1, j)"});
    QCOMPARE(fused.last_cursors().at(j), std::vector{id_of(fused, "i.1_j")});
    QCOMPARE(id_of(fused, "k"), k);
    QVERIFY(id_of(split, "i.0") == id_of(after(schedule, {"split(i, factor=2)"}), "i.0"));
    Schedule marked = after(fused, {"parallel(i.0)"});
    QCOMPARE(id_of(marked, "i.0"), id_of(split, "i.0"));
    QVERIFY(marked.last_cursors().empty());
  }

  void a_schedule_does_not_change_when_a_step_is_applied() {
    Schedule schedule = plain(1);
    std::string before = ir::to_text(schedule.program());
    after(schedule, {"split(Y.o, factor=3)", "parallel(o.0)"});
    QCOMPARE(ir::to_text(schedule.program()), before);
    QVERIFY(schedule.trace().empty());
  }

  void a_script_made_for_other_shapes_is_refused_with_its_line() {
    auto script =
        parse_script("tilewright schedule 1\n# rows\n\nsplit(i, factor=2)\nsplit(j, factor=13)\n")
            .value();
    auto refused = replay(plain(0), script);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("factor_out_of_range"));
    QCOMPARE(refused.error().line, 5);
  }

  void damaged_scripts_and_steps_never_crash() {
    Rng rng(9);
    std::string script =
        "tilewright schedule 1\nfor matmul\na, b = split(C.i, factor=2)  # rows\nreorder(b, "
        "a)\nvectorize(b)\n";
    int read = 0;
    for (int round = 0; round < 5000; ++round)
      if (auto parsed = parse_script(testing::mutate(script, rng))) {
        ++read;
        (void)replay(plain(0), *parsed);
      }
    QVERIFY(read > 100);
    for (char const* text : {"[]", "{}", "{\"step\":3}", "{\"step\":\"split\",\"loops\":[1]}",
                             "{\"step\":\"split\",\"factor\":[]}"})
      QVERIFY(!step_from_json(nlohmann::ordered_json::parse(text)));
  }

  void a_step_on_a_convolution_takes_less_than_five_milliseconds() {
    Schedule schedule(te::to_program(te::parse_kernel(kResNet).value()).value());
    double worst = 0;
    for (char const* line :
         {"split(Y.o, factor=16)", "split(Y.x, factor=14)", "split(Y.c, factor=8)",
          "split(Y.y, factor=3)", "reorder(o.0, y.0, y.1, x.0, c.0, c.1, Y.r, Y.s, x.1, o.1)",
          "vectorize(o.1)", "unroll(x.1)", "fuse(o.0, y.0)", "parallel(o.0_y.0)"}) {
      double best = 1e9;
      for (int round = 0; round < 3; ++round) {
        QElapsedTimer timer;
        timer.start();
        auto next = schedule.apply(parse_step(line).value());
        best = std::min(best, double(timer.nsecsElapsed()) * 1e-6);
        QVERIFY2(next.has_value(), next ? "" : (std::string(line) + next.error().message).c_str());
        if (round == 2) schedule = *next;
      }
      worst = std::max(worst, best);
    }
    // These run the search for a counterexample.
    Schedule untouched(schedule.origin());
    double refusal = 0;
    for (char const* line : {"parallel(Y.c)", "vectorize(Y.s)"}) {
      QElapsedTimer timer;
      timer.start();
      auto refused = untouched.apply(parse_step(line).value());
      refusal = std::max(refusal, double(timer.nsecsElapsed()) * 1e-6);
      QVERIFY(!refused && refused.error().conflict);
    }
    qInfo("slowest step %.3f ms, a counterexample %.3f ms", worst, refusal);
    QVERIFY(worst < 5 && refusal < 5);
  }
};

QTEST_GUILESS_MAIN(ScheduleTest)
#include "schedule_test.moc"
