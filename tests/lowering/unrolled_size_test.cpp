// What unrolled loops write out is bounded by what they hold, not by their copies alone.
#include <QtTest>

#include "engine/lowering/passes.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"

using namespace tw;

namespace {

/// `stages` statements in one loop of 1000 iterations, which is unrolled.
Result<std::vector<LoweredStage>> lower_chain(int stages) {
  std::string text = "tilewright te 1\nkernel chain(X: f32[1000]) -> S" + std::to_string(stages);
  std::string steps = "tilewright schedule 1\n";
  for (int s = 1; s <= stages; ++s) {
    std::string from = s == 1 ? "X" : "S" + std::to_string(s - 1);
    text += "\n  S" + std::to_string(s) + "[i in 1000] = " + from + "[i] + 1.0";
  }
  std::string last = "S" + std::to_string(stages);
  for (int s = stages - 1; s > 0; --s)
    steps += "compute_at(S" + std::to_string(s) + ", " + last + ".i)\n";
  steps += "unroll(" + last + ".i)\n";
  auto program = te::to_program(te::parse_kernel(text + "\n").value()).value();
  auto schedule = replay(Schedule(program), parse_script(steps).value()).value();
  std::vector<Pass> passes{lower_blocks(), unroll_loops()};
  return lower(schedule.program(), *any_target(), passes);
}

}  // namespace

class UnrolledSizeTest : public QObject {
  Q_OBJECT
private slots:
  void a_small_body_is_written_out() { QVERIFY(lower_chain(2).has_value()); }

  void a_large_body_is_refused_with_its_number_of_statements() {
    auto lowered = lower_chain(20);
    QVERIFY(!lowered);
    QCOMPARE(lowered.error().code, std::string("too_many_statements"));
    QCOMPARE(lowered.error().message,
             std::string("unrolling the loops of chain would give 60000 operations, but at most "
                         "20000 are compiled: unroll fewer or smaller loops"));
  }
};

QTEST_GUILESS_MAIN(UnrolledSizeTest)
#include "unrolled_size_test.moc"
