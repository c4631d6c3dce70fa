// What carries a gain: the points that are timed differ from the tuned one in one knob alone.
#include "engine/tuner/ablation.h"

#include <QtTest>

#include "engine/schedule/trace.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

/// A point that the template makes, away from the rule in several knobs.
Candidate tuned_of(Space const& space) {
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    Candidate found = space.random(rng).value();
    if (!found.rejection && found.point.size() >= 2) return found;
  }
  return space.by_rule().value();
}

}  // namespace

class AblationTest : public QObject {
  Q_OBJECT
private slots:
  void each_knob_goes_back_alone() {
    Space space = space_of(kProduct);
    Candidate tuned = tuned_of(space);
    QVERIFY(tuned.point.size() >= 2);
    std::vector<SetBack> all = set_backs(space, tuned.point).value();
    QCOMPARE(all.size(), tuned.point.size());
    for (SetBack const& one : all) {
      QCOMPARE(one.tuned, tuned.point.at(one.knob));
      QVERIFY(one.rule != one.tuned);
      QVERIFY(one.candidate.has_value() == one.sentence.empty());
      if (!one.candidate) continue;
      QVERIFY(!one.candidate->point.contains(one.knob));
      for (auto const& [name, value] : one.candidate->point) QCOMPARE(value, tuned.point.at(name));
      QCOMPARE(one.changes_nothing, one.candidate->schedule.script() == tuned.schedule.script());
    }
  }

  void the_rule_has_nothing_to_set_back() {
    QVERIFY(set_backs(space_of(kProduct), {}).value().empty());
  }

  void what_is_pinned_stays() {
    Candidate tuned = tuned_of(space_of(kProduct));
    QVERIFY(tuned.point.size() >= 2);
    auto [knob, value] = *tuned.point.begin();
    Space pinned = space_of(kProduct, {{knob, value}});
    std::vector<SetBack> all = set_backs(pinned, tuned.point).value();
    for (SetBack const& one : all) QVERIFY(one.knob != knob);
    QCOMPARE(all.size(), tuned.point.size() - 1);
  }

  void each_step_is_left_out_with_those_that_need_it() {
    Schedule plain(te::to_program(kernel_of(kProduct)).value(), this_cpu()->shared_target());
    Schedule whole = plain;
    for (char const* line : {"C.j.0, C.j.1 = split(C.j, factor=16)", "vectorize(C.j.1)",
                             "C.i.0, C.i.1 = split(C.i, factor=8)", "unroll(C.i.1)"})
      whole = whole.apply(parse_step(line).value()).value();
    std::vector<LeftOut> all = left_out(whole, this_cpu()->shared_target()).value();
    QCOMPARE(all.size(), size_t(4));
    std::vector<int> others;
    for (LeftOut const& one : all) {
      others.push_back(one.others);
      QVERIFY(one.schedule && one.sentence.empty());
      QCOMPARE(one.schedule->trace().size(), size_t(3 - one.others));
      QVERIFY(one.schedule->script().find(one.step) == std::string::npos);
    }
    QCOMPARE(others, (std::vector<int>{1, 0, 1, 0}));
    QVERIFY(left_out(plain, this_cpu()->shared_target()).value().empty());
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(left_out(whole, this_cpu()->shared_target(), stop.get_token()).error().code,
             std::string("cancelled"));
  }
};

QTEST_GUILESS_MAIN(AblationTest)
#include "ablation_test.moc"
