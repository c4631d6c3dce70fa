// How figures are read: ratios forward, spreads by what they rest on, bars beside their digits.
#include <QtTest>

#include "engine/session/spread_words.h"
#include "widgets/devices/roof_bars.h"
#include "widgets/paint/ratio_words.h"

using namespace tw;

class RatiosTest : public QObject {
  Q_OBJECT
private slots:
  void ratios_read_forward() {
    QCOMPARE(paint::times_as_fast(2.31), QStringLiteral("2.31×"));
    QCOMPARE(paint::times_as_fast(1 / 191.0), QStringLiteral("191× slower"));
    QCOMPARE(paint::times_as_fast(1.002), QString("the same"));
    QCOMPARE(paint::against_baseline(4), QStringLiteral("4.00× baseline"));
    QCOMPARE(paint::against_baseline(0.25), QStringLiteral("4.00× slower than baseline"));
    QCOMPARE(paint::change_words(1 / 191.0, true), QStringLiteral("191× faster"));
    QCOMPARE(paint::change_words(1 / 191.0, false), QStringLiteral("191× less"));
    QCOMPARE(paint::change_words(2, true), QStringLiteral("2.00× slower"));
    QCOMPARE(paint::change_words(2, false), QStringLiteral("2.00× more"));
    QCOMPARE(paint::change_words(1.001, true), QString("the same"));
  }

  void a_spread_says_what_it_rests_on() {
    QCOMPARE(session::spread_words(60.5, 0.042), std::string("±4.2 %"));
    QCOMPARE(session::spread_words(60.5, 0), std::string("1 sample"));
    QCOMPARE(session::spread_words(0.29, 7.38), std::string("to 2.43 ms"));
    QCOMPARE(session::samples_words(0.29, 7.38, 5), std::string("to 2.43 ms in 5 samples"));
    QCOMPARE(session::spread_of({3.0, 2.0, 5.0, 2.5}), 1.5);
    QCOMPARE(session::spread_of({}), 0.0);
    QCOMPARE(session::samples_words(60.5, 0.042, 9), std::string("±4.2 % of 9 samples"));
    QCOMPARE(session::samples_words(60.5, 0.042, 0), std::string("±4.2 %"));
    QCOMPARE(session::samples_words(60.5, 0, 1), std::string("1 sample"));
  }

  void bars_of_roofs_leave_their_digits_alone() {
    RoofBars bars;
    bars.set_theme(Theme::load("dark"));
    bars.show_roofs({{"FMA f32, one core", true, 235, "GFLOP/s"}, {"DRAM", false, 66.6, "GB/s"}});
    int drawn = 0;
    for (int width = 120; width <= 600; width += 20) {
      bars.resize(width, 100);
      auto track = bars.track(0);
      if (!track) continue;
      ++drawn;
      QVERIFY2(track->right() < bars.unit_width() - bars.values_width(),
               qPrintable(QString::number(width)));
    }
    QVERIFY(drawn > 10 && drawn < 24);
  }
};

QTEST_MAIN(RatiosTest)
#include "ratios_test.moc"
