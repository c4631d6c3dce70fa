// The dialog of devices: add, look, use, lose, remove, as a person does it.
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QtTest>

#include "app/shared/devices.h"
#include "app/shared/environment.h"
#include "app/window/main_window.h"
#include "tests/device/test_server.h"

using namespace tw;

class DevicesTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    list_ = folder_->filePath("devices.json").toStdString();
    server_ = std::make_unique<test::TestServer>();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    auto environment = make_environment().value();
    session_ = session::Session::create({environment.backend, TW_BINARY_DIR "/bin/tw-device",
                                         environment.cache_folder.string(), 1, false,
                                         [this](std::string const& name, StopToken stop) {
                                           return choose_device(list_, name, stop);
                                         }})
                   .value();
    QVERIFY(session_->wait_idle(60));
    window_ = std::make_unique<MainWindow>(*session_, std::vector<SampleCard>{},
                                           folder_->filePath("state"));
    window_->set_device_files(list_, environment.cache_folder.string());
    window_->show();
    QVERIFY(window_->perform(journal::ShowDialog{"devices", {}}));
    QTRY_COMPARE(table()->rowCount(), 1);
  }
  void cleanup() {
    window_.reset();
    session_.reset();
    server_.reset();
  }

  void everything_in_it_has_a_name_for_those_who_cannot_see() {
    for (QWidget* part : dialog()->findChildren<QWidget*>()) {
      bool named = !part->accessibleName().isEmpty();
      if (qobject_cast<QLineEdit*>(part) || qobject_cast<QTableWidget*>(part))
        QVERIFY2(named, qPrintable(part->objectName()));
      if (auto* button = qobject_cast<QPushButton*>(part))
        QVERIFY2(named || !button->text().isEmpty(), qPrintable(part->objectName()));
    }
  }

  void a_device_is_added_used_and_removed() {
    add("board", server_->address());
    QTRY_COMPARE(table()->rowCount(), 2);
    QTRY_VERIFY(cell(1, 2).startsWith("answers in"));
    QVERIFY(cell(0, 0) == "local (in use)" && cell(1, 1).toStdString() == server_->address());
    QVERIFY(cell(1, 3).contains("core"));
    QVERIFY(field("deviceName")->text().isEmpty());
    table()->selectRow(1);
    QVERIFY(button("deviceUse")->isEnabled() && button("deviceRemove")->isEnabled());
    button("deviceUse")->click();
    QTRY_VERIFY(session_->snapshot().machine &&
                session_->snapshot().machine->name.starts_with("board · "));
    window_->refresh();
    QCOMPARE(cell(1, 0), QString("board (in use)"));
    QVERIFY(!button("deviceUse")->isEnabled() && !button("deviceRemove")->isEnabled());
    if (qEnvironmentVariableIsSet("TW_PICTURES"))
      dialog()->grab().save(qEnvironmentVariable("TW_PICTURES") + "/devices.png");
    table()->selectRow(0);
    QVERIFY(!button("deviceRemove")->isEnabled());  // this machine stays
    // The child of a test stands in another folder than the dialog looks in.
    QVERIFY(session_->execute(session::UseDevice{"local"}));
    QTRY_VERIFY(session_->snapshot().machine->name.starts_with("This machine"));
    window_->refresh();
    table()->selectRow(1);
    button("deviceRemove")->click();
    QTRY_COMPARE(table()->rowCount(), 1);
    QVERIFY(read_devices(list_).value().empty());
  }

  void a_device_that_is_lost_is_seen_at_the_next_check() {
    add("board", server_->address());
    QTRY_COMPARE(table()->rowCount(), 2);
    QTRY_VERIFY(button("deviceCheck")->isEnabled());
    server_.reset();
    button("deviceCheck")->click();
    QTRY_VERIFY2(cell(1, 2).endsWith("cannot be reached: nothing listens there"),
                 qPrintable(cell(1, 2)));
    table()->selectRow(1);
    QVERIFY(!button("deviceUse")->isEnabled());
  }

  void what_cannot_be_added_is_a_sentence_and_the_words_stay() {
    add("board", "nowhere");
    QTRY_VERIFY(sentence().startsWith("'nowhere' is no address"));
    QCOMPARE(field("deviceName")->text(), QString("board"));
    add("board", "board.local:50151");
    QTRY_VERIFY(sentence().contains("it takes TLS and a token"));
    add("local", server_->address());
    QTRY_VERIFY(sentence().startsWith("'local' cannot name a device"));
    QVERIFY(read_devices(list_).value().empty());
    field("deviceName")->clear();
    QVERIFY(!button("deviceAdd")->isEnabled());
  }

private:
  QDialog* dialog() const { return window_->findChild<QDialog*>("devicesDialog"); }
  QTableWidget* table() const { return dialog()->findChild<QTableWidget*>("deviceTable"); }
  QPushButton* button(char const* name) const { return dialog()->findChild<QPushButton*>(name); }
  QLineEdit* field(char const* name) const { return dialog()->findChild<QLineEdit*>(name); }
  QString sentence() const { return dialog()->findChild<QLabel*>("deviceSentence")->text(); }
  QString cell(int row, int column) const {
    QTableWidgetItem* item = table()->item(row, column);
    return item ? item->text() : QString();
  }
  void add(QString const& name, std::string const& address) {
    field("deviceName")->setText(name);
    field("deviceAddress")->setText(QString::fromStdString(address));
    button("deviceAdd")->click();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::string list_;
  std::unique_ptr<test::TestServer> server_;
  std::unique_ptr<session::Session> session_;
  std::unique_ptr<MainWindow> window_;
};

QTEST_MAIN(DevicesTest)
#include "devices_test.moc"
