// Points as numbers: which columns there are, what is missing, and that more of them spoil nothing.
#include <QtTest>

#include <cmath>

#include "engine/tuner/features/knob_features.h"

using namespace tw;

namespace {

Knob knob(std::string name, std::vector<std::string> values, int taken) {
  return {std::move(name), std::move(values), 0, taken};
}
std::vector<float> row(KnobFeatures const& features, Coordinates const& point) {
  std::vector<float> values(features.width());
  features.fill(point, values);
  return values;
}

}  // namespace

class KnobFeaturesTest : public QObject {
  Q_OBJECT
private slots:
  void numbers_are_logarithms_and_those_of_a_block_are_added_up() {
    KnobFeatures features;
    std::vector<Knob> knobs = {knob("a.x", {"1", "3", "7"}, 2), knob("a.y", {"1", "3"}, 1),
                               knob("b.x", {"1", "3"}, 0)};
    features.see(knobs);
    // x and the sum of "a.", y, x and the sum of "b."
    QCOMPARE(row(features, features.coordinates(knobs)), (std::vector<float>{3, 5, 2, 1, 1}));
  }

  void words_are_apart_and_lists_say_the_place_of_each() {
    KnobFeatures features;
    std::vector<Knob> knobs = {knob("a.by", {"none", "x"}, 1), knob("a.order", {"x,y", "y,x"}, 1)};
    features.see(knobs);
    QCOMPARE(row(features, features.coordinates(knobs)), (std::vector<float>{0, 1, 2, 1}));
  }

  void who_was_not_asked_is_missing() {
    KnobFeatures features;
    std::vector<Knob> some = {knob("a.x", {"1", "3"}, 1)};
    std::vector<Knob> all = {some[0], knob("b.by", {"x", "y"}, 0)};
    features.see(all);
    std::vector<float> values = row(features, features.coordinates(some));
    QVERIFY(values[0] == 2 && std::isnan(values[2]) && std::isnan(values[3]));
  }

  void what_is_seen_later_leaves_the_columns_and_points_of_before() {
    KnobFeatures features;
    std::vector<Knob> knobs = {knob("a.by", {"x", "y"}, 0), knob("a.n", {"1", "3"}, 1)};
    features.see(knobs);
    Coordinates before = features.coordinates(knobs);
    std::vector<float> values = row(features, before);
    features.see({knob("a.by", {"z", "x"}, 0), knob("c.n", {"1"}, 0)});
    QVERIFY(features.width() > values.size());
    std::vector<float> after = row(features, before);
    QVERIFY(std::equal(values.begin(), values.end(), after.begin()));
    QCOMPARE(features.point(before), (Point{{"a.by", "x"}, {"a.n", "3"}}));
    // Trees of an earlier time get as many columns as they know.
    std::vector<float> fewer(values.size());
    features.fill(before, fewer);
    QCOMPARE(fewer, values);
  }
};

QTEST_GUILESS_MAIN(KnobFeaturesTest)
#include "knob_features_test.moc"
