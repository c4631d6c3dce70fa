// The machine's roofs: plausible, kept, and measured again when the kept ones cannot be read.
#include "engine/measure/roofs.h"

#include <QtTest>
#include <fstream>

#include "engine/device/hardware_text.h"
#include "engine/device/local_device.h"
#include "targets/cpu/compiler/cpu_machine.h"
#include "targets/cpu/compiler/probes.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/support/paths.h"

using namespace tw;

namespace {

Result<RoofProbes> host_probes() {
  Hardware host = detect_host();
  TRY_ASSIGN(Machine machine, create_cpu_machine(host));
  return build_cpu_roof_probes(machine, host.unit().vector_bytes);
}

void print(char const* name, Rate const& rate) {
  qInfo("%-12s one core %8.1f   all cores %8.1f   spread %4.1f %%", name, rate.one_core,
        rate.all_cores, rate.spread * 100);
}

LocalDeviceOptions device_options() { return {.program = testing::built("/bin/tw-device")}; }

/// Keeps them as measured in a quiet moment.
void settle(std::filesystem::path const& folder, Hardware const& hardware, Roofs const& roofs) {
  std::ofstream(roofs_file(folder, hardware)) << "tilewright roofs 2\n" << to_json_text(roofs);
}

}  // namespace

class RoofsTest : public QObject {
  Q_OBJECT
private slots:
  void the_roofs_of_this_machine_are_plausible_and_measured_in_time() {
    LocalDevice device(device_options());
    int64_t reports = 0, total = 0;
    RoofOptions options;
    options.progress = [&](ProgressReport const& report) {
      ++reports;
      total = report.total;
    };
    RoofProbes probes = host_probes().value();
    QElapsedTimer clock;
    clock.start();
    Roofs roofs = measure_roofs(device, detect_host(), probes, options).value();
    qInfo("measured in %.2f s", double(clock.elapsed()) / 1000);
    QVERIFY(clock.elapsed() < 15'000);
    QCOMPARE(reports, total);
    for (ComputeRoof const& one : roofs.compute) print(one.name.c_str(), one.rate);
    for (MemoryRoof const& memory : roofs.memory) {
      print((memory.name + " load").c_str(), memory.load);
      print((memory.name + " triad").c_str(), memory.triad);
    }
    double vector = roofs.of("vector", "f32").one_core, scalar = roofs.of("scalar", "f32").one_core;
    QVERIFY(vector > 1.5 * scalar);
    QVERIFY(vector > 1.5 * roofs.of("vector", "f64").one_core);
    QVERIFY(scalar > 0.5);
    // A busy machine disturbs a level, rarely by half.
    for (size_t i = 1; i < roofs.memory.size(); ++i) {
      QVERIFY(roofs.memory[i].load.one_core < 1.5 * roofs.memory[i - 1].load.one_core);
    }
    QVERIFY(roofs.memory.back().load.one_core < roofs.memory.front().load.one_core);
  }

  void roofs_are_kept_and_a_broken_file_is_measured_again() {
    QTemporaryDir folder;
    LocalDevice device(device_options());
    Hardware host = detect_host();
    int builds = 0;
    auto build = [&] {
      ++builds;
      return host_probes();
    };
    RoofOptions quick{.rounds = 1, .repeats = 1, .most_seconds = 0.5};
    std::filesystem::path where = folder.path().toStdString();
    MeasuredRoofs first = cached_roofs(device, host, where, build, quick).value();
    QCOMPARE(builds, 1);
    settle(where, host, first);  // whoever else used this machine meanwhile
    QVERIFY(cached_roofs(device, host, where, build, quick).value() == first);
    QCOMPARE(builds, 1);
    // Somebody was faster than they allow: they are measured again, and nothing gets worse.
    doubt_roofs(where, host);
    QVERIFY(kept_roofs(where, host)->disturbed);
    if (!others_run(device, host, {})) {
      MeasuredRoofs second = cached_roofs(device, host, where, build, quick).value();
      QCOMPARE(builds, 2);
      QVERIFY(second.best("f32").all_cores >= first.best("f32").all_cores);
      QVERIFY(second.memory.back().load.one_core >= first.memory.back().load.one_core);
    }
    builds = 1;
    std::ofstream(roofs_file(where, host)) << "tilewright roofs 2\n{\"compute\": ";
    QVERIFY(cached_roofs(device, host, where, build, quick));
    QCOMPARE(builds, 2);
    Hardware other = host;
    other.name = "another machine";
    QVERIFY(roofs_file(where, other) != roofs_file(where, host));
  }

  void a_folder_that_cannot_be_written_costs_only_the_keeping() {
    LocalDevice device(device_options());
    RoofOptions quick{.rounds = 1, .repeats = 1, .most_seconds = 0.5};
    QVERIFY(cached_roofs(device, detect_host(), "/proc/nowhere", host_probes, quick));
  }

  void a_stop_ends_the_measurement() {
    LocalDevice device(device_options());
    std::stop_source source;
    RoofOptions options;
    options.stop = source.get_token();
    options.progress = [&](ProgressReport const& report) {
      if (report.done == 2) source.request_stop();
    };
    RoofProbes probes = host_probes().value();
    auto stopped = measure_roofs(device, detect_host(), probes, options);
    QCOMPARE(QString::fromStdString(stopped.error().code), QString("cancelled"));
  }
};

QTEST_GUILESS_MAIN(RoofsTest)
#include "roofs_test.moc"
