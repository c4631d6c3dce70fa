// Exporting from the window: a folder that passed its own test, a reason where it cannot be, and
// nothing left behind when it is stopped.
#include <QtTest>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <fstream>

#include "app/shared/environment.h"
#include "app/window/main_window.h"
#include "engine/backend/target_table.h"
#include "engine/samples/onnx_writer.h"
#include "engine/samples/samples.h"
#include "tests/support/line_models.h"
#include "tests/support/paths.h"
#include "widgets/export_dialog/export_dialog.h"

using namespace tw;
using namespace tw::session;

class ExportWizardTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    ResNetOptions options{.name = "small", .blocks = {1}, .width = 8, .image = 33, .classes = 5};
    std::ofstream(at("small.onnx").toStdString(), std::ios::binary)
        << write_onnx(build_resnet(options)).value();
    std::ofstream(at("opaque.onnx").toStdString(), std::ios::binary)
        << write_onnx(testing::model_of({"a = Relu x", "y = Frobnicate a"}, {2, 3})).value();
    std::ofstream(at("m.te").toStdString())
        << "tilewright te 1\nkernel m(A: f32[8]) -> B\n  B[i in 8] = A[i] * 2.0\n";
    auto environment = make_environment().value();
    session_ = Session::create({environment.backend,
                                testing::built("/bin/tw-device"),
                                environment.cache_folder.string(),
                                1,
                                false,
                                {},
                                environment.exports})
                   .value();
    window_ = std::make_unique<MainWindow>(*session_, std::vector<SampleCard>{}, at("state"));
    window_->show();
  }
  void cleanupTestCase() {
    window_.reset();
    session_.reset();
  }

  void a_model_is_exported_and_the_dialog_says_what_its_test_said() {
    ExportDialog* dialog = begin("small.onnx", at("out"));
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QComboBox*>("target")->count(), int(target_names().size()));
    QVERIFY(!dialog->findChild<QPushButton*>("export")->isEnabled());
    QVERIFY(finish());
    QCOMPARE(text("exportTitle"), QString("Exported"));
    QVERIFY2(text("exportWords").contains("Tested stand-alone: ") &&
                 text("exportWords").contains("on 1 thread."),
             qPrintable(text("exportWords")));
    QVERIFY(QFile::exists(at("out/model.json")));
    QVERIFY(dialog->findChild<QPushButton*>("export")->isEnabled());
    QVERIFY(!dialog->findChild<QPushButton*>("cancelExport")->isVisible());
    QVERIFY(dialog->findChild<QPushButton*>("showFolder")->isVisible());  // its folder is offered
    dialog->reject();
  }

  void what_cannot_be_exported_is_said_in_the_dialog() {
    ExportDialog* dialog = begin("opaque.onnx", at("opaque_out"));
    QVERIFY(dialog && finish());
    QCOMPARE(text("exportTitle"), QString("Not exported"));
    QVERIFY2(
        text("exportWords").contains("y (Frobnicate): the operator Frobnicate is not supported"),
        qPrintable(text("exportWords")));
    QVERIFY(!QFile::exists(at("opaque_out")));
    QVERIFY(!dialog->findChild<QPushButton*>("showFolder")->isVisible());
    dialog->reject();
  }

  void a_kernel_without_a_model_is_exported_as_it_is_shaped_now() {
    window_->execute(OpenModel{at("m.te").toStdString()});
    QVERIFY(session_->wait_idle(60));
    window_->refresh();
    window_->execute(ApplyScript{"tilewright schedule 1\nfor m\nunroll(B.i)\n"});
    ExportDialog* dialog = show(at("te_out"));
    QVERIFY(dialog);
    QCOMPARE(dialog->findChild<QComboBox*>("what")->count(), 1);
    press(dialog);
    QVERIFY(finish());
    QCOMPARE(text("exportTitle"), QString("Exported"));
    QVERIFY2(text("exportWords").contains("1 kernel uses your schedule."),
             qPrintable(text("exportWords")));
    QVERIFY(QFile::exists(at("te_out/model.json")));
    dialog->reject();
  }

  void a_kernel_of_a_model_can_be_chosen_and_gives_the_folder_its_name() {
    window_->execute(OpenModel{at("small.onnx").toStdString()});
    QVERIFY(session_->wait_idle(60));
    window_->refresh();
    ExportDialog* dialog = show("");
    QVERIFY(dialog);
    auto* what = dialog->findChild<QComboBox*>("what");
    auto* folder = dialog->findChild<QLineEdit*>("folder");
    QCOMPARE(what->count(), 2);
    QCOMPARE(what->currentText(), QString("The model small.onnx"));
    QString kernel = what->itemText(1).section(' ', 2, 2);
    folder->setText(at("kernel_out"));
    what->setCurrentIndex(1);
    QCOMPARE(folder->text(), at("kernel_out"));  // what was typed stays
    press(dialog);
    QVERIFY(finish());
    QCOMPARE(text("exportTitle"), QString("Exported"));
    QFile description(at("kernel_out/model.json"));
    QVERIFY(description.open(QIODevice::ReadOnly));
    QVERIFY(description.readAll().contains(("\"name\": \"" + kernel + "\"").toUtf8()));
    dialog->reject();
    dialog = show("");
    dialog->findChild<QComboBox*>("what")->setCurrentIndex(1);
    QVERIFY2(dialog->findChild<QLineEdit*>("folder")->text().endsWith("/" + kernel + "-export"),
             qPrintable(dialog->findChild<QLineEdit*>("folder")->text()));
    dialog->reject();
  }

  void an_export_that_is_stopped_leaves_nothing() {
    ExportDialog* dialog = begin("small.onnx", at("stopped"));
    QVERIFY(dialog);
    QTest::mouseClick(dialog->findChild<QPushButton*>("cancelExport"), Qt::LeftButton);
    QVERIFY(finish());
    QCOMPARE(text("exportTitle"), QString("Not exported"));
    QVERIFY(!QFile::exists(at("stopped")));
    dialog->reject();
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }

  /// Opens the file and the wizard, names the folder and presses Export.
  ExportDialog* begin(QString const& file, QString const& out) {
    window_->execute(OpenModel{at(file).toStdString()});
    if (!session_->wait_idle(60)) return nullptr;
    window_->refresh();
    ExportDialog* dialog = show(out);
    if (dialog) press(dialog);
    return dialog;
  }
  /// `out` empty: the folder that it proposes.
  ExportDialog* show(QString const& out) {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // the dialog before
    if (!window_->perform(journal::ShowDialog{"export", {}})) return nullptr;
    auto* dialog = window_->findChild<ExportDialog*>("exportDialog");
    if (dialog && !out.isEmpty()) dialog->findChild<QLineEdit*>("folder")->setText(out);
    return dialog;
  }
  void press(ExportDialog* dialog) {
    QTest::mouseClick(dialog->findChild<QPushButton*>("export"), Qt::LeftButton);
  }
  bool finish() {
    bool idle = session_->wait_idle(120);
    window_->refresh();
    return idle;
  }
  QString text(char const* label) const { return window_->findChild<QLabel*>(label)->text(); }

  QTemporaryDir folder_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(ExportWizardTest)
#include "export_wizard_test.moc"
