// A session whose kernels run on another device: chosen, lost, left again.
#include <QtTest>

#include "app/shared/devices.h"
#include "app/shared/environment.h"
#include "engine/session/session.h"
#include "tests/device/test_server.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";

}  // namespace

class SessionDeviceTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    server_ = std::make_unique<test::TestServer>();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    list_ = folder_.filePath("devices.json").toStdString();
    QVERIFY(add_device(list_, {"board", server_->address(), "", ""}));
    auto environment = make_environment().value();
    session_ = Session::create({environment.backend, TW_BINARY_DIR "/bin/tw-device",
                                environment.cache_folder.string(), 1, true,
                                [this](std::string const& name, StopToken stop) {
                                  return choose_device(list_, name, stop);
                                }})
                   .value();
    std::string file = folder_.filePath("m.te").toStdString();
    std::ofstream(file) << kProduct;
    QVERIFY(session_->execute(OpenModel{file}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY(session_->execute(ApplyStep{"vectorize(C.j)"}));
    QVERIFY(session_->wait_idle(60));
  }
  void cleanup() { session_.reset(); }

  void kernels_run_on_the_device_that_was_chosen_and_steps_stay() {
    std::string script = session_->script();
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->c_str() : "");
    QVERIFY(now.machine->name.starts_with("board · "));
    QVERIFY(session_->script() == script);
    auto const& node = now.history->nodes[size_t(now.history->current)];
    QVERIFY(node.min_ms && node.verdict == Verdict::kCorrect);
    QVERIFY(server_->said().contains("connected"));
  }

  void a_device_that_is_lost_costs_a_sentence_and_comes_back() {
    QVERIFY(session_->execute(UseDevice{"board"}));
    QVERIFY(session_->wait_idle(60));
    QString address = QString::fromStdString(server_->address());
    std::string script = session_->script();
    server_.reset();
    QVERIFY(session_->execute(MeasureAgain{}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY(session_->snapshot().error);
    QVERIFY(session_->snapshot().error->find("cannot be reached: nothing listens there") !=
            std::string::npos);
    QVERIFY(session_->script() == script);
    server_ = std::make_unique<test::TestServer>(QStringList(), address);
    QVERIFY(session_->execute(DismissRefusal{}));
    QVERIFY(session_->execute(MeasureAgain{}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->c_str() : "");
    QVERIFY(now.history->nodes[size_t(now.history->current)].verdict == Verdict::kCorrect);
  }

  void a_device_that_does_not_answer_changes_nothing() {
    QVERIFY(add_device(list_, {"gone", "127.0.0.1:1", "", ""}));
    std::string machine = session_->snapshot().machine->name;
    for (char const* name : {"gone", "nope"}) {
      QVERIFY(session_->execute(UseDevice{name}));
      QVERIFY(session_->wait_idle(60));
      QVERIFY(session_->snapshot().error);
      QVERIFY(session_->snapshot().machine->name == machine);
    }
    QVERIFY(session_->execute(MeasureAgain{}));
    QVERIFY(session_->wait_idle(60));
    Snapshot now = session_->snapshot();
    QVERIFY(now.history->nodes[size_t(now.history->current)].verdict == Verdict::kCorrect);
  }

  void this_machine_is_chosen_again() {
    for (char const* name : {"board", "local"}) {
      QVERIFY(session_->execute(UseDevice{name}));
      QVERIFY(session_->wait_idle(60));
    }
    QVERIFY(session_->snapshot().machine->name.starts_with("This machine · "));
    QTRY_VERIFY(server_->workers().empty());
  }

private:
  QTemporaryDir folder_;
  std::string list_;
  std::unique_ptr<test::TestServer> server_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(SessionDeviceTest)
#include "device_test.moc"
