// A session that goes on with a device of another kind: its schedules are judged for that one.
#include "engine/session/session.h"

#include <QtTest>
#include <fstream>

#include "app/shared/environment.h"
#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kPad[] = "scratchpad";
char const* const kProgram = testing::built("/tests/test-device");
constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";
constexpr char kHere[] = "cache_write(C, scope=local)";  // the pad has no such memory
constexpr char kAnywhere[] = "C.j.0, C.j.1 = split(C.j, factor=8)";

/// The first kind of target that is not the pad; null: there is none.
std::shared_ptr<Backend const> other_backend() {
  for (TargetEntry const* entry : target_table())
    if (entry->name != kPad) return create_backend(target_hardware(entry->name).value()).value();
  return nullptr;
}

Result<ChosenDevice> open_pad(std::string const&, StopToken) {
  TRY_ASSIGN(Hardware hardware, target_hardware(kPad));
  TRY_ASSIGN(auto backend, create_backend(hardware));
  return ChosenDevice{
      "pad", backend,
      std::make_shared<LocalDevice>(LocalDeviceOptions{.program = kProgram, .target = kPad})};
}

}  // namespace

class TargetSessionTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    auto here = other_backend();
    if (!here) QSKIP("this build has no other kind of target");
    start(here, false);
  }
  void cleanup() { session_.reset(); }

  void a_script_that_still_applies_stays() {
    take(kAnywhere);
    std::string script = session_->script();
    use("pad");
    QVERIFY2(!session_->snapshot().error, sentence().c_str());
    QCOMPARE(session_->script(), script);
    use("local");
    QVERIFY2(!session_->snapshot().error, sentence().c_str());
    QCOMPARE(session_->script(), script);
  }

  void a_script_that_is_refused_gives_way_to_the_default_schedule() {
    take(kAnywhere);
    take(kHere);
    int mine = current().id;
    std::string script = session_->script();
    use("pad");
    QCOMPARE(session_->snapshot().error->code, std::string("lost_on_device"));
    QCOMPARE(QString::fromStdString(sentence()),
             QString("on pad the kernel product has the default schedule, since ") + kHere +
                 " was refused: " + refusal_on_pad().c_str() +
                 " (its own script stays in the history)");
    QCOMPARE(current().label, std::string("default"));
    QVERIFY(session_->script().find("scope=pad") != std::string::npos);
    HistoryNodeView const left = node(mine);
    QCOMPARE(left.step, std::string(kHere));
    QVERIFY2(left.failure.starts_with(kHere), left.failure.c_str());
    QCOMPARE(session_->script_of(mine), script);
    QVERIFY(session_->code_of(mine, "program", -1)->failure == left.failure);
    QVERIFY(session_->compare(left.parent, mine)->summary.ends_with(left.failure));
    QVERIFY(node(left.parent).failure.empty());
    QVERIFY(session_->execute(JumpTo{left.parent}));  // what comes before it applies
    QCOMPARE(session_->snapshot().history->can_redo, false);
    auto jumped = session_->execute(JumpTo{mine});
    QVERIFY(!jumped);
    QCOMPARE(jumped.error().code, std::string("refused_here"));
  }

  void back_on_the_first_device_the_script_is_there_again() {
    take(kHere);
    std::string script = session_->script();
    use("pad");
    QVERIFY(session_->script() != script);
    std::string saved = session_->save();
    use("local");
    QVERIFY2(!session_->snapshot().error, sentence().c_str());
    QCOMPARE(session_->script(), script);
    QVERIFY(current().failure.empty());
    start(other_backend(), false);
    QVERIFY(session_->restore(saved));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(session_->script(), script);
  }

  void who_moved_on_there_stays_where_he_went() {
    take(kHere);
    use("pad");
    QVERIFY(session_->execute(JumpTo{0}));
    take(kAnywhere);
    std::string script = session_->script();
    use("local");
    QCOMPARE(session_->script(), script);
  }

  void a_default_schedule_becomes_that_of_the_new_target() {
    for (auto const& one : session_->snapshot().history->nodes)
      if (one.label == "default") QVERIFY(session_->execute(JumpTo{one.id}));
    QCOMPARE(current().label, std::string("default"));
    std::string here = session_->script();
    use("pad");
    QVERIFY2(!session_->snapshot().error, sentence().c_str());
    QCOMPARE(current().label, std::string("default"));
    QVERIFY(session_->script().find("scope=pad") != std::string::npos);
    use("local");
    QVERIFY2(!session_->snapshot().error, sentence().c_str());
    QCOMPARE(session_->script(), here);
  }

  void new_steps_are_judged_for_the_device_in_use() {
    QVERIFY(!session_->why_not(kHere));
    use("pad");
    QVERIFY(session_->why_not(kHere));
    QVERIFY(!session_->why_not("cache_write(C, scope=pad)"));
  }

  void steps_of_a_kernel_that_was_rewritten_are_judged_for_it_too() {
    use("pad");
    take(kAnywhere);
    std::string text = kProduct;
    text.replace(text.find("24] A"), 2, "12");
    QVERIFY(session_->execute(RewriteKernel{"product", text}));
    QVERIFY(session_->wait_idle(60));
    QVERIFY2(!session_->snapshot().error, sentence().c_str());
    QVERIFY(session_->script().find("factor=8") != std::string::npos);
    QVERIFY(session_->why_not(kHere));
  }

  void a_kernel_that_lost_its_script_runs_there() {
    start(other_backend(), true);
    take(kHere);
    use("pad");
    QCOMPARE(current().label, std::string("default"));
    QVERIFY2(current().failure.empty(), current().failure.c_str());
    QCOMPARE(current().verdict, Verdict::kCorrect);
  }

private:
  void start(std::shared_ptr<Backend const> const& here, bool measure) {
    session_.reset();
    session_ = Session::create({.backend = here,
                                .device_program = kProgram,
                                .cache_folder = folder_.path().toStdString(),
                                .threads = 1,
                                .measure = measure,
                                .open_device = open_pad})
                   .value();
    std::string file = folder_.filePath("product.te").toStdString();
    std::ofstream(file) << kProduct;
    QVERIFY(session_->execute(OpenModel{file}));
    QVERIFY(session_->wait_idle(60));
  }
  void take(char const* step) {
    QVERIFY(session_->execute(ApplyStep{step}));
    auto refusal = session_->snapshot().refusal;
    QVERIFY2(!refusal, refusal ? refusal->message.c_str() : "");
    QVERIFY(session_->wait_idle(60));
  }
  void use(char const* device) {
    QVERIFY(session_->execute(UseDevice{device}));
    QVERIFY(session_->wait_idle(60));
    QCOMPARE(session_->snapshot().history->device, std::string(device));
  }
  HistoryNodeView node(int id) const { return session_->snapshot().history->nodes.at(size_t(id)); }
  HistoryNodeView current() const { return node(session_->snapshot().history->current); }
  std::string sentence() const {
    auto error = session_->snapshot().error;
    return error ? error->sentence : "";
  }
  std::string refusal_on_pad() const { return session_->why_not(kHere)->message; }

  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(TargetSessionTest)
#include "session_test.moc"
