// What happens to a store on a server when something goes wrong: nothing is lost that was reported,
// nothing is there twice, and each reason is one sentence.
#include <sys/mount.h>
#include <sys/wait.h>

#include <QtTest>
#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "engine/records/postgres/postgres_schema.h"
#include "tests/records/some_trials.h"
#include "tests/support/postgres_server.h"

using namespace tw;
using namespace tw::records;
using tw::testing::some_trial;
using tw::testing::some_trials;

namespace {

using Store = std::unique_ptr<TrialStore>;

Store opened(std::string const& url, StoreOptions const& options = {}) {
  auto store = open_store(url, options);
  if (!store) qFatal("%s", to_sentence(store.error()).c_str());
  return std::move(*store);
}

std::string database_of(std::string const& url) { return url.substr(url.rfind('/') + 1); }

std::string place_of(std::string const& url) { return url + ": "; }

}  // namespace

class ServerFaultsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (!server_.missing().empty()) QSKIP(server_.missing().c_str());
  }

  void init() { url_ = server_.fresh(); }

  void a_server_that_is_away_or_refuses_is_told() {
    auto sentence = [](std::string const& url) {
      auto store = open_store(url, {.milliseconds_to_wait = 100});
      return store ? std::string("opened") : store.error().code + " " + to_sentence(store.error());
    };
    std::string away = sentence("postgresql://tester:secret@127.0.0.1:1/trials");
    QVERIFY2(
        away.starts_with("store_away postgresql://tester@127.0.0.1:1/trials: the server cannot "
                         "be reached: "),
        away.c_str());
    QVERIFY(away.find("Connection refused") != std::string::npos);
    QVERIFY(away.find('\n') == std::string::npos);
    std::string database = sentence(server_.url("nothing"));
    QCOMPARE(database, "store_refused " + place_of(server_.url("nothing")) +
                           "authentication failed: database \"nothing\" does not exist");
    server_.sql("CREATE USER guarded PASSWORD 'right'");
    guard("guarded");
    std::string guarded = url_;
    guarded.replace(guarded.find("tester@"), 7, "guarded:wrong@");
    std::string password = sentence(guarded);
    QVERIFY2(password.starts_with("store_refused ") &&
                 password.ends_with(
                     "authentication failed: password authentication failed for user \"guarded\""),
             password.c_str());
    QVERIFY(password.find("wrong") == std::string::npos);
  }

  void who_may_not_write_is_told() {
    QVERIFY(opened(url_)->append(some_trials(0, 2)));
    server_.sql("CREATE USER reader", database_of(url_));
    server_.sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", database_of(url_));
    std::string reading = url_;
    reading.replace(reading.find("tester@"), 7, "reader@");
    Store store = opened(reading);
    QCOMPARE(store->count({}).value(), 2);
    auto ids = store->append(some_trials(2, 1));
    QCOMPARE(ids.error().code, std::string("store_unwritable"));
    qInfo("%s", to_sentence(ids.error()).c_str());
  }

  void a_store_of_a_newer_version_is_left_alone() {
    QVERIFY(opened(url_)->append(some_trials(0, 5)));
    server_.sql("UPDATE tilewright_version SET version = 99", database_of(url_));
    auto store = open_store(url_);
    QVERIFY(!store);
    QCOMPARE(store.error().code, std::string("store_newer"));
    QCOMPARE(to_sentence(store.error()),
             place_of(url_) +
                 "this store of trials has version 99; this version of Tilewright "
                 "reads up to version " +
                 std::to_string(server_migrations().size()));
  }

  void an_older_store_becomes_a_newer_one_or_stays() {
    std::vector<Trial> trials = some_trials(0, 20);
    QVERIFY(opened(url_)->append(trials));
    std::vector<ServerMigration> list(server_migrations().begin(), server_migrations().end());
    list.push_back({"stars", "ALTER TABLE tilewright_trials ADD COLUMN stars INT DEFAULT 3"});
    Connection connection = Connection::open(url_, 1000).value();
    std::vector<ServerMigration> wrong = list;
    wrong.push_back({"nonsense", "DELETE FROM tilewright_trials; DROP TABLE nowhere"});
    Status status = migrate(connection, wrong);
    QVERIFY(!status);
    QVERIFY(QString::fromStdString(status.error().message).endsWith("the step to nonsense"));
    QCOMPARE(opened(url_)->count({}).value(), 20);
    QVERIFY(migrate(connection, list));
    QVERIFY(migrate(connection, list));  // nothing is left to do
    QCOMPARE(connection.number("SELECT sum(stars) FROM tilewright_trials").value(), 60);
  }

  void a_store_that_many_open_at_once_is_made_by_one_of_them() {
    for (int round = 0; round < 5; ++round) {
      std::string url = server_.fresh();
      std::atomic<int> failed = 0;
      std::vector<std::jthread> openers;
      for (uint64_t i = 0; i < 6; ++i)
        openers.emplace_back([&, i] {
          auto store = open_store(url);
          if (!store || !(*store)->append(some_trials(i, 1))) ++failed;
        });
      openers.clear();
      QCOMPARE(failed.load(), 0);
      QCOMPARE(opened(url)->count({}).value(), 6);
    }
  }

  void a_row_that_was_changed_by_hand_is_told() {
    QVERIFY(opened(url_)->append(some_trials(0, 5)));
    server_.sql("UPDATE tilewright_trials SET samples = '[1e-9]' WHERE id = 3", database_of(url_));
    Store store = opened(url_);
    QCOMPARE(store->find({}).error().message,
             std::string("this store of trials is damaged: trial 3 is not as it was written"));
    QVERIFY(store->find({.after_id = 3}));
    server_.sql("DELETE FROM tilewright_trials WHERE id = 3", database_of(url_));
    QCOMPARE(store->check_all().error().message,
             std::string("this store of trials is damaged: 4 of 5 trials are there"));
  }

  void a_text_that_a_server_cannot_keep_is_refused() {
    Trial trial = some_trial(0);
    trial.device = "\xff\xfe";
    auto ids = opened(url_)->append({&trial, 1});
    QCOMPARE(ids.error().code, std::string("bad_trial"));
    trial.device = std::string("a\0b", 3);
    QCOMPARE(opened(url_)->append({&trial, 1}).error().code, std::string("bad_trial"));
    QCOMPARE(opened(url_)->count({}).value(), 0);
  }

  void a_connection_that_is_lost_is_made_again() {
    Store store = opened(url_);
    for (uint64_t i = 0; i < 5; ++i) {
      cut_lines();
      QCOMPARE(store->append(some_trials(i, 1)).value(), std::vector<int64_t>{int64_t(i + 1)});
      cut_lines();
      QCOMPARE(store->find({.order = Order::kOldest}).value().back().trial, some_trial(i));
      cut_lines();
      QVERIFY(store->note({"job", "what", std::to_string(i), 1}));
    }
    QVERIFY(store->check_all());
  }

  void lines_that_are_cut_at_any_moment_lose_nothing_and_double_nothing() {
    std::vector<std::vector<int64_t>> ids(4);
    std::atomic<int> failed = 0;
    {
      std::vector<Store> stores;  // open before anything is cut: that may fail for good
      for (int writer = 0; writer < 4; ++writer) stores.push_back(opened(url_));
      std::vector<std::jthread> writers;
      for (uint64_t writer = 0; writer < 4; ++writer)
        writers.emplace_back([&, writer](std::stop_token stop) {
          Store& store = stores[writer];
          for (uint64_t number = writer * 100'000; !stop.stop_requested(); ++number)
            if (auto got = store->append(some_trials(number, 1)))
              ids[writer].push_back(got->front());
            else if (got.error().code != "store_lost")  // the second line was cut, too
              ++failed;
        });
      for (int i = 0; i < 60; ++i) {
        QThread::msleep(20);
        cut_lines();
      }
    }
    QCOMPARE(failed.load(), 0);
    Store store = opened(url_);
    QVERIFY(store->check_all());
    std::map<int64_t, std::string> there;
    std::set<std::string> numbers;
    QVERIFY(each_trial(*store, {}, [&](StoredTrial const& stored) -> Status {
      there[stored.id] = stored.trial.knobs.at("number");
      numbers.insert(stored.trial.knobs.at("number"));
      return {};
    }));
    QCOMPARE(numbers.size(), there.size());  // none twice
    size_t reported = 0;
    for (auto const& of_writer : ids) {
      reported += of_writer.size();
      for (int64_t id : of_writer) QVERIFY(there.contains(id));
    }
    QVERIFY(reported > 200);
    qInfo("%zu reported, %zu there", reported, there.size());
  }

  void a_server_that_is_killed_and_comes_back_has_what_was_reported() {
    std::vector<int64_t> ids;
    std::string trouble;
    {
      Store written = opened(url_);  // it has its tables before the server is stopped
      std::jthread writer([&](std::stop_token stop) {
        while (!stop.stop_requested() && trouble.empty())
          if (auto got = written->append(some_trials(ids.size(), 1)))
            ids.push_back(got->front());
          else
            trouble = to_sentence(got.error());
      });
      for (int signal : {SIGINT, SIGQUIT, SIGKILL}) {
        QThread::msleep(500);
        server_.stop(signal);
        QThread::msleep(500);
        server_.start();
      }
      QThread::msleep(500);
    }
    QVERIFY2(trouble.empty(), trouble.c_str());
    Store store = opened(url_);
    QVERIFY(store->check_all());
    auto found = store->find({.order = Order::kOldest, .limit = 1'000'000}).value();
    QCOMPARE(found.size(), ids.size());
    for (size_t i = 0; i < found.size(); ++i) {
      QCOMPARE(ids[i], int64_t(i + 1));
      QVERIFY(found[i].trial == some_trial(i));
    }
  }

  void a_killed_process_loses_nothing_that_it_was_told_is_there() {
    int pipe[2];
    QCOMPARE(::pipe(pipe), 0);
    pid_t child = ::fork();
    if (child == 0) {
      auto store = open_store(url_);
      for (uint64_t number = 0; store; ++number) {
        auto ids = (*store)->append(some_trials(number, 3));
        if (!ids || ::write(pipe[1], &ids->back(), sizeof(int64_t)) < 0) break;
      }
      ::_exit(1);
    }
    ::close(pipe[1]);
    int64_t last = 0, id = 0;
    for (int i = 0; i < 40 && ::read(pipe[0], &id, sizeof id) == sizeof id; ++i) last = id;
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFSIGNALED(status));
    while (::read(pipe[0], &id, sizeof id) == sizeof id) last = id;
    ::close(pipe[0]);
    Store store = opened(url_);
    QVERIFY(last >= 120);
    QVERIFY(store->count({}).value() >= last);
    QVERIFY(store->check_all());
  }

  void a_full_disk_of_the_server_keeps_what_it_has() {
    QTemporaryDir disk("/tmp/tilewright-disk-XXXXXX");
    if (::mount("tmpfs", disk.path().toUtf8(), "tmpfs", 0, "size=12m,mode=777") != 0)
      QSKIP("this process may not make a small disk");
    QDir(disk.path()).mkdir("space");
    server_.own(disk.filePath("space"));
    server_.sql("CREATE TABLESPACE small LOCATION '" + disk.filePath("space") + "'");
    server_.sql("CREATE DATABASE small TABLESPACE small");
    {
      Store store = opened(server_.url("small"));
      uint64_t saved = 0;
      Result<std::vector<int64_t>> ids;
      for (; saved < 100'000; saved += 20)
        if (ids = store->append(some_trials(saved, 20)); !ids) break;
      QVERIFY(!ids);
      QCOMPARE(to_sentence(ids.error()),
               place_of(server_.url("small")) +
                   "the server's disk is full: nothing of this was saved, what was before is");
      QCOMPARE(store->count({}).value(), int64_t(saved));
      QVERIFY(store->check_all());
    }
    server_.sql("DROP DATABASE small");
    server_.sql("DROP TABLESPACE small");
    QCOMPARE(::umount(disk.path().toUtf8()), 0);
  }

private:
  void cut_lines() {
    server_.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '" +
                QString::fromStdString(database_of(url_)) + "'");
  }

  /// This user needs a password from here on.
  void guard(std::string const& user) {
    QString file = server_.data() + "/pg_hba.conf";
    std::ifstream before(file.toStdString());
    std::string rest{std::istreambuf_iterator<char>(before), {}};
    std::ofstream(file.toStdString()) << "local all " + user + " scram-sha-256\n" + rest;
    server_.sql("SELECT pg_reload_conf()");
    QThread::msleep(300);
  }

  testing::PostgresServer server_;
  std::string url_;
};

QTEST_GUILESS_MAIN(ServerFaultsTest)
#include "server_faults_slow_test.moc"
