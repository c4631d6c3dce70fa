// Where a kernel stands when it is opened: at the plain nest, or at the schedule by rule where the
// target has no code for that nest.
#include <QtTest>

#include <fstream>

#include "tests/support/simulated_devices.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kDevice[] = "local:vta:pynq";
constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(X: i8[4, 8, 1, 16], W: i8[8, 8, 16, 16] @param) -> Y\n"
    "  p[m in 4, o in 8, n in 1, j in 16] = sum[c in 8, i in 16] i32(X[m, c, n, i]) * "
    "i32(W[o, c, j, i])\n"
    "  Y[m in 4, o in 8, n in 1, j in 16]: i8 = i8(min(max(p[m, o, n, j] >> 8:i32, -127:i32), "
    "127:i32))\n";

}  // namespace

class FirstStateTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    if (!target_hardware("vta")) QSKIP("this build has no target vta");
    file_ = folder_.filePath("product.te").toStdString();
    std::ofstream(file_) << kProduct;
    session_ = Session::create(testing::with_simulated_devices(false)).value();
  }
  void cleanup() { session_.reset(); }

  void a_kernel_opens_plainly_where_its_nest_runs() {
    do_now(OpenModel{file_});
    QCOMPARE(session_->snapshot().history->current, 0);
  }

  void on_the_accelerator_it_opens_with_the_schedule_by_rule() {
    do_now(UseDevice{kDevice});
    do_now(OpenModel{file_});
    QCOMPARE(label(), std::string("default"));
    QVERIFY2(session_->script().find("tensorize") != std::string::npos, session_->script().c_str());
    // Whoever wants the plain nest has it one step back.
    do_now(Undo{});
    QCOMPARE(session_->snapshot().history->current, 0);
    do_now(SelectKernel{0});
    QCOMPARE(session_->snapshot().history->current, 0);  // it stands where it was left
  }

  void who_changes_to_the_accelerator_looks_at_what_it_runs() {
    do_now(OpenModel{file_});
    do_now(UseDevice{kDevice});
    QCOMPARE(label(), std::string("default"));
    do_now(UseDevice{"local"});
    QVERIFY(!session_->snapshot().error);
    do_now(UseDevice{kDevice});
    QCOMPARE(label(), std::string("default"));
  }

private:
  void do_now(Command const& command) {
    Status done = session_->execute(command);
    QVERIFY2(done, done ? "" : to_sentence(done.error()).c_str());
    QVERIFY(session_->wait_idle(120));
  }
  std::string label() const {
    Snapshot now = session_->snapshot();
    return now.history ? now.history->nodes[size_t(now.history->current)].label : "no kernel";
  }

  QTemporaryDir folder_;
  std::string file_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(FirstStateTest)
#include "first_state_test.moc"
