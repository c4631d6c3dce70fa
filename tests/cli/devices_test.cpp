// Devices on the command line: added, listed, used, lost, removed.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <fstream>

#include "tests/device/test_server.h"
#include "tests/support/paths.h"

namespace {

constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";

struct Run {
  int code = -1;
  QString out, err;
  QJsonDocument json() const { return QJsonDocument::fromJson(out.toUtf8()); }
};

}  // namespace

class DevicesTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    std::ofstream(at("m.te").toStdString()) << kProduct;
    std::ofstream(at("good.tws").toStdString())
        << "tilewright schedule 1\nfor product\nj.0, j.1 = split(C.j, factor=8)\nreorder(C.j.0, "
           "C.k, C.j.1)\nvectorize(C.j.1)\nparallel(C.i)\n";
    std::ofstream(at("tokens").toStdString())
        << "# of the board\n0123456789abcdef-one\n0123456789abcdef-two dora\n";
    server_ = std::make_unique<tw::test::TestServer>();
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
    address_ = QString::fromStdString(server_->address());
  }
  void cleanupTestCase() { server_.reset(); }

  void a_device_is_added_and_asked_what_it_is() {
    Run added = run_tw({"devices", "add", "here", address_});
    QVERIFY2(added.code == 0, qPrintable(added.err));
    QVERIFY2(added.out.contains("answers in"), qPrintable(added.out));
    QCOMPARE(run_tw({"devices", "add", "gone", "127.0.0.1:1"}).code, 0);
    QJsonArray list = run_tw({"devices", "list", "--json"}).json().array();
    QCOMPARE(list.size(), 3);
    QCOMPARE(list[0].toObject()["name"].toString(), QString("local"));
    QJsonObject here = list[1].toObject(), gone = list[2].toObject();
    QVERIFY(here["reachable"].toBool());
    QCOMPARE(here["hardware"].toObject()["triple"],
             list[0].toObject()["hardware"].toObject()["triple"]);
    QVERIFY(!gone["reachable"].toBool());
    QCOMPARE(gone["failure"].toString(),
             QString("the device at 127.0.0.1:1 cannot be reached: nothing listens there"));
  }

  void a_model_runs_there_and_gives_what_it_gives_here() {
    Run here = run_tw({"run", at("m.te"), "--json", "--threads", "1", "--device", "here"});
    Run local = run_tw({"run", at("m.te"), "--json", "--threads", "1"});
    QVERIFY2(here.code == 0, qPrintable(here.err));
    QCOMPARE(here.json()["device"].toString(), QString("here"));
    QCOMPARE(local.json()["device"].toString(), QString("local"));
    QCOMPARE(here.json()["outputs"], local.json()["outputs"]);
    QVERIFY(server_->said().contains("connected"));
  }

  void a_schedule_is_checked_and_timed_there() {
    Run ran = run_tw({"check", at("m.te"), "--script", at("good.tws"), "--time", "--checked",
                      "--device", "here"});
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QVERIFY(ran.out.contains("output right") && ran.out.contains(" times "));
  }

  void its_roofs_are_measured_there_kept_and_listed() {
    Run roofs = run_tw({"roofline", "--device", "here", "--json"});
    QVERIFY2(roofs.code == 0, qPrintable(roofs.err));
    QVERIFY(roofs.json()["machine"].toString().startsWith("here · "));
    QVERIFY(run_tw({"devices", "list", "--json"}).json()[1]["roofs"].isObject());
    Run times = run_tw({"kernels", at("m.te"), "--time", "--device", "here"});
    QVERIFY2(times.code == 0 && times.out.contains("whole model"), qPrintable(times.err));
  }

  void mistakes_are_sentences_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("sentence");
    auto row = [](QStringList const& arguments, int code, QString const& sentence) {
      QTest::newRow(qPrintable(sentence.left(60))) << arguments << code << sentence;
    };
    row({"run", at("m.te"), "--device", "gone"}, 3,
        "tw: the device at 127.0.0.1:1 cannot be reached: nothing listens there");
    row({"run", at("m.te"), "--device", "nope"}, 2,
        "tw: there is no device 'nope'; there are: local, here, gone");
    row({"devices", "remove", "nope"}, 2, "tw: there is no device 'nope'");
    row({"devices", "add", "x", "nowhere"}, 2, "tw: 'nowhere' is not an address: ");
    row({"devices", "add", "local", "127.0.0.1:5"}, 2,
        "tw: 'local' cannot be the name of a device");
    row({"devices", "add", "x", "board.local:5"}, 2,
        "tw: board.local:5 can be reached from other machines");
    row({"devices", "add", "x", "127.0.0.1:5", "--ca", "/nowhere/x.pem"}, 2,
        "tw: /nowhere/x.pem: cannot be read: No such file or directory");
    row({"device", "serve", "--frob"}, 2, "tw-device: there is no option '--frob'");
    row({"device", "token", "list", at("none")}, 2,
        "tw: " + at("none") + ": cannot be read: No such file or directory");
    row({"device", "token", "revoke", at("tokens"), "carol"}, 2,
        "tw: " + at("tokens") + ": has no token for the client 'carol'; there are: token-1, dora");
    row({"device", "token", "add", at("tokens"), "dora"}, 2,
        "tw: " + at("tokens") + ":3: 'dora' has a token already: revoke it to make a new one");
    row({"device", "token", "add", at("tokens"), "a b"}, 2,
        "tw: the name of a client has at most 40 letters");
    row({"device", "token", "add", at("tokens"), "eve", "--out", at("m.te/eve")}, 3,
        "tw: " + at("m.te") + ": the folder cannot be created: ");
    row({"device", "certificate", at("c"), "--host", "a b"}, 2,
        "tw: 'a b' is neither a host name nor an IP address");
  }
  void mistakes_are_sentences() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, sentence);
    Run run = run_tw(arguments);
    QCOMPARE(run.code, code);
    QVERIFY2(run.err.startsWith(sentence), qPrintable(run.err));
    QCOMPARE(run.err.count('\n'), 1);
    QCOMPARE(run.out, QString());
  }

  void a_certificate_is_made_whole_or_not_at_all() {
    // Files of no size, as on a full disk.
    QProcess full;
    full.start("bash",
               {"-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" device certificate \"$1\" --host h",
                tw::testing::built("/bin/tw"), at("keys")});
    QVERIFY(full.waitForFinished(120'000));
    QCOMPARE(full.exitCode(), 3);
    QCOMPARE(QDir(at("keys")).entryList(QDir::Files), QStringList());
    Run again = run_tw({"device", "certificate", at("keys"), "--host", "h"});
    QVERIFY2(again.code == 0, qPrintable(again.err));
    QCOMPARE(QDir(at("keys")).entryList(QDir::Files),
             (QStringList{"device.key", "device.pem", "device.token"}));
    Run kept = run_tw({"device", "certificate", at("keys"), "--host", "h"});
    QVERIFY2(kept.code == 2 && kept.err.contains("already exists"), qPrintable(kept.err));
  }

  void tokens_are_made_and_taken_back_while_a_device_serves() {
    QString file = at("board/tokens"), alice = at("given/alice.token");
    Run made = run_tw({"device", "token", "add", file, "alice", "--out", alice});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    QCOMPARE(made.out, "alice can connect now; its token is in " + alice + "\n");
    Run shown = run_tw({"device", "token", "add", file, "bob", "--json"});
    std::string bob = shown.json()["token"].toString().toStdString();
    QCOMPARE(bob.size(), size_t(64));
    std::ofstream(at("given/bob.token").toStdString()) << bob;
    for (QString const& secret : {file, alice})
      QCOMPARE(QFile::permissions(secret) & QFile::Permissions(0x0077), QFile::Permissions());

    tw::test::TestServer server({"--token-file", file});
    QVERIFY2(!server.address().empty(), qPrintable(server.said()));
    for (QString name : {"alice", "bob"})
      QCOMPARE(run_tw({"devices", "add", name + "_there", QString::fromStdString(server.address()),
                       "--token-file", at("given/" + name + ".token")})
                   .code,
               0);
    auto may = [this](char const* name) {
      Run ran = run_tw({"run", at("m.te"), "--rounds", "1", "--device", name});
      if (ran.code != 0 && !ran.err.contains("did not accept the token")) qWarning() << ran.err;
      return ran.code == 0;
    };
    QVERIFY(may("alice_there") && may("bob_there"));
    Run revoked = run_tw({"device", "token", "revoke", file, "alice"});
    QCOMPARE(revoked.out, QString("alice can no longer connect; 1 token left\n"));
    QVERIFY(!may("alice_there") && may("bob_there"));
    QCOMPARE(run_tw({"device", "token", "list", file}).out.simplified(), QString("bob line 1"));
    QCOMPARE(run_tw({"device", "token", "add", file, "alice", "--out", alice}).code, 0);
    QVERIFY(may("alice_there"));
    for (QString name : {"alice_there", "bob_there"})
      QCOMPARE(run_tw({"devices", "remove", name}).code, 0);
  }

  void a_removed_device_is_gone() {
    QCOMPARE(run_tw({"devices", "remove", "gone"}).code, 0);
    QCOMPARE(run_tw({"devices", "list", "--json"}).json().array().size(), 2);
  }

  void a_broken_list_is_said_and_left() {
    std::ofstream(at("config/devices.json").toStdString()) << "{";
    Run broken = run_tw({"devices", "list"});
    QCOMPARE(broken.code, 2);
    QVERIFY2(broken.err.startsWith("tw: " + at("config/devices.json") +
                                   ": this is not a list of devices"),
             qPrintable(broken.err));
    QCOMPARE(run_tw({"inspect", at("m.te")}).code, 0);  // who needs no device does not read it
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }
  Run run_tw(QStringList const& arguments) const {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TW_CONFIG_DIR", at("config"));
    environment.insert("TW_CACHE_DIR", at("cache"));
    process.setProcessEnvironment(environment);
    process.start(tw::testing::built("/bin/tw"), arguments);
    process.waitForFinished(120'000);
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
  }

  QTemporaryDir folder_;
  std::unique_ptr<tw::test::TestServer> server_;
  QString address_;
};

QTEST_GUILESS_MAIN(DevicesTest)
#include "devices_test.moc"
