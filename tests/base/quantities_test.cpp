// Numbers as people read them.
#include "engine/support/base/quantities.h"

#include <QtTest>

using namespace tw;

class QuantitiesTest : public QObject {
  Q_OBJECT
private slots:
  void a_duration_is_in_the_unit_in_which_it_is_at_least_one() {
    QCOMPARE(duration_text(0), std::string("0 ns"));
    QCOMPARE(duration_text(8.2e-7), std::string("820 ns"));
    QCOMPARE(duration_text(4.5e-5), std::string("45.0 µs"));
    QCOMPARE(duration_text(1.714e-3), std::string("1.71 ms"));
    QCOMPARE(duration_text(0.1257), std::string("126 ms"));
    QCOMPARE(duration_text(72), std::string("72.0 s"));
    QCOMPARE(milliseconds_text(0.0066), std::string("6.60 µs"));
    // What rounds up to the next unit is in it.
    QCOMPARE(duration_text(999.6e-9), std::string("1.00 µs"));
    QCOMPARE(duration_text(999.4e-9), std::string("999 ns"));
    QCOMPARE(duration_text(0.99996), std::string("1.00 s"));
  }

  void a_number_has_three_digits_that_count() {
    QCOMPARE(number_text(0.045), std::string("0.045"));
    QCOMPARE(number_text(9.996), std::string("10.0"));
    QCOMPARE(number_text(99.96), std::string("100"));
    QCOMPARE(number_text(476.4), std::string("476"));
    QCOMPARE(number_text(-1.5), std::string("-1.50"));
  }

  void bytes_counts_speeds_and_shares() {
    QCOMPARE(bytes_text(512), std::string("512 B"));
    QCOMPARE(bytes_text(48 * 1024), std::string("48 KB"));
    QCOMPARE(bytes_text(4.6 * 1024), std::string("4.6 KB"));
    QCOMPARE(bytes_text(1 << 20), std::string("1.0 MB"));
    QCOMPARE(bytes_text(1023.7 * 1024), std::string("1.0 MB"));
    QCOMPARE(bytes_text(3.0 * (1 << 30)), std::string("3.0 GB"));
    using Two = std::pair<std::string, std::string>;
    QCOMPARE(bytes_apart(232448, 232452), Two("232448 B", "232452 B"));
    QCOMPARE(bytes_apart(232448, 240000), Two("227 KB", "234 KB"));
    QCOMPARE(bytes_apart(512, 512), Two("512 B", "512 B"));
    QCOMPARE(many_text(58), std::string("58"));
    QCOMPARE(many_text(1240), std::string("1.24 k"));
    QCOMPARE(many_text(231.6e6), std::string("232 M"));
    QCOMPARE(many_text(999.7), std::string("1.00 k"));
    QCOMPARE(count_text(1, "kernel"), std::string("1 kernel"));
    QCOMPARE(count_text(0, "kernel"), std::string("0 kernels"));
    QCOMPARE(speed_text(118.2, "GB/s"), std::string("118 GB/s"));
    QCOMPARE(speedup_text(93.12), std::string("93.1 times faster"));
    QCOMPARE(speedup_text(0.8), std::string("1.25 times slower"));
    QCOMPARE(speedup_text(1.002), std::string("as fast"));
    QCOMPARE(percent_text(0.62), std::string("62 %"));
    QCOMPARE(percent_text(0.0061), std::string("0.6 %"));
    QCOMPARE(percent_text(0.00034), std::string("0.03 %"));
    QCOMPARE(percent_text(0), std::string("0.0 %"));
  }
};

QTEST_APPLESS_MAIN(QuantitiesTest)
#include "quantities_test.moc"
