// The cases of an emulated device, with 32-bit Arm: pointers of four bytes, arithmetic of 64 bits
// by calls, vectors in half as many registers.
#include "tests/device/emulated_cases.h"

using namespace tw;

class Armv7Test : public test::EmulatedCases {
  Q_OBJECT
protected:
  QString architecture() const override { return "armv7"; }
  QStringList models() const override { return {"dqn"}; }

private slots:
  void the_device_describes_its_own_architecture() {
    if (!emulated_) QSKIP("there is no device");
    QVERIFY(hardware_.word("triple") == "armv7-unknown-linux-gnueabihf");
    QVERIFY2(hardware_.word("features") == "+neon,+vfp4,+hwdiv-arm",
             hardware_.word("features").c_str());
    QCOMPARE(hardware_.unit().vector_bytes, 16);
    QCOMPARE(hardware_.unit().vector_registers, 16);
    QCOMPARE(QString::fromStdString(backend_->target().title), QString("armv7 · NEON"));
  }
};

QTEST_GUILESS_MAIN(Armv7Test)
#include "armv7_slow_test.moc"
