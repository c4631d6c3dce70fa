// Loops as numbers: what the paper's tables say of a small nest, and what must not matter.
#include <QtTest>

#include <cmath>
#include <ctime>

#include "engine/ir/text.h"
#include "engine/tuner/features/loop_features.h"
#include "tests/tuner/tuned_kernels.h"

using namespace tw;
using namespace tw::testing;

namespace {

LoopNest nest_of(char const* kernel) {
  return loop_nest(te::to_program(kernel_of(kernel)).value());
}

}  // namespace

class LoopFeaturesTest : public QObject {
  Q_OBJECT
private slots:
  /// C[96, 80] += A[96, 64] * B[64, 80]: loops i, j, k.
  void a_product_touches_what_its_loops_reach() {
    LoopNest nest = nest_of(kProduct);
    QCOMPARE(nest.loops.size(), size_t(3));
    LoopContext const &i = nest.loops[0], &j = nest.loops[1], &k = nest.loops[2];
    QCOMPARE(i.length, 96.0);
    QCOMPARE(j.top_down, 96.0);
    QCOMPARE(j.bottom_up, 80.0 * 64);
    QCOMPARE(k.top_down, 96.0 * 80);
    // What is written comes first, then, without vectors, what has more elements: A.
    QCOMPARE(i.tensors[0].touched, 96.0 * 80);
    QCOMPARE(i.tensors[1].touched, 96.0 * 64);
    QCOMPARE(j.tensors[1].touched, 64.0);
    QCOMPARE(j.tensors[1].reuse, 80.0);
    QCOMPARE(j.tensors[2].touched, 64.0 * 80);
    QCOMPARE(k.tensors[0].touched, 1.0);
    QCOMPARE(k.tensors[0].reuse, 64.0);
    QCOMPARE(k.tensors[1].stride, 1.0);
    QCOMPARE(k.tensors[2].stride, 80.0);
    QCOMPARE(j.tensors[2].stride, 1.0);
  }

  void a_window_touches_what_overlaps_once() {
    LoopNest nest = nest_of(kWindow);  // o, y, x, c, r, s
    QCOMPARE(nest.loops.size(), size_t(6));
    double image = 0;
    for (TensorContext const& tensor : nest.loops[1].tensors)
      if (tensor.touched == 30.0 * 30 * 16) image = tensor.reuse;
    QCOMPARE(image, 28.0 * 28 * 16 * 9 / (30.0 * 30 * 16));
  }

  void rows_are_as_wide_as_they_say_and_names_do_not_matter() {
    LoopNest nest = nest_of(kProduct);
    std::string other =
        "tilewright te 1\n"
        "kernel other(P: f32[96, 64], Q: f32[64, 80]) -> R\n"
        "  R[a in 96, b in 80] = sum[c in 64] P[a, c] * Q[c, b]\n";
    LoopNest same = nest_of(other.c_str());
    QCOMPARE(context_features(nest).size(), context_width());
    QCOMPARE(relation_features(nest).size(), relation_width());
    QCOMPARE(relation_features(nest), relation_features(same));
    auto one = context_features(nest), two = context_features(same);
    for (size_t i = 0; i < one.size(); ++i)
      QVERIFY(one[i] == two[i] || (std::isnan(one[i]) && std::isnan(two[i])));
  }

  /// "Invariant": a loop cut in two whose parts stay together adds a row to the context, while the
  /// relations only ask what some loop does.
  void relations_are_of_one_width_for_nests_of_any_depth() {
    Space space = space_of(kWindow);
    Rng rng(1);
    std::set<std::vector<float>> rows;
    std::set<size_t> depths;
    int points = 0;
    while (points < 40) {
      Candidate candidate = space.random(rng).value();
      if (candidate.rejection) continue;  // its program is none
      LoopNest nest = loop_nest(candidate.schedule.program());
      depths.insert(nest.loops.size());
      std::vector<float> row = relation_features(nest);
      QCOMPARE(row.size(), relation_width());
      for (float value : row) QVERIFY(!std::isinf(value));
      rows.insert(row);
      ++points;
    }
    qInfo("%zu different rows of %d points", rows.size(), points);
    QVERIFY(rows.size() > size_t(points) / 2);
  }

  void it_takes_less_than_the_template() {
    Space space = space_of(kWindow);
    Rng rng(1);
    std::clock_t start = std::clock();
    std::vector<Candidate> candidates;
    for (int i = 0; i < 60; ++i) candidates.push_back(space.random(rng).value());
    double made = double(std::clock() - start) / CLOCKS_PER_SEC / 60;
    start = std::clock();
    size_t numbers = 0;
    for (Candidate const& one : candidates)
      numbers += relation_features(loop_nest(one.schedule.program())).size();
    double took = double(std::clock() - start) / CLOCKS_PER_SEC / 60;
    qInfo("a point by its template %.0f us, its features %.0f us", made * 1e6, took * 1e6);
    QCOMPARE(numbers, 60 * relation_width());
    QVERIFY(took < made);
  }
};

QTEST_GUILESS_MAIN(LoopFeaturesTest)
#include "loop_features_test.moc"
