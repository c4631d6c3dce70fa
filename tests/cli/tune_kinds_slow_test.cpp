// `tw tune` on devices of two kinds at once: this machine here and over TLS, and an emulated one.
#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <fstream>
#include <set>

#include "tests/cli/run_program.h"
#include "tests/device/emulated_device.h"
#include "tests/support/paths.h"

using namespace command_line;

namespace {

constexpr char kProduct[] =
    "tilewright te 1\n"
    "kernel product(A: f32[32, 24], B: f32[24, 40]) -> C\n"
    "  C[i in 32, j in 40] = sum[k in 24] A[i, k] * B[k, j]\n";

}  // namespace

class TuneKindsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    std::ofstream(at("m.te").toStdString()) << kProduct;
    emulated_ = std::make_unique<tw::test::EmulatedDevice>("armv7");
    if (!emulated_->skipped.isEmpty()) QSKIP(qPrintable(emulated_->skipped));
    QVERIFY2(emulated_->serves(), qPrintable(emulated_->said));
    QCOMPARE(run({"device", "certificate", at("keys"), "--host", "localhost"}).code, 0);
    here_ = std::make_unique<tw::test::TestServer>(
        QStringList{"--tls-cert", at("keys/device.pem"), "--tls-key", at("keys/device.key"),
                    "--token-file", at("keys/device.token")});
    QVERIFY2(!here_->address().empty(), qPrintable(here_->said()));
    Run added = run({"devices", "add", "near", QString("localhost:%1").arg(here_->port()), "--ca",
                     at("keys/device.pem"), "--token-file", at("keys/device.token")});
    QVERIFY2(added.code == 0, qPrintable(added.err));
    added = run({"devices", "add", "board", QString::fromStdString(emulated_->server->address()),
                 "--timeout", "300"});
    QVERIFY2(added.code == 0, qPrintable(added.err));
  }
  void cleanupTestCase() {
    here_.reset();
    emulated_.reset();
  }

  void each_kind_has_its_own_search_and_script() {
    if (!here_) QSKIP("there is no device");
    Run tuned = run(QStringList{"tune", at("m.te"), "--trials", "12", "--json", "--out",
                                at("best.tws"), "--store", at("trials.sqlite")} +
                    kDevices);
    QVERIFY2(tuned.code == 0, qPrintable(tuned.err));
    auto [trials, results] = parted(tuned.out);
    QCOMPARE(trials["local"], 12);
    QCOMPARE(trials["board"], 12);
    QCOMPARE(results.size(), size_t(2));
    QJsonArray shares = results["local"]["devices"].toArray();
    QCOMPARE(shares.size(), 2);
    QCOMPARE(shares[0].toObject()["trials"].toInt() + shares[1].toObject()["trials"].toInt(), 12);
    QVERIFY(shares[1].toObject()["trials"].toInt() > 0);
    QCOMPARE(results["board"]["devices"].toArray().size(), 1);
    for (char const* kind : {"local", "board"}) {
      QVERIFY(results[kind]["best_ms"].toDouble() <= results[kind]["default_ms"].toDouble() * 1.05);
      Run checked = run({"check", at("m.te"), "--script", at(QString("best.%1.tws").arg(kind)),
                         "--device", kind});
      QVERIFY2(checked.code == 0, qPrintable(checked.out + checked.err));
    }
    QVERIFY(!QFile::exists(at("best.tws")));
    // One store has all trials, each with the device that made it.
    std::map<QString, int> stored;
    Run list = run({"history", "list", "--store", at("trials.sqlite"), "--limit", "100", "--json"});
    for (QJsonValue row : QJsonDocument::fromJson(list.out.toUtf8()).array())
      ++stored[row.toObject()["device"].toString()];
    QCOMPARE(stored["local"] + stored["near"], 12);
    QCOMPARE(stored["board"], 12);
  }

  void a_model_gets_a_project_for_each_kind() {
    if (!here_) QSKIP("there is no device");
    Run tuned = run(QStringList{"tune", "sample:dqn", "--trials", "24", "--threads", "1", "--out",
                                at("dqn.twproj"), "--store", at("trials.sqlite")} +
                    kDevices);
    QVERIFY2(tuned.code == 0, qPrintable(tuned.err));
    QVERIFY2(tuned.out.contains("\nlocal, near: ") && tuned.out.contains("\nboard: "),
             qPrintable(tuned.out));
    QCOMPARE(tuned.out.count("the model: "), 2);
    for (QString kind : {"local", "board"}) {
      Run ran = run({"run", at("dqn." + kind + ".twproj"), "--rounds", "1", "--device", kind});
      QVERIFY2(ran.code == 0, qPrintable(ran.err));
    }
  }

  /// Its search ends with the reason, the other goes on to its end.
  void a_kind_that_is_lost_ends_its_own_search_alone() {
    if (!here_) QSKIP("there is no device");
    QProcess process;
    process.setProcessEnvironment(environment());
    process.start(tw::testing::built("/bin/tw"),
                  QStringList{"tune", at("m.te"), "--trials", "100000", "--seconds", "25", "--json",
                              "--no-store"} +
                      kDevices);
    QString out;
    while (!out.contains("\"kind\":\"board\"") && process.waitForReadyRead(120'000))
      out += QString::fromUtf8(process.readAllStandardOutput());
    emulated_->server->process().kill();
    QVERIFY(process.waitForFinished(120'000));
    out += QString::fromUtf8(process.readAllStandardOutput());
    QCOMPARE(process.exitCode(), 3);
    auto [trials, results] = parted(out);
    QVERIFY(trials["local"] > 0 && results["local"].contains("best_ms"));
    QJsonObject error = results["board"]["error"].toObject();
    QCOMPARE(error["code"].toString(), QString("no_device"));
    QVERIFY2(error["message"].toString().contains("board: "), qPrintable(out.right(500)));
  }

private:
  inline static QStringList const kDevices = {"--device", "local",    "--device",
                                              "near",     "--device", "board"};
  QString at(QString const& name) const { return folder_.filePath(name); }
  QProcessEnvironment environment() const {
    QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    own.insert("TW_CONFIG_DIR", at("config"));
    own.insert("TW_CACHE_DIR", at("cache"));
    return own;
  }
  Run run(QStringList const& arguments) const {
    return run_program(tw::testing::built("/bin/tw"), arguments, environment());
  }
  /// How many trials each kind has, and what each says at its end.
  static std::pair<std::map<QString, int>, std::map<QString, QJsonObject>> parted(
      QString const& lines) {
    std::map<QString, int> trials;
    std::map<QString, QJsonObject> results;
    for (QString const& line : lines.trimmed().split('\n')) {
      QJsonObject object = QJsonDocument::fromJson(line.toUtf8()).object();
      QString kind = object["kind"].toString();
      if (object.contains("trial"))
        ++trials[kind];
      else
        results[kind] = object;
    }
    return {trials, results};
  }

  QTemporaryDir folder_;
  std::unique_ptr<tw::test::EmulatedDevice> emulated_;
  std::unique_ptr<tw::test::TestServer> here_;
};

QTEST_GUILESS_MAIN(TuneKindsTest)
#include "tune_kinds_slow_test.moc"
