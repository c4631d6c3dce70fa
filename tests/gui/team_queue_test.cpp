// The queue of a team in the view of devices: attach a store, see who works on what, lose it.
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QtTest>

#include "engine/records/work_queue.h"
#include "tests/gui/workplace.h"
#include "tests/support/postgres_server.h"
#include "widgets/devices/devices_view.h"

using namespace tw;
using namespace tw::records;

class TeamQueueTest : public QObject {
  Q_OBJECT
private slots:
  void init() {
    if (!server_.missing().empty()) QSKIP(server_.missing().c_str());
    url_ = server_.fresh();
    place_ = std::make_unique<Workplace>(list());
    QCOMPARE(place_->lines("devices team\nexpect view devices\n"), std::string());
  }
  void cleanup() { place_.reset(); }

  void without_a_store_one_sentence_says_how_to_attach_one() {
    auto* words = view().findChild<QLabel*>("teamEmpty");
    QVERIFY(words->isVisible() && words->text().contains("postgresql://USER@HOST/DATABASE"));
    QVERIFY(!button("teamRefresh")->isEnabled());
    QVERIFY(!table("teamJobs")->isVisible());
  }

  void what_is_no_team_s_store_is_refused_in_a_sentence_beside_the_address() {
    attach("trials.sqlite");
    QVERIFY2(says().contains("a team's store is a server"), qPrintable(says()));
    attach("postgresql://me:secret@db/tilewright");
    QVERIFY2(says().contains("leave the password out"), qPrintable(says()));
    QVERIFY(place_->recorded().find("secret") == std::string::npos);
    attach("postgresql://me@127.0.0.1:1/tilewright");
    QTRY_VERIFY2_WITH_TIMEOUT(says().contains("cannot be reached"), qPrintable(says()), 15'000);
  }

  void jobs_and_workers_are_shown_with_who_holds_what_and_again_when_asked() {
    auto queue = open_work_queue(url_).value();
    attach(QString::fromStdString(url_));
    QCOMPARE(fact("team.jobs"), QString("none"));
    QVERIFY2(says().contains("no jobs and no workers"), qPrintable(says()));
    std::vector<WorkSlice> slices{{0, 16}, {1, 16}, {2, 16}};
    QVERIFY(queue->add({"night", 0, "EPYC", "cpu", "{}", "a model"}, slices));
    QVERIFY(queue->add({"small", 0, "Xeon", "cpu", "{}", "a model"}, slices));
    QVERIFY(queue->add({"done", 0, "EPYC", "cpu", "{}", "a model"}, slices));
    QVERIFY(queue->end("done"));
    QVERIFY(queue->here({"ann", "EPYC", "cpu", "night"}));
    QVERIFY(queue->here({"bob", "EPYC", "cpu", ""}));
    Lease lease = queue->take({"ann", "EPYC", "cpu", "", 60}).value().value();
    QVERIFY(queue->renew(lease, 5, 60).value());
    button("teamRefresh")->click();
    place_->settle();
    QCOMPARE(fact("team.jobs"), QString("night: running, 0 of 3 slices; small: queued, 0 of 3 "
                                        "slices; done: done, 3 of 3 slices"));
    QCOMPARE(fact("team.workers"), QString("ann: night: kernel 0, 5 of 16 trials; bob: waits"));
    QCOMPARE(table("teamJobs")->item(0, 5)->text(), QString("ann"));
    QVERIFY(queue->give_back(lease, 16, true));
    // Who looks sees it without asking.
    QTRY_COMPARE_WITH_TIMEOUT(fact("team.workers"), QString("ann: waits; bob: waits"), 15'000);
  }

  void a_worker_that_is_silent_and_one_that_went_with_a_slice_are_told() {
    auto queue = open_work_queue(url_).value();
    std::vector<WorkSlice> slices{{0, 16}};
    QVERIFY(queue->add({"night", 0, "EPYC", "cpu", "{}", "a model"}, slices));
    QVERIFY(queue->here({"ann", "EPYC", "cpu", "night"}));
    QVERIFY(queue->take({"gone", "EPYC", "cpu", "", 60}).value().has_value());
    server_.sql("UPDATE tilewright_devices SET seen = seen - INTERVAL '2 minutes'", database());
    attach(QString::fromStdString(url_));
    QCOMPARE(fact("team.workers"), QString("ann: silent; gone: silent"));
    QCOMPARE(table("teamWorkers")->item(0, 1)->text(), QStringLiteral("✕ silent"));
  }

  void the_address_is_there_at_the_next_start_and_can_be_taken_away() {
    QString state = place_->folder.filePath("state");
    attach(QString::fromStdString(url_));
    QVERIFY2(place_->recorded().find("\ndevices attach-team " + url_ + "\n") != std::string::npos,
             place_->recorded().c_str());
    Workplace next(false, state);
    QCOMPARE(next.window->findChild<QLineEdit*>("teamStore")->text().toStdString(), url_);
    attach("");
    QVERIFY(view().findChild<QLabel*>("teamEmpty")->isVisible());
    Workplace last(false, state);
    QVERIFY(last.window->findChild<QLineEdit*>("teamStore")->text().isEmpty());
  }

  void pictures() {
    if (!qEnvironmentVariableIsSet("TW_PICTURES")) QSKIP("TW_PICTURES names no folder");
    auto picture = [&](QString const& what) {
      for (char const* theme : {"dark", "light", "high-contrast"})
        for (QSize size : {QSize(1280, 800), QSize(1600, 1000)}) {
          QVERIFY(place_->window->perform(journal::SetTheme{theme}));
          place_->window->resize(size);
          place_->settle();
          QString folder = qEnvironmentVariable("TW_PICTURES");
          place_->window->grab().save(
              QString("%1/%2_%3_%4.png").arg(folder, what, theme).arg(size.width()));
        }
    };
    picture("team_none");
    auto queue = open_work_queue(url_).value();
    std::vector<WorkSlice> slices(40, WorkSlice{3, 16});
    std::string machine = "AMD EPYC 9354 32-Core Processor";
    for (std::string job : {"resnet18-20260927-101500", "resnet18-20260927-111500", "mobilenet"})
      QVERIFY(queue->add({job, 0, machine, "cpu", "{}", "a model"}, slices));
    QVERIFY(queue->end("mobilenet"));
    for (std::string worker : {"bench1.example.org/local", "bench2.example.org/local", "ann"}) {
      QVERIFY(queue->here({worker, machine, "cpu", ""}));
      if (worker == "ann") continue;
      Lease lease = queue->take({worker, machine, "cpu", "resnet18-20260927-101500", 60})->value();
      QVERIFY(queue->renew(lease, 5, 60).value());
    }
    server_.sql(
        "UPDATE tilewright_devices SET seen = seen - INTERVAL '2 minutes' WHERE name = 'ann'",
        database());
    attach(QString::fromStdString(url_));
    picture("team");
    place_->open_matmul();
    if (!simulated_device_names().empty())
      QCOMPARE(place_->lines("device " + simulated_device_names().front() + "\n"), std::string());
    QCOMPARE(place_->lines("show devices\n"), std::string());
    view().show_page(DevicesView::Page::kMachines);
    QVERIFY(view().select(QString::fromStdString(simulated_device_names().front())));
    picture("simulated");
  }

private:
  std::string list() { return folder_.filePath("devices.json").toStdString(); }
  std::string database() const { return url_.substr(url_.rfind('/') + 1); }
  DevicesView& view() { return *place_->window->findChild<DevicesView*>(); }
  QPushButton* button(char const* name) { return view().findChild<QPushButton*>(name); }
  QTableWidget* table(char const* name) { return view().findChild<QTableWidget*>(name); }
  QString says() { return view().team().sentence(); }
  void attach(QString const& address) {
    view().findChild<QLineEdit*>("teamStore")->setText(address);
    button("teamAttach")->click();
    place_->settle();
  }
  QString fact(std::string const& name) {
    auto value = place_->window->fact(name);
    return value && std::holds_alternative<std::string>(*value)
               ? QString::fromStdString(std::get<std::string>(*value))
               : QString();
  }

  testing::PostgresServer server_;
  QTemporaryDir folder_;
  std::string url_;
  std::unique_ptr<Workplace> place_;
};

QTEST_MAIN(TeamQueueTest)
#include "team_queue_test.moc"
