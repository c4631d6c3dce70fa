// The view of devices: add, look, use, lose, remove, as a person does it.
#include <QAbstractSpinBox>
#include <QClipboard>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QtTest>

#include "app/shared/devices.h"
#include "app/window/panes/devices/device_facts.h"
#include "tests/device/test_server.h"
#include "tests/gui/workplace.h"
#include "widgets/devices/add_device_dialog.h"
#include "widgets/devices/devices_view.h"
#include "widgets/history/history_panel.h"

using namespace tw;

class DevicesTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    list_ = folder_->filePath("devices.json").toStdString();
    server_ = std::make_unique<test::TestServer>();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    place_ = std::make_unique<Workplace>(list_);
    QVERIFY(window().perform(journal::ShowView{"devices"}));
    place_->settle();
    QCOMPARE(view().devices().size(), size_t(1));
  }
  void cleanup() {
    place_.reset();
    server_.reset();
  }

  void everything_in_it_has_a_name_for_those_who_cannot_see() {
    QVERIFY(window().perform(journal::ShowDialog{"add-device", {}}));
    for (QWidget* owner : std::initializer_list<QWidget*>{&view(), dialog()})
      for (QWidget* part : owner->findChildren<QWidget*>()) {
        bool named = !part->accessibleName().isEmpty();
        if (qobject_cast<QLineEdit*>(part) && !qobject_cast<QAbstractSpinBox*>(part->parent()))
          QVERIFY2(named, qPrintable(part->objectName()));
        if (qobject_cast<QPlainTextEdit*>(part) || qobject_cast<DeviceList*>(part) ||
            qobject_cast<RoofBars*>(part))
          QVERIFY2(named, qPrintable(part->objectName()));
        if (auto* button = qobject_cast<QPushButton*>(part))
          QVERIFY2(named || !button->text().isEmpty(), qPrintable(part->objectName()));
      }
    auto* list = view().findChild<DeviceList*>();
    QCOMPARE(list->parts().size(), size_t(1));
    QVERIFY2(
        list->parts()[0].name.contains("local, ready") && list->parts()[0].name.contains("in use"),
        qPrintable(list->parts()[0].name));
  }

  void it_is_a_page_without_a_model_and_a_tab_beside_one() {
    QVERIFY(view().isVisible());
    QCOMPARE(fact("view"), QString("devices"));
    place_->open_matmul();
    auto* centre = window().findChild<QTabWidget*>("centre");
    QVERIFY(centre->indexOf(&view()) >= 0);
    QCOMPARE(place_->lines("show loops\nexpect view loops\nshow devices\nexpect view devices\n"),
             std::string());
    QVERIFY(view().isVisible());
    QCOMPARE(place_->lines("close\nexpect model none\n"), std::string());
    QVERIFY(!view().isVisible());  // the start page
    QCOMPARE(place_->lines("show devices\nexpect view devices\n"), std::string());
    QVERIFY(view().isVisible());
  }

  void a_device_is_added_used_and_removed_and_all_of_it_is_in_the_journal() {
    add("board", server_->address());
    QCOMPARE(view().devices().size(), size_t(2));
    QVERIFY(!dialog());
    QVERIFY(view().select("board"));
    QCOMPARE(fact("device.state"), QString("ready"));
    QVERIFY(figure("Processor").size() > 2);
    QVERIFY(figure("Clock").startsWith("same as") || figure("Clock").contains("this machine's"));
    QVERIFY(figure("Answers in").contains("to connect"));
    QCOMPARE(figure("Address").toStdString(), server_->address() + ", no TLS");
    QVERIFY(button("deviceUse")->isEnabled() && button("deviceRemove")->isEnabled());
    QTest::keyClick(view().findChild<DeviceList*>(), Qt::Key_Return);
    place_->settle();
    QCOMPARE(fact("device"), QString("board"));
    QTRY_VERIFY(view().selected()->in_use);
    QCOMPARE(button("deviceUse")->text(), QString("Reconnect"));
    QVERIFY(!button("deviceRemove")->isEnabled());
    QVERIFY2(!place_->lines("devices remove board\n").empty(), "it is in use");
    QTest::keyClick(view().findChild<DeviceList*>(), Qt::Key_Up);
    QCOMPARE(fact("device.selected"), QString("local"));
    QVERIFY(!button("deviceRemove")->isEnabled());  // this machine stays
    QCOMPARE(place_->lines("device local\nexpect device local\ndevices select board\n"),
             std::string());
    QTRY_VERIFY(!view().selected()->in_use);
    QTest::keyClick(view().findChild<DeviceList*>(), Qt::Key_Delete);
    place_->settle();
    QCOMPARE(view().devices().size(), size_t(1));
    QVERIFY(read_devices(list_).value().empty());
    std::string journal = place_->recorded();
    for (std::string line :
         {std::string("show devices"), "devices add board " + server_->address(),
          std::string("devices select board"), std::string("device board"),
          std::string("devices select local"), std::string("devices remove board")})
      QVERIFY2(journal.find("\n" + line + "\n") != std::string::npos, (line + journal).c_str());
  }

  void a_simulated_device_is_listed_while_it_is_in_use() {
    if (simulated_device_names().empty()) QSKIP("this build simulates nothing");
    QString name = QString::fromStdString(simulated_device_names().front());
    QCOMPARE(place_->lines("device " + name.toStdString() + "\n"), std::string());
    QTRY_COMPARE(view().devices().size(), size_t(2));
    QVERIFY(view().select(name));
    DeviceRow const& row = *view().selected();
    QVERIFY(row.simulated && row.in_use && row.fixed && !row.machine.isEmpty());
    QCOMPARE(figure("Address"), QString("simulated by this machine"));
    QString said = view().findChild<DeviceList*>()->parts()[1].name;
    QVERIFY2(said.contains("simulated, in use"), qPrintable(said));
    QVERIFY(view().findChild<QLabel*>("deviceState")->text().contains("simulated by this machine"));
    QVERIFY(button("deviceUse")->isEnabled() && !button("deviceRemove")->isEnabled());
    button("deviceCheck")->click();
    place_->settle();
    QCOMPARE(fact("device.state"), QString("ready"));
    QCOMPARE(place_->lines("device local\n"), std::string());
    QTRY_COMPARE(view().devices().size(), size_t(1));
  }

  void what_happens_on_a_device_is_shown_and_copied() {
    add("board", server_->address());
    place_ = nullptr;
    place_ = std::make_unique<Workplace>(list_, true);  // it measures
    place_->open_matmul();
    QCOMPARE(place_->lines("device board\nmeasure\nshow devices\ndevices select board\n"),
             std::string());
    QTRY_VERIFY(view().log_text().contains("timed"));
    QVERIFY(view().log_text().contains("loaded") && view().log_text().contains("connected"));
    view().findChild<QPushButton*>("deviceLogCopy")->click();
    QCOMPARE(QApplication::clipboard()->text(), view().log_text());
    QVERIFY(view().findChild<QPlainTextEdit*>("deviceLog")->toPlainText().contains("timed"));
    int busy = 0;
    for (DeviceActivity const& one : view().selected()->activity) busy += one.calls;
    QVERIFY(busy > 0);
  }

  void a_device_that_is_lost_says_since_when_and_comes_back() {
    add("board", server_->address());
    QVERIFY(view().select("board"));
    QString address = QString::fromStdString(server_->address());
    server_.reset();
    button("deviceCheck")->click();
    place_->settle();
    QCOMPARE(fact("device.state"), QString("unreachable"));
    QVERIFY2(fact("device.trouble").endsWith("cannot be reached: nothing listens there"),
             qPrintable(fact("device.trouble")));
    QString since = view().selected()->since;
    QVERIFY(since.startsWith("since "));
    QTest::qWait(1100);
    button("deviceCheck")->click();
    place_->settle();
    QCOMPARE(view().selected()->since, since);  // not since the last look
    QVERIFY(!button("deviceUse")->isEnabled());
    QVERIFY(view().log_text().contains(QStringLiteral("✕ failed")));
    server_ = std::make_unique<test::TestServer>(QStringList(), address);
    button("deviceCheck")->click();
    place_->settle();
    QCOMPARE(fact("device.state"), QString("ready"));
    QCOMPARE(fact("device.trouble"), QString("none"));
  }

  void what_cannot_be_added_is_a_sentence_and_the_words_stay() {
    add("board", "nowhere");
    QVERIFY2(sentence().startsWith("'nowhere' is not an address"), qPrintable(sentence()));
    QCOMPARE(field("deviceName")->text(), QString("board"));
    add("board", "board.local:50151");
    QVERIFY(sentence().contains("TLS and a token are required"));
    add("local", server_->address());
    QVERIFY(sentence().startsWith("'local' cannot be the name of a device"));
    QVERIFY(read_devices(list_).value().empty());
    field("deviceName")->clear();
    QVERIFY(!button_of(dialog(), "deviceAdd")->isEnabled());
  }

  void a_slow_device_keeps_its_time_out() {
    QCOMPARE(place_->lines("devices add slow " + server_->address() +
                           " timeout 900\nexpect devices = 2\n"),
             std::string());
    QCOMPARE(read_devices(list_).value()[0].timeout_seconds, 900.0);
    QVERIFY(view().select("slow"));
    QCOMPARE(figure("Time limit of a call"), QString("at least 900 s"));
  }

  void times_of_two_devices_stand_beside_each_other() {
    add("board", server_->address());
    place_ = nullptr;
    place_ = std::make_unique<Workplace>(list_, true);  // it measures
    place_->open_matmul();
    QCOMPARE(place_->lines("step parallel(C.i)\nexpect history.elsewhere none\ndevice board\n"
                           "expect device board\nexpect kernel.time > 0 ms\n"
                           "expect history.elsewhere local\nexpect step contains parallel\n"
                           "compare on devices 2 local board\n"
                           "expect compare contains on local\nexpect compare contains on board\n"
                           "stop comparing\ndevice local\nexpect history.elsewhere board\n"
                           "expect kernel.time > 0 ms\n"),
             std::string());
    QVERIFY(!place_->lines("compare on devices 2 local nowhere\n").empty());
    QVERIFY(!place_->lines("compare on devices 2 local local\n").empty());
    QVERIFY(!place_->lines("compare on devices 77 local board\n").empty());
    auto parts = window().findChild<tw::HistoryView*>("history")->parts();
    QVERIFY(std::ranges::any_of(
        parts, [](Part const& part) { return part.name.contains("measured on board:"); }));
  }

  void activity_and_lines_are_made_of_events() {
    using Kind = DeviceEvent::Kind;
    std::vector<DeviceEvent> events{{1000, Kind::kTimed, "a"}, {1599, Kind::kLost, "b"}};
    auto columns = activity_of(events, 1600);
    QCOMPARE(columns.front().calls + columns.back().calls, 1);  // the first is ten minutes old
    QCOMPARE(columns.back().failures, 1);
    QCOMPARE(activity_of(events, 5000).back().calls, 0);
    auto lines = lines_of(events);
    QCOMPARE(lines[0].word, QString("timed"));
    QVERIFY(!lines[0].bad && lines[1].bad);
  }

  void pictures() {
    if (!qEnvironmentVariableIsSet("TW_PICTURES")) QSKIP("TW_PICTURES names no folder");
    add("board", server_->address());
    add("workshop", "127.0.0.1:1");
    place_ = nullptr;
    place_ = std::make_unique<Workplace>(list_, true);
    place_->open_matmul();
    QCOMPARE(place_->lines("step parallel(C.i)\ndevice board\nmeasure\ndevice local\n"
                           "devices check\nshow devices\n"),
             std::string());
    QString folder = qEnvironmentVariable("TW_PICTURES");
    for (char const* theme : {"dark", "light", "high-contrast"})
      for (QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        QVERIFY(window().perform(journal::SetTheme{theme}));
        window().resize(size);
        for (char const* device : {"board", "workshop"}) {
          QVERIFY(view().select(device));
          place_->settle();
          window().grab().save(
              QString("%1/devices_%2_%3_%4.png").arg(folder, theme, device).arg(size.width()));
        }
      }
    window().resize(1280, 800);
    QCOMPARE(place_->lines("theme dark\nshow loops\n"), std::string());
    window().grab().save(folder + "/history_two_devices.png");
    QCOMPARE(place_->lines("compare on devices 2 local board\n"), std::string());
    window().grab().save(folder + "/compare_devices.png");
    QCOMPARE(place_->lines("close\nshow devices\n"), std::string());
    window().grab().save(folder + "/devices_alone.png");
    QVERIFY(window().perform(journal::ShowDialog{"add-device", {}}));
    dialog()->grab().save(folder + "/devices_add.png");
  }

