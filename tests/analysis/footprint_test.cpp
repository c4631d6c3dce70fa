// Footprints of a small convolution, counted by hand.
#include "engine/analysis/footprint.h"

#include <QtTest>

#include "engine/te/te.h"

using namespace tw;

class FootprintTest : public QObject {
  Q_OBJECT
private slots:
  void each_loop_of_a_convolution_touches_what_a_person_counts() {
    auto kernel = te::parse_kernel(
                      "tilewright te 1\n"
                      "kernel conv(X: f32[4, 10, 10], W: f32[8, 4, 3, 3]) -> Y\n"
                      "  Y[o in 8, y in 8, x in 8] = sum[c in 4, r in 3, s in 3] X[c, y+r, x+s] * "
                      "W[o, c, r, s]\n")
                      .value();
    auto program = te::to_program(kernel).value();
    auto site = ir::blocks_of(program.body).front();
    // Elements of X, W and Y for one iteration of o, y, x, c, r, s.
    int64_t const counted[] = {4 * 100 + 36 + 64, 4 * 30 + 36 + 8, 4 * 9 + 36 + 1,
                               9 + 9 + 1,         3 + 3 + 1,       3};
    for (size_t depth = 0; depth < 6; ++depth)
      QCOMPARE(analysis::footprint(site, depth), 4 * counted[depth]);
  }
};

QTEST_GUILESS_MAIN(FootprintTest)
#include "footprint_test.moc"
