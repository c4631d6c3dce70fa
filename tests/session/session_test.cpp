// The facade with a real device: editing, measuring, refusals, histories, lost children.
#include <QtTest>

#include <csignal>
#include <fstream>

#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

QString words(Status const& status) {
  return status ? "" : QString::fromStdString(to_sentence(status.error()));
}

HistoryNodeView current(Snapshot const& snapshot) {
  return snapshot.history->nodes[size_t(snapshot.history->current)];
}

}  // namespace

class SessionTest : public QObject {
  Q_OBJECT
private slots:
  void a_kernel_is_shaped_measured_undone_and_branched() {
    auto session = make();
    open(*session);
    QVERIFY(session->snapshot().history->nodes.size() >=
            2);  // the plain nest, and the schedule by rule
    for (char const* line : {"j.0, j.1 = split(C.j, factor=16)", "reorder(C.j.0, C.k, C.j.1)",
                             "vectorize(C.j.1)", "parallel(C.i)"})
      QVERIFY2(session->execute(ApplyStep{line}), line);
    QVERIFY(session->wait_idle(60));
    Snapshot now = session->snapshot();
    QVERIFY(!now.refusal);
    QCOMPARE(current(now).label, std::string("parallel"));
    QCOMPARE(current(now).verdict, Verdict::kCorrect);
    QVERIFY(current(now).gflops && *current(now).gflops > 0);
    QVERIFY2(current(now).verdict_text.find("every access is in bounds") != std::string::npos,
             current(now).verdict_text.c_str());
    // The roofline has all levels of memory, a modelled time, and every step on the way.
    QCOMPARE(now.roofline->trail.size(), size_t(5));
    RooflinePoint const& point = now.roofline->trail.back();
    QVERIFY(point.current && point.measured && point.model_ms > 0);
    QCOMPARE(point.levels.size(), now.machine->cache_bytes.size() + 1);
    for (size_t i = 1; i < point.levels.size(); ++i)
      QVERIFY(point.levels[i].bytes <= point.levels[i - 1].bytes);
    QVERIFY(!now.roofline->explanation.empty());
    for (LoopBar const& bar : now.nest->bars) {
      QCOMPARE(bar.fits.size(), now.machine->cache_bytes.size());
      QVERIFY(bar.footprint > 0 && bar.reuse >= 1);
    }
    int leaf = now.history->current;
    session->execute(Undo{});
    session->execute(Undo{});
    QVERIFY(session->execute(ApplyStep{"unroll(C.j.1)"}));
    QVERIFY(session->wait_idle(60));
    now = session->snapshot();
    QVERIFY(now.history->nodes[size_t(leaf)].label == "parallel");  // nothing was forgotten
    QVERIFY(session->execute(JumpTo{leaf}));
    QCOMPARE(session->snapshot().history->current, leaf);
    session->execute(Undo{});
    session->execute(Redo{});
    QCOMPARE(session->snapshot().history->current, leaf);
  }

  void a_refused_step_changes_nothing_and_says_why() {
    auto session = make();
    open(*session);
    uint64_t before = session->snapshot().nest->program_hash;
    QVERIFY(session->execute(ApplyStep{"parallel(C.k)"}));
    Snapshot now = session->snapshot();
    QVERIFY(now.refusal);
    QCOMPARE(now.refusal->code, std::string("reduction_carried"));
    QVERIFY(now.refusal->conflict.has_value());
    QVERIFY(!now.refusal->repairs.empty());
    QCOMPARE(now.nest->program_hash, before);
    for (RepairView const& repair : now.refusal->repairs) QVERIFY(!session->why_not(repair.step));
    QVERIFY(session->execute(DismissRefusal{}));
    QVERIFY(!session->snapshot().refusal);
  }

  void a_repair_of_two_steps_is_taken_like_one() {
    auto session = make();
    open(*session);
    QVERIFY(session->execute(ApplyStep{"parallel(C.k)"}));
    std::string repair = session->snapshot().refusal->repairs.back().step;
    QCOMPARE(repair, std::string("rfactor(C.k); parallel(C_rf.k)"));
    size_t nodes = session->snapshot().history->nodes.size();
    QVERIFY(session->execute(ApplyStep{repair}));
    QVERIFY(!session->snapshot().refusal);
    QCOMPARE(session->snapshot().history->nodes.size(), nodes + 2);
    QVERIFY(session->why_not("vectorize(C_rf.j); parallel(C_rf.i); parallel(C_rf.i)"));
  }

