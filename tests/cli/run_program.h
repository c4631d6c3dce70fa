/// Programs as a person runs them.
#pragma once

#include <QProcess>

#include "tests/support/paths.h"

namespace command_line {

struct Run {
  int code = -1;
  QString out, err;
};

inline Run run_program(QString const& program, QStringList const& arguments,
                       QProcessEnvironment const& environment = QProcessEnvironment()) {
  QProcess process;
  if (!environment.isEmpty()) process.setProcessEnvironment(environment);
  process.start(program, arguments);
  process.waitForFinished(300000);
  return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError())};
}

inline Run run_tw(QStringList const& arguments) {
  return run_program(tw::testing::built("/bin/tw"), arguments);
}

/// In `words`, "$0" is `tw`.
inline Run shell(QString const& words) {
  return run_program("bash", {"-c", words, tw::testing::built("/bin/tw")});
}

}  // namespace command_line
