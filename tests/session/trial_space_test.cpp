// Trials as points: knobs that differ are axes, numbers stand by their size, ranges keep points.
#include <QtTest>

#include <map>

#include "engine/session/views/trial_space.h"

using namespace tw::session;

namespace {

TuningView view_of(std::vector<std::tuple<double, std::string, std::string>> const& trials) {
  auto run = std::make_shared<TuningRun>();
  run->number = 3;
  for (auto const& [ms, factor, order] : trials) {
    auto trial = std::make_shared<TuningTrial>();
    trial->number = int(run->trials.size()) + 1;
    trial->ms = ms;
    trial->knobs = {{"C.i.factor", factor}, {"C.same", "1"}};
    if (!order.empty()) trial->knobs.emplace_back("C.order", order);
    run->trials.push_back(trial);
  }
  return TuningView{.runs = {run}, .model = {}, .ablation = {}};
}

/// A tuning as a search leaves it: the rule's schedule first, then what differs from it.
TuningView as_tuned(int from = 0, int number = 1) {
  auto run = std::make_shared<TuningRun>();
  run->number = number;
  run->from = from;
  std::vector<std::map<std::string, std::string>> const points{
      {}, {{"C.y", "4"}}, {{"C.join", "no"}}, {{"C.y", "16"}, {"C.join", "no"}}};
  for (auto const& point : points) {
    auto trial = std::make_shared<TuningTrial>();
    trial->number = int(run->trials.size()) + 1;
    trial->ms = 5 - trial->number;
    trial->knobs = {point.begin(), point.end()};
    run->trials.push_back(trial);
  }
  return {.runs = {run}, .model = {}, .ablation = {}};
}

std::vector<std::string> words_of(TrialAxis const& axis) {
  std::vector<std::string> words;
  for (int place = 0; place < int(axis.values.size()); ++place) words.push_back(axis.words(place));
  return words;
}

std::vector<int> places_on(TrialSpace const& space, std::string const& knob) {
  std::vector<int> places;
  for (TrialPoint const& point : space.points)
    places.push_back(point.values[size_t(space.axis_of(knob))]);
  return places;
}

}  // namespace

class TrialSpaceTest : public QObject {
  Q_OBJECT
private slots:
  void knobs_that_differ_are_axes() {
    TrialSpace space =
        trial_space(view_of({{4, "16", "ij"}, {2, "8", "ji"}, {0, "128", "ij"}, {3, "2", ""}}));
    QCOMPARE(space.axes.size(), size_t(2));
    TrialAxis const& factor = space.axes[size_t(space.axis_of("C.i.factor"))];
    QCOMPARE(factor.values, (std::vector<std::string>{"2", "8", "16", "128"}));
    QCOMPARE(space.axis_of("C.same"), -1);
    QCOMPARE(space.points.size(), size_t(3));  // one has no time
    QCOMPARE(space.points[0].run, 3);
    QCOMPARE(space.points[2].trial, 4);
    TrialAxis const& order = space.axes[size_t(space.axis_of("C.order"))];
    QCOMPARE(words_of(order), (std::vector<std::string>{"default", "ij", "ji"}));
    QCOMPARE(space.points[2].values[size_t(space.axis_of("C.order"))], order.by_rule);
    QCOMPARE(space.least_ms, 2.0);
    QCOMPARE(space.most_ms, 4.0);
  }

  /// Most knobs of most trials are not named: each trial has a place on every axis all the same.
  void what_is_not_named_is_by_rule() {
    TrialSpace space = trial_space(as_tuned());
    QCOMPARE(space.axes.size(), size_t(2));
    TrialAxis const& y = space.axes[size_t(space.axis_of("C.y"))];
    QCOMPARE(words_of(y), (std::vector<std::string>{"default", "4", "16"}));
    QCOMPARE(words_of(space.axes[size_t(space.axis_of("C.join"))]),
             (std::vector<std::string>{"default", "no"}));
    QCOMPARE(places_on(space, "C.y"), (std::vector<int>{0, 1, 0, 2}));
    QCOMPARE(places_on(space, "C.join"), (std::vector<int>{0, 0, 1, 1}));
    QCOMPARE(kept_by(space, {{{space.axis_of("C.y"), 0, 1}}, 1}), (std::vector<char>{1, 1, 1, 0}));
  }