  void unusable_commands_are_sentences_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no primitive") << "frobnicate(C.i)"
                                  << "there is no primitive 'frobnicate'";
    QTest::newRow("no text") << ""
                             << "expected a primitive or a loop's name, found 'end of line'";
    QTest::newRow("half a line") << "split(C.i, factor="
                                 << "expected a number or a word, found 'end of line'";
  }
  void unusable_commands_are_sentences() {
    QFETCH(QString, line);
    QFETCH(QString, sentence);
    auto session = make(false);
    open(*session);
    QString said = words(session->execute(ApplyStep{line.toStdString()}));
    QVERIFY2(said.endsWith(sentence), qPrintable(said));
  }

  void without_a_model_commands_say_so() {
    auto session = make(false);
    QCOMPARE(words(session->execute(ApplyStep{"parallel(C.i)"})), QString("no kernel is selected"));
    QCOMPARE(words(session->execute(SelectKernel{0})), QString("no model is open"));
    QVERIFY(session->execute(OpenModel{"/nowhere/model.onnx"}));
    QVERIFY(session->wait_idle(20));
    QVERIFY(session->snapshot().error);
    QVERIFY(QString::fromStdString(session->snapshot().error->sentence)
                .startsWith("/nowhere/model.onnx: cannot be read"));
  }

  void every_stage_has_a_text_with_links() {
    auto session = make(false);
    open(*session);
    session->execute(ApplyStep{"vectorize(C.j)"});
    QVERIFY(session->snapshot().refusal);  // 80 lanes are too many
    session->execute(ApplyScript{
        "j.0, j.1 = split(C.j, factor=16)\nreorder(C.j.0, C.k, C.j.1)\nvectorize(C.j.1)"});
    for (CodeStage const& stage : *session->snapshot().code_stages) {
      auto text = session->code(stage.key, false);
      for (int i = 0; i < 500 && !text; ++i)
        QTest::qWait(10), text = session->code(stage.key, false);
      QVERIFY2(text && text->failure.empty(), stage.key.c_str());
      QVERIFY2(text->lines.size() >= 3, stage.key.c_str());
    }
    auto assembly = session->code("assembly", false);
    QVERIFY(std::any_of(assembly->lines.begin(), assembly->lines.end(),
                        [](CodeLine const& line) { return line.loops.size() >= 2; }));
  }

  void what_was_done_is_there_after_a_restart() {
    std::string saved;
    {
      auto session = make(false);
      open(*session);
      session->execute(ApplyStep{"split(C.i, factor=8)"});
      session->execute(SetNote{session->snapshot().history->current, "a note"});
      saved = session->save();
    }
    auto session = make(false);
    QVERIFY(session->restore(saved));
    QVERIFY(session->wait_idle(20));
    Snapshot now = session->snapshot();
    QVERIFY(now.history);
    QCOMPARE(current(now).label, std::string("split"));
    QCOMPARE(current(now).note, std::string("a note"));
    for (char const* bad : {"", "{", "[]", "{\"version\":9,\"model\":\"x\"}", "{\"model\":3}"})
      QVERIFY2(!session->restore(bad), bad);
    QCOMPARE(current(session->snapshot()).note, std::string("a note"));
  }

  void a_killed_device_is_said_and_the_next_measurement_works() {
    auto session = make();
    open(*session);
    QVERIFY(session->wait_idle(60));
    QProcess::execute(
        "pkill", {"-9", "-P", QString::number(QCoreApplication::applicationPid()), "tw-device"});
    QVERIFY(session->execute(ApplyStep{"split(C.i, factor=8)"}));
    QVERIFY(session->wait_idle(60));
    if (!current(session->snapshot()).gflops) {  // the loss was met during this very measurement
      session->execute(MeasureAgain{});
      QVERIFY(session->wait_idle(60));
    }
    QVERIFY(current(session->snapshot()).gflops.has_value());
    QCOMPARE(current(session->snapshot()).verdict, Verdict::kCorrect);
  }

private:
  std::unique_ptr<Session> make(bool measure = true) { return testing::make_session(measure); }
  void open(Session& session) { file_.open(session); }

  testing::MatmulFile file_;
};

QTEST_GUILESS_MAIN(SessionTest)
#include "session_test.moc"
