// SPDX-License-Identifier: GPL-3.0-or-later
/// Sizes of the loop nest, in logical pixels, and how a loop is called in it.
#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/session/moves.h"
#include "engine/session/values.h"
#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw::loop_nest_metrics {

inline constexpr double kRow = 38, kBar = 28, kHead = 44, kLeft = 24, kIndent = 13, kGraph = 184,
                        kBeside = 100, kApart = 160;

inline constexpr double kBarrier = 26, kMemory = 24;

/// "A_cache, in shared", "C_write, a call of mma"
inline QString head_words(session::StageCard const& stage) {
  QString words = QString::fromStdString(stage.name);
  if (!stage.call.empty()) words += ", a call of " + QString::fromStdString(stage.call);
  if (!stage.memory.empty()) words += ", in " + QString::fromStdString(stage.memory);
  return words;
}

inline QString barrier_words(session::BarrierLine const& barrier) {
  return QString::fromStdString(barrier.name + " · " + barrier.doc);
}

/// "shared · 2.5 KB of 48 KB"
inline QString memory_words(session::MemoryCard const& memory) {
  QString used = paint::bytes(memory.used);
  return QString::fromStdString(memory.name) + " · " +
         (memory.bytes > 0 ? used + " of " + paint::bytes(memory.bytes) : used);
}

inline QString tensor_words(session::MemoryCard const& memory) {
  QStringList names;
  for (std::string const& tensor : memory.tensors) names << QString::fromStdString(tensor);
  return names.join(", ");
}

inline double bar_width(int64_t extent) {
  return std::min(92 + 34 * std::log2(double(std::max<int64_t>(extent, 1))), 420.0);
}

inline QString shown_name(session::LoopBar const& bar) {
  QString name = QString::fromStdString(bar.name);
  switch (bar.kind) {
    case session::AxisKind::kReduce:
    case session::AxisKind::kMixed:
      return QStringLiteral("Σ ") + name;
    case session::AxisKind::kOrdered:
      return QStringLiteral("↻ ") + name;
    case session::AxisKind::kOpaque:
      return QStringLiteral("■ ") + name;
    default:
      return name;
  }
}

}  // namespace tw::loop_nest_metrics
