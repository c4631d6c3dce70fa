// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/follow_selection.h"

#include <QString>
#include <QStringList>

namespace tw {
namespace {

using session::LoopBar;

int loop_called(session::NestView const& nest, QString const& reference) {
  for (LoopBar const& bar : nest.bars)
    if (QString::fromStdString(bar.reference) == reference) return bar.id;
  return -1;
}

/// "o.0, o.1 = split(conv2d.o, factor=8)": what it gives, and the loops that it names.
struct StepWords {
  QStringList gives, targets;
};

StepWords words_of(QString const& line) {
  StepWords words;
  QString call = line;
  if (int equal = int(line.indexOf(" = ")); equal >= 0 && equal < line.indexOf('(')) {
    for (QString const& name : line.left(equal).split(',')) words.gives << name.trimmed();
    call = line.mid(equal + 3);
  }
  QString inside = call.section('(', 1).section(')', 0, 0);
  for (QString const& part : inside.split(','))
    if (!part.contains('=')) words.targets << part.trimmed();
  return words;
}

/// In the block of the loop that the step named, else in any.
int given_loop(session::NestView const& nest, QString const& name, QString const& target) {
  int found = loop_called(nest, target.section('.', 0, 0) + "." + name);
  for (LoopBar const& bar : nest.bars)
    if (found < 0 && QString::fromStdString(bar.name) == name) found = bar.id;
  return found;
}

int product_of(session::NestView const& nest, QString const& line) {
  StepWords words = words_of(line);
  QString target = words.targets.value(0);
  if (!words.gives.isEmpty()) return given_loop(nest, words.gives.last(), target);
  return words.targets.size() == 1 ? loop_called(nest, target) : -1;
}

/// The loop of this name; what it was split from; the innermost that it was split into.
int relative_of(session::NestView const& nest, QString const& reference) {
  for (QString name = reference; name.count('.') >= 1; name = name.section('.', 0, -2))
    if (int found = loop_called(nest, name); found >= 0) return found;
  int inner = -1;
  for (LoopBar const& bar : nest.bars)
    if (QString::fromStdString(bar.reference).startsWith(reference + ".")) inner = bar.id;
  return inner;
}

/// The step from one state to the next was taken, not jumped over.
bool is_step(session::HistoryView const& before, session::HistoryView const& after) {
  return after.current != before.current &&
         after.nodes[size_t(after.current)].parent == before.current;
}

}  // namespace

int followed_loop(session::Snapshot const& before, session::Snapshot const& after, int selected) {
  bool same = before.model && before.model == after.model && before.kernel == after.kernel &&
              before.nest && after.nest && before.history && after.history;
  if (!same) return -1;
  if (is_step(*before.history, *after.history)) {
    auto const& node = after.history->nodes[size_t(after.history->current)];
    QString line = QString::fromStdString(node.step).section('\n', -1);
    if (int product = product_of(*after.nest, line); product >= 0) return product;
  }
  for (LoopBar const& bar : before.nest->bars)
    if (bar.id == selected) return relative_of(*after.nest, QString::fromStdString(bar.reference));
  return -1;
}

}  // namespace tw
