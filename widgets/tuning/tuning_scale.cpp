// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_scale.h"

#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

struct Look {
  char const* search;
  int hue;
  double width;
  QList<qreal> dash;  ///< in widths of the line
};

/// The last one is for every other search.
Look const& look_of(std::string const& search) {
  static Look const looks[] = {{"genetic", 3, 2, {4, 2}},
                               {"random", 5, 2, {1, 2}},
                               {"descent", 2, 2, {6, 2, 1, 2}},
                               {"", 1, 2.5, {}}};
  for (Look const& look : looks)
    if (search == look.search) return look;
  return looks[3];
}

}  // namespace

TuningScale TuningScale::of(session::KernelRow const& row) {
  TuningScale scale;
  bool moves = row.roof ? row.roof->moves_data : row.flops * 4 < row.bytes;
  if (!moves) scale.flops = double(row.flops), scale.integers = row.integers;
  if (row.roof && row.roof->ms > 0) scale.roof = scale.value(row.roof->ms);
  return scale;
}

QString TuningScale::words(double ms) const {
  return is_speed() ? paint::number(value(ms)) : paint::time(ms);
}

QPen search_pen(Theme const& theme, std::string const& search) {
  Look const& look = look_of(search);
  QPen pen(theme.hue(look.hue), look.width);
  pen.setJoinStyle(Qt::MiterJoin);
  pen.setCapStyle(Qt::FlatCap);
  if (!look.dash.isEmpty()) pen.setDashPattern(look.dash);
  return pen;
}

QColor search_colour(Theme const& theme, std::string const& search) {
  return theme.hue(look_of(search).hue);
}

QString name_of(session::TuningRun const& run, session::TuningView const& all) {
  auto same = std::ranges::count_if(all.runs, [&](auto const& one) {
    return one->search == run.search && one->row == run.row && one->from == run.from &&
           one->kind == run.kind;
  });
  bool several =
      std::ranges::any_of(all.runs, [&](auto const& one) { return one->kind != run.kind; });
  QString name = QString::fromStdString(run.search);
  if (several) name += " on " + QString::fromStdString(run.device);
  if (run.from > 0) name += QString(" from %1").arg(run.from);
  return same > 1 ? QString("%1 #%2").arg(name).arg(run.number) : name;
}

QString words_of(session::TuningTrial const& trial, QString const& search, int from,
                 TuningScale const& scale) {
  QString words =
      QString("trial %1, %2%3, %4 search")
          .arg(trial.number)
          .arg(scale.words(trial.ms), scale.is_speed() ? " " + scale.unit() : QString(), search);
  if (trial.knobs.empty())
    words += from > 0 ? QString(", step %1 itself").arg(from) : ", the default schedule";
  for (auto const& [knob, value] : trial.knobs)
    words += QString(", %1 %2").arg(QString::fromStdString(knob), QString::fromStdString(value));
  return words;
}

}  // namespace tw
