// Stencils whose rows are kept: kernels and schedules at random that are made for rolling_buffer,
// which few of the other random traces come to.
#include <QtTest>

#include "engine/ir/interpreter.h"
#include "engine/ir/text.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"
#include "tests/support/stencil_kernels.h"

using namespace tw;

class RollingRowsTest : public QObject {
  Q_OBJECT
private slots:
  void rows_that_are_kept_are_those_that_would_be_computed_again() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261125;
    int traces = qEnvironmentVariableIntValue("TW_TRACES");
    if (traces <= 0) traces = 600;
    qInfo("seed %llu, %d traces", static_cast<unsigned long long>(seed), traces);
    Rng rng(seed);
    int kept = 0, after = 0;
    for (int trace = 0; trace < traces; ++trace) {
      std::string text = testing::stencil(rng);
      te::Kernel kernel = testing::parsed_kernel(text).value();
      Schedule schedule(te::to_program(kernel).value());
      auto take = [&](Step const& step) {
        auto next = schedule.apply(step);
        if (next) schedule = std::move(*next);
        return next.has_value();
      };
      auto take_some = [&](int64_t tries) {
        int taken = 0;
        for (; tries > 0; --tries) taken += take(testing::propose_step(schedule.program(), rng));
        return taken;
      };
      if (rng.below(2) == 0) take({"split", {"Y.y"}, {{"factor", rng.between(2, 3)}}, {}});
      take_some(rng.between(0, 2));
      for (char const* producer : {"B", "A"}) {
        std::vector<ir::LoopSite> loops = ir::loops_of(schedule.program().body);
        for (int tries = 0; tries < 6; ++tries)
          if (take({"compute_at",
                    {producer,
                     reference_of(schedule.program(),
                                  loops[size_t(rng.below(int64_t(loops.size())))].loop->id)},
                    {},
                    {}}))
            break;
        if (!take({"rolling_buffer", {producer}, {}, {}})) continue;
        ++kept;
        after += take_some(rng.between(4, 24));
      }
      auto inputs = testing::random_inputs(kernel, rng);
      te::Expected expected = testing::expected_of(kernel, inputs);
      auto outputs = ir::interpret(schedule.program(), inputs, {.shuffle_seed = rng.next() | 1});
      std::string shown = text + schedule.script() + ir::to_text(schedule.program());
      QVERIFY2(outputs, ((outputs ? "" : to_sentence(outputs.error())) + "\n" + shown).c_str());
      QVERIFY2(te::judge(*outputs, expected).equal, shown.c_str());
    }
    qInfo("%d tensors of which rows are kept, %d steps after that", kept, after);
    QVERIFY(kept * 8 >= traces && after >= kept);
  }
};

QTEST_GUILESS_MAIN(RollingRowsTest)
#include "rolling_rows_test.moc"
