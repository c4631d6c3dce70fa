// SPDX-License-Identifier: GPL-3.0-or-later
/// What the start page is told.
#pragma once

#include <QDateTime>
#include <QString>
#include <optional>

#include "engine/session/values.h"

namespace tw {

/// `source` is what is opened: "sample:resnet18", or the text of a tensor expression "te:...".
struct SampleCard {
  QString name, title, description, source;
};

/// How far one got with a file when it was left.
struct Reached {
  QString where;  ///< "conv2d_64x56x56 · step 5"; empty: nothing was done yet
  QString best;   ///< "226.6 GFLOP/s", "5.8 ms"; empty: nothing was measured
  session::KernelState state = session::KernelState::kDefault;
  QDateTime when;
};
struct RecentFile {
  QString path;
  std::optional<Reached> reached;
};

/// The lesson that comes next.
struct StartLesson {
  QString name;  ///< that it is asked for by
  QString title, sentence;
  int minutes = 0;
  int number = 1, of = 1;  ///< in the list of lessons
  QStringList goals;       ///< what is to be reached, in its order
  QString source;          ///< of the kernel that it is about, as samples have one; empty: none
};

/// "today 10:42", "yesterday", "3 days ago", "12 October 2026".
QString day_words(QDateTime const& then, QDateTime const& now);
/// "a moment ago", "2 minutes ago", "3 hours ago", "yesterday", ...
QString ago_words(QDateTime const& then, QDateTime const& now);

}  // namespace tw
