/// A PostgreSQL server of a test's own, in a temporary folder, on a socket there.
#pragma once

#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QThread>
#include <filesystem>
#include <string>

namespace tw::testing {

class PostgresServer {
public:
  /// Starts one, where this machine has the program; `missing()` says what it lacks.
  PostgresServer() {
    programs_ = programs();
    if (programs_.isEmpty()) {
      missing_ = "there is no PostgreSQL server on this machine (package postgresql)";
      return;
    }
    if (::geteuid() == 0) find_user();
    if (!missing_.empty()) return;
    own(folder_.path());
    QProcess maker;
    prepare(maker);
    maker.start(program("initdb"), {"-D", data(), "-U", "tester", "-A", "trust", "-E", "UTF8",
                                    "--locale=C", "--no-sync"});
    if (!maker.waitForFinished(60'000) || maker.exitCode() != 0) {
      missing_ = "the server's folder could not be made: " +
                 maker.readAllStandardError().trimmed().toStdString();
      return;
    }
    start();
  }
  ~PostgresServer() { stop(SIGQUIT); }

  std::string const& missing() const { return missing_; }

  void start() {
    server_ = std::make_unique<QProcess>();
    prepare(*server_);
    server_->setProcessChannelMode(QProcess::MergedChannels);
    // Without fsync a power cut may lose what was committed; a killed server does not.
    server_->start(program("postgres"),
                   {"-D", data(), "-k", folder_.path(), "-c", "listen_addresses=", "-c",
                    "fsync=off", "-c", "max_connections=60", "-c", "restart_after_crash=on"});
    for (int i = 0; i < 200; ++i) {
      if (server_->waitForReadyRead(100)) said_ += server_->readAll();
      if (said_.contains("ready to accept connections")) break;
      if (server_->state() == QProcess::NotRunning && i > 5) break;
    }
    if (!said_.contains("ready to accept connections"))
      missing_ = "the server did not start: " + said_.trimmed().toStdString();
    said_.clear();
  }
  /// SIGTERM: when all connections have ended; SIGINT: ends them; SIGQUIT: at once, as a crash.
  void stop(int signal = SIGQUIT) {
    if (!server_ || server_->state() == QProcess::NotRunning) return;
    ::kill(pid_t(server_->processId()), signal);
    server_->waitForFinished(20'000);
  }
  pid_t pid() const { return pid_t(server_->processId()); }

  std::string url(std::string const& database = "postgres") const {
    std::string socket = folder_.path().toStdString();
    std::string coded;
    for (char letter : socket) coded += letter == '/' ? std::string("%2F") : std::string(1, letter);
    return "postgresql://tester@" + coded + "/" + database;
  }
  /// An empty database; its URL.
  std::string fresh() {
    std::string name = "fresh" + std::to_string(++databases_);
    sql("CREATE DATABASE " + QString::fromStdString(name));
    return url(name);
  }
  /// What `psql` prints of it.
  QString sql(QString const& statement, std::string const& database = "postgres") {
    QProcess client;
    client.start("psql", {"-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d",
                          QString::fromStdString(url(database)), "-c", statement});
    client.waitForFinished(30'000);
    if (client.exitCode() != 0) qWarning("%s", client.readAllStandardError().constData());
    return QString::fromUtf8(client.readAllStandardOutput()).trimmed();
  }
  /// Gives a folder to the server's user.
  void own(QString const& folder) const {
    if (user_id_ != 0 && ::chown(folder.toUtf8(), user_id_, group_id_) != 0) qFatal("chown failed");
  }
  QString data() const { return folder_.filePath("data"); }

private:
  static QString programs() {
    namespace fs = std::filesystem;
    std::error_code none;
    QString found;
    for (auto const& entry : fs::directory_iterator("/usr/lib/postgresql", none))
      if (fs::exists(entry.path() / "bin/postgres", none))
        found = QString::fromStdString((entry.path() / "bin").string());
    return found;
  }
  QString program(char const* name) const { return programs_ + "/" + name; }

  /// The server refuses to run as an administrator.
  void find_user() {
    for (char const* name : {"postgres", "nobody"})
      if (passwd* user = ::getpwnam(name)) {
        user_id_ = user->pw_uid;
        group_id_ = user->pw_gid;
        return;
      }
    missing_ = "the server does not run as an administrator, and there is no user to be instead";
  }

  void prepare(QProcess& process) const {
    process.setWorkingDirectory("/");
    process.setChildProcessModifier([user = user_id_, group = group_id_] {
      if (user != 0 && (::setgid(group) != 0 || ::setuid(user) != 0)) ::_exit(126);
      ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // it does not outlive a test that is killed
    });
  }

  QTemporaryDir folder_;
  QString programs_;
  std::string missing_;
  uid_t user_id_ = 0;
  gid_t group_id_ = 0;
  std::unique_ptr<QProcess> server_;
  QByteArray said_;
  int databases_ = 0;
};

}  // namespace tw::testing
