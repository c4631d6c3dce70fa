// Where a line would lead: the same as what it leads to when it is taken, and the reason where it
// leads nowhere.
#include <QtTest>

#include <chrono>
#include <thread>

#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

namespace {

std::shared_ptr<Outlook const> look(Session& session, std::string const& line) {
  for (int i = 0; i < 5000; ++i) {
    if (auto outlook = session.outlook(line)) return outlook;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return nullptr;
}

std::vector<std::string> bars_of(NestView const& nest) {
  std::vector<std::string> bars;
  for (LoopBar const& bar : nest.bars)
    bars.push_back(bar.reference + " " + std::to_string(bar.extent) + " " +
                   std::to_string(int(bar.mark)) + " " + std::to_string(bar.depth));
  return bars;
}

}  // namespace

class OutlookTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    session_ = testing::make_session(true);  // the model needs the machine's roofs
    file_ = folder_.filePath("matmul.te").toStdString();
    std::ofstream(file_) << testing::kMatmul;
    QVERIFY(session_->execute(OpenModel{file_}));
    QVERIFY(session_->wait_idle(120));
    QVERIFY(session_->snapshot().machine->rates);
  }

  void it_is_what_the_line_leads_to_data() {
    QTest::addColumn<QString>("line");
    for (char const* line :
         {"split(C.j, factor=16)", "reorder(C.k, C.j)", "unroll(C.k)", "parallel(C.i)",
          "split(C.j, factor=8); reorder(C.k, C.j.1); vectorize(C.j.1)"})
      QTest::newRow(line) << line;
  }
  void it_is_what_the_line_leads_to() {
    QFETCH(QString, line);
    auto ahead = look(*session_, line.toStdString());
    QVERIFY(ahead);
    QVERIFY2(!ahead->refusal, ahead->refusal ? ahead->refusal->message.c_str() : "");
    Snapshot before = session_->snapshot();
    QVERIFY(session_->execute(ApplyStep{line.toStdString()}));
    QVERIFY(!session_->snapshot().refusal);
    QVERIFY(session_->wait_idle(120));
    Snapshot after = session_->snapshot();
    QCOMPARE(bars_of(*ahead->nest), bars_of(*after.nest));
    auto const& now = after.history->nodes[size_t(after.history->current)];
    QVERIFY(now.model_ms && ahead->point);
    QCOMPARE(ahead->point->model_ms, *now.model_ms);
    auto const& was = before.history->nodes[size_t(before.history->current)];
    QCOMPARE(ahead->now_ms, *was.model_ms);
    QCOMPARE(ahead->bound, now.bound);
    bool marked = false;
    for (CodeLine const& one : ahead->program->lines)
      marked = marked || one.change != LineChange::kSame;
    QVERIFY(marked);
    QVERIFY(session_->execute(JumpTo{before.history->current}));
    QVERIFY(session_->wait_idle(120));
  }

  void looking_changes_nothing_and_is_remembered() {
    Snapshot before = session_->snapshot();
    auto first = look(*session_, "split(C.i, factor=4)");
    QCOMPARE(session_->snapshot().nest, before.nest);
    QCOMPARE(session_->snapshot().history->nodes.size(), before.history->nodes.size());
    QVERIFY(look(*session_, "split(C.i, factor=8)"));
    QCOMPARE(session_->outlook("split(C.i, factor=4)"), first);
    QVERIFY(session_->execute(ApplyStep{"unroll(C.k)"}));
    QVERIFY(session_->outlook("split(C.i, factor=4)") != first);  // of another state
    QVERIFY(session_->execute(Undo{}));
    QVERIFY(session_->wait_idle(120));
  }

  void what_is_refused_says_why() {
    auto ahead = look(*session_, "parallel(C.k)");
    QVERIFY(ahead && ahead->refusal && !ahead->nest && !ahead->point);
    QVERIFY(!ahead->refusal->culprits.empty());
    auto second = look(*session_, "split(C.i, factor=4); vectorize(C.k)");
    QVERIFY(second && second->refusal);
    auto unreadable = look(*session_, "split(");
    QVERIFY(unreadable && unreadable->refusal);
    QVERIFY(unreadable->refusal->title.find("cannot be read") != std::string::npos);
  }

  /// Without roofs, too: this is no matter of time.
  void a_recurrence_that_would_be_computed_again_says_so() {
    std::string file = folder_.filePath("running.te").toStdString();
    std::ofstream(file)
        << "tilewright te 1\nkernel running(X: f32[6, 5]) -> Y\n"
           "  H[scan t in 6, j in 5]: f32 = X[t, j] + select(1 <= t, H[t-1, j], 0)\n"
           "  Y[t in 6, j in 5] = H[t, j] * 2.0\n";
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenModel{file}));
    QVERIFY(session->wait_idle(120));
    auto again = look(*session, "compute_at(H, Y.t)");
    QVERIFY2(again && !again->refusal,
             again && again->refusal ? again->refusal->message.c_str() : "");
    QVERIFY2(again->words.find("H is computed 6 times over") != std::string::npos,
             again->words.c_str());
    auto once = look(*session, "split(H.j, factor=2)");
    QVERIFY(once && once->words.find("times over") == std::string::npos);
  }

  void the_last_line_of_many_is_answered() {
    std::string line;
    for (int factor = 2; factor < 200; ++factor) {
      line = "split(C.j, factor=" + std::to_string(factor) + ")";
      (void)session_->outlook(line);
    }
    auto ahead = look(*session_, line);
    QVERIFY(ahead);
    QCOMPARE(ahead->line, line);
  }

private:
  QTemporaryDir folder_;
  std::string file_;
  std::unique_ptr<Session> session_;
};

QTEST_GUILESS_MAIN(OutlookTest)
#include "outlook_test.moc"
