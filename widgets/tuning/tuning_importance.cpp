// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_importance.h"

#include <QFontMetricsF>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

/// "ow.i" of "conv2d.ow.i": all knobs begin with the name of their block.
QString short_name(std::string const& knob) {
  return QString::fromStdString(knob.substr(knob.find('.') + 1));
}

}  // namespace

TuningImportance::TuningImportance(QWidget* parent) : Canvas(parent) {
  setObjectName("tuningImportance");
  setAccessibleName("Importance of knobs");
}

void TuningImportance::show_runs(session::TuningView const& runs) {
  all_ = session::knob_importance(runs);
  update();
}

QString TuningImportance::words() const {
  if (all_.knobs.empty()) return "The trials do not differ in their knobs yet.";
  return QString("Share of the variance of time, over %1 trials").arg(all_.trials);
}

size_t TuningImportance::rows() const {
  double room = (unit_height() - 64) / 22;
  return std::min(all_.knobs.size(), size_t(std::max(0.0, room)));
}

void TuningImportance::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  double right = unit_width() - 16, names = 40;
  paint::text(painter, QRectF(16, 4, right - 16, 20), ui_font(13, 600), theme_.text1,
              "Knob importance");
  paint::paragraph(painter, QRectF(16, 26, right - 16, 34), ui_font(11), theme_.text2, words());
  for (size_t i = 0; i < rows(); ++i)
    names = std::max(
        names, QFontMetricsF(mono_font(12)).horizontalAdvance(short_name(all_.knobs[i].knob)) + 4);
  names = std::min(names, right - 16 - 110);
  for (size_t i = 0; i < rows(); ++i) {
    double y = row_rect(i).top(), share = all_.knobs[i].share;
    QString name = QFontMetricsF(mono_font(12))
                       .elidedText(short_name(all_.knobs[i].knob), Qt::ElideRight, names);
    paint::text(painter, QRectF(16, y, names + 4, 22), mono_font(12), theme_.text1, name);
    paint::text(painter, QRectF(right - 52, y, 52, 22), mono_font(12), theme_.text1,
                QString::fromStdString(percent_text(share)), Qt::AlignRight | Qt::AlignVCenter);
    QRectF track(28 + names, y + 8, std::max(0.0, right - 60 - 28 - names), 6);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.control);
    painter.drawRoundedRect(track, 3, 3);
    track.setWidth(track.width() * share);
    painter.setBrush(theme_.text2);
    painter.drawRoundedRect(track, 3, 3);
  }
}

std::vector<Part> TuningImportance::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < rows(); ++i) {
    QRectF rect = row_rect(i);
    rect.setRight(unit_width() - 16);
    parts.push_back({rect,
                     QString("%1: %2 of the variance of time over %3 trials")
                         .arg(short_name(all_.knobs[i].knob),
                              QString::fromStdString(percent_text(all_.knobs[i].share)))
                         .arg(all_.trials),
                     false});
  }
  return parts;
}

}  // namespace tw
