// A model that lies badly: the tuning finds that out first, while somebody goes on editing.
#include <QtTest>

#include "engine/session/project/project.h"
#include "tests/support/sessions.h"

using namespace tw;
using namespace tw::session;

class ArrangedTuningTest : public QObject {
  Q_OBJECT
private slots:
  /// A depthwise network in rows of pixels takes a third more than in blocks of channels, at least,
  /// on every machine that we met.
  void a_layout_that_costs_is_left_and_no_edit_is_lost() {
    auto session = testing::make_session(false);
    QVERIFY(session->execute(OpenSample{"mobilenet"}));
    QVERIFY(session->wait_idle(300));
    QVERIFY(session->execute(Arrange{"channel_block=plain"}));
    QVERIFY(session->wait_idle(300));
    int last = int(session->snapshot().kernels->rows.size()) - 1;  // a product, in any layout
    std::string const kernel = session->snapshot().kernels->rows[size_t(last)].name;
    QVERIFY(session->execute(SelectKernel{last}));
    QVERIFY(session->execute(TuneModel{.trials = 1, .arranges = 1}));
    auto view = [&] { return session->snapshot().tuning->model; };
    QTRY_COMPARE_WITH_TIMEOUT(view()->state, ModelTuningState::kArranging, 60'000);
    for (int edits = 0; view()->state == ModelTuningState::kArranging; ++edits) {
      QVERIFY(session->execute(JumpTo{edits % 2}));
      edited_ = edits % 2;
      QTest::qWait(20);
    }
    QVERIFY(session->wait_idle(600));
    QVERIFY2(view()->error.empty(), view()->error.c_str());
    Point kept;
    for (TriedChoice const& one : view()->choices) {
      qInfo("%s: %.3f times as fast%s%s", one.choice.c_str(), one.speedup, one.kept ? ", kept" : "",
            one.sentence.c_str());
      size_t equals = one.choice.find('=');
      if (one.kept) kept[one.choice.substr(0, equals)] = one.choice.substr(equals + 1);
    }
    QVERIFY(kept.contains("channel_block"));
    Snapshot now = session->snapshot();
    QCOMPARE(now.kernels->rows[size_t(now.kernel)].name, kernel);
    QCOMPARE(now.history->current, edited_);
    Point arrangement = parse_project(session->save(), "f").value().model.arrangement;
    for (ArrangementChoice const& choice : now.model->choices)
      if (kept.contains(choice.knob)) QCOMPARE(choice.value, kept[choice.knob]);
    QVERIFY(!arrangement.contains("channel_block") || arrangement["channel_block"] != "plain");
  }

private:
  int edited_ = 0;
};

QTEST_GUILESS_MAIN(ArrangedTuningTest)
#include "arranged_tuning_slow_test.moc"
