/// A device of another architecture: tw-device cross-compiled, run by an emulator, with kernels
/// compiled for it here. Skipped with the reason where packages cannot be had.
#pragma once

#include <QtTest>

#include "engine/device/local_device.h"
#include "engine/device/rpc/remote_device.h"
#include "engine/session/use_cases.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "tests/device/device_bench.h"
#include "tests/device/emulated_device.h"
#include "tests/support/paths.h"
#include "tests/vta/device/board_bench.h"

namespace tw::test {

inline constexpr char kConvolution[] =
    "tilewright te 1\n"
    "kernel conv(X: f32[1, 8, 14, 14], W: f32[16, 8, 3, 3] @param, B: f32[16] @param) -> Y\n"
    "  pad[n in 1, c in 8, y in 16, x in 16] = select(1 <= y && y < 15 && 1 <= x && x < 15, X[n, "
    "c, "
    "y-1, x-1], 0)\n"
    "  conv[n in 1, o in 16, y in 14, x in 14] = sum[c in 8, r in 3, s in 3] pad[n, c, y+r, x+s] * "
    "W[o, c, r, s]\n"
    "  Y[n in 1, o in 16, y in 14, x in 14] = max(conv[n, o, y, x] + B[o], 0)\n";
inline constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";
inline constexpr char kMixed[] =
    "tilewright te 1\n"
    "kernel mixed(A: f16[37, 19], B: i8[37, 19]) -> C\n"
    "  C[i in 37, j in 19]: f32 = exp(min(f32(A[i, j]), 3)) + tanh(f32(B[i, j])) * 2\n";

class EmulatedCases : public QObject {
  Q_OBJECT
protected:
  virtual QString architecture() const = 0;
  virtual QStringList models() const = 0;

private slots:
  void initTestCase() {
    auto emulated = std::make_unique<EmulatedDevice>(architecture());
    if (!emulated->skipped.isEmpty()) QSKIP(qPrintable(emulated->skipped));
    QVERIFY2(emulated->serves(), qPrintable(emulated->said));
    emulated_ = std::move(emulated);
    using namespace std::chrono_literals;
    device_ =
        RemoteDevice::create({.address = emulated_->server->address(), .least_timeout = 15min})
            .value();
    auto hardware = device_->describe({});
    QVERIFY2(hardware, hardware ? "" : hardware.error().message.c_str());
    hardware_ = *hardware;
    backend_ = create_cpu_backend(hardware_).value();
  }
  void cleanupTestCase() {
    device_.reset();
    emulated_.reset();
  }

  void kernels_compiled_for_it_compute_what_the_reference_does_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("script");
    QTest::newRow("convolution, plain") << kConvolution << "";
    QTest::newRow("convolution, by rule") << kConvolution << "rule";
    QTest::newRow("product, plain") << kProduct << "";
    QTest::newRow("product, by rule") << kProduct << "rule";
    QTest::newRow("product, by hand")
        << kProduct
        << "tilewright schedule 1\nfor product\nj.0, j.1 = split(C.j, factor=8)\nreorder(C.j.0, "
           "C.k, C.j.1)\nvectorize(C.j.1)\nparallel(C.i)\n";
    QTest::newRow("f16 and i8, plain") << kMixed << "";
    QTest::newRow("f16 and i8, by rule") << kMixed << "rule";
  }
  void kernels_compiled_for_it_compute_what_the_reference_does() {
    if (!emulated_) QSKIP("there is no device");
    QFETCH(QString, text);
    QFETCH(QString, script);
    QTemporaryDir folder;
    std::string file = folder.filePath("kernel.te").toStdString();
    std::ofstream(file) << text.toStdString();
    auto model = session::load_model(file, {}, *backend_);
    QVERIFY2(model, model ? "" : to_sentence(model.error()).c_str());
    std::string steps = script.toStdString();
    if (script == "rule") steps = session::default_script(**model, 0, *backend_).value();
    if (steps.empty()) steps = "tilewright schedule 1\n";
    auto checked = session::check_script(**model, 0, steps, "script", *backend_, *device_,
                                         {.measure = true, .checked = true});
    QVERIFY2(checked, checked ? "" : to_sentence(checked.error()).c_str());
    QVERIFY(checked->compared);
    QVERIFY2(checked->comparison.equal, qPrintable(QString("the largest difference is %1, at %2")
                                                       .arg(checked->comparison.max_abs_diff)
                                                       .arg(checked->comparison.max_abs_ref)));
    QVERIFY2(checked->checked->ran && !checked->checked->is_wrong(),
             checked->checked->text.c_str());
    QVERIFY(*checked->scheduled_ms > 0);
    qInfo("plain %.3f ms, scheduled %.3f ms, largest difference %.2g", *checked->plain_ms,
          *checked->scheduled_ms, checked->comparison.max_abs_diff);
  }

