/// `tw-device serve` as tests start it.
#pragma once

#include <QProcess>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/support/paths.h"

namespace tw::test {

/// Ends with the value. `address()` is empty when it did not start.
class TestServer {
public:
  /// `command`: what takes the options, a program and its first arguments.
  /// `before`: in the new process, before it becomes the program.
  explicit TestServer(QStringList const& options = {}, QString const& listen = "127.0.0.1:0",
                      QStringList command = {testing::built("/bin/tw-device"), "serve"},
                      std::function<void()> const& before = {}) {
    QString program = command.takeFirst();
    if (before) process_.setChildProcessModifier(before);
    process_.start(program, command + QStringList{"--listen", listen} + options);
    if (!process_.waitForReadyRead(20'000)) return;
    line_ = QString::fromUtf8(process_.readLine()).trimmed();
    if (line_.startsWith("listening on "))
      address_ = line_.mid(13, line_.indexOf(',') - 13).toStdString();
  }
  ~TestServer() {
    process_.terminate();
    if (!process_.waitForFinished(5'000)) process_.kill();
    process_.waitForFinished(5'000);
  }

  std::string const& address() const { return address_; }
  QString line() const { return line_; }
  int port() const { return std::stoi(address_.substr(address_.rfind(':') + 1)); }
  QProcess& process() { return process_; }
  pid_t pid() const { return pid_t(process_.processId()); }

  /// Everything that it said on standard error so far.
  QString said() {
    process_.waitForReadyRead(50);
    said_ += QString::fromUtf8(process_.readAllStandardError());
    return said_;
  }

  /// The processes that it started and that run, the latest last.
  std::vector<pid_t> workers() const {
    std::vector<std::pair<long long, pid_t>> found;
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
      if (!std::isdigit(entry.path().filename().string()[0])) continue;
      std::ifstream file(entry.path() / "stat");
      std::string text((std::istreambuf_iterator<char>(file)), {});
      size_t end = text.rfind(") ");
      if (end == std::string::npos) continue;
      QStringList fields = QString::fromStdString(text.substr(end + 2)).split(' ');
      if (fields.size() > 19 && fields[0] != "Z" && fields[1].toInt() == pid())
        found.emplace_back(fields[19].toLongLong(), std::stoi(text));
    }
    std::sort(found.begin(), found.end());
    std::vector<pid_t> pids;
    for (auto const& [start, pid] : found) pids.push_back(pid);
    return pids;
  }

private:
  QProcess process_;
  QString line_, said_;
  std::string address_;
};

}  // namespace tw::test
