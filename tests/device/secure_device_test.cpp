// A server that others may reach: TLS, a certificate that the client pins, a token.
#include <netdb.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <QtTest>
#include <fstream>

#include "engine/device/rpc/remote_device.h"
#include "engine/support/files.h"
#include "tests/device/device_bench.h"
#include "tests/device/test_server.h"
#include "tests/support/paths.h"

using namespace tw;
using namespace std::chrono_literals;
using test::Bench;
using test::TestServer;

namespace {

QString code(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().code);
}
QString words_of(auto const& result) {
  return result ? QString("none") : QString::fromStdString(result.error().message);
}

struct Ran {
  int code = -1;
  QString out, err;
};
Ran run(QString const& program, QStringList const& arguments) {
  QProcess process;
  process.start(testing::built("/bin/") + program, arguments);
  process.waitForFinished(60'000);
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace

class SecureDeviceTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (QStandardPaths::findExecutable("openssl").isEmpty())
      QSKIP("the command openssl, which makes the key, is missing");
    QStringList hosts{"--host", "127.0.0.1", "--host", "localhost"};
    Ran made = run("tw", QStringList{"device", "certificate", at("good")} + hosts);
    QVERIFY2(made.code == 0, qPrintable(made.err));
    QVERIFY(made.out.contains("tw devices add NAME 127.0.0.1:50151 --ca device.pem"));
    QCOMPARE(run("tw", QStringList{"device", "certificate", at("other")} + hosts).code, 0);
    QCOMPARE(run("tw", {"device", "certificate", at("elsewhere"), "--host", "board.local"}).code,
             0);
    for (char const* secret : {"device.key", "device.token"})
      QCOMPARE(QFile::permissions(at("good/") + secret) & QFile::Permissions(0x0077),
               QFile::Permissions());
    server_ = std::make_unique<TestServer>(options("good"));
    QVERIFY2(!server_->address().empty(), qPrintable(server_->said()));
  }
  void cleanupTestCase() { server_.reset(); }

  void a_kernel_runs_over_tls_with_the_token() {
    Bench bench(connect(server_->address(), "good", read("good/device.token")));
    QVERIFY(bench.prepare());
    QVERIFY(bench.run(bench.step("add", {bench.a, bench.b, bench.c})));
    NDArray sum = get_tensor(bench.device, bench.c, DType::kF32, {1024}, bench.options).value();
    QCOMPARE(sum.value_at(1000), 1500.0);
    QVERIFY(server_->line().contains("TLS, with a token"));
  }

  void a_name_of_the_certificate_serves_as_well_as_its_number() {
    addrinfo* found = nullptr;
    if (getaddrinfo("localhost", nullptr, nullptr, &found) != 0)
      QSKIP("this machine does not know the name localhost: it has no /etc/hosts");
    freeaddrinfo(found);
    std::string address = "localhost:" + std::to_string(server_->port());
    QVERIFY(connect(address, "good", read("good/device.token"))->describe({}));
  }

  void a_server_on_every_interface_is_reached_with_both() {
    TestServer open(options("good"), "0.0.0.0:0");
    QVERIFY2(!open.address().empty(), qPrintable(open.said()));
    std::string address = "127.0.0.1:" + std::to_string(open.port());
    QVERIFY(connect(address, "good", read("good/device.token"))->describe({}));
  }

  void a_wrong_token_and_none_are_refused_before_a_worker_is_there() {
    for (std::string token : {std::string(), std::string("0123456789abcdef"),
                              read("good/device.token") + "0", read("other/device.token")}) {
      auto refused = connect(server_->address(), "good", token)->describe({});
      QCOMPARE(code(refused), QString("device_refused"));
      QCOMPARE(words_of(refused), QString::fromStdString("the device at " + server_->address() +
                                                         " did not accept the token"));
    }
    QTRY_VERIFY(server_->workers().empty());
    QTRY_VERIFY(server_->said().contains("was refused"));
  }

  void a_secret_is_never_said() {
    (void)connect(server_->address(), "good", "0123456789abcdef0123")->describe({});
    QVERIFY(server_->said().contains("connected") || server_->said().contains("refused"));
    QVERIFY(!server_->said().contains("0123456789abcdef0123"));
    QVERIFY(!server_->said().contains(QString::fromStdString(read("good/device.token"))));
  }

  void another_certificate_is_refused_by_the_client() {
    auto refused = connect(server_->address(), "other", read("good/device.token"))->describe({});
    QCOMPARE(code(refused), QString("device_unavailable"));
    QCOMPARE(words_of(refused),
             QString::fromStdString("the device at " + server_->address() +
                                    " cannot be reached: its certificate is not the one that was "
                                    "added with it"));
    QVERIFY(!server_->said().contains(QString::fromStdString(read("good/device.token"))));
  }

  void a_certificate_for_another_host_is_refused_by_the_client() {
    TestServer elsewhere(options("elsewhere"));
    auto refused =
        connect(elsewhere.address(), "elsewhere", read("elsewhere/device.token"))->describe({});
    QVERIFY2(words_of(refused).endsWith("its certificate is for another host name"),
             qPrintable(words_of(refused)));
  }

  void an_expired_certificate_is_called_that_by_both() {
    QVERIFY(QDir().mkpath(at("expired")));
    QFile::copy(at("good/device.token"), at("expired/device.token"));
    make_dated_certificate(-2 * 86400, -86400);
    TestServer expired(options("expired"));
    QVERIFY2(!expired.address().empty(), qPrintable(expired.said()));
    QTRY_VERIFY2(expired.said().contains("the certificate has expired on "),
                 qPrintable(expired.said()));
    auto refused = connect(expired.address(), "expired", read("good/device.token"))->describe({});
    QVERIFY2(words_of(refused).contains("cannot be reached: its certificate has expired on "),
             qPrintable(words_of(refused)));
    make_dated_certificate(86400, 2 * 86400);
    TestServer early(options("expired"));
    refused = connect(early.address(), "expired", read("good/device.token"))->describe({});
    QVERIFY2(words_of(refused).contains("its certificate is valid only from "),
             qPrintable(words_of(refused)));
  }

  void a_client_without_tls_gets_a_sentence_and_so_does_one_with_it_where_there_is_none() {
    auto plain = RemoteDevice::create({.address = server_->address()}).value();
    auto refused = plain->describe({});
    QCOMPARE(code(refused), QString("device_unavailable"));
    qInfo("%s", qPrintable(words_of(refused)));
    TestServer open;
    auto wrapped = connect(open.address(), "good", "")->describe({});
    QCOMPARE(code(wrapped), QString("device_unavailable"));
    qInfo("%s", qPrintable(words_of(wrapped)));
  }

  void a_client_sends_no_token_in_the_clear_to_another_machine() {
    auto refused = RemoteDevice::create({.address = "board.local:50151", .token = "secret"});
    QCOMPARE(code(refused), QString("insecure_address"));
    QVERIFY(words_of(refused).endsWith("so TLS and a token are required: TLS is missing"));
  }

  void a_server_beyond_this_machine_without_tls_or_token_does_not_start_data() {
    QTest::addColumn<QStringList>("given");
    QTest::addColumn<QString>("missing");
    QTest::newRow("nothing") << QStringList() << "TLS and a token are missing";
    QTest::newRow("no token") << options("good").mid(0, 4) << "a token is missing";
    QTest::newRow("no TLS") << options("good").mid(4) << "TLS is missing";
  }
  void a_server_beyond_this_machine_without_tls_or_token_does_not_start() {
    QFETCH(QStringList, given);
    QFETCH(QString, missing);
    Ran ran = run("tw-device", QStringList{"serve", "--listen", "0.0.0.0:0"} + given);
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.err,
             "tw-device: 0.0.0.0:0 can be reached from other machines, and a device runs any code "
             "it is sent, so TLS and a token are required: " +
                 missing + "\n");
    QVERIFY(ran.out.isEmpty());
  }

  void unusable_options_are_sentences_data() {
    QTest::addColumn<QStringList>("given");
    QTest::addColumn<QString>("sentence");
    auto row = [](QStringList const& given, char const* sentence) {
      QTest::newRow(sentence) << given << QString(sentence);
    };
    write("short", "abc\n");
    write("junk.pem", "no certificate\n");
    QStringList loop{"--listen", "127.0.0.1:0"};
    row({"--frob"}, "there is no option '--frob'");
    row({"--clients"}, "the option --clients takes a value");
    row({"--clients", "0"}, "--clients takes a number above 0, not '0'");
    row({"--memory-mb", "1x"}, "--memory-mb takes a number above 0, not '1x'");
    row({"--token-file", "/nowhere/t"}, "/nowhere/t: cannot be read: No such file or directory");
    row({"--token-file", at("short")}, "a token has at least 16 characters");
    row({"--listen", "board.local:1"}, "a device listens on an IP address or localhost");
    row({"--listen", "unix:/tmp/x"}, "'unix:/tmp/x' is not an address");
    row(loop + QStringList{"--tls-cert", at("good/device.pem")},
        "TLS needs both a certificate and its key");
    row(loop + QStringList{"--tls-cert", at("junk.pem"), "--tls-key", at("junk.pem")},
        "or are not in PEM form");
  }
  void unusable_options_are_sentences() {
    QFETCH(QStringList, given);
    QFETCH(QString, sentence);
    Ran ran = run("tw-device", QStringList{"serve"} + given);
    QVERIFY(ran.code == 2 || ran.code == 3);
    QVERIFY2(ran.err.startsWith("tw-device: ") && ran.err.contains(sentence), qPrintable(ran.err));
    QCOMPARE(ran.err.count('\n'), 1);
  }

  void a_port_is_served_by_one_server() {
    Ran second =
        run("tw-device", {"serve", "--listen", QString::fromStdString(server_->address())});
    QCOMPARE(second.code, 3);
    QVERIFY2(second.err.contains("the port is taken or not allowed"), qPrintable(second.err));
  }

