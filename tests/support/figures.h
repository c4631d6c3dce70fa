/// Waits that a person has: printed and kept beside what is wanted. A processor that is slower, or
/// a neighbour on it, fails no test; what takes ten times as long has another fault.
#pragma once

#include <QtTest>

#include "tests/support/slowness.h"

namespace tw::testing {

inline constexpr double kUnbearable = 10;

/// Of a wait in milliseconds and the most that is wanted of it: whether it is no hang. Each is a
/// line of TW_FIGURES, where that is set: test, figure, milliseconds, wanted.
inline bool is_bearable(char const* what, double ms, double wanted) {
  double times = ms / wanted;
  qInfo("figure: %s: %.2f ms, wanted %.0f ms%s", what, ms, wanted, times > 1 ? ": OVER" : "");
  if (qEnvironmentVariableIsSet("TW_FIGURES")) {
    QFile file(qEnvironmentVariable("TW_FIGURES"));
    if (file.open(QIODevice::Append))
      file.write(
          QString("%1,%2,%3,%4\n").arg(QTest::currentAppName(), what).arg(ms).arg(wanted).toUtf8());
  }
  return times < kUnbearable * slowness();
}

}  // namespace tw::testing
