// Sums below a maximum that is still found: softmax kernels at random, with any step after the
// update, and the values that a maximum so far must not change: masked rows, infinities, NaN.
#include <QtTest>

#include <cmath>
#include <limits>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/interpreted_schedules.h"
#include "tests/support/softmax_kernels.h"

using namespace tw;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

uint64_t seed_of_test() {
  bool given = false;
  uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
  return given ? seed : 20261130;
}

/// All steps but the update; it must be ready then.
Schedule ready(te::Kernel const& kernel, std::vector<Step> const& steps) {
  Schedule schedule(te::to_program(kernel).value());
  for (Step const& step : steps) schedule = schedule.apply(step).value();
  return schedule;
}

/// Scores of each row: some -inf, now and then all of a tile or of the row, others +inf or NaN.
void put_odd_values(NDArray& scores, Rng& rng) {
  for (int64_t i = 0; i < scores.size(); ++i) {
    int64_t kind = rng.below(24);
    if (kind < 12) scores.set_value(i, -kInfinity);
    if (kind == 12 && rng.below(4) == 0) scores.set_value(i, kInfinity);
    if (kind == 13 && rng.below(4) == 0) scores.set_value(i, std::nan(""));
    if (kind == 14) scores.set_value(i, rng.between(-200, 200));
  }
  int64_t columns = scores.shape().back();
  int64_t row = rng.below(scores.shape()[0]), from = rng.below(columns);
  for (int64_t j = rng.below(2) ? 0 : from; j < columns; ++j)
    scores.set_value(row * columns + j, -kInfinity);
}

bool agree(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b));
}

}  // namespace

class RollingUpdateTest : public QObject {
  Q_OBJECT
private slots:
  void sums_are_those_of_the_whole_rows() {
    Rng rng(seed_of_test());
    int traces = qEnvironmentVariableIntValue("TW_TRACES");
    if (traces <= 0) traces = 600;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed_of_test()), traces);
    int updated = 0, after = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::softmax_kernel(rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule(te::to_program(kernel).value(), testing::test_target(trace % 6));
      auto take = [&](Step const& step) {
        auto next = schedule.apply(step);
        if (next) schedule = std::move(*next);
        return next.has_value();
      };
      auto take_some = [&](int64_t tries) {
        int taken = 0;
        for (; tries > 0; --tries)
          taken += take(testing::propose_step(schedule.program(), rng, schedule.target()));
        return taken;
      };
      auto [steps, update] = testing::rolling_steps(schedule.program(), rng, trace % 4 == 0);
      for (Step const& step : steps) take(step);
      if (rng.below(3) == 0) take_some(rng.between(1, 3));
      if (take(update)) {
        ++updated;
        if (rng.below(2) == 0) take({"compute_at", {"P", "t"}, {}, {}});
        after += take_some(rng.between(4, 16));
      }
      std::string wrong = testing::disagreement(kernel, schedule, rng);
      QVERIFY2(wrong.empty(), (text + wrong).c_str());
    }
    qInfo("%d updates, %d steps after that", updated, after);
    QVERIFY(updated * 2 >= traces && after >= updated);
  }

  /// A maximum so far of -inf, and what a row that is masked whole gives.
  void odd_values_give_what_the_whole_row_gives() {
    Rng rng(seed_of_test() + 1);
    qInfo("seed %llu", static_cast<unsigned long long>(seed_of_test() + 1));
    int odd = 0;
    for (int trace = 0; trace < 400; ++trace) {
      std::string text = testing::softmax_kernel(rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule plain(te::to_program(kernel).value());
      auto [steps, update] = testing::rolling_steps(plain.program(), rng, false);
      auto updated = ready(kernel, steps).apply(update);
      if (!updated) continue;  // one tile
      auto inputs = testing::random_inputs(kernel, rng);
      bool scores = text.find("B: f32") != std::string::npos;
      if (!scores && text.find("X: f32") == std::string::npos) continue;
      for (size_t i = 0; i < kernel.inputs.size(); ++i)
        if (kernel.inputs[i]->name == (scores ? "B" : "X")) put_odd_values(inputs[i], rng);
      auto wanted = ir::interpret(plain.program(), inputs, {}).value();
      auto got = ir::interpret(updated->program(), inputs, {}).value();
      for (int64_t i = 0; i < wanted[0].size(); ++i) {
        odd += !std::isfinite(wanted[0].value_at(i));
        std::string said = fmt::format("{}{}element {}: {} for {}", text, updated->script(), i,
                                       got[0].value_at(i), wanted[0].value_at(i));
        QVERIFY2(agree(got[0].value_at(i), wanted[0].value_at(i)), said.c_str());
      }
    }
    qInfo("%d odd elements", odd);
    QVERIFY(odd >= 100);
  }
};

QTEST_GUILESS_MAIN(RollingUpdateTest)
#include "rolling_update_test.moc"