private:
  QString at(QString const& name) const { return folder_.filePath(name); }
  /// The first line of a file.
  std::string read(QString const& name) const {
    std::ifstream file(at(name).toStdString());
    std::string line;
    std::getline(file, line);
    return line;
  }
  void write(QString const& name, char const* text) const {
    std::ofstream(at(name).toStdString()) << text;
  }
  /// As the command makes them, for seconds from now on.
  void make_dated_certificate(long from, long until) const {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* made = X509_new();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), from);
    X509_gmtime_adj(X509_getm_notAfter(made), until);
    X509_set_pubkey(made, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                               reinterpret_cast<unsigned char const*>("device"), -1, -1, 0);
    X509_set_issuer_name(made, X509_get_subject_name(made));
    X509_EXTENSION* hosts =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(made, hosts, -1);
    X509_sign(made, key, EVP_sha256());
    FILE* file = fopen(qPrintable(at("expired/device.pem")), "w");
    PEM_write_X509(file, made);
    fclose(file);
    file = fopen(qPrintable(at("expired/device.key")), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    fclose(file);
    X509_EXTENSION_free(hosts);
    X509_free(made);
    EVP_PKEY_free(key);
  }
  QStringList options(QString const& name) const {
    return {"--tls-cert",   at(name + "/device.pem"),  "--tls-key", at(name + "/device.key"),
            "--token-file", at(name + "/device.token")};
  }
  std::unique_ptr<RemoteDevice> connect(std::string const& address, QString const& name,
                                        std::string const& token) const {
    return RemoteDevice::create(
               {.address = address,
                .certificate = read_file(at(name + "/device.pem").toStdString()).value(),
                .token = token})
        .value();
  }

  QTemporaryDir folder_;
  std::unique_ptr<TestServer> server_;
};

QTEST_GUILESS_MAIN(SecureDeviceTest)
#include "secure_device_test.moc"
