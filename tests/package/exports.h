/// What the tests of exported folders share.
#pragma once

#include <QProcess>
#include <filesystem>

#include "engine/support/base/error.h"

namespace tw::testing {

inline QString words(Error const& error) { return QString::fromStdString(to_sentence(error)); }

template <typename T>
QString sentence(Result<T> const& result) {
  return result ? QString("done") : words(result.error());
}

struct Ran {
  int code = -1;
  QString output;
};

/// In `folder`, without any environment unless one is given.
inline Ran run(std::filesystem::path const& folder, QString const& program,
               QStringList const& arguments, QProcessEnvironment const& environment = {}) {
  QProcess process;
  process.setWorkingDirectory(QString::fromStdString(folder.string()));
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(program, arguments);
  process.waitForFinished(120000);
  return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
          QString::fromUtf8(process.readAll())};
}

}  // namespace tw::testing