private:
  MainWindow& window() const { return *place_->window; }
  DevicesView& view() const { return *window().findChild<DevicesView*>("devices"); }
  QDialog* dialog() const {
    for (auto* one : window().findChildren<QDialog*>("addDeviceDialog"))
      if (one->isVisible()) return one;
    return nullptr;
  }
  static QPushButton* button_of(QWidget* owner, char const* name) {
    return owner->findChild<QPushButton*>(name);
  }
  QPushButton* button(char const* name) const { return button_of(&view(), name); }
  QLineEdit* field(char const* name) const { return dialog()->findChild<QLineEdit*>(name); }
  QString sentence() const { return dialog()->findChild<QLabel*>("deviceSentence")->text(); }
  QString figure(QString const& name) const {
    for (DeviceFigure const& one : view().selected()->figures)
      if (one.name == name) return one.value;
    return {};
  }
  QString fact(std::string const& name) const {
    auto value = window().fact(name);
    auto const* words = value ? std::get_if<std::string>(&*value) : nullptr;
    return words ? QString::fromStdString(*words) : QString();
  }
  void add(QString const& name, std::string const& address) {
    if (!dialog()) QVERIFY(window().perform(journal::ShowDialog{"add-device", {}}));
    field("deviceName")->setText(name);
    field("deviceAddress")->setText(QString::fromStdString(address));
    button_of(dialog(), "deviceAdd")->click();
    place_->settle();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::string list_;
  std::unique_ptr<test::TestServer> server_;
  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(DevicesTest)
#include "devices_test.moc"
