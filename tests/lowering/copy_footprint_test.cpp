// What copies touch as a loop goes on: after which number of iterations it is the same again.
#include <fmt/format.h>

#include <QtTest>

#include "engine/ir/intrinsic.h"
#include "engine/ir/kernel.h"
#include "engine/lowering/async_copy_footprint.h"
#include "engine/support/base/random.h"
#include "tests/support/thread_machine.h"

using namespace tw;

namespace {

AsyncQueue const kCopies{};

constexpr char kKernel[] =
    "tilewright kernel 1\n"
    "intrinsic bring(write to: f32[4] @shared, read from: f32[4] @global) async\n"
    "  for i in 4\n"
    "    to[i] = from[i]\n"
    "host f(X: f32[400], Y: f32[64])\n"
    "  alloc T: f32[64] @shared\n"
    "  for k in 40\n"
    "    call bring(T[{0}+to._0] over (to._0 in 4), X[k*4+from._0] over (from._0 in 4))\n"
    "    {1}Y[k] = T[{2}]\n";

struct Loop {
  ir::KernelIr kernel;
  ir::Stmt body;
};

Loop loop_of(std::string const& to, std::string const& guard, std::string const& from) {
  std::string condition = guard.empty() ? "" : "if " + guard + "\n      ";
  auto kernel = ir::parse_kernel(fmt::format(kKernel, to, condition, from));
  if (!kernel) qFatal("%s", to_sentence(kernel.error()).c_str());
  Loop loop{*kernel, {}};
  ir::walk(kernel->host.body, [&](ir::Stmt const& s) {
    if (auto const* found = s.as<ir::For>()) loop.body = found->body;
    return !loop.body;
  });
  return loop;
}

}  // namespace

class CopyFootprintTest : public QObject {
  Q_OBJECT
private slots:
  void rings_come_round_data() {
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("guard");
    QTest::addColumn<QString>("from");
    QTest::addColumn<int>("period");
    QTest::newRow("three slots") << "(k%3)*4"
                                 << ""
                                 << "(k%3)*4" << 3;
    QTest::newRow("slots side by side") << "(k*4+8)%12"
                                        << ""
                                        << "k%3*4+1" << 3;
    QTest::newRow("two rings") << "(k%3)*4"
                               << ""
                               << "(k+2)%4" << 12;
    QTest::newRow("of a quotient") << "(k//2%3)*4"
                                   << ""
                                   << "0" << 0;
    QTest::newRow("in a remainder") << "(k%6*4)%12"
                                    << ""
                                    << "0" << 6;
    QTest::newRow("no ring") << "(k%3)*4"
                             << ""
                             << "k" << 0;
    QTest::newRow("a beginning") << "(k%3)*4"
                                 << "k < 2"
                                 << "0" << 0;
    QTest::newRow("every other turn") << "8"
                                      << "k%2 == 0"
                                      << "0" << 2;
    QTest::newRow("none") << "8"
                          << ""
                          << "9" << 1;
    QTest::newRow("backwards") << "(0-k)%5*4"
                               << ""
                               << "(7-k*3)%5" << 5;
  }
  void rings_come_round() {
    QFETCH(QString, to);
    QFETCH(QString, guard);
    QFETCH(QString, from);
    Loop loop = loop_of(to.toStdString(), guard.toStdString(), from.toStdString());
    Touching touching(*testing::thread_machine(), kCopies, loop.kernel.host.body, {});
    QTEST(int(touching.period(loop.body, "k")), "period");
    QCOMPARE(touching.tells(loop.body, "k"), touching.period(loop.body, "k") != 1);
    repeats(touching, loop.body);
  }

  /// TW_TEST_SEED: which.
  void random_rings_come_round() {
    bool given = false;
    uint64_t seed = qEnvironmentVariable("TW_TEST_SEED").toULongLong(&given);
    if (!given) seed = 20261130;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    Rng rng(seed);
    int rings = 0;
    for (int i = 0; i < 300; ++i) {
      auto ring = [&] {
        int64_t length = rng.between(1, 6), step = rng.between(-3, 3), first = rng.between(-9, 9);
        return fmt::format("({}+k*{}{})%{}*4", first, step, rng.below(4) ? "" : "//2", length);
      };
      std::string guard = rng.below(3) ? "" : fmt::format("(k+1)%{} < 2", rng.between(1, 4));
      Loop loop = loop_of(ring(), guard, ring());
      Touching touching(*testing::thread_machine(), kCopies, loop.kernel.host.body, {});
      rings += touching.period(loop.body, "k") > 1;
      repeats(touching, loop.body);
    }
    QVERIFY(rings >= 100);
  }

private:
  static void repeats(Touching& touching, ir::Stmt const& body) {
    int64_t period = touching.period(body, "k");
    for (int64_t k = 0; period > 0 && k + period < 40; ++k) {
      Effect now = touching.of(body, {{"k", k}}), later = touching.of(body, {{"k", k + period}});
      QVERIFY(now.known && later.known);
      QVERIFY(!now.writes.empty());
      QCOMPARE(now.writes, later.writes);
      QCOMPARE(now.reads, later.reads);
    }
  }
};

QTEST_GUILESS_MAIN(CopyFootprintTest)
#include "copy_footprint_test.moc"
