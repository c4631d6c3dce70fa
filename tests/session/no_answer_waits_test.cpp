// What a person sees of a step never stands in a line behind a measurement: while one does not end,
// each answer is there. This counts jobs, not seconds: none may lie before an answer.
#include <QtTest>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/support/forwarding_device.h"
#include "tests/support/pipelines.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

/// This machine, on which no timing ends as long as the gate is closed.
class StuckMachine : public testing::ForwardingDevice {
public:
  StuckMachine(LocalDeviceOptions options, std::shared_ptr<std::atomic<bool>> closed,
               std::shared_ptr<std::atomic<int>> begun)
      : ForwardingDevice(std::move(options)),
        closed_(std::move(closed)),
        begun_(std::move(begun)) {}

  Result<Timing> time(std::span<DeviceStep const> steps, int threads, TimingOptions const& timing,
                      CallOptions const& options) override {
    ++*begun_;
    while (*closed_ && !options.stop.stop_requested())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ForwardingDevice::time(steps, threads, timing, options);
  }

private:
  std::shared_ptr<std::atomic<bool>> closed_;
  std::shared_ptr<std::atomic<int>> begun_;
};

/// The limit is only there to end a test that hangs.
bool comes(std::function<bool()> const& is_there) {
  for (int i = 0; i < 120'000 && !is_there(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return is_there();
}

}  // namespace

class NoAnswerWaitsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    Options options = testing::session_options(true);
    LocalDeviceOptions device{options.device_program};
    auto closed = closed_;
    auto begun = begun_;
    options.open_device = [=](std::string const&, StopToken) -> Result<ChosenDevice> {
      return ChosenDevice{"stuck", options.backend,
                          std::make_shared<StuckMachine>(device, closed, begun)};
    };
    session_ = Session::create(options).value();
    QVERIFY(session_->wait_idle(120));
    QVERIFY(session_->execute(UseDevice{"stuck"}));
    QVERIFY(session_->wait_idle(120));
    std::ofstream(file()) << testing::kAttention;
    QVERIFY(session_->execute(OpenModel{file()}));
    QVERIFY(session_->wait_idle(120));
    QVERIFY(session_->snapshot().machine && session_->snapshot().machine->rates);
  }
  void cleanupTestCase() {
    *closed_ = false;
    QVERIFY(session_->wait_idle(120));
    QVERIFY(current().min_ms);  // the measurement was only held up
    QVERIFY(!session_->snapshot().error);
    session_.reset();
  }

  void every_answer_comes_while_a_measurement_does_not_end() {
    *closed_ = true;
    int before = *begun_;
    QVERIFY(session_->execute(ApplyStep{"parallel(Y.i)"}));
    QVERIFY(!session_->snapshot().refusal);
    QVERIFY2(comes([&] { return *begun_ > before; }),
             "nothing is measured: the test tests nothing");
    int node = current().id;
    std::string const move = "split(Y.j, factor=16)";
    std::vector<std::pair<char const*, std::function<bool()>>> answers = {
        {"moves", [&] { return session_->next_moves("") != nullptr; }},
        {"moves of a block", [&] { return session_->next_moves("Y") != nullptr; }},
        {"where a step leads", [&] { return session_->outlook(move) != nullptr; }},
        {"a preview", [&] { return !session_->preview(move).refusal; }},
        {"two states", [&] { return session_->compare(0, node) != nullptr; }},
        {"two texts", [&] { return session_->code_pair(0, node, "program") != nullptr; }},
        {"the tuning space", [&] { return session_->tuning_space(0) != nullptr; }},
        {"the modelled time", [&] { return current().model_ms.has_value(); }},
    };
    auto stages = session_->snapshot().code_stages;
    for (CodeStage const& stage : *stages) {
      // They take an optimizer, which would disturb what is measured: they alone come after it.
      if (stage.kind == CodeKind::kRemarks) continue;
      answers.emplace_back(stage.key.c_str(),
                           [this, key = stage.key, changes = !is_of_target(stage.kind)] {
                             return session_->code(key, changes) != nullptr;
                           });
    }
    for (auto const& [what, is_there] : answers) QVERIFY2(comes(is_there), what);
    QVERIFY(!current().min_ms);
    QVERIFY(current().measuring);
  }

  /// Going on is no question of the measurement either.
  void a_next_step_and_a_jump_are_taken_while_it_does_not_end() {
    *closed_ = true;
    QVERIFY(session_->execute(ApplyStep{"unroll(Z.c)"}));
    QVERIFY(session_->execute(JumpTo{0}));
    QCOMPARE(session_->snapshot().history->current, 0);
    QVERIFY(session_->execute(ApplyStep{"parallel(Q.i)"}));
    QVERIFY(comes([&] { return session_->code("program", true) != nullptr; }));
    QVERIFY(comes([&] { return session_->next_moves("") != nullptr; }));
    QVERIFY(!current().min_ms);
  }

private:
  std::string file() const { return folder_.filePath("attention.te").toStdString(); }
  HistoryNodeView current() const {
    Snapshot now = session_->snapshot();
    return now.history->nodes[size_t(now.history->current)];
  }

  QTemporaryDir folder_;
  std::shared_ptr<std::atomic<bool>> closed_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<int>> begun_ = std::make_shared<std::atomic<int>>(0);
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(NoAnswerWaitsTest)
#include "no_answer_waits_test.moc"