  void a_network_computes_what_it_does_here_data() {
    QTest::addColumn<QString>("model");
    for (QString const& name : models()) QTest::newRow(qPrintable(name)) << name;
  }
  /// An emulator runs vector code some hundreds of times slower: ResNet-18 takes half a minute.
  void a_network_computes_what_it_does_here() {
    if (!emulated_) QSKIP("there is no device");
    QFETCH(QString, model);
    std::string name = "sample:" + model.toStdString();
    LocalDevice here({testing::built("/bin/tw-device")});
    auto backend_here = create_cpu_backend(here.describe({}).value()).value();
    auto run = [&](Backend const& backend, Device& device) {
      auto loaded = session::load_model(name, {}, backend).value();
      session::RunOptions options{
          .rounds = 1, .inputs = session::random_inputs(*loaded, 1).value(), .scripts = {}};
      return session::run_model(*loaded, options, backend, device);
    };
    auto there = run(*backend_, *device_), expected = run(*backend_here, here);
    QVERIFY2(there, there ? "" : to_sentence(there.error()).c_str());
    QVERIFY(expected && there->outputs.size() == expected->outputs.size());
    for (size_t i = 0; i < there->outputs.size(); ++i) {
      Comparison same = compare(there->outputs[i], expected->outputs[i]);
      QVERIFY(same.equal);
      qInfo("%s: %.0f ms there, %.3f ms here, largest difference %.2g of %.3g", qPrintable(model),
            there->samples_ms.at(0), expected->samples_ms.at(0), same.max_abs_diff,
            same.max_abs_ref);
    }
  }

  void its_roofs_are_measured_on_it() {
    if (!emulated_) QSKIP("there is no device");
    QTemporaryDir folder;
    auto machine = session::machine_view(*backend_, *device_, folder.path().toStdString(), true,
                                         false, {}, {}, "board");
    QVERIFY2(machine, machine ? "" : to_sentence(machine.error()).c_str());
    QVERIFY(machine->name.starts_with("board · "));
    for (auto const& roof : machine->roofs) qInfo("%-24s %.2f", roof.name.c_str(), roof.value);
  }

  /// What a board's own processor makes of calls, and the simulator there of those.
  void a_simulated_board_computes_and_takes_what_the_one_here_does() {
    if (!emulated_) QSKIP("there is no device");
    if (!target_hardware("vta")) QSKIP("this build has no target vta");
    using namespace std::chrono_literals;
    EmulatedDevice served(architecture(), {"--target", "vta:pynq"});
    QVERIFY2(served.serves(), qPrintable(served.said));
    auto there = BoardBench::create(
        RemoteDevice::create({.address = served.server->address(), .least_timeout = 15min})
            .value());
    QVERIFY2(there, there ? "" : to_sentence(there.error()).c_str());
    LocalDeviceOptions local{.program = testing::built("/bin/tw-device"), .target = "vta:pynq"};
    auto here = BoardBench::create(std::make_unique<LocalDevice>(local)).value().run();
    auto ran = there->run();
    QVERIFY2(ran, ran ? "" : to_sentence(ran.error()).c_str());
    QVERIFY(here && ran->outputs[0].hash() == here->outputs[0].hash());
    QCOMPARE(ran->samples_ms, here->samples_ms);
  }

  void a_library_of_another_architecture_is_a_sentence() {
    if (!emulated_) QSKIP("there is no device");
    auto bytes = test::build_library(test::common_kernels()).value();
    auto refused = device_->load(bytes, {});
    QVERIFY(!refused && refused.error().code == "module_not_loadable");
    QVERIFY(device_->describe({}));
  }

protected:
  std::unique_ptr<EmulatedDevice> emulated_;
  std::unique_ptr<RemoteDevice> device_;
  Hardware hardware_;
  std::shared_ptr<Backend const> backend_;
};

}  // namespace tw::test
