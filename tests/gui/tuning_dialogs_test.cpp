// Tuning from a state, of the whole model, and what carries a gain: the dialogs and views with
// made-up values, and in a window that does it.
#include <QComboBox>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QtTest>

#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "widgets/history/history_view.h"
#include "widgets/kernels/kernel_list.h"
#include "widgets/tuning/device_checks.h"
#include "widgets/tuning/gain_view.h"
#include "widgets/tuning/model_tuning_view.h"
#include "widgets/tuning/tune_dialog.h"
#include "widgets/tuning/tune_model_dialog.h"
#include "widgets/tuning/tuning_view.h"

using namespace tw;
using session::DeviceDoes;
using session::KernelTurn;
using session::ModelTuningState;

namespace {

constexpr char kSteps[] =
    "script \"C.i.0, C.i.1 = split(C.i, factor=8)\\nC.j.0, C.j.1 = split(C.j, "
    "factor=16)\\nreorder(C.i.0, C.j.0, C.k, C.i.1, C.j.1)\\nvectorize(C.j.1)\\n\"\n";

session::TuningSpace made_up_space() {
  session::TuningSpace space;
  space.from = 12;
  space.of = "vectorize";
  space.knobs = {{"conv2d.oc.factor", 9, "16"},
                 {"conv2d.ow.factor", 12, "7"},
                 {"conv2d_1.a_long_name_of_an_axis.factor@12", 14, "64"},
                 {"conv2d.unroll_limit", 5, "8"}};
  return space;
}

constexpr char kMachine[] = "AMD EPYC 9354 32-Core Processor, x86-64 · AVX-512";

std::vector<session::DeviceChoice> made_up_choices() {
  return {{"board", kMachine, true, ""},
          {"phone", "Cortex-A76, aarch64 · NEON", false, ""},
          {"gone", "", false, "the device 'gone' does not answer: connection refused"}};
}

std::vector<session::TuningDevice> made_up_devices() {
  return {{"local", kMachine, DeviceDoes::kMeasuring, 412, 208, 0, 17.3, ""},
          {"board", kMachine, DeviceDoes::kCompiling, 0, 181, 0, 15.1, ""},
          {"laboratory-board.second", kMachine, DeviceDoes::kLost, 0, 12, 2, 1.2,
           "the device 'laboratory-board.second' does not answer: connection refused"},
          {"liar", kMachine, DeviceDoes::kQuarantine, 0, 3, 0, 9.4, "it accepted a wrong result"}};
}

std::shared_ptr<session::ModelTuningView> made_up_model() {
  auto view = std::make_shared<session::ModelTuningView>();
  view->search = "learned";
  view->state = ModelTuningState::kSearching;
  view->seconds = 60;
  view->elapsed = 21;
  view->trials = 404;
  view->before_ms = 12.4;
  view->machine = kMachine;
  view->devices = made_up_devices();
  for (int i = 0; i < 14; ++i) {
    session::TunedKernelRow row;
    row.row = i;
    row.kernel = QString("conv2d_bias_add_relu_%1x28x28_3x3").arg(64 << i % 4).toStdString();
    row.calls = 1 + i % 3;
    row.turn = i == 2 ? KernelTurn::kSearched : KernelTurn::kWaits;
    row.before_ms = 4.0 / (i + 1);
    row.default_ms = row.before_ms / row.calls;
    if (i < 9) row.best_ms = row.default_ms / (1 + 0.1 * (i % 5)), row.trials = 64 - 5 * i;
    view->kernels.push_back(row);
  }
  return view;
}

std::shared_ptr<session::AblationView> made_up_gain() {
  auto gain = std::make_shared<session::AblationView>();
  gain->number = 1;
  gain->kernel = "conv2d_bias_add_relu_64x56x56_3x3";
  gain->title = "trial 12 of the learned search";
  gain->of_choices = true;
  gain->goes_on = false;
  gain->ms = 0.41;
  gain->default_ms = 0.62;
  gain->parts = {
      {"conv2d.ow.i", "16, by rule 8", 0.8, 0.62, ""},
      {"conv2d.a_rather_long_name_of_a_knob.order", "k ow oc, by rule oc ow k", 0.21, 0.33, ""},
      {"conv2d.unroll", "8, by rule 4", 0.03, 0.05, ""},
      {"conv2d.pack", "yes, by rule no", -0.04, 0, ""},
      {"conv2d.cache",
       "yes, not in the default schedule",
       {},
       0,
       "the template does not produce this configuration"}};
  return gain;
}

/// On another kind of devices, and over.
std::shared_ptr<session::ModelTuningView> made_up_elsewhere() {
  auto view = made_up_model();
  view->machine = "Cortex-A76, aarch64 · NEON";
  view->elsewhere = true;
  view->state = ModelTuningState::kEnded;
  view->ended = "the time limit is reached";
  view->devices = {{"phone", view->machine, DeviceDoes::kIdle, 0, 77, 1, 3.1, ""}};
  view->after_ms = 9.1;
  view->changed = 4;
  return view;
}

session::Snapshot snapshot_of(
    std::shared_ptr<session::ModelTuningView const> model,
    std::vector<std::shared_ptr<session::ModelTuningView const>> beside = {}) {
  session::Snapshot now;
  now.kernel = 2;
  now.tuning = std::make_shared<session::TuningView const>(
      session::TuningView{{}, std::move(model), {}, std::move(beside)});
  return now;
}

}  // namespace

class TuningDialogsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() { install_accessible_parts(); }
  void cleanup() { qApp->setStyleSheet(""); }

  void looks_data() {
    QTest::addColumn<QString>("theme");
    QTest::addColumn<int>("width");
    QTest::addColumn<double>("scale");
    for (char const* theme : {"dark", "light", "high_contrast"})
      for (int width : {560, 1100})
        for (double scale : {1.0, 1.5})
          if (width > 800 || scale <= 1)
            QTest::addRow("%s %d %g", theme, width, scale) << theme << width << scale;
  }
  void looks() {
    QFETCH(QString, theme);
    QFETCH(int, width);
    QFETCH(double, scale);
    Theme look = Theme::load(theme);
    look.scale = scale;
    qApp->setStyleSheet(look.style_sheet());
    auto keep = [&](QWidget& view, char const* name) {
      QString wrong = wrong_words(view);
      keep_picture(view, QString("%1_%2_%3_%4").arg(name, theme).arg(width).arg(scale));
      QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    };
    std::vector<session::DeviceChoice> const choices = made_up_choices();
    TuneDialog dialog(12, {"learned", "genetic", "random"}, "local", kMachine);
    dialog.show();
    dialog.show_space(made_up_space());
    keep(dialog, "tune_dialog_asking");
    dialog.devices().show_devices(&choices);
    dialog.devices().check("phone", true);
    keep(dialog, "tune_dialog");
    TuneModelDialog of_model("resnet18", 23, "local", kMachine, {"learned", "random"});
    of_model.devices().show_devices(&choices);
    of_model.devices().check("phone", true);
    of_model.show();
    keep(of_model, "tune_model_dialog");
    tw::ModelTuningView model;
    model.set_theme(look);
    model.resize(width, 620);
    model.show_snapshot(snapshot_of(made_up_model()));
    model.show();
    keep(model, "model_tuning");
    model.show_snapshot(snapshot_of(made_up_model(), {made_up_elsewhere()}));
    keep(model, "model_tuning_kinds");
    GainView gain;
    gain.set_theme(look);
    gain.resize(width, 280);
    gain.show();
    keep(gain, "gain_empty");
    gain.show_gain(made_up_gain());
    keep(gain, "gain");
    TuningDevices devices;
    devices.set_theme(look);
    devices.resize(devices.sizeHint());
    devices.show_devices(made_up_devices());
    devices.show();
    keep(devices, "devices");
  }

  void what_is_kept_makes_the_space_smaller_by_keys_alone() {
    TuneDialog dialog(12, {"learned", "random"}, "local", kMachine);
    dialog.set_budget("random", 96);
    dialog.show();
    auto* start = dialog.findChild<QPushButton*>("tuneStart");
    auto* size = dialog.findChild<QLabel*>("tuneSize");
    QVERIFY(!start->isEnabled());  // it is not known yet
    dialog.show_space(made_up_space());
    QCOMPARE(size->text(), QString("7,560 points to choose from"));
    auto* table = dialog.findChild<QTableWidget*>("tuneKnobs");
    QCOMPARE(dialog.focusWidget(), static_cast<QWidget*>(table));
    QTest::keyClick(table, Qt::Key_Down);
    QTest::keyClick(table, Qt::Key_Space);
    QCOMPARE(dialog.kept(), std::vector<std::string>{"conv2d.ow.factor"});
    QCOMPARE(size->text(), QString("630 points to choose from"));
    dialog.findChild<QPushButton*>("tuneKeepAll")->click();
    QCOMPARE(size->text(), QString("Nothing is left to choose"));
    QVERIFY(!start->isEnabled());
    dialog.findChild<QPushButton*>("tuneKeepNone")->click();
    QTest::keyClick(table, Qt::Key_Space);
    std::vector<session::Tune> asked;
    connect(&dialog, &TuneDialog::start_asked, this,
            [&](session::Tune const& wanted) { asked.push_back(wanted); });
    start->click();
    QCOMPARE(asked.size(), size_t(1));
    QCOMPARE(asked[0].from, 12);
    QCOMPARE(asked[0].keep, std::string("conv2d.ow.factor"));
    QCOMPARE(asked[0].trials, 96);
    QCOMPARE(asked[0].search, std::string("random"));
    QVERIFY(!dialog.isVisible());
    TuneDialog none(3, {"learned"}, "local", kMachine);
    session::TuningSpace empty;
    empty.error = "no step up to step 3 has a number";
    none.show_space(empty);
    QCOMPARE(none.findChild<QLabel*>("tuneWords")->text(),
             QString("No step up to step 3 has a number."));
    QVERIFY(!none.findChild<QPushButton*>("tuneStart")->isEnabled());
  }

  void devices_that_answer_can_be_checked_and_others_say_why_not() {
    TuneModelDialog dialog("net", 5, "local", kMachine, {"learned"});
    dialog.show();
    auto* table = dialog.findChild<QTableWidget*>("deviceTable");
    auto* words = dialog.findChild<QLabel*>("deviceChecksWords");
    auto* start = dialog.findChild<QPushButton*>("tuneModelStart");
    QCOMPARE(words->text(), QString("Querying devices…"));
    std::vector<session::DeviceChoice> const choices = made_up_choices();
    dialog.devices().show_devices(&choices);
    QVERIFY(!words->isVisible());
    QCOMPARE(table->rowCount(), 4);
    QCOMPARE(table->item(0, 2)->text(), QString("in use"));
    QCOMPARE(table->item(1, 2)->text(), QString("same type"));
    QCOMPARE(table->item(2, 1)->text(), QString("Cortex-A76, aarch64 · NEON"));
    QCOMPARE(table->item(2, 2)->text(), QString("another type"));
    QVERIFY(!(table->item(3, 0)->flags() & Qt::ItemIsUserCheckable));
    QVERIFY(table->item(3, 1)->text().endsWith("connection refused"));
    QCOMPARE(dialog.devices().words(), std::string());  // the device in use alone
    QTest::keyClick(table, Qt::Key_Down);
    QTest::keyClick(table, Qt::Key_Space);
    QCOMPARE(dialog.devices().words(), std::string("local board"));
    QCOMPARE(dialog.devices().kinds(), 1);
    QApplication::processEvents();
    QRect before = QRect(start->mapTo(&dialog, QPoint(0, 0)), dialog.size());
    dialog.devices().check("phone", true);
    QApplication::processEvents();
    // What stands below the sentence stays under the pointer.
    QCOMPARE(QRect(start->mapTo(&dialog, QPoint(0, 0)), dialog.size()), before);
    QVERIFY2(words->text().startsWith("2 device types"), qPrintable(words->text()));
    for (char const* name : {"local", "board", "phone", "gone"})
      dialog.devices().check(name, false);
    QCOMPARE(words->text(), QString("Select at least one device."));
    QVERIFY(!start->isEnabled());
    dialog.devices().check("phone", true);
    std::vector<session::TuneModel> asked;
    connect(&dialog, &TuneModelDialog::start_asked, this,
            [&](session::TuneModel const& wanted) { asked.push_back(wanted); });
    dialog.findChild<QComboBox*>("tuneModelUnit")->setCurrentText("trials");
    start->click();
    QCOMPARE(asked.size(), size_t(1));
    QCOMPARE(asked[0].on, std::string("phone"));
    QCOMPARE(asked[0].trials, 160);
    QCOMPARE(asked[0].seconds, 0.0);
    QCOMPARE(asked[0].arranges, 1);
  }

  void layouts_come_first_or_stay() {
    TuneModelDialog dialog("net", 5, "local", kMachine, {"learned"});
    QSignalSpy asked(&dialog, &TuneModelDialog::start_asked);
    dialog.findChild<QCheckBox*>("tuneModelArranges")->setChecked(false);
    dialog.findChild<QPushButton*>("tuneModelStart")->click();
    QCOMPARE(asked.at(0).at(0).value<session::TuneModel>().arranges, 0);
    auto model = std::make_shared<session::ModelTuningView>(*made_up_model());
    tw::ModelTuningView view;
    auto said = [&] {
      view.show_snapshot(snapshot_of(model));
      QString text = view.findChild<QLabel*>("modelTuningResult")->text();
      return text.left(text.indexOf(". ") + 1);
    };
    model->choices = {{"channel_block=8", 0.9}, {"channel_block=32", 0.8}};
    QCOMPARE(said(), QString("Layouts and algorithms: none of 2 that were tried is faster."));
    model->choices.push_back({"channel_block=16", 1.25, true});
    QCOMPARE(said(),
             QString("Layouts and algorithms: channel_block=16 is kept, 1.25 times faster; 2 more "
                     "were not faster."));
    model->choices = {{"channel_block=16", 1.25, true}};
    QCOMPARE(said(),
             QString("Layouts and algorithms: channel_block=16 is kept, 1.25 times faster."));
    model->choices = {{"", 0, false, "none of the devices is of the type in use"}};
    QCOMPARE(said(), QString("Layouts stay: none of the devices is of the type in use."));
    model->state = ModelTuningState::kArranging;
    view.show_snapshot(snapshot_of(model));
    QCOMPARE(view.findChild<QLabel*>("modelTuningNow")->text(),
             QString("Trying other layouts and algorithms"));
  }

  void the_result_of_a_model_is_said() {
    tw::ModelTuningView view;
    auto model = made_up_model();
    view.show_snapshot(snapshot_of(model));
    auto text = [&](char const* name) { return view.findChild<QLabel*>(name)->text(); };
    QVERIFY(text("modelTuningNow").startsWith("Searching conv2d_"));
    QCOMPARE(text("modelTuningLeft"), QString("404 trials · 21 of 60 s"));
    model = std::make_shared<session::ModelTuningView>(*model);
    model->state = ModelTuningState::kEnded;
    model->ended = "the time limit is reached";
    model->after_ms = 6.2;
    model->changed = 9;
    view.show_snapshot(snapshot_of(model));
    QCOMPARE(text("modelTuningNow"), QString("Ended: the time limit is reached"));
    QCOMPARE(text("modelTuningResult"),
             QString("The network takes 6.20 ms, before 12.4 ms: 2.00 times faster. 9 of 14 "
                     "kernels have another schedule now; each can be undone."));
    QSignalSpy chosen(&view.kernels(), &TunedKernels::kernel_chosen);
    QTest::keyClick(&view.kernels(), Qt::Key_Down);
    QCOMPARE(chosen.at(0).at(0).toInt(), 3);
    QCOMPARE(view.kernels().parts().size(), size_t(14));
  }

  void each_kind_of_devices_has_its_own_rows_and_result() {
    tw::ModelTuningView view;
    view.resize(900, 700);
    view.show();
    auto model = made_up_model();
    view.show_snapshot(snapshot_of(model, {made_up_elsewhere()}));
    auto parts = view.findChildren<tw::ModelTuningPart*>();
    QCOMPARE(parts.size(), 2);
    auto text = [&](int part, char const* name) {
      return parts[part]->findChild<QLabel*>(name)->text();
    };
    QCOMPARE(text(0, "modelTuningKind"), QString(kMachine));
    QVERIFY(text(0, "modelTuningNow").startsWith("Searching conv2d_"));
    QCOMPARE(text(1, "modelTuningNow"), QString("Ended: the time limit is reached"));
    QVERIFY2(text(1, "modelTuningResult")
                 .endsWith(
                     "4 of 14 kernels have another schedule once a device of this type is in use."),
             qPrintable(text(1, "modelTuningResult")));
    QVERIFY(view.findChild<QPushButton*>("modelTuningStop")->isVisible());  // one goes on
    view.show_snapshot(snapshot_of(model));
    QVERIFY(parts[0]->isVisible() && !parts[1]->isVisible());
  }

  void a_window_tunes_from_a_state_and_says_what_carries_it() {
    Workplace place(false);
    place.open_matmul();
    QCOMPARE(place.lines(kSteps), std::string());
    MainWindow& window = *place.window;
    auto* history = window.findChild<tw::HistoryView*>("history");
    history->mark(5);
    QContextMenuEvent asked(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QApplication::sendEvent(history, &asked);
    QStringList offered;
    for (QMenu* menu : history->findChildren<QMenu*>("historyMenu")) {
      for (QAction* one : menu->actions()) offered << one->text();
      menu->close();
    }
    QVERIFY2(offered.contains("Tune from here") && offered.contains("Measure step contributions"),
             qPrintable(offered.join(", ")));
    window.run_action("Tune from here");
    place.settle();
    auto* dialog = window.findChild<TuneDialog*>("tuneDialog");
    QVERIFY(dialog && dialog->knows_space());
    QCOMPARE(dialog->knobs(), 2);
    QTest::keyClick(dialog->findChild<QTableWidget*>("tuneKnobs"), Qt::Key_Space);
    dialog->findChild<QSpinBox*>("tuneTrials")->setValue(4);
    see(place, "window_tune_dialog");
    dialog->findChild<QPushButton*>("tuneStart")->click();
    place.settle();
    QVERIFY2(place.recorded().find("\ndialog tune 5\n") != std::string::npos,
             place.recorded().c_str());
    QVERIFY2(place.recorded().find(" from 5 keep C.i.factor\n") != std::string::npos,
             place.recorded().c_str());
    QCOMPARE(place.lines("expect tuning.state ended\nexpect tuning.from 5\nexpect view tuning\n"),
             std::string());
    auto* tuning = window.findChild<tw::TuningView*>("tuning");
    tuning->findChild<QComboBox*>("tuningSide")->setCurrentText("Devices");
    see(place, "window_tuned_from");
    window.run_action("Measure step contributions");
    place.settle();
    QVERIFY(place.recorded().find("\nablate step 5\n") != std::string::npos);
    QCOMPARE(place.lines("expect ablation.state ended\nexpect gain.parts 4\n"), std::string());
    see(place, "window_gain");
  }

  void a_window_tunes_a_model() {
    Workplace place(false);
    MainWindow& window = *place.window;
    window.resize(1600, 1000);
    window.execute(session::OpenSample{"dqn"});
    place.settle();
    window.run_action("Tune the model");
    place.settle();
    auto* dialog = window.findChild<TuneModelDialog*>("tuneModelDialog");
    QVERIFY(dialog && dialog->devices().knows_devices());
    dialog->findChild<QComboBox*>("tuneModelUnit")->setCurrentText("trials");
    dialog->findChild<QSpinBox*>("tuneModelAmount")->setValue(100'000);
    see(place, "window_tune_model_dialog");
    dialog->findChild<QPushButton*>("tuneModelStart")->click();
    auto trials = [&] { return std::get<double>(*window.fact("model_tuning.trials")); };
    QTRY_VERIFY_WITH_TIMEOUT(trials() >= 20, 120'000);
    window.run_action("Pause the tuning");
    place.settle();
    QCOMPARE(place.lines("expect view model_tuning\nexpect model_tuning.state paused\n"
                         "expect model_tuning.kernels > 2\n"),
             std::string());
    see(place, "window_model_paused");
    double before = trials();
    window.run_action("Resume the tuning");
    QTRY_VERIFY_WITH_TIMEOUT(trials() > before, 60'000);
    see(place, "window_model_runs");
    window.run_action("Stop the tuning");
    place.settle();
    QCOMPARE(place.lines("expect model_tuning.state ended\nexpect model_tuning.after > 0\n"),
             std::string());
    std::string const journal = place.recorded();
    for (char const* line : {"\ndialog tune-model\n", "\ntune model trials 100000 ",
                             "\npause tuning\n", "\nresume tuning\n", "\nstop tuning\n"})
      QVERIFY2(journal.find(line) != std::string::npos, line);
    see(place, "window_model_tuned");
    auto& view = *window.findChild<tw::ModelTuningView*>("modelTuning");
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    view.kernels().setFocus();
    QTest::keyClick(&view.kernels(), Qt::Key_End);
    place.settle();
    QCOMPARE(window.focusWidget(), static_cast<QWidget*>(&view.kernels()));
    QCOMPARE(place.lines("clear tuning\nexpect model_tuning.state none\n"), std::string());
    QVERIFY(!view.isVisible());
  }

private:
  /// Small and large, dark and light.
  static void see(Workplace& place, QString const& name) {
    for (QSize size : {QSize(1280, 800), QSize(2560, 1440)})
      for (char const* theme : {"dark", "light"}) {
        place.window->set_theme(theme);
        place.window->resize(size);
        for (int i = 0; i < 4; ++i) QApplication::processEvents();
        keep_picture(*place.window, QString("%1_%2_%3").arg(name, theme).arg(size.width()));
        for (QDialog* dialog : place.window->findChildren<QDialog*>())
          if (dialog->isVisible())
            keep_picture(*dialog, QString("%1_alone_%2_%3").arg(name, theme).arg(size.width()));
      }
  }
};

QTEST_MAIN(TuningDialogsTest)
#include "tuning_dialogs_test.moc"
