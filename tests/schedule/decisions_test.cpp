// What a template asks and what it is answered.
#include "engine/schedule/decisions.h"

#include <QtTest>

using namespace tw;

namespace {

/// Which choices there are depends on the first.
int64_t run(Decisions& decisions) {
  bool packed = decisions.choose("packed", false);
  int64_t tile = decisions.choose("tile", {1, 2, 4, 8}, 4);
  return packed ? tile * decisions.choose("panel", {16, 32}, 16) : tile;
}

}  // namespace

class DecisionsTest : public QObject {
  Q_OBJECT
private slots:
  void without_answers_it_is_a_rule() {
    Decisions decisions;
    QCOMPARE(run(decisions), int64_t(4));
    QCOMPARE(decisions.knobs().size(), size_t(2));
    QVERIFY(decisions.point().empty());
    QCOMPARE(point_text(decisions.point()), std::string("by rule"));
  }
  void answers_are_taken_and_open_further_choices() {
    Decisions decisions(Point{{"packed", "yes"}, {"panel", "32"}});
    QCOMPARE(run(decisions), int64_t(128));
    QCOMPARE(decisions.knobs().size(), size_t(3));
    QCOMPARE(point_text(decisions.point()), std::string("packed=yes panel=32"));
  }
  void an_answer_that_is_none_of_the_values_is_as_none() {
    Decisions decisions(Point{{"tile", "5"}, {"panel", "32"}});
    QCOMPARE(run(decisions), int64_t(4));
    QVERIFY(decisions.point().empty());
  }
  void what_is_not_given_is_asked_of_another() {
    Decisions decisions(Point{{"tile", "2"}},
                        [](Knob const& knob) { return int(knob.values.size()); });
    QCOMPARE(run(decisions), int64_t(2 * 32));  // an index beyond the end is the last value
  }
  void a_preset_that_is_none_of_the_values_is_one() {
    Decisions decisions;
    QCOMPARE(decisions.choose("copies", {1, 2}, 7), int64_t(7));
    QCOMPARE(decisions.knobs()[0].values.size(), size_t(3));
  }
  void a_choice_is_made_once() {
    Decisions decisions(Point{{"tile", "8"}});
    QCOMPARE(decisions.choose("tile", {1, 8}, 1), int64_t(8));
    QCOMPARE(decisions.choose("tile", {1, 2}, 2), int64_t(8));
    QCOMPARE(decisions.knobs().size(), size_t(1));
  }
  void the_first_rejection_stays_until_the_template_is_run_again() {
    Decisions decisions;
    decisions.reject("registers", "40 do not fit 32");
    decisions.reject("capacity", "too large");
    QCOMPARE(decisions.rejection()->reason, std::string("registers"));
    decisions.forget_asked();
    QVERIFY(!decisions.rejection() && decisions.knobs().empty());
  }
};

QTEST_GUILESS_MAIN(DecisionsTest)
#include "decisions_test.moc"