  void the_rules_value_has_its_place_where_it_is_known() {
    TrialSpace space = trial_space(as_tuned(), {{1, {{"C.y", "8"}, {"C.join", "yes"}}}});
    TrialAxis const& y = space.axes[size_t(space.axis_of("C.y"))];
    QCOMPARE(words_of(y), (std::vector<std::string>{"4", "default 8", "16"}));
    QCOMPARE(y.by_rule, 1);
    QCOMPARE(y.place_of("default"), 1);
    QCOMPARE(y.place_of("by rule"), 1);  // as older journals have it
    QCOMPARE(y.place_of("16"), 2);
    QCOMPARE(y.place_of("32"), -1);
    QCOMPARE(places_on(space, "C.y"), (std::vector<int>{1, 0, 1, 2}));
    QCOMPARE(words_of(space.axes[size_t(space.axis_of("C.join"))]),
             (std::vector<std::string>{"no", "default yes"}));
    // Of a trial that names it the rule would take another one there: so it may elsewhere.
    space = trial_space(as_tuned(), {{1, {{"C.y", "4"}}}});
    QCOMPARE(words_of(space.axes[size_t(space.axis_of("C.y"))]),
             (std::vector<std::string>{"default", "4", "16"}));
  }

  void what_another_space_has_not_is_not_asked() {
    TuningView both = as_tuned();
    auto other = std::make_shared<TuningRun>(*view_of({{4, "16", "ij"}, {2, "8", "ij"}}).runs[0]);
    other->from = 7;
    both.runs.push_back(other);
    TrialSpace space = trial_space(both);
    QCOMPARE(words_of(space.axes[size_t(space.axis_of("C.y"))]),
             (std::vector<std::string>{"not asked", "default", "4", "16"}));
    QCOMPARE(places_on(space, "C.y"), (std::vector<int>{1, 2, 1, 3, 0, 0}));
    QCOMPARE(words_of(space.axes[size_t(space.axis_of("C.i.factor"))]),
             (std::vector<std::string>{"not asked", "8", "16"}));
  }

  void ranges_stay_on_their_values() {
    TrialSpace before = trial_space(as_tuned());
    TrialSpace after = trial_space(as_tuned(), {{1, {{"C.y", "8"}}}});
    TrialFilter kept{{{before.axis_of("C.y"), 0, 1}, {2, 1.5, 3}}, 0.5};
    TrialFilter now = carried(kept, before, after);
    QCOMPARE(now, (TrialFilter{{{after.axis_of("C.y"), 0, 1}, {2, 1.5, 3}}, 0.5}));
    kept.ranges = {{before.axis_of("C.y"), 2, 2}};
    QCOMPARE(carried(kept, before, after).ranges, kept.ranges);
    QVERIFY(carried(kept, before, trial_space({})).ranges.empty());
  }

  void ranges_and_the_fastest_part_keep_points() {
    TrialSpace space =
        trial_space(view_of({{4, "1", "ij"}, {2, "2", "ji"}, {1, "4", "ij"}, {3, "8", "ij"}}));
    int factor = space.axis_of("C.i.factor");
    QCOMPARE(kept_by(space, {}), (std::vector<char>{1, 1, 1, 1}));
    QCOMPARE(kept_by(space, {{{factor, 1, 2}}, 1}), (std::vector<char>{0, 1, 1, 0}));
    QCOMPARE(kept_by(space, {{{int(space.axes.size()), 1.5, 3}}, 1}),
             (std::vector<char>{0, 1, 0, 1}));
    QCOMPARE(kept_by(space, {{}, 0.5}), (std::vector<char>{0, 1, 1, 0}));
    std::vector<char> kept = kept_by(space, {{{factor, 3, 3}}, 1});
    QCOMPARE(fastest_of(space, kept), 3);
    QCOMPARE(fastest_of(space, std::vector<char>(4, 0)), -1);
    QCOMPARE(fastest_of(space, kept_by(space, {})), 2);
  }

  void nothing_is_no_space() {
    TrialSpace space = trial_space({});
    QVERIFY(space.axes.empty() && space.points.empty());
    QVERIFY(kept_by(space, {{}, 0.01}).empty());
  }
};

QTEST_GUILESS_MAIN(TrialSpaceTest)
#include "trial_space_test.moc"
