// Spaces: what the rule does is a point, every point computes the same.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "tests/support/compiled.h"
#include "tests/support/random_schedules.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

class SpaceTest : public QObject {
  Q_OBJECT
private slots:
  void the_schedule_by_rule_is_a_point_of_every_space() {
    for (char const* text : {kProduct, kWindow, kMap}) {
      Space space = space_of(text);
      Candidate rule = space.by_rule().value();
      QVERIFY(rule.point.empty() && !rule.rejection);
      QCOMPARE(rule.schedule.script(), this_cpu()->default_script(space.program()).value());
      QCOMPARE(space.at({}).value().schedule.script(), rule.schedule.script());
      qInfo("%s: %zu knobs, %.3g points", space.program().name.c_str(), rule.knobs.size(),
            space.size().value());
      QVERIFY(space.size().value() >= 4);
      for (Knob const& knob : rule.knobs) {
        QCOMPARE(knob.taken, knob.preset);
        QCOMPARE(std::set<std::string>(knob.values.begin(), knob.values.end()).size(),
                 knob.values.size());
      }
    }
    QVERIFY(space_of(kWindow).size().value() > 10'000);
  }

  void a_seed_gives_the_same_points() {
    Space space = space_of(kWindow);
    Rng one(5), same(5), other(6);
    int differ = 0;
    for (int i = 0; i < 20; ++i) {
      Candidate a = space.random(one).value(), b = space.random(same).value();
      QVERIFY(a.point == b.point && a.schedule.script() == b.schedule.script());
      differ += space.random(other).value().point != a.point;
      // A point says all that it takes to come back.
      QCOMPARE(space.at(a.point).value().schedule.script(), a.schedule.script());
    }
    QVERIFY(differ > 10);
  }

  void neighbours_differ_in_one_knob_and_mutants_do() {
    Space space = space_of(kWindow);
    Rng rng(7);
    Candidate from = space.by_rule().value();
    while (from.point.empty() || from.rejection) from = space.random(rng).value();
    std::vector<Point> neighbours = space.neighbours(from);
    QVERIFY(neighbours.size() >= 5);
    for (Point const& point : neighbours) {
      int changed = 0;
      for (Knob const& knob : from.knobs)
        if (auto found = point.find(knob.name); found != point.end())
          changed += found->second != knob.value();
      QCOMPARE(changed, 1);
    }
    std::set<std::string> mutants;
    for (int i = 0; i < 30; ++i) mutants.insert(space.mutated(from, rng).value().schedule.script());
    QVERIFY(mutants.size() > 5);
  }

  void pinned_knobs_stay() {
    std::string vectors;
    Candidate const rule = space_of(kWindow).by_rule().value();
    for (Knob const& knob : rule.knobs)
      if (knob.name.ends_with(".vectors")) vectors = knob.name;
    QVERIFY(!vectors.empty());
    Space space = space_of(kWindow, {{vectors, "1"}});
    Rng rng(3);
    auto value_in = [&](Candidate const& candidate) {
      for (Knob const& knob : candidate.knobs)
        if (knob.name == vectors) return knob.value();
      return std::string("none");
    };
    QCOMPARE(value_in(space.by_rule().value()), std::string("1"));
    for (int i = 0; i < 20; ++i) {
      Candidate candidate = space.random(rng).value();
      QCOMPARE(value_in(candidate), std::string("1"));
      QCOMPARE(value_in(space.mutated(candidate, rng).value()), std::string("1"));
      for (Point const& point : space.neighbours(candidate))
        QCOMPARE(value_in(space.at(point).value()), std::string("1"));
    }
    QCOMPARE(space_of(kMap, {{"Z.lanes", "16"}}).by_rule().error().code,
             std::string("unknown_knob"));
    QCOMPARE(space_of(kWindow, {{vectors, "13"}}).by_rule().error().code,
             std::string("unknown_value"));
  }

  /// What is found on one thread is run on all cores, too.
  void on_one_thread_nobody_decides_how_work_is_shared() {
    auto values_of_parallel = [](int threads) {
      Space space(space_of(kWindow).program(), this_cpu(), {}, {}, threads);
      size_t values = 0;
      Candidate const rule = space.by_rule().value();
      for (Knob const& knob : rule.knobs)
        if (knob.name.ends_with(".parallel")) values = std::max(values, knob.values.size());
      return values;
    };
    QCOMPARE(values_of_parallel(1), size_t(1));
    QVERIFY(values_of_parallel(2) > 1);
    QVERIFY(values_of_parallel(0) > 1);
  }

  /// What the template is trusted with can be proven: of every kind of kernel, the hard ones, too.
  /// Where a template needed refusals after all, it has them from the first one on.
  void points_can_be_proven() {
    Rng rng(17);
    int points = 0, kernels = 0, refused = 0;
    for (auto const* texts : {&small_kernels(), &hard_kernels()})
      for (std::string const& text : *texts) {
        Space space(te::to_program(parsed_kernel(text).value()).value(), this_cpu());
        ++kernels;
        bool refused_here = false;
        for (int i = 0; i < 12; ++i) {
          Candidate candidate = space.random(rng).value();
          if (candidate.rejection) continue;
          ++points;
          auto proven = space.proven(candidate);
          if (!proven) {
            QVERIFY2(!std::exchange(refused_here, true),
                     (text + candidate.schedule.script()).c_str());
            QCOMPARE(proven.error().code, std::string("not_legal"));
            continue;
          }
          for (TakenStep const& taken : proven->schedule.trace())
            QVERIFY(!taken.proof.empty() && taken.proof != "assumed legal");
        }
        refused += refused_here;
      }
    qInfo("%d points of %d kernels, %d kernels with one that could not be proven", points, kernels,
          refused);
    QVERIFY(refused <= 2);
    QVERIFY(points > 5 * kernels);
  }

  /// A step that only looks right in the sizes that it was tried with.
  void what_cannot_be_proven_is_no_result() {
    Space space = space_of(kWindow);
    Candidate wrong = space.by_rule().value();
    wrong.schedule = Schedule(space.program(), this_cpu()->shared_target());
    QCOMPARE(space.proven(wrong).error().code, std::string("not_legal"));
  }

  /// Interpreted as scheduled programs: nothing but the template says that they are right.
  void random_points_compute_what_the_plain_nest_does() {
    int different = 0, rejected = 0;
    for (char const* text : {kSmallProduct, kSmallWindow}) {
      Space space = space_of(text);
      Rng rng(11);
      std::vector<NDArray> inputs = random_inputs(kernel_of(text), rng);
      te::Expected expected = expected_of(kernel_of(text), inputs);
      std::set<std::string> scripts;
      for (int i = 0; i < 60; ++i) {
        Candidate candidate = space.random(rng).value();
        if (candidate.rejection) {
          ++rejected;
          continue;
        }
        if (!scripts.insert(candidate.schedule.script()).second) continue;
        auto outputs = ir::interpret(candidate.schedule.program(), inputs, {});
        QVERIFY2(outputs, candidate.schedule.script().c_str());
        QVERIFY2(te::judge(*outputs, expected).equal, candidate.schedule.script().c_str());
      }
      different += int(scripts.size());
    }
    qInfo("%d schedules, %d points beyond the registers", different, rejected);
    QVERIFY(different > 30 && rejected > 5);
  }

private:
  static constexpr char kSmallProduct[] =
      "tilewright te 1\n"
      "kernel product(A: f32[36, 70], B: f32[70, 50]) -> C\n"
      "  C[i in 36, j in 50] = sum[k in 70] A[i, k] * B[k, j]\n";
  static constexpr char kSmallWindow[] =
      "tilewright te 1\n"
      "kernel window(X: f32[3, 12, 37], W: f32[5, 3, 3, 3]) -> Y\n"
      "  Y[o in 5, y in 10, x in 35] = "
      "sum[c in 3, r in 3, s in 3] X[c, y + r, x + s] * W[o, c, r, s]\n";
};

QTEST_GUILESS_MAIN(SpaceTest)
#include "space_test.moc"
