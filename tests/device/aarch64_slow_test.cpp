// The cases of an emulated device, with 64-bit Arm.
#include "tests/device/emulated_cases.h"

using namespace tw;

class Aarch64Test : public test::EmulatedCases {
  Q_OBJECT
protected:
  QString architecture() const override { return "aarch64"; }
  QStringList models() const override { return {"dqn", "resnet18"}; }

private slots:
  void the_device_describes_its_own_architecture() {
    if (!emulated_) QSKIP("there is no device");
    QVERIFY(hardware_.word("triple") == "aarch64-linux-gnu");
    QVERIFY(hardware_.word("features").starts_with("+neon"));
    QVERIFY(hardware_.word("processor") == "generic");
    QCOMPARE(hardware_.unit().vector_bytes, 16);
    QCOMPARE(hardware_.unit().vector_registers, 32);
    QCOMPARE(QString::fromStdString(backend_->target().title), QString("aarch64 · NEON"));
  }
};

QTEST_GUILESS_MAIN(Aarch64Test)
#include "aarch64_slow_test.moc"
#include "moc_emulated_cases.cpp"
