// What a device answers is another machine's word: impossible answers are refused, and none reaches
// a terminal as it is.
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>
#include <thread>

#include "engine/device/channel.h"
#include "engine/device/messages.pb.h"
#include "engine/device/requests/status.h"
#include "engine/device/wire_device.h"
#include "engine/device/words.h"

using namespace tw;

namespace {

/// A line at whose other end every request gets one answer.
class AnsweringLine final : public Connection {
public:
  explicit AnsweringLine(std::string answer) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends_);
    peer_ = std::jthread([this, answer = std::move(answer)] {
      while (receive_frame(ends_[1], {}))
        if (!send_frame(ends_[1], FrameKind::kMessage, answer, {})) return;
    });
  }
  ~AnsweringLine() override {
    shutdown(ends_[0], SHUT_RDWR);
    peer_ = {};
    close(ends_[0]);
    close(ends_[1]);
  }
  int socket() const override { return ends_[0]; }
  bool open() override { return true; }
  void cut() override { shutdown(ends_[0], SHUT_RDWR); }
  ConnectionEnd wait_for_end() override { return {}; }

private:
  int ends_[2] = {-1, -1};
  std::jthread peer_;
};

WireDevice device_that_answers(wire::Response const& response) {
  return WireDevice(
      [bytes = response.SerializeAsString()](CallOptions const&)
          -> Result<std::unique_ptr<Connection>> { return std::make_unique<AnsweringLine>(bytes); },
      std::chrono::milliseconds(100));
}

wire::Response timing(std::vector<double> const& total, std::vector<double> const& step,
                      std::vector<double> const& speed, int64_t runs) {
  wire::Response response;
  wire::TimingReport& report = *response.mutable_timing();
  report.mutable_total()->mutable_seconds()->Add(total.begin(), total.end());
  report.add_steps()->mutable_seconds()->Add(step.begin(), step.end());
  report.mutable_speed()->Add(speed.begin(), speed.end());
  report.set_runs_per_sample(runs);
  return response;
}

QString code_of(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().code);
}

}  // namespace

class AnswersTest : public QObject {
  Q_OBJECT
private slots:
  void times_that_no_clock_can_have_measured_are_refused_data() {
    QTest::addColumn<bool>("sane");
    QTest::addColumn<std::vector<double>>("total");
    QTest::addColumn<std::vector<double>>("step");
    QTest::addColumn<std::vector<double>>("speed");
    QTest::addColumn<int>("runs");
    using V = std::vector<double>;
    double nan = std::nan(""), much = 1e300;
    double endless = std::numeric_limits<double>::infinity();
    QTest::newRow("sane") << true << V{1e-3, 2e-3} << V{1e-3, 2e-3} << V{1, 1} << 4;
    QTest::newRow("nan") << false << V{nan} << V{1e-3} << V{1} << 1;
    QTest::newRow("nan of a step") << false << V{1e-3} << V{nan} << V{1} << 1;
    QTest::newRow("negative") << false << V{-1e-3} << V{1e-3} << V{1} << 1;
    QTest::newRow("negative of a step") << false << V{1e-3} << V{-1e-9} << V{1} << 1;
    QTest::newRow("infinite") << false << V{endless} << V{1e-3} << V{1} << 1;
    QTest::newRow("ages") << false << V{much} << V{1e-3} << V{1} << 1;
    QTest::newRow("speed nan") << false << V{1e-3} << V{1e-3} << V{nan} << 1;
    QTest::newRow("speed negative") << false << V{1e-3} << V{1e-3} << V{-1} << 1;
    QTest::newRow("no sample") << false << V{} << V{} << V{} << 1;
    QTest::newRow("other counts") << false << V{1e-3, 1e-3} << V{1e-3} << V{1, 1} << 1;
    QTest::newRow("no run") << false << V{1e-3} << V{1e-3} << V{1} << 0;
  }
  void times_that_no_clock_can_have_measured_are_refused() {
    QFETCH(bool, sane);
    QFETCH(std::vector<double>, total);
    QFETCH(std::vector<double>, step);
    QFETCH(std::vector<double>, speed);
    QFETCH(int, runs);
    WireDevice device = device_that_answers(timing(total, step, speed, runs));
    DeviceStep one{{1, 0}, "kernel", {}, {}};
    QCOMPARE(code_of(device.time({&one, 1}, 1, {}, {})),
             QString(sane ? "none" : "impossible_times"));
  }

  void whose_clock_a_time_is_of_is_told_and_a_clock_nobody_knows_is_refused() {
    DeviceStep one{{1, 0}, "kernel", {}, {}};
    for (int number : {-1, 0, 1, 2, 3, 1 << 20}) {
      wire::Response response = timing({1e-3}, {1e-3}, {1}, 1);
      response.mutable_timing()->set_timed_by(number);
      WireDevice device = device_that_answers(response);
      auto timed = device.time({&one, 1}, 1, {}, {});
      QCOMPARE(timed.has_value(), number >= 0 && number <= 2);
      QVERIFY(!timed || int(timed->by) == number);
    }
  }

  void a_devices_words_are_one_harmless_line() {
    wire::Response response;
    response.mutable_failure()->set_code("bad\033[2Jcode");
    response.mutable_failure()->set_message(
        "\033]0;title\007 two\nlines \xC2\x9B"
        "31m \xE2\x80\xAE"
        "reversed, gr\xC3\xBC\xC3\x9F\xFF");
    WireDevice device = device_that_answers(response);
    auto failed = device.describe({});
    for (std::string const& text : {failed.error().code, failed.error().message}) {
      for (unsigned char c : text) QVERIFY(c >= 32 && c != 127);
      QVERIFY(text.find("\xC2\x9B") == std::string::npos);
      QVERIFY(text.find("\xE2\x80\xAE") == std::string::npos);
    }
    QVERIFY(failed.error().message.find("gr\xC3\xBC\xC3\x9F ") != std::string::npos);
    QCOMPARE(one_line(std::string(100, 'a') + "\xC3\xBC", 101), std::string(100, 'a'));
  }

  void what_a_device_holds_and_does_not_stop_is_told() {
    wire::Response response;
    wire::Status& status = *response.mutable_status();
    status.set_unix_seconds(1e9);
    status.set_tensors(2);
    status.set_tensor_bytes(100);
    for (int i = 0; i < 1000; ++i) status.add_open_ways("reading\033[1m files");
    WireDevice device = device_that_answers(response);
    DeviceStatus told = ask_status(device, {}).value();
    QCOMPARE(told.holding, (DeviceHolding{2, 100, 0, 0}));
    QVERIFY(told.open_ways.size() < 100);
    QCOMPARE(told.open_ways.front(), std::string("reading [1m files"));
    status.set_load(std::nan(""));
    WireDevice strange = device_that_answers(response);
    QCOMPARE(code_of(ask_status(strange, {})), QString("device_lost"));
  }
};

QTEST_GUILESS_MAIN(AnswersTest)
#include "answers_test.moc"
