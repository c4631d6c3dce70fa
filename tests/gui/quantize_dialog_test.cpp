// What the dialog asks for is what the command says.
#include "widgets/quantize_dialog/quantize_dialog.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>

#include "app/shared/journal/journal.h"

using namespace tw;

class QuantizeDialogTest : public QObject {
  Q_OBJECT
private slots:
  void each_choice_is_one_word_of_the_command_data() {
    QTest::addColumn<int>("choice");
    QTest::addColumn<QString>("line");
    int number = 0;
    for (char const* word : {"dense", "first", "depthwise", "unsigned", "one-weight-step"})
      QTest::newRow(word) << number++ << QString("quantize %1 m.onnx").arg(word);
    QTest::newRow("none") << -1 << "quantize m.onnx";
  }
  void each_choice_is_one_word_of_the_command() {
    QFETCH(int, choice);
    QFETCH(QString, line);
    QuantizeDialog dialog("net.onnx", "m", false);
    auto boxes = dialog.findChildren<QCheckBox*>();
    QCOMPARE(boxes.size(), 5);
    if (choice >= 0) boxes[choice]->click();
    QCOMPARE(asked(dialog), line);
  }

  void data_and_file_are_as_they_are_written() {
    QuantizeDialog dialog("net.onnx", "/a b/net_bytes.onnx", true);
    dialog.findChild<QLineEdit*>("data")->setText(" /my data ");
    QCOMPARE(asked(dialog), QString("quantize dense data \"/my data\" /a b/net_bytes.onnx"));
  }

  void an_empty_file_is_none_and_one_that_exists_is_said() {
    QTemporaryDir folder;
    QFile there(folder.filePath("there.onnx"));
    QVERIFY(there.open(QIODevice::WriteOnly));
    QuantizeDialog dialog("net.onnx", folder.filePath("new.onnx"), false);
    auto* file = dialog.findChild<QLineEdit*>("file");
    auto* replaces = dialog.findChild<QLabel*>("replaces");
    auto* quantize = dialog.findChild<QPushButton*>("quantize");
    QVERIFY(quantize->isEnabled() && replaces->text().isEmpty());
    file->setText("  ");
    QVERIFY(!quantize->isEnabled());
    file->setText(folder.filePath("there"));
    QVERIFY(quantize->isEnabled() && replaces->text().contains("replaced"));
  }

private:
  /// The journal's line of what it asks for.
  QString asked(QuantizeDialog& dialog) {
    std::optional<session::Quantize> how;
    connect(&dialog, &QuantizeDialog::wanted,
            [&](session::Quantize const& command) { how = command; });
    dialog.findChild<QPushButton*>("quantize")->click();
    return how ? QString::fromStdString(journal::to_text(*how)) : QString();
  }
};

QTEST_MAIN(QuantizeDialogTest)
#include "quantize_dialog_test.moc"
