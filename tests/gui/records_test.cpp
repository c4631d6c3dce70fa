// The view of stored trials: a table that has only pages of a store, filters, two trials compared.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QtTest>
#include <fstream>

#include "app/window/panes/records/record_monitor.h"
#include "tests/records/some_trials.h"

using namespace tw;
using records::Trial;

namespace {

/// What a search keeps of a convolution, with names as long as they get.
Trial tuned(uint64_t number) {
  Trial trial = testing::some_trial(number);
  trial.task_name = number % 3 ? "conv2d_64x56x56_3x3" : "dense_1000x512";
  trial.task = number % 3;
  trial.device = number % 5 ? "local" : "board";
  trial.machine = "AMD EPYC 9354 32-Core Processor, 2 cores";
  trial.job = number % 2 ? "job-17" : "";
  trial.knobs = {{"conv2d.ow.i", std::to_string(number % 28 + 1)},
                 {"conv2d.oc.i", number % 2 ? "16" : "32"},
                 {"conv2d.unroll", "kh kw"}};
  trial.trace = "ow.0, ow.1 = split(conv2d.ow, factor=" + std::to_string(number % 28 + 1) +
                ")\nvectorize(conv2d.ow.1)\nunroll(conv2d.kh)\nparallel(conv2d.oc)\n";
  if (trial.outcome != records::Outcome::kOk) trial.failure = "it took longer than 2 s";
  return trial;
}

}  // namespace

class RecordsTest : public QObject {
  Q_OBJECT
private slots:
  void the_model_asks_once_for_what_is_looked_at() {
    RecordModel model;
    QAbstractItemModelTester tester(&model);
    QSignalSpy wanted(&model, &RecordModel::page_wanted);
    model.begin(1000);
    QVERIFY(!model.row(0) && !model.row(199) && !model.row(999));
    QCOMPARE(wanted.size(), 2);
    QCOMPARE(wanted[1][0].toInt(), 4);
    std::vector<RecordRow> rows(RecordModel::kPage);
    for (size_t i = 0; i < rows.size(); ++i) rows[i].id = 1000 - qint64(i);
    model.take(0, rows);
    QCOMPARE(model.row(7)->id, qint64(993));
    QCOMPARE(model.row_of(993), 7);
    QCOMPARE(model.row_of(5), -1);
    QVERIFY(!model.row(-1) && !model.row(1000));
    QCOMPARE(wanted.size(), 2);
    model.begin(3);
    QVERIFY(!model.row(0));
    QCOMPARE(wanted.size(), 3);
  }

