// What was measured while others used the processors is marked, and measured again when they do
// not; the row of a kernel shows what the others show.
#include <QtTest>

#include <atomic>
#include <nlohmann/json.hpp>

#include "engine/backend/backend.h"
#include "engine/device/hardware_text.h"
#include "engine/device/messages.pb.h"
#include "engine/device/requests/status.h"
#include "engine/history/history.h"
#include "engine/measure/roofs.h"
#include "engine/te/te.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

/// This machine, which pretends to be shared: what says so, short bursts of arithmetic and the
/// load, is as the test wants it, because the machine that runs the test may be shared itself.
class SharedMachine : public testing::ForwardingDevice {
public:
  SharedMachine(LocalDeviceOptions options, std::string burst,
                std::shared_ptr<std::atomic<bool>> busy)
      : ForwardingDevice(std::move(options)), burst_(std::move(burst)), busy_(std::move(busy)) {}

  Result<wire::Response> ask(wire::Request const& request, CallOptions const& options) override {
    TRY_ASSIGN(wire::Response response, ForwardingDevice::ask(request, options));
    if (response.has_status()) response.mutable_status()->set_load(*busy_ ? 1000.0 : 0.0);
    return response;
  }
  Result<Timing> time(std::span<DeviceStep const> steps, int threads,
                      TimingOptions const& timing_options, CallOptions const& options) override {
    auto timing = ForwardingDevice::time(steps, threads, timing_options, options);
    bool short_burst = steps.front().symbol == burst_ && timing_options.most_seconds < 0.1;
    if (timing && short_burst)
      for (double& seconds : timing->total.seconds) seconds = *busy_ ? 1 : 1e-9;
    return timing;
  }

private:
  std::string burst_;
  std::shared_ptr<std::atomic<bool>> busy_;
};

/// Roofs that no kernel reaches, as if they had been measured another day.
void keep_roofs(std::filesystem::path const& folder, Hardware const& hardware) {
  Roofs roofs;
  roofs.compute = {{"FMA f32", "vector", "f32", {1e4, 1e4}},
                   {"scalar f32", "scalar", "f32", {1e4, 1e4}}};
  for (size_t i = 0; i <= hardware.caches().size(); ++i)
    roofs.memory.push_back({i == hardware.caches().size() ? "DRAM" : "L" + std::to_string(i + 1),
                            0,
                            {1e4, 1e4},
                            {1e4, 1e4}});
  std::ofstream(roofs_file(folder, hardware)) << "tilewright roofs 2\n" << to_json_text(roofs);
}

HistoryNodeView current(Snapshot const& snapshot) {
  return snapshot.history->nodes[size_t(snapshot.history->current)];
}

}  // namespace

class QuietTest : public QObject {
  Q_OBJECT
private slots:
  void a_time_among_others_is_marked_and_measured_again_when_it_is_quiet() {
    auto busy = std::make_shared<std::atomic<bool>>(false);
    QTemporaryDir cache;
    Options options = testing::session_options(true);
    options.cache_folder = cache.path().toStdString();
    options.patience_seconds = 0.1;
    keep_roofs(options.cache_folder, options.backend->target().hardware);
    std::string burst = options.backend->roof_probes().value().compute.front().probe.symbol;
    LocalDeviceOptions device{options.device_program};
    options.open_device = [=](std::string const&, StopToken) -> Result<ChosenDevice> {
      return ChosenDevice{"shared", options.backend,
                          std::make_shared<SharedMachine>(device, burst, busy)};
    };
    auto session = Session::create(options).value();
    QVERIFY(session->wait_idle(120));
    *busy = true;
    QVERIFY(session->execute(UseDevice{"shared"}));
    QVERIFY(session->wait_idle(120));
    testing::MatmulFile file;
    file.open(*session);
    QVERIFY(session->execute(ApplyStep{"vectorize(C.j)"}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(current(session->snapshot()).min_ms);
    QVERIFY(current(session->snapshot()).disturbed);
    double before = *current(session->snapshot()).min_ms;
    *busy = false;
    for (int i = 0; i < 600 && current(session->snapshot()).disturbed; ++i) QTest::qWait(50);
    QVERIFY(!current(session->snapshot()).disturbed);
    QVERIFY(*current(session->snapshot()).min_ms <= before);
    QVERIFY(!session->snapshot().machine->roofs_doubtful);
  }

  void what_was_marked_is_marked_in_the_project_too() {
    Schedule plain(te::to_program(te::parse_kernel(testing::kMatmul).value()).value());
    TriedOn here{"local", "a machine"};
    History history = History(plain).with_measured(0, here, {1.5, 0.4, 2, true});
    History read = History::from_json(history.to_json(), plain).value();
    QVERIFY(read.node(0).on(here).measured->disturbed);
    QVERIFY(*read.node(0).on(here).measured == *history.node(0).on(here).measured);
  }

  /// It showed the time of its plain nest among others' defaults: one row longer than the network.
  void the_row_of_the_kernel_that_is_looked_at_shows_what_the_model_runs() {
    auto session = testing::make_session(true);
    testing::MatmulFile file;
    file.open(*session);
    QVERIFY(session->wait_idle(120));
    Snapshot now = session->snapshot();
    QCOMPARE(now.history->current, 0);
    QVERIFY(now.history->nodes.size() >= 2);
    auto by_rule = now.history->nodes[1].min_ms;
    QVERIFY(by_rule && now.kernels->rows[0].time_ms);
    QCOMPARE(*now.kernels->rows[0].time_ms, *by_rule);
    QVERIFY(session->execute(ApplyStep{"parallel(C.i)"}));
    QVERIFY(session->wait_idle(120));
    now = session->snapshot();
    QCOMPARE(*now.kernels->rows[0].time_ms, *current(now).min_ms);
  }
};

QTEST_GUILESS_MAIN(QuietTest)
#include "quiet_test.moc"
