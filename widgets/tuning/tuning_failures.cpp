// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_failures.h"

#include <QFontMetricsF>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

TuningFailures::TuningFailures(QWidget* parent) : Canvas(parent) {
  setObjectName("tuningFailures");
  setAccessibleName("Failures");
}

void TuningFailures::show_runs(session::TuningView const& runs) {
  using session::TrialClass;
  int counts[size_t(TrialClass::kWrong) + 1] = {};
  failed_ = trials_ = 0;
  for (auto const& run : runs.runs) {
    trials_ += int(run->trials.size());
    failed_ += run->failed();
    for (auto const& trial : run->trials) ++counts[size_t(trial->outcome)];
    for (auto const& [reason, count] : run->rejected) counts[size_t(TrialClass::kInvalid)] += count;
  }
  rows_.clear();
  auto add = [&](char const* name, TrialClass outcome, bool is_wrong = false) {
    rows_.push_back({name, counts[size_t(outcome)], is_wrong});
  };
  add("Left out before build", TrialClass::kInvalid);
  add("Did not compile", TrialClass::kCompileError);
  add("Took too long", TrialClass::kTimeout);
  add("Crashed", TrialClass::kCrash, true);
  add("Device lost", TrialClass::kDeviceLost, true);
  add("Wrong result", TrialClass::kWrong, true);
  update();
}

void TuningFailures::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  double right = unit_width() - 16;
  paint::text(painter, QRectF(16, 4, 80, 20), ui_font(13, 600), theme_.text1, "Failures");
  paint::text(painter, QRectF(right - 130, 4, 130, 20), ui_font(11), theme_.text3,
              QString("%1 of %2").arg(failed_).arg(trials_), Qt::AlignRight | Qt::AlignVCenter);
  int most = 1;
  double words = 0;
  for (Row const& row : rows_) {
    most = std::max(most, row.count);
    words = std::max(words, QFontMetricsF(ui_font(12)).horizontalAdvance(row.name));
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    Row const& row = rows_[i];
    double y = row_rect(i).top();
    bool none = row.count == 0;
    paint::text(painter, QRectF(16, y, words + 4, 22), ui_font(12),
                none ? theme_.text3 : theme_.text1, row.name);
    paint::text(painter, QRectF(right - 44, y, 44, 22), mono_font(12),
                none ? theme_.text3 : theme_.text1, QString::number(row.count),
                Qt::AlignRight | Qt::AlignVCenter);
    QRectF track(28 + words, y + 8, std::max(0.0, right - 48 - 28 - words), 6);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.control);
    painter.drawRoundedRect(track, 3, 3);
    if (none) continue;
    track.setWidth(std::max(6.0, track.width() * row.count / most));
    painter.setBrush(row.is_wrong ? theme_.error : theme_.text2);
    painter.drawRoundedRect(track, 3, 3);
  }
}

std::vector<Part> TuningFailures::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < rows_.size(); ++i) {
    QRectF rect = row_rect(i);
    rect.setRight(unit_width() - 16);
    parts.push_back({rect, QString("%1: %2").arg(rows_[i].name).arg(rows_[i].count), false});
  }
  return parts;
}

}  // namespace tw
