/// tw-device of another architecture: cross-compiled, served by an emulator.
#pragma once

#include <QProcess>
#include <memory>

#include "tests/device/test_server.h"
#include "tests/support/paths.h"

namespace tw::test {

class EmulatedDevice {
public:
  /// `architecture`: as tests/device/build_emulated.sh has it. Where packages cannot be had,
  /// `skipped` says why and there is no server; `said` is what went wrong otherwise.
  explicit EmulatedDevice(QString const& architecture, QStringList const& options = {}) {
    QString folder = testing::built("/") + architecture;
    QProcess build;
    build.setProcessChannelMode(QProcess::MergedChannels);
    build.start(testing::source("/tests/device/build_emulated.sh"),
                {architecture, testing::source(), folder});
    bool ended = build.waitForFinished(1'500'000);
    said = QString::fromUtf8(build.readAll()).trimmed();
    if (ended && build.exitCode() == 77) skipped = said;
    if (!ended || build.exitCode() != 0) return;
    QString program = architecture == "armv7" ? "qemu-arm-static" : "qemu-aarch64-static";
    QStringList emulator{program, "-L", folder + "/sysroot"};
    // The emulator cannot start a program of its own kind by itself: the launcher does.
    server = std::make_unique<TestServer>(
        QStringList{"--call-seconds", "900", "--launcher", emulator.join(' ')} + options,
        "127.0.0.1:0", emulator + QStringList{folder + "/build/bin/tw-device-rpc"});
    if (server->address().empty()) said = server->said();
  }
  bool serves() const { return server && !server->address().empty(); }

  QString skipped, said;
  std::unique_ptr<TestServer> server;
};

}  // namespace tw::test
