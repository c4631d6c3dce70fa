// A kernel on the simulated accelerator, as somebody works with it: by rule, without virtual
// threads and with them, cycle by cycle, proven, below its roofs. With TW_PICTURES set, pictures of
// every view in two themes and sizes go to that folder.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QtTest>
#include <algorithm>
#include <fstream>

#include "app/window/error_advice.h"
#include "app/window/main_window.h"
#include "app/window/panes/roofline/journal.h"
#include "app/window/panes/timeline/journal.h"
#include "app/window/replay.h"
#include "app/window/report.h"
#include "tests/gui/painted_texts.h"
#include "tests/support/simulated_devices.h"
#include "widgets/quantize_dialog/quantize_dialog.h"
#include "widgets/timeline/timeline_view.h"

using namespace tw;
using namespace tw::session;

namespace {

constexpr char kDevice[] = "local:vta:pynq";
constexpr char kKernel[] =
    "tilewright te 1\n"
    "kernel conv(X: i8[1, 4, 14, 14, 16], W: i8[8, 4, 3, 3, 16, 16] @param) -> Y\n"
    "  pad[n in 1, c in 4, y in 16, x in 16, i in 16] = select(1 <= y && y < 15 && 1 <= x && x < "
    "15, X[n, c, y-1, x-1, i], 0:i8)\n"
    "  conv[n in 1, o in 8, y in 14, x in 14, j in 16] = sum[c in 4, r in 3, s in 3, i in 16] "
    "i32(pad[n, c, y+r, x+s, i]) * i32(W[o, c, r, s, j, i])\n"
    "  Y[n in 1, o in 8, y in 14, x in 14, j in 16]: i8 = i8(min(max(conv[n, o, y, x, j] >> 8:i32, "
    "-127:i32), 127:i32))\n";

}  // namespace

class AcceleratorTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!target_hardware("vta")) QSKIP("this build has no target vta");
    session_ = Session::create(testing::with_simulated_devices(true)).value();
    window_ = std::make_unique<MainWindow>(*session_, std::vector<SampleCard>{},
                                           folder_.filePath("state"));
    window_->resize(1280, 800);
    window_->show();
    window_->execute(UseDevice{kDevice});
    settle();
    std::string file = folder_.filePath("conv.te").toStdString();
    std::ofstream(file) << kKernel;
    window_->execute(OpenModel{file});
    settle();
  }

  /// A plain nest that cannot run says so, and one click leads to what can.
  void a_plain_nest_that_cannot_run_offers_the_schedule_by_rule() {
    jump_to("plain");
    auto* button = window_->findChild<QPushButton*>("takeScheduleByRule");
    QVERIFY(button->isVisible());
    QVERIFY2(words("status").starts_with("▲ Not measured: "), words("status").c_str());
    int high = window_->findChild<QWidget*>("statusBar")->height();
    look("loops", "plain");
    QTest::mouseClick(button, Qt::LeftButton);
    settle();
    Snapshot now = session_->snapshot();
    QCOMPARE(now.history->nodes[size_t(now.history->current)].label, std::string("default"));
    QVERIFY(!button->isVisible());
    QCOMPARE(window_->findChild<QWidget*>("statusBar")->height(), high);  // nothing moves
  }

  void the_schedule_by_rule_is_right_and_below_the_roofs() {
    jump_to("default");
    Snapshot now = session_->snapshot();
    HistoryNodeView const& node = now.history->nodes[size_t(now.history->current)];
    QVERIFY2(node.verdict == Verdict::kCorrect, (node.verdict_text + node.failure).c_str());
    QVERIFY(node.min_ms && node.fraction_of_roof && *node.fraction_of_roof < 1);
    QCOMPARE(now.history->roof->unit, std::string("GOP/s"));
    QVERIFY(!now.roofline->trail.empty());
    auto const& last = now.roofline->trail.back();
    QVERIFY(last.current && last.gflops > 0 && last.gflops < 51.2);
    QCOMPARE(last.levels.size(), size_t(4));
    look("loops");
    look("code");
    look("roofline");
  }

  /// The accelerator runs a schedule's last step only: those before say why, and are no errors.
  void steps_on_the_way_say_why_they_have_no_time() {
    int by_rule = session_->snapshot().history->current;
    jump_to("plain");
    window_->execute(ApplyStep{"set_scope(conv, scope=acc)"});
    settle();
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(!now.history->nodes[size_t(now.history->current)].failure.empty());
    QVERIFY2(words("status").starts_with("▲ Not measured: "), words("status").c_str());
    look("history", "unfinished");
    window_->execute(JumpTo{by_rule});
    settle();
  }

  void the_timeline_is_closer_with_virtual_threads() {
    std::string script = session_->script(), serial;
    int by_rule = session_->snapshot().history->current;
    // The same steps without the bound loop's part.
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);)
      if (line.find("vthread") == std::string::npos) serial += line + "\n";
    QVERIFY(serial != script);
    jump_to("plain");
    window_->execute(ApplyScript{serial});
    settle();
    QVERIFY2(!session_->snapshot().refusal,
             session_->snapshot().refusal ? session_->snapshot().refusal->message.c_str() : "");
    int in_turn = session_->snapshot().history->current;
    window_->execute(JumpTo{by_rule});
    settle();
    QVERIFY(window_->perform(journal::ShowView{"timeline"}));
    QVERIFY(window_->perform(journal::TimelineAgainst{std::to_string(in_turn)}));
    settle();
    double with = number("timeline.cycles"), without = number("timeline.above");
    qInfo("%.0f cycles with virtual threads, %.0f without", with, without);
    QVERIFY(with > 0 && with < without);
    QVERIFY(words("timeline.verdict").starts_with("no race, no deadlock"));
    look("timeline");
  }

  void an_instruction_lights_its_loop() {
    QVERIFY(window_->perform(journal::ShowView{"timeline"}));
    settle();
    int linked = 0, count = int(number("timeline.instructions"));
    for (int i = 0; i < count; ++i) {
      QVERIFY(window_->perform(journal::ChooseInstruction{i, ""}));
      linked += window_->findChild<TimelineView*>()->loop_of_chosen() >= 0;
    }
    qInfo("%d of %d instructions have a loop", linked, count);
    QVERIFY(linked > count / 3);
  }

  void memories_and_tokens_are_readable() {
    auto* tabs = window_->findChild<QTabWidget*>("timelineTabs");
    for (int i = 0; i < tabs->count(); ++i) {
      tabs->setCurrentIndex(i);
      look("timeline", tabs->tabText(i));
    }
  }

  void every_kernel_stands_below_the_roofs() {
    QVERIFY(window_->perform(journal::ShowView{"roofline"}));
    QVERIFY(window_->perform(journal::RooflineOf{"model"}));
    settle();
    QCOMPARE(words("roofline"), std::string("model"));
    QCOMPARE(number("roofline.points"), 1.0);
    look("roofline", "model");
    QVERIFY(window_->perform(journal::RooflineOf{"kernel"}));
    settle();
    QVERIFY(number("roofline.points") >= 1);
  }

  void a_model_is_quantized_and_cut() {
    window_->execute(UseDevice{"local"});
    settle();
    window_->execute(OpenSample{"dqn"});
    settle();
    window_->execute(OffloadTo{kDevice});
    settle();
    QCOMPARE(session_->snapshot().error->code, std::string("nothing_to_offload"));
    QCOMPARE(error_words("nothing_to_offload", "offload", "").command,
             QString("Quantize the model"));
    look("graph", "floats");
    QVERIFY(window_->perform(journal::ShowDialog{"quantize", {}}));
    auto* dialog = window_->findChild<QuantizeDialog*>("quantizeDialog");
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(!dialog->findChild<QCheckBox*>("dense0")->isChecked());
    dialog->findChild<QLineEdit*>("file")->setText(folder_.filePath("dqn_bytes"));
    QTest::keyClick(dialog->findChild<QPushButton*>("quantize"), Qt::Key_Space);
    QVERIFY(!dialog->isVisible());
    settle();
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error && now.quantized, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.quantized->quantized > 0);
    window_->execute(OffloadTo{kDevice});
    settle();
    now = session_->snapshot();
    QVERIFY2(!now.error && now.cut, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(
        std::ranges::any_of(now.kernels->rows, [](auto& row) { return row.helper == kDevice; }));
    auto said = window_->findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(said, [](QLabel* one) {
      return one->isVisible() && one->text().contains("kernels run on local:vta:pynq");
    }));
    look("graph", "cut");
    window_->execute(MeasureModel{});
    settle();
    now = session_->snapshot();
    QVERIFY2(!now.error, now.error ? now.error->sentence.c_str() : "");
    QVERIFY(now.kernels->total_ms && now.cut->ms);
    look("graph", "measured");
  }

  /// Behind its first layer the network is on the accelerator, dense layers and all.
  void dense_layers_are_quantized_where_they_are_asked_for() {
    window_->execute(UseDevice{"local"});
    settle();
    window_->execute(OpenSample{"dqn"});
    settle();
    QVERIFY(window_->perform(journal::ShowDialog{"quantize", "dense"}));
    auto* dialog = window_->findChild<QuantizeDialog*>("quantizeDialog");
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(dialog->findChild<QCheckBox*>("dense0")->isChecked());
    dialog->findChild<QLineEdit*>("file")->setText(folder_.filePath("dqn_dense.onnx"));
    QTest::mouseClick(dialog->findChild<QPushButton*>("quantize"), Qt::LeftButton);
    settle();
    window_->execute(OffloadTo{kDevice});
    settle();
    Snapshot now = session_->snapshot();
    QVERIFY2(!now.error && now.cut, now.error ? now.error->sentence.c_str() : "");
    int dense = 0;
    for (KernelRow const& row : now.kernels->rows) {
      if (!row.name.starts_with("matmul_integer")) continue;
      ++dense;
      QCOMPARE(row.helper, std::string(kDevice));
      QVERIFY(row.integers && row.flops > 0);
    }
    QCOMPARE(dense, 2);
    look("graph", "dense");
  }

