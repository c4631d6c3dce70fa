// The inspector: what it says, by mouse and by keys, and as it is drawn.
#include <QtTest>

#include <QClipboard>
#include <QElapsedTimer>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>

#include "app/window/panes/attributes/journal.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/inspector/inspector_panel.h"

using namespace tw;
using namespace tw::session;

class InspectorTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    place_ = std::make_unique<Workplace>(false);
    lines("size 1600 1000\nsample resnet18\n");
  }
  void cleanupTestCase() { place_.reset(); }

  void it_follows_the_chosen_kernel() {
    lines(
        "show attributes\nkernel conv2d_64x56x56_3x3\n"
        "expect inspected = conv2d_64x56x56_3x3\nexpect inspected.kind = kernel\n"
        "expect inspected.weights >= 1\nexpect inspected.operations > 100000000\n"
        "expect inspected.values = 36864\nexpect inspected.bins = 32\n"
        "kernel conv2d_128x28x28_3x3\nexpect inspected = conv2d_128x28x28_3x3\n");
    QVERIFY(sheet().rows().size() > 10);
  }

  void an_operator_of_the_kernel_is_opened_by_a_click_and_left_by_a_key() {
    int operators = stop_of(InspectedKind::kOperator);
    QVERIFY(operators >= 0);
    std::string name = sheet().rows()[size_t(operators)].to->name;
    click(operators);
    place_->settle();
    lines("expect inspected.kind = operator\nexpect inspected.kernel = conv2d_128x28x28_3x3\n");
    QCOMPARE(QString::fromStdString(word("inspected")), QString::fromStdString(name));
    QVERIFY(place_->recorded().find("inspect operator " + name) != std::string::npos);
    QTest::keyClick(&sheet(), Qt::Key_Backspace);
    place_->settle();
    lines("expect inspected.kind = kernel\nexpect inspected = conv2d_128x28x28_3x3\n");
    QVERIFY(place_->recorded().find("inspect before") != std::string::npos);
  }

  void keys_go_from_thing_to_thing_and_open_them() {
    sheet().setFocus();
    QTest::keyClick(&sheet(), Qt::Key_Home);
    int first = sheet().current();
    QVERIFY(sheet().rows()[size_t(first)].is_stop());
    QTest::keyClick(&sheet(), Qt::Key_Down);
    QVERIFY(sheet().current() > first);
    QTest::keyClick(&sheet(), Qt::Key_Up);
    QCOMPARE(sheet().current(), first);
    Inspected to = *sheet().rows()[size_t(first)].to;
    QTest::keyClick(&sheet(), Qt::Key_Return);
    place_->settle();
    QCOMPARE(QString::fromStdString(word("inspected")), QString::fromStdString(to.name));
    lines("inspect before\n");
  }

  void a_weight_has_a_histogram_whose_bars_are_read_by_keys_and_by_pointing() {
    int weight = -1;
    for (size_t row = 0; row < sheet().rows().size(); ++row)
      if (sheet().rows()[row].note.contains("weight")) weight = int(row);
    QVERIFY(weight >= 0);
    click(weight);
    place_->settle();
    lines("expect inspected.kind = tensor\nexpect inspected.what = Weight\n");
    QTRY_VERIFY(sheet().shown().statistics);
    ValueStatistics const& values = *sheet().shown().statistics;
    QCOMPARE(number("inspected.values"), double(values.count));
    int64_t all = 0;
    for (int64_t bin : values.bins) all += bin;
    QCOMPARE(all, values.finite());
    int histogram = -1;
    for (size_t row = 0; row < sheet().rows().size(); ++row)
      if (sheet().rows()[row].form == SheetRow::Form::kHistogram) histogram = int(row);
    QVERIFY(histogram >= 0);
    while (sheet().current() != histogram) {
      int before = sheet().current();
      QTest::keyClick(&sheet(), before < histogram ? Qt::Key_Down : Qt::Key_Up);
      QVERIFY(sheet().current() != before);
    }
    QTest::keyClick(&sheet(), Qt::Key_Right);
    QCOMPARE(sheet().current_bin(), 0);
    QTest::keyClick(&sheet(), Qt::Key_Right);
    QCOMPARE(sheet().current_bin(), 1);
    QPoint at = sheet().pixels(sheet().bin_rect(20).center());
    QMouseEvent move(QEvent::MouseMove, at, sheet().mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     {});
    QApplication::sendEvent(&sheet(), &move);
    QCOMPARE(sheet().current_bin(), 20);
    // Each bar is a part with its words.
    QString words = QString::fromStdString(values.words_of(20));
    auto parts = sheet().parts();
    QVERIFY(std::ranges::any_of(parts, [&](Part const& p) { return p.name.startsWith(words); }));
  }

  void the_expression_can_be_copied_and_is_one_that_can_be_read() {
    lines("inspect kernel conv2d_64x56x56_3x3\n");
    auto* text = place_->window->findChild<QPlainTextEdit*>("inspectorCompute");
    QVERIFY(text && text->isVisible() && text->isReadOnly());
    QVERIFY(text->toPlainText().startsWith("tilewright te 1"));
    place_->window->findChild<QPushButton*>("inspectorCopy")->click();
    QCOMPARE(QGuiApplication::clipboard()->text(), text->toPlainText());
    // All of it stands there: the column around it scrolls.
    QVERIFY(text->verticalScrollBar()->maximum() == 0);
  }

  void an_imported_operator_says_what_became_of_it() {
    std::string norm;
    for (GraphNodeView const& node : place_->window->snapshot().graph->nodes_before)
      if (node.op == "batch_norm" && norm.empty()) norm = node.name;
    QVERIFY(!norm.empty());
    lines("inspect imported " + norm + "\nexpect inspected.attributes >= 1\n");
    QVERIFY(stop_of(InspectedKind::kOperator) >= 0);
  }

  void what_is_not_there_is_refused_in_words() {
    std::string wrong = place_->lines("inspect operator nobody\n");
    QVERIFY2(wrong.find("has no node 'nobody'") != std::string::npos, wrong.c_str());
    wrong = place_->lines("inspect tensor nobody\n");
    QVERIFY2(wrong.find("no tensor 'nobody'") != std::string::npos, wrong.c_str());
  }

  void the_command_and_its_key_bring_it_to_the_front() {
    lines("show kernels\n");
    QTest::keyClick(place_->window.get(), Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    place_->settle();
    QVERIFY(sheet().isVisible());
    QVERIFY(sheet().hasFocus());
  }

  void it_is_shown_at_once() {
    std::vector<double> times;
    for (GraphNodeView const& node : place_->window->snapshot().graph->nodes) {
      QElapsedTimer timer;
      timer.start();
      QVERIFY(place_->window->perform(journal::Inspect{node.name, "operator"}));
      while (!sheet().shown().view || sheet().shown().view->of.name != node.name) {
        QApplication::processEvents(QEventLoop::AllEvents, 1);
        QVERIFY(timer.elapsed() < 5000);
      }
      times.push_back(double(timer.nsecsElapsed()) / 1e6);
    }
    std::ranges::sort(times);
    qInfo("an operator is shown: median %.1f ms, slowest %.1f ms", times[times.size() / 2],
          times.back());
    QVERIFY(times[times.size() / 2] < 50);
  }

  void nothing_is_cut_or_covered_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QString>("size");
    QTest::addColumn<int>("scale");
    for (char const* theme : {"dark", "light", "high-contrast"})
      for (char const* size : {"960 620", "1280 800", "2560 1440"})
        for (int scale : {100, 150}) {
          // No window is so small at that scale.
          if (scale == 150 && std::string(size) == "960 620") continue;
          QTest::addRow("%s %s %d", theme, size, scale) << theme << size << scale;
        }
  }
  void nothing_is_cut_or_covered() {
    QFETCH(QString, theme);
    QFETCH(QString, size);
    QFETCH(int, scale);
    lines(QString("theme %1\nscale text %2\nsize %3\n")
              .arg(theme)
              .arg(scale)
              .arg(size)
              .toStdString());
    std::string conv, weight;
    for (GraphNodeView const& node : place_->window->snapshot().graph->nodes)
      if (node.op == "conv2d") conv = node.name;
    lines("inspect operator " + conv + "\n");
    place_->settle();
    QTRY_VERIFY(sheet().shown().statistics);
    weight = sheet().shown().view->values_of;
    for (std::string const& what :
         {"operator " + conv, std::string("kernel conv2d_64x56x56_3x3"), "tensor " + weight}) {
      lines("inspect " + what + "\n");
      place_->settle();
      auto* panel = place_->window->findChild<InspectorPanel*>("inspectorScroll");
      // From the top to the end.
      for (int at = 0;; at += std::max(1, panel->viewport()->height() - 40)) {
        panel->verticalScrollBar()->setValue(at);
        QString wrong = wrong_words(*panel);
        QVERIFY2(wrong.isEmpty(), qPrintable(QString::fromStdString(what) + ": " + wrong));
        if (at >= panel->verticalScrollBar()->maximum()) break;
      }
      panel->verticalScrollBar()->setValue(0);
      keep_picture(*place_->window, QString("inspector_%1_%2_%3_%4")
                                        .arg(theme, size)
                                        .arg(scale)
                                        .arg(QString::fromStdString(what).section(' ', 0, 0))
                                        .replace(' ', '_'));
    }
  }

private:
  InspectorSheet& sheet() {
    auto* found = place_->window->findChild<InspectorSheet*>("inspectorSheet");
    if (!found) qFatal("there is no inspector");
    return *found;
  }
  /// The first row that opens something of that kind; -1: there is none.
  int stop_of(InspectedKind kind) {
    for (size_t row = 0; row < sheet().rows().size(); ++row)
      if (sheet().rows()[row].to && sheet().rows()[row].to->kind == kind) return int(row);
    return -1;
  }
  void click(int row) {
    QTest::mouseClick(&sheet(), Qt::LeftButton, {}, sheet().pixels(sheet().row_rect(row)).center());
  }
  void lines(std::string const& text) {
    std::string wrong = place_->lines(text);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  std::string word(char const* fact) {
    auto value = place_->window->fact(fact);
    return value ? std::get<std::string>(*value) : "unknown";
  }
  double number(char const* fact) {
    auto value = place_->window->fact(fact);
    return value ? std::get<double>(*value) : -1;
  }

  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(InspectorTest)
#include "inspector_test.moc"
