// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/news.h"

#include <algorithm>

#include "engine/session/facts/followed_loop.h"
#include "engine/support/base/quantities.h"

namespace tw {
namespace {

bool is_loop_of(session::Snapshot const& now, int loop) {
  return now.nest &&
         std::ranges::find(now.nest->bars, loop, &session::LoopBar::id) != now.nest->bars.end();
}

/// "3 of 6 kernels run on local:vta:pynq, the others here; 4 copies between them in each run ..."
QString cut_words(session::Snapshot const& now) {
  QStringList devices;
  int there = 0, all = 0;
  for (session::KernelRow const& row : now.kernels->rows) {
    all += row.count;
    if (row.helper.empty()) continue;
    there += row.count;
    if (QString name = QString::fromStdString(row.helper); !devices.contains(name)) devices << name;
  }
  return QString(
             "%1 of %2 kernels run on %3, the others here; %4 %5 between them in each run, %6. "
             "Graph shows which, and lets the partitions be moved.")
      .arg(there)
      .arg(all)
      .arg(devices.join(", "))
      .arg(now.cut->copies)
      .arg(now.cut->copies == 1 ? "copy" : "copies")
      .arg(QString::fromStdString(bytes_text(double(now.cut->copied_bytes))));
}

}  // namespace

bool is_progress_alone(session::Snapshot const& next, session::Snapshot const& before) {
  return next.version == before.version && next.job && before.job &&
         next.job->kind == before.job->kind && next.job->what == before.job->what;
}

void follow_loops(Selection& selection, session::Snapshot const& next,
                  session::Snapshot const& before) {
  if (next.nest == before.nest && next.kernel == before.kernel) return;
  selection.select(session::followed_loop(before, next, selection.loop()));
  if (!is_loop_of(next, selection.hovered())) selection.hover(-1);
}

QStringList news(session::Snapshot const& next, session::Snapshot const& before, bool exports) {
  QStringList sentences;
  bool new_model = next.model != before.model && next.model;
  if (next.quantized && next.quantized != before.quantized)
    sentences << QString::fromStdString(next.quantized->summary);
  if (new_model && next.cut && !before.cut) sentences << cut_words(next);
  if (next.exported && next.exported != before.exported && !exports)
    sentences << QString::fromStdString(next.exported->summary);
  return sentences;
}

}  // namespace tw
