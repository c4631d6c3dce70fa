// The whole way of somebody with three devices: this machine, itself over TLS, and an emulated Arm
// one. They are added, a network is tuned on all, one is killed midway, the best schedule is
// opened, edited, compared and exported; and each kind gets what was found for it.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardPaths>
#include <QTableWidget>
#include <QtTest>

#include <cmath>

#include "app/window/panes/compare/journal.h"
#include "engine/backend/backend.h"
#include "engine/runtime/package/description.h"
#include "engine/support/files.h"
#include "tests/device/emulated_device.h"
#include "tests/gui/seen.h"
#include "tests/gui/workplace.h"
#include "tests/support/paths.h"
#include "widgets/compare/compare_view.h"
#include "widgets/export_dialog/export_dialog.h"
#include "widgets/tuning/device_checks.h"
#include "widgets/tuning/model_tuning_view.h"
#include "widgets/tuning/tune_dialog.h"
#include "widgets/tuning/tune_model_dialog.h"
#include "widgets/tuning/tuning_view.h"

using namespace tw;
using session::DeviceDoes;

namespace {

constexpr int kMinute = 60'000;

QString run_tw(QStringList const& arguments) {
  QProcess process;
  process.start(testing::built("/bin/tw"), arguments);
  process.waitForFinished(kMinute);
  return process.exitCode() == 0 ? QString() : QString::fromUtf8(process.readAllStandardError());
}

}  // namespace

class ThreeDevicesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (QStandardPaths::findExecutable("openssl").isEmpty())
      QSKIP("the command openssl, which makes the key, is missing");
    emulated_ = std::make_unique<test::EmulatedDevice>("aarch64");
    if (!emulated_->skipped.isEmpty()) QSKIP(qPrintable(emulated_->skipped));
    QVERIFY2(emulated_->serves(), qPrintable(emulated_->said));
    QString trouble = run_tw({"device", "certificate", at("keys"), "--host", "localhost"});
    QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    serve_near("127.0.0.1:0");
    place_ = std::make_unique<Workplace>(at("devices.json").toStdString());
    window().resize(1600, 1000);
  }
  void cleanupTestCase() {
    place_.reset();
    near_.reset();
    emulated_.reset();
  }

  void the_devices_are_added_in_the_view_of_devices() {
    need_devices();
    QVERIFY(window().perform(journal::ShowView{"devices"}));
    add("near", QString("localhost:%1").arg(near_->port()), at("keys/device.pem"),
        at("keys/device.token"));
    add("board", QString::fromStdString(emulated_->server->address()), "", "");
    QCOMPARE(live().devices(), (std::vector<std::string>{"local", "near", "board"}));
  }

  void a_kernel_is_searched_on_both_kinds_side_by_side() {
    need_devices();
    place_->open_matmul();
    window().run_action("Tune the kernel on several devices");
    auto* dialog = window().findChild<TuneDialog*>("tuneDialog");
    QVERIFY(dialog);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->devices().knows_devices() && dialog->knows_space(),
                             5 * kMinute);
    for (char const* name : {"near", "board"}) dialog->devices().check(name, true);
    QCOMPARE(dialog->devices().kinds(), 2);
    keep_picture(*dialog, "journey_kernel_dialog");
    dialog->findChild<QSpinBox*>("tuneTrials")->setValue(8);
    dialog->findChild<QPushButton*>("tuneStart")->click();
    settle();
    auto tuning = now().tuning;
    QCOMPARE(tuning->runs.size(), size_t(2));
    for (auto const& run : tuning->runs) {
      QVERIFY2(run->error.empty(), run->error.c_str());
      QCOMPARE(run->trials.size(), size_t(8));
    }
    QCOMPARE(tuning->runs[0]->devices.size(), size_t(2));
    QVERIFY(tuning->runs[1]->elsewhere);
    QCOMPARE(window().findChild<TuningChart*>()->parts().size(), size_t(2));  // a line for each
    QVERIFY(recorded("\ntune trials 8 ") && recorded(" on \"local near board\""));
    keep_picture(window(), "journey_kernel");
  }

  void a_network_is_tuned_on_all_three_and_one_of_them_is_killed() {
    need_devices();
    window().execute(session::OpenSample{"dqn"});
    settle();
    window().run_action("Tune the model");
    auto* dialog = window().findChild<TuneModelDialog*>("tuneModelDialog");
    QVERIFY(dialog);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->devices().knows_devices(), 5 * kMinute);
    auto* table = dialog->findChild<QTableWidget*>("deviceTable");
    for (int row : {1, 2}) {
      table->setCurrentCell(row, 0);
      QTest::keyClick(table, Qt::Key_Space);
    }
    QCOMPARE(dialog->devices().words(), std::string("local near board"));
    dialog->findChild<QComboBox*>("tuneModelUnit")->setCurrentText("trials");
    dialog->findChild<QSpinBox*>("tuneModelAmount")->setValue(100'000);
    dialog->findChild<QPushButton*>("tuneModelStart")->click();
    QTRY_VERIFY_WITH_TIMEOUT(trials_of(0, 1) > 3 && trials_of(1, 0) > 3, 10 * kMinute);
    QString port = QString::number(near_->port());
    near_->process().kill();
    QTRY_COMPARE_WITH_TIMEOUT(device(0, 1).does, DeviceDoes::kLost, 2 * kMinute);
    QVERIFY(!device(0, 1).reason.empty());
    keep_picture(window(), "journey_lost");
    int here = trials_of(0, 0), there = trials_of(1, 0);
    QTRY_VERIFY_WITH_TIMEOUT(trials_of(0, 0) > here && trials_of(1, 0) > there, 5 * kMinute);
    serve_near("127.0.0.1:" + port);
    int before = trials_of(0, 1);
    QTRY_VERIFY_WITH_TIMEOUT(trials_of(0, 1) > before, 5 * kMinute);  // it is taken back
    window().run_action("Stop the tuning");
    settle();
    auto tuning = now().tuning;
    QCOMPARE(tuning->beside.size(), size_t(1));
    for (auto const& one : {tuning->model, tuning->beside[0]}) {
      QVERIFY2(one->error.empty(), one->error.c_str());
      QVERIFY(one->after_ms && *one->after_ms <= *one->before_ms);
    }
    QCOMPARE(window().findChild<ModelTuningView*>()->findChildren<ModelTuningPart*>().size(), 2);
    QCOMPARE(tuning->kept.size(), size_t(tuning->beside[0]->changed));
    keep_picture(window(), "journey_model");
  }

  void the_best_trial_is_opened_edited_compared_and_exported_as_it_stands() {
    need_devices();
    QVERIFY(choose_tuned_kernel());
    window().run_action("Open the trial as steps");
    settle();
    int opened = now().history->current;
    QVERIFY(opened > 0);
    QVERIFY2(edit_a_loop(), "no loop can be unrolled");
    QVERIFY(now().history->current > opened);
    int rule = node_called("default");
    QVERIFY(window().perform(journal::CompareStates{rule, now().history->current}));
    settle();
    auto* compare = window().findChild<CompareView*>("compare");
    QVERIFY(compare->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(compare->names().startsWith("default"), kMinute);
    keep_picture(window(), "journey_compared");
    exports("edited");
    QVERIFY(words("exportWords").contains("1 kernel uses your schedule"));
    QCOMPARE(description_in("edited").kernels.at(0).script, live().script());
    QVERIFY(!library_in("edited").empty());
    QCOMPARE(library_in("edited"), library_by_hand(live().script()));
    what_was_found_is_exported(rule, opened);
  }

  void the_emulated_device_gets_what_was_found_for_it() {
    need_devices();
    std::vector<session::TunedKernelRow> const rows = now().tuning->beside.at(0)->kernels;
    window().execute(session::UseDevice{"board"});
    settle();
    QVERIFY2(!now().error, now().error ? now().error->sentence.c_str() : "");
    for (session::TunedKernelRow const& row : rows)
      if (row.turn == session::KernelTurn::kTuned)
        QCOMPARE(now().kernels->rows.at(size_t(row.row)).state, session::KernelState::kTuned);
    window().execute(session::UseDevice{"local"});
    settle();
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }
  MainWindow& window() { return *place_->window; }
  session::Session& live() { return *place_->session; }
  session::Snapshot now() { return place_->session->snapshot(); }
  bool recorded(std::string const& words) {
    return place_->recorded().find(words) != std::string::npos;
  }
  void need_devices() {
    if (!place_) QSKIP("there are no devices");
  }
  void settle() {
    QVERIFY(live().wait_idle(900));
    place_->settle();
  }
  void serve_near(QString const& address) {
    near_ = std::make_unique<test::TestServer>(
        QStringList{"--tls-cert", at("keys/device.pem"), "--tls-key", at("keys/device.key"),
                    "--token-file", at("keys/device.token")},
        address);
    QVERIFY2(!near_->address().empty(), qPrintable(near_->said()));
  }
  void add(QString const& name, QString const& address, QString const& certificate,
           QString const& token) {
    QVERIFY(window().perform(journal::ShowDialog{"add-device", {}}));
    auto* dialog = window().findChild<QDialog*>("addDeviceDialog");
    auto type = [&](char const* field, QString const& words) {
      dialog->findChild<QLineEdit*>(field)->setText(words);
    };
    type("deviceName", name);
    type("deviceAddress", address);
    type("deviceCertificate", certificate);
    type("deviceToken", token);
    if (name == "board") dialog->findChild<QSpinBox*>("deviceTimeout")->setValue(300);
    dialog->findChild<QPushButton*>("deviceAdd")->click();
    settle();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  session::TuningDevice device(size_t kind, size_t which) {
    auto tuning = now().tuning;
    if (!tuning || !tuning->model || kind > tuning->beside.size()) return {};
    auto const& view = kind == 0 ? tuning->model : tuning->beside[kind - 1];
    return which < view->devices.size() ? view->devices[which] : session::TuningDevice();
  }
  int trials_of(size_t kind, size_t which) { return device(kind, which).trials; }
  /// One with a trial that is faster than the default on this machine, the best of it selected;
  /// where there is none, the fastest trial of the kernel that takes most.
  bool choose_tuned_kernel() {
    auto const tuning = now().tuning;
    session::TuningRun const* chosen = nullptr;
    for (auto const& run : tuning->runs)
      if (!run->elsewhere && (!chosen || (chosen->best == 0 && run->best > 0))) chosen = run.get();
    if (!chosen) return false;
    window().execute(session::SelectKernel{chosen->row});
    settle();
    run_ = chosen->number;
    int best = chosen->best;
    for (auto const& trial : chosen->trials)
      if (best == 0 && trial->ms > 0 && trial->ms == chosen->least_ms()) best = trial->number;
    return window().perform(journal::ShowView{"tuning"}) &&
           window().findChild<TuningView*>("tuning")->select({chosen->number, best});
  }
  /// As a click on "unroll" beside a loop does.
  bool edit_a_loop() {
    for (session::LoopBar const& bar : now().nest->bars) {
      std::string line = "unroll(" + bar.reference + ")";
      if (bar.mark != session::LoopMark::kSerial || bar.extent > 16 || live().why_not(line))
        continue;
      int before = now().history->current;
      window().execute(session::ApplyStep{line});
      settle();
      if (now().history->current != before) return true;
    }
    return false;
  }
  int node_called(std::string const& label) {
    for (session::HistoryNodeView const& node : now().history->nodes)
      if (node.label == label) return node.id;
    return 0;
  }
  QString words(char const* label) { return window().findChild<QLabel*>(label)->text(); }
  /// Three times in turn: what else runs here disturbs both.
  void what_was_found_is_exported(int rule, int opened) {
    double by_rule = HUGE_VAL, tuned = HUGE_VAL;
    for (int round = 0; round < 3; ++round) {
      by_rule = std::min(by_rule, exported_ms(rule, QString("by_rule%1").arg(round)));
      tuned = std::min(tuned, exported_ms(opened, QString("opened%1").arg(round)));
    }
    QVERIFY(library_in("by_rule0") != library_in("edited"));
    session::TuningRun const& run = *now().tuning->run(run_);
    qInfo("exported: %.4f ms as tuned, %.4f ms by rule; searched: %.4f ms, %.4f ms", tuned, by_rule,
          run.best_ms.value_or(0), run.default_ms.value_or(0));
    if (run.best_ms && *run.best_ms * 1.5 < *run.default_ms) QVERIFY(tuned < by_rule);
  }
  double exported_ms(int state, QString const& name) {
    window().execute(session::JumpTo{state});
    settle();
    exports(name);
    return now().exported->least_ms;
  }
  /// The kernel, by the wizard.
  void exports(QString const& name) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // the dialog before
    QVERIFY(window().perform(journal::ShowDialog{"export", {}}));
    auto* dialog = window().findChild<ExportDialog*>("exportDialog");
    dialog->findChild<QComboBox*>("what")->setCurrentIndex(1);
    dialog->findChild<QLineEdit*>("folder")->setText(at(name));
    dialog->findChild<QPushButton*>("export")->click();
    settle();
    QVERIFY2(words("exportTitle") == "Exported", qPrintable(words("exportWords")));
    dialog->reject();
  }
  package::Description description_in(QString const& name) const {
    auto text = read_file(at(name + "/model.json").toStdString());
    auto description = package::parse_description(text.value_or(""));
    return description ? *description : package::Description();
  }
  std::string library_in(QString const& name) const {
    return read_file(at(name).toStdString() + "/" + description_in(name).library.name).value_or("");
  }
  /// Of the same kernel under this script, without the window.
  std::string library_by_hand(std::string const& script) {
    auto environment = make_environment().value();
    auto device = environment.open_device().value();
    auto model = session::load_model("sample:dqn", {}, *environment.backend).value();
    session::ExportRequest request{.folder = at("by_hand").toStdString(), .threads = 2};
    request.kernel = now().kernel;
    request.scripts[request.kernel] = script;
    auto view = session::export_to_folder(*model, request, environment.exports,
                                          *environment.backend, *device);
    if (!view) qWarning("%s", to_sentence(view.error()).c_str());
    return library_in("by_hand");
  }

  int run_ = 0;  ///< whose trial was opened
  QTemporaryDir folder_;
  std::unique_ptr<test::EmulatedDevice> emulated_;
  std::unique_ptr<test::TestServer> near_;
  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(ThreeDevicesTest)
#include "three_devices_slow_test.moc"
