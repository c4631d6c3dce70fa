// `tw cache`: what is kept to be faster, its limit, and how one is rid of it.
#include <QtTest>

#include "tests/cli/run_program.h"
#include "tests/support/paths.h"

using namespace command_line;

class CacheTest : public QObject {
  Q_OBJECT
private slots:
  void the_cache_is_shown_limited_and_emptied_of_what_is_ours() {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("TW_CACHE_DIR", at("own_cache"));
    environment.insert("TW_CONFIG_DIR", at("own_config"));
    auto cache = [&](QStringList const& more) {
      return run_program(tw::testing::built("/bin/tw"), QStringList{"cache"} + more, environment);
    };
    auto write = [&](QString const& name, int bytes) {
      QDir().mkpath(QFileInfo(at("own_cache/" + name)).path());
      QFile file(at("own_cache/" + name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QByteArray(bytes, 'x'));
    };
    write("kernels/00000000000000aa.twk", 2 << 20);
    write("kernels/00000000000000bb.twk", 1 << 20);
    write("kernels/mine.twk", 1000);
    write("mine.json", 1000);
    write("roofs-0000000000000001.json", 100);
    write("embedded/00000000000000cc/model.onnx", 500);  // of a process that may still run
    QFile::link(at("own_cache/mine.json"), at("own_cache/kernels/00000000000000dd.twk"));
    Run shown = cache({});
    QVERIFY2(shown.out.contains(": code of 2 kernels 3.0 MB"), qPrintable(shown.out + shown.err));
    QVERIFY(shown.out.contains("limit of compiled kernels: 256 MB"));
    QVERIFY(cache({"--limit", "64MB"}).out.contains("limit of compiled kernels: 64 MB"));
    QCOMPARE(cache({"--limit", "1KB"}).code, 2);
    QVERIFY(cache({"--limit", "1KB"}).err.contains("the cache's limit is 16 MB to"));
    Run emptied = cache({"--empty"});
    QVERIFY2(emptied.out.startsWith("freed 3.0 MB\n"), qPrintable(emptied.out + emptied.err));
    QVERIFY(!QFile::exists(at("own_cache/kernels/00000000000000aa.twk")));
    for (char const* stays : {"kernels/mine.twk", "mine.json", "roofs-0000000000000001.json",
                              "embedded/00000000000000cc/model.onnx"})
      QVERIFY2(QFile::exists(at(QString("own_cache/") + stays)), stays);
    QVERIFY(QFileInfo(at("own_cache/kernels/00000000000000dd.twk")).isSymLink());
    QVERIFY(cache({"--empty"}).out.startsWith("there was nothing to remove\n"));
    Run json = cache({"--empty", "--json"});
    QVERIFY2(json.out.contains("\"freed_bytes\": 0"), qPrintable(json.out));
    // Another folder, from the next start on.
    Run elsewhere = cache({"--folder", at("another")});
    QVERIFY2(elsewhere.out.startsWith(at("another") + ": used from the next start on"),
             qPrintable(elsewhere.out + elsewhere.err));
    environment.remove("TW_CACHE_DIR");
    QVERIFY(cache({}).out.startsWith(at("another") + "\n"));
    QCOMPARE(cache({"--usual-folder"}).code, 0);
    QVERIFY(!cache({}).out.startsWith(at("another")));
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(CacheTest)
#include "cache_test.moc"
