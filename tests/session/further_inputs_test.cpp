// What is right on the first inputs, judged on further ones: by hand, and in a session.
#include "engine/session/model/further_inputs.h"

#include <QTemporaryDir>
#include <QtTest>

#include "engine/device/local_device.h"
#include "engine/ir/text.h"
#include "tests/support/paths.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

class FurtherInputsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    environment_ = make_environment().value();
    device_ = std::make_unique<LocalDevice>(LocalDeviceOptions{testing::built("/bin/tw-device")});
    options_.threads = 1;
    options_.call.timeout = std::chrono::minutes(1);
    std::ofstream(at("signs.te")) << "tilewright te 1\n"
                                     "kernel signs(X: i32[8]) -> Y\n"
                                     "  Y[i in 8] = X[i] * 2:i32\n";
    std::ofstream(at("sum.te")) << "tilewright te 1\n"
                                   "kernel sum(X: f32[64, 100]) -> Y\n"
                                   "  Y[i in 64] = sum[k in 100] X[i, k]\n";
  }

  /// Integers are first 0 to 9: there a lost sign does not show.
  void a_lost_sign_is_wrong() {
    FurtherVerdict verdict = judged("signs.te", program("abs(X[vi])*2:i32"));
    QVERIFY(verdict.wrong());
    QCOMPARE(verdict.wrong()->of, std::string("signed and extreme integers"));
    History history = with_further_inputs(History(Schedule(program("X[vi]"))), 0, {}, verdict);
    QCOMPARE(history.node(0).on({}).correctness, Correctness::kWrong);
    QVERIFY(history.node(0).on({}).correctness_text.starts_with("on signed and extreme integers"));
  }

  void what_is_right_stays_right() {
    FurtherVerdict verdict = judged("signs.te", program("X[vi]+X[vi]"));
    QVERIFY(!verdict.wrong());
    QCOMPARE(verdict.judged.size(), size_t(1));
    QVERIFY(!verdict.rounding_units);
  }

  void what_runs_for_long_says_so() {
    std::ofstream(at("long.te"))
        << "tilewright te 1\n"
           "kernel long(A: f32[1000, 1000], B: f32[1000, 1000]) -> C\n"
           "  C[i in 1000, j in 1000] = sum[k in 1000] A[i, k] * B[k, j]\n";
    Model model = load_model(at("long.te"), {}, *environment_.backend).value();
    Status fits = verify_further(model->kernel(0).kernel);
    QVERIFY(!fits);
    QCOMPARE(fits.error().code, std::string("kernel_too_long"));
  }

  /// Of a step: which inputs it is right on, and whether it rounds otherwise.
  void a_session_tells_it_of_each_step() {
    auto session = testing::make_session(true);
    QVERIFY(session->execute(OpenModel{at("sum.te")}));
    QVERIFY(session->wait_idle(60));
    QVERIFY(session->execute(JumpTo{0}));
    QVERIFY(session->execute(ApplyStep{"k.0, k.1 = split(Y.k, factor=10)"}));
    QVERIFY(session->wait_idle(60));
    std::string as_written = verdict_of(*session);
    QVERIFY2(as_written.find(
                 "correct on floats with all their digits; rounded as the unscheduled nest") !=
                 std::string::npos,
             as_written.c_str());
    QVERIFY(session->execute(ApplyStep{"reorder(k.1, k.0)"}));
    QVERIFY(session->wait_idle(60));
    std::string other_order = verdict_of(*session);
    QVERIFY2(other_order.find("rounded differently from the unscheduled nest: up to") !=
                 std::string::npos,
             other_order.c_str());
  }

private:
  std::string at(char const* name) const { return folder_.filePath(name).toStdString(); }
  static ir::Program program(std::string const& value) {
    return ir::parse_program(
               "tilewright program 1\n"
               "program signs(X: i32[8]) -> (Y: i32[8])\n"
               "  for i in 8\n"
               "    block Y(vi: 8 = i)\n"
               "      Y[vi] = " +
               value + "\n")
        .value();
  }
  FurtherVerdict judged(char const* file, ir::Program const& program) {
    Backend const& backend = *environment_.backend;
    Model model = load_model(at(file), {}, backend).value();
    ir::Program plain = plain_program(*model, 0).value();
    Progress progress;
    FurtherInputs inputs =
        FurtherInputs::create({*model, 0, backend, *device_, options_, progress}, plain).value();
    return inputs.judge(compile_kernel(program, backend, CodeTier::kFast).value(), options_)
        .value();
  }
  static std::string verdict_of(Session const& session) {
    auto history = session.snapshot().history;
    return history->nodes[size_t(history->current)].verdict_text;
  }

  QTemporaryDir folder_;
  Environment environment_;
  std::unique_ptr<Device> device_;
  BenchOptions options_;
};

QTEST_GUILESS_MAIN(FurtherInputsTest)
#include "further_inputs_test.moc"