private:
  void settle() { tw::settle(*window_, *session_); }
  void jump_to(std::string const& label) {
    for (HistoryNodeView const& node : session_->snapshot().history->nodes)
      if (node.label == label) window_->execute(JumpTo{node.id});
    settle();
  }
  double number(char const* fact) { return std::get<double>(window_->fact(fact).value()); }
  std::string words(char const* fact) { return std::get<std::string>(window_->fact(fact).value()); }
  /// What is painted is whole and apart.
  void look(std::string const& view, QString const& name = {}) {
    for (char const* theme : {"light", "dark"})
      for (QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        window_->set_theme(theme);
        window_->resize(size);
        for (int i = 0; i < 4; ++i) QApplication::processEvents();
        QVERIFY(window_->perform(journal::ShowView{view}));
        settle();
        for (int i = 0; i < 4; ++i) QApplication::processEvents();
        QString folder = qEnvironmentVariable("TW_PICTURES");
        if (!folder.isEmpty())
          QVERIFY(save_picture(picture_of(*window_),
                               QString("%1/vta_%2%3_%4_%5.png")
                                   .arg(folder, QString::fromStdString(view), name, theme)
                                   .arg(size.width())
                                   .toStdString()));
        QStringList wrong;
        QVERIFY(testing::painted_texts(*window_, 1, wrong) > 30);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.mid(0, 12).join("\n")));
      }
  }

  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(AcceleratorTest)
#include "accelerator_test.moc"