  void far_pages_are_forgotten() {
    RecordModel model;
    model.begin(100'000);
    for (int page = 0; page < 500; ++page)
      model.take(page, std::vector<RecordRow>(RecordModel::kPage));
    QVERIFY(model.row(99'999));
    QSignalSpy wanted(&model, &RecordModel::page_wanted);
    QVERIFY(!model.row(0));
    QCOMPARE(wanted.size(), 1);
  }

  void knobs_that_differ_are_told_and_times_are_compared() {
    RecordRow a, b;
    a.id = 7, b.id = 9;
    a.knobs = {{"m.a", "1"}, {"m.b", "2"}, {"m.c", "3"}};
    b.knobs = {{"m.b", "5"}, {"m.c", "3"}, {"m.d", "4"}};
    QVERIFY(knob_differences(a, b) ==
            (std::vector<KnobDifference>{{"m.a", "1", ""}, {"m.b", "2", "5"}, {"m.d", "", "4"}}));
    QVERIFY(knob_differences(a, a).empty());
    a.ms = 1, b.ms = 1.5, b.spread = 0.04;
    QCOMPARE(comparison_words(a, b),
             QString("Trial 7 takes 1.00 ms, trial 9 1.50 ms +4.0 %: 1.50 times as long."));
    b.ms = 0, b.outcome = "timeout";
    QCOMPARE(comparison_words(a, b),
             QString("There is nothing to compare: trial 9 has no time (timeout)."));
  }

  void filters_reach_the_store_and_rows_come_as_it_orders_them() {
    QTemporaryDir folder;
    std::string file = stored(folder, 1000);
    RecordsView view;
    RecordMonitor board(view, file);
    view.resize(1000, 700);
    view.show();
    board.ask();
    QTRY_VERIFY(!board.busy());
    QCOMPARE(view.rows(), 1000);
    QCOMPARE(view.model().row(0)->id, qint64(1000));
    QCOMPARE(box(view, "recordsKernel")->count(), 3);
    QVERIFY(!view.model().row(999));  // asked for now
    QTRY_VERIFY(view.model().row(999));
    QCOMPARE(view.model().row(999)->id, qint64(1));
    connect(&view, &RecordsView::filter_changed, &board, &RecordMonitor::ask);
    box(view, "recordsDevice")->setCurrentText("board");
    QTRY_VERIFY(!board.busy());
    QCOMPARE(view.rows(), 200);
    view.findChild<QLineEdit*>("recordsText")->setText("DENSE");
    QTRY_COMPARE(view.rows(), 66);
    box(view, "recordsOrder")->setCurrentText("fastest");
    QTRY_VERIFY(!board.busy());
    double before = 0;
    for (int i = 0; i < 5; ++i) {
      QVERIFY(view.model().row(i)->ms >= before);
      before = view.model().row(i)->ms;
    }
    QCOMPARE(view.model().row(0)->ratio, 1.0);
    QVERIFY(view.model().row(1)->ratio >= 1);
    view.findChild<QPushButton*>("recordsBest")->setChecked(true);
    QTRY_VERIFY(!board.busy());
    QCOMPARE(view.rows(), 4);  // one for each number of threads
    view.set_filter({.best = true});
    board.ask();
    QTRY_VERIFY(!board.busy());
    QCOMPARE(view.rows(), 24);  // three kernels on two devices, by four numbers of threads
    for (int i = 0; i < view.rows(); ++i) QCOMPARE(view.model().row(i)->ratio, 1.0);
  }

  void a_click_on_a_column_sorts_and_one_more_turns_it_round() {
    RecordsView view;
    QSignalSpy changed(&view, &RecordsView::filter_changed);
    auto* head = view.findChild<QTableView*>()->horizontalHeader();
    emit head->sectionClicked(RecordModel::kTime);
    QCOMPARE(view.filter().order, QString("fastest"));
    emit head->sectionClicked(RecordModel::kTime);
    QCOMPARE(view.filter().order, QString("slowest"));
    emit head->sectionClicked(RecordModel::kWhen);
    QCOMPARE(view.filter().order, QString("newest"));
    emit head->sectionClicked(RecordModel::kKnobs);  // which has no order
    QCOMPARE(view.filter().order, QString("newest"));
    QCOMPARE(changed.size(), 3);
  }

  void two_trials_stand_beside_each_other_and_one_opens() {
    QTemporaryDir folder;
    RecordsView view;
    RecordMonitor board(view, stored(folder, 50));
    view.show();
    board.show_trials({4, 9});
    QTRY_COMPARE(view.selected(), (std::vector<qint64>{4, 9}));
    QVERIFY(!view.can_open());
    auto* knobs = view.findChild<QTableWidget*>("recordKnobs");
    QCOMPARE(knobs->rowCount(), 2);
    QCOMPARE(knobs->item(1, 0)->text(), QString("conv2d.ow.i"));
    QCOMPARE(knobs->item(1, 1)->text(), QString("5"));
    QCOMPARE(knobs->item(1, 2)->text(), QString("10"));
    auto* left = view.findChild<QPlainTextEdit*>("recordScript");
    auto* right = view.findChild<QPlainTextEdit*>("recordOtherScript");
    QVERIFY(right->isVisible() && left->toPlainText() != right->toPlainText());
    QCOMPARE(left->extraSelections().size(), 1);  // the line of the split
    QCOMPARE(right->extraSelections().size(), 1);
    board.ask();
    QTRY_VERIFY(!board.busy());
    QSignalSpy opened(&view, &RecordsView::open_asked);
    auto* table = view.findChild<QTableView*>();
    table->selectRow(2);
    QCOMPARE(view.selected(), std::vector<qint64>{48});
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened[0][0].toLongLong(), 48LL);
    board.show_trials({51});
    QTRY_COMPARE(view.sentence(), QString("the store has no trial 51"));
  }

  void where_nothing_is_stored_one_begins_a_tuning() {
    QTemporaryDir folder;
    RecordsView view;
    RecordMonitor board(view, folder.filePath("none.sqlite").toStdString());
    view.resize(1000, 700);
    view.offer_tuning(true);
    view.show();
    board.ask();
    QTRY_VERIFY(!board.busy());
    auto* words = view.findChild<QLabel*>("recordsEmpty");
    QVERIFY(words && words->isVisible() && words->text().startsWith("No trials"));
    QPoint middle = words->mapTo(&view, words->rect().center());
    QVERIFY(std::abs(middle.x() - 500) < 20 && middle.y() > 200 && middle.y() < 450);
    for (QComboBox* filter : view.findChildren<QComboBox*>()) QVERIFY(!filter->isVisible());
    QSignalSpy asked(&view, &RecordsView::tune_asked);
    auto* tune = qobject_cast<QPushButton*>(view.focus_target());
    QVERIFY(tune);
    QTest::mouseClick(tune, Qt::LeftButton);
    QCOMPARE(asked.size(), 1);
    view.offer_tuning(false);  // without a kernel
    QVERIFY(!tune->isVisible());
    RecordMonitor filled(view, stored(folder, 10));
    filled.ask();
    QTRY_VERIFY(!filled.busy());
    QVERIFY(!words->isVisible() && box(view, "recordsKernel")->isVisible());
    QCOMPARE(view.rows(), 10);
  }

  void what_is_wrong_with_a_store_is_one_sentence() {
    QTemporaryDir folder;
    auto said = [&](std::filesystem::path const& file) {
      RecordsView view;
      RecordMonitor board(view, file);
      board.ask();
      if (!QTest::qWaitFor([&] { return !board.busy(); }, 10'000)) return QString();
      if (view.rows() > 0) return QString("there are rows");
      return view.sentence();
    };
    QString missing = folder.filePath("none.sqlite");
    QVERIFY(said(missing.toStdString()).contains("no trials are stored yet"));
    QVERIFY(!QFile::exists(missing));  // who only looks makes no store
    QVERIFY(said({}).contains("keeps no trials"));
    std::string broken = folder.filePath("broken.sqlite").toStdString();
    std::ofstream(broken) << std::string(8192, 'x');
    QString sentence = said(broken);
    QVERIFY2(!sentence.isEmpty() && !sentence.contains('\n'), qPrintable(sentence));
  }

  void a_hundred_thousand_filter_without_waiting() {
    QTemporaryDir folder;
    RecordsView view;
    RecordMonitor board(view, stored(folder, 100'000));
    connect(&view, &RecordsView::filter_changed, &board, &RecordMonitor::ask);
    view.resize(1000, 700);
    view.show();
    QElapsedTimer timer;
    timer.start();
    board.ask();
    view.set_filter({.text = "factor=15", .order = "fastest"});
    board.ask();
    qint64 const returned = timer.elapsed();
    QVERIFY2(returned < 100, qPrintable(QString::number(returned)));
    QTRY_VERIFY_WITH_TIMEOUT(!board.busy(), 20'000);
    qInfo("asked in %lld ms, answered in %lld ms", returned, timer.elapsed());
    QCOMPARE(view.rows(), 3571);
    QVERIFY(view.model().row(0)->ms > 0);
  }

  void nothing_is_cut_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QSize>("size");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (QSize size : {QSize(560, 620), QSize(1000, 700), QSize(1700, 1200)})
        QTest::addRow("%s %d", theme, size.width()) << theme << size;
  }
  void nothing_is_cut() {
    QFETCH(QString, theme);
    QFETCH(QSize, size);
    QTemporaryDir folder;
    Theme look = Theme::load(theme);
    qApp->setStyleSheet(look.style_sheet());
    RecordsView view;
    RecordMonitor board(view, stored(folder, 300));
    view.set_theme(look);
    view.resize(size);
    view.show();
    board.ask();
    board.show_trials({60, 71});
    QTRY_VERIFY(!board.busy());
    for (int i = 0; i < 4; ++i) QApplication::processEvents();
    QString pictures = qEnvironmentVariable("TW_PICTURES");
    if (!pictures.isEmpty())
      view.grab().save(QString("%1/records_%2_%3.png").arg(pictures, theme).arg(size.width()));
    for (QLabel* label : view.findChildren<QLabel*>())
      if (label->isVisible() && !label->wordWrap())
        QVERIFY2(label->fontMetrics().horizontalAdvance(label->text()) <= label->width(),
                 qPrintable("no room for " + label->text()));
    for (QPushButton* one : view.findChildren<QPushButton*>())
      if (one->isVisible()) QVERIFY(one->width() >= one->sizeHint().width());
    QVERIFY(view.findChild<QTableView*>()->height() > 100);
    qApp->setStyleSheet("");
  }

private:
  static std::string stored(QTemporaryDir const& folder, uint64_t count) {
    std::string file = folder.filePath("trials.sqlite").toStdString();
    auto store = records::open_store(file, {.durability = Durability::kFast});
    if (!store) qFatal("%s", to_sentence(store.error()).c_str());
    for (uint64_t first = 0; first < count; first += 10'000) {
      std::vector<Trial> trials;
      for (uint64_t i = first; i < std::min(count, first + 10'000); ++i)
        trials.push_back(tuned(i + 1));
      if (!(*store)->append(trials)) qFatal("not stored");
    }
    return file;
  }
  static QComboBox* box(QWidget& view, char const* name) {
    return view.findChild<QComboBox*>(name);
  }
};

QTEST_MAIN(RecordsTest)
#include "records_test.moc"
