// The view of a tuning: with made-up searches, and in a window that tunes.
#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QtTest>

#include "tests/gui/made_up_tuning.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/paint/paint.h"
#include "widgets/tuning/tuning_view.h"

using namespace tw;
using session::TuningState;

class TuningTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { install_accessible_parts(); }

  void searches_stand_side_by_side_and_nothing_is_cut_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<double>("scale");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(560, 520), QSize(1000, 700), QSize(1700, 1000)})
        for (double scale : {0.8, 1.0, 1.5})
          if (size.width() > 800 || scale <= 1)
            QTest::addRow("%s %d %g", theme, size.width(), scale) << theme << size << scale;
  }
  void searches_stand_side_by_side_and_nothing_is_cut() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QFETCH(double, scale);
    Theme look = Theme::load(theme);
    look.scale = scale;
    qApp->setStyleSheet(look.style_sheet());
    TuningView view({"genetic", "random"});
    view.set_theme(look);
    view.resize(size);
    auto ended = made_up(1, "random", 240, 3.2);
    ended->state = TuningState::kEnded;
    ended->ended = "all trials are done";
    ended->default_ms = 2.4;
    view.show_snapshot(
        snapshot_of({ended, made_up(2, "genetic", 412, 2.9), made_up(3, "rank", 297, 2.7)}));
    view.show();
    QVERIFY(view.select({3, 297}));
    for (int i = 0; i < 4; ++i) QApplication::processEvents();
    QStringList wrong;
    auto* side = view.findChild<QComboBox*>("tuningSide");
    for (int which = 0; which < side->count(); ++which) {
      side->setCurrentIndex(which);
      for (int i = 0; i < 4; ++i) QApplication::processEvents();
      for (QWidget* one : view.findChildren<QWidget*>())
        if (one->isVisible()) check_words(*one, wrong);
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 10).join("\n")));
      keep_picture(view, QString("tuning_%1_%2_%3_%4")
                             .arg(theme)
                             .arg(size.width())
                             .arg(scale)
                             .arg(side->currentText()));
    }
    qApp->setStyleSheet("");
  }

  void what_goes_on_is_said_and_its_buttons_fit() {
    TuningView view({"genetic", "random"});
    view.show();
    view.show_snapshot(snapshot_of({}));
    QVERIFY(view.findChild<QLabel*>("tuningEmpty")->isVisible());
    QVERIFY(button(view, "tuningStart")->isEnabled() && !button(view, "tuningStop")->isEnabled());
    auto run = made_up(1, "genetic", 412, 2.9);
    view.show_snapshot(snapshot_of({run}));
    QCOMPARE(view.findChild<QLabel*>("tuningDone")->text(), QString("412 of 512 trials"));
    QCOMPARE(view.findChild<QLabel*>("tuningLeft")->text(), QString("3 s left"));
    QCOMPARE(view.findChild<QLabel*>("tuningFailed")->text(), QString("58 failed"));
    QVERIFY(!button(view, "tuningStart")->isEnabled() && button(view, "tuningStop")->isEnabled());
    QSignalSpy paused(&view, &TuningView::pause_asked), resumed(&view, &TuningView::resume_asked);
    button(view, "tuningPause")->click();
    QCOMPARE(paused.size(), 1);
    run = std::make_shared<session::TuningRun>(*run);
    run->state = TuningState::kPaused;
    view.show_snapshot(snapshot_of({run}));
    QCOMPARE(button(view, "tuningPause")->text(), QString("Resume"));
    button(view, "tuningPause")->click();
    QCOMPARE(resumed.size(), 1);
  }

  void the_keyboard_stays_where_something_was_begun() {
    TuningView view({"genetic", "random"});
    view.show();
    view.show_snapshot(snapshot_of({}));
    view.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    button(view, "tuningStart")->setFocus();
    auto run = made_up(1, "genetic", 12, 2.9);
    view.show_snapshot(snapshot_of({run}));
    QVERIFY(!button(view, "tuningStart")->isVisible());
    QCOMPARE(view.focusWidget(), static_cast<QWidget*>(button(view, "tuningStop")));
    run = std::make_shared<session::TuningRun>(*run);
    run->state = TuningState::kEnded;
    view.show_snapshot(snapshot_of({run}));
    QCOMPARE(view.focusWidget(), static_cast<QWidget*>(button(view, "tuningStart")));
  }

  void predictions_and_knobs_say_what_they_rest_on() {
    TuningPredictions predictions;
    predictions.resize(300, 240);
    predictions.show_runs({}, {});
    QCOMPARE(predictions.words(), QString("No search has predicted times yet."));
    auto run = made_up(1, "genetic", 100, 2.9);
    predictions.show_runs({{run}}, {});
    QVERIFY2(predictions.words().endsWith(" of 86 trials"), qPrintable(predictions.words()));
    predictions.grab();  // what was not painted yet has no places
    QPointF low = predictions.position(1, 1), high = predictions.position(2, 2);
    QVERIFY(high.x() > low.x() && high.y() < low.y());
    QCOMPARE(agreement(0.8), QString("Predictions correlate well"));
    QCOMPARE(agreement(-0.5), QString("Predictions are anti-correlated"));
    TuningImportance importance;
    importance.show_runs({});
    QCOMPARE(importance.words(), QString("The trials do not differ in their knobs yet."));
    importance.show_runs({{run}});
    // Without the one that is the rule's schedule.
    QCOMPARE(importance.words(), QString("Share of the variance of time, over 85 trials"));
    importance.resize(300, 240);
    QCOMPARE(importance.parts().size(), size_t(3));  // those with more than one value
  }

  void the_fastest_come_first_and_a_dot_selects_its_row() {
    TuningView view({"genetic"});
    view.resize(1000, 700);
    view.show();
    view.show_snapshot(snapshot_of({made_up(1, "genetic", 100, 2.9)}));
    auto* table = view.findChild<TrialTable*>();
    auto* chart = view.findChild<TuningChart*>();
    QApplication::processEvents();
    std::vector<ChosenTrial> rows = table->rows();
    QCOMPARE(rows.size(), size_t(86));
    auto run = made_up(1, "genetic", 100, 2.9);
    for (size_t i = 1; i < rows.size(); ++i)
      QVERIFY(run->trial(rows[i - 1].trial)->ms <= run->trial(rows[i].trial)->ms);
    session::TuningTrial const& slow = *run->trial(1);
    QTest::mouseClick(chart, Qt::LeftButton, {}, chart->position(1, slow.ms).toPoint());
    QCOMPARE(view.selected(), (ChosenTrial{1, 1}));
    QSignalSpy opened(&view, &TuningView::open_asked);
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Home);
    QCOMPARE(view.selected(), rows.front());
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened[0][0].value<ChosenTrial>(), rows.front());
    QTest::mouseDClick(table, Qt::LeftButton, {}, table->row_rect(2).center().toPoint());
    QVERIFY(opened.size() >= 2);
    QCOMPARE(QAccessible::queryAccessibleInterface(table)->childCount(), 86);
    for (Part const& part : table->parts()) QVERIFY(part.name.startsWith("trial "));
  }

  void a_window_tunes_and_opens_a_trial_and_its_journal_does_it_again() {
    Workplace place(false);
    place.open_matmul();
    QVERIFY(place.window->perform(journal::ShowView{"tuning"}));
    auto& view = *place.window->findChild<TuningView*>("tuning");
    view.findChild<QSpinBox*>()->setValue(4);
    QTest::mouseClick(button(view, "tuningStart"), Qt::LeftButton);
    place.settle();
    QCOMPARE(place.lines("expect tuning.state ended\nexpect tuning.trials 4\nexpect view tuning\n"),
             std::string());
    auto* table = view.findChild<TrialTable*>();
    QVERIFY(!table->rows().empty());
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Home);
    QTest::keyClick(table, Qt::Key_Return);
    place.settle();
    QVERIFY(place.session->snapshot().history->current > 0);
    QVERIFY(place.recorded().find("\ntune trials 4 ") != std::string::npos);
    QVERIFY(place.recorded().find("\nopen trial ") != std::string::npos);
    for (QSize size : {QSize(1280, 800), QSize(2560, 1440)})
      for (char const* theme : {"dark", "light", "high_contrast"}) {
        place.window->set_theme(theme);
        place.window->resize(size);
        for (int i = 0; i < 4; ++i) QApplication::processEvents();
        QStringList wrong;
        for (QWidget* one : view.findChildren<QWidget*>())
          if (one->isVisible()) check_words(*one, wrong);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 10).join("\n")));
        keep_picture(*place.window, QString("window_%1_%2").arg(theme).arg(size.width()));
      }
    QCOMPARE(place.lines("tune trials 2 search random seed 3\nexpect tuning.runs 2\n"
                         "expect tuning.trials 2\nexpect tuning.failed 0\n"
                         "select trial 1\nexpect trial 1\nopen trial 1 of 1\n"
                         "expect kernel.state tuned\nclear tuning\nexpect tuning.state none\n"),
             std::string());
  }

private:
  static QPushButton* button(QWidget& view, char const* name) {
    return view.findChild<QPushButton*>(name);
  }
};

QTEST_MAIN(TuningTest)
#include "tuning_test.moc"
