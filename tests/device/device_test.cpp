// The cases of every device, with this machine's child process.
#include <QtTest>

#include "engine/device/local_device.h"
#include "tests/device/device_cases.h"
#include "tests/support/paths.h"

using namespace tw;

class DeviceTest : public test::DeviceCases {
  Q_OBJECT
protected:
  std::unique_ptr<WireDevice> make_device() override {
    return std::make_unique<LocalDevice>(
        LocalDeviceOptions{.program = testing::built("/bin/tw-device")});
  }
  pid_t worker(WireDevice& device) override { return static_cast<LocalDevice&>(device).child(); }

private slots:
  void a_missing_program_is_a_sentence() {
    LocalDevice device({.program = "/nonexistent/tw-device"});
    auto refused = device.describe({});
    QVERIFY(refused.error().code == "device_unavailable");
    QVERIFY(refused.error().message.find("/nonexistent/tw-device") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(DeviceTest)
#include "device_test.moc"
#include "moc_device_cases.cpp"
