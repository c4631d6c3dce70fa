// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waves/wave_fill.h"

#include <QMouseEvent>
#include <QPolygonF>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 44, kRight = 14, kTop = 22, kBottom = 20;

}  // namespace

WaveFill::WaveFill(QWidget* parent) : Canvas(parent) {
  setObjectName("waveFill");
  setAccessibleName("How full the waves are by number of blocks");
  setMouseTracking(true);
  rescale();
}

void WaveFill::show_launch(int64_t blocks, gpu::Occupancy const& occupancy, int units) {
  blocks_ = blocks;
  occupancy_ = occupancy;
  units_ = units;
  update();
}

double WaveFill::filled(int64_t blocks) const {
  return waves_of(blocks, units_, occupancy_).filled();
}

QString WaveFill::words_at(int64_t blocks) const {
  Waves waves = waves_of(blocks, units_, occupancy_);
  if (waves.waves == 0) return QString("%1 blocks: none of them runs").arg(blocks);
  QString words = QString("%1 blocks: ").arg(blocks);
  words += waves.waves == 1 ? QString("1 wave") : QString("%1 waves").arg(waves.waves);
  if (waves.waves > 1)
    words += QString(", the last %1 % full")
                 .arg(100.0 * double(waves.last) / double(waves.at_once), 0, 'f', 0);
  return words + QString(", %1 % of all places").arg(100 * waves.filled(), 0, 'f', 1);
}

QRectF WaveFill::plot() const {
  return {kLeft, kTop, unit_width() - kLeft - kRight, unit_height() - kTop - kBottom};
}

int64_t WaveFill::most() const {
  return std::max<int64_t>({4, 2 * blocks_, 6 * int64_t(units_) * occupancy_.blocks});
}

double WaveFill::x_of(int64_t blocks) const {
  return plot().left() + plot().width() * double(blocks) / double(most());
}
double WaveFill::y_of(double share) const { return plot().bottom() - plot().height() * share; }

void WaveFill::draw_axes(QPainter& painter) const {
  QFont font = mono_font(11);
  painter.fillRect(plot(), theme_.inset);
  for (double share : {0.0, 0.5, 1.0}) {
    painter.fillRect(QRectF(plot().left(), y_of(share), plot().width(), 1), theme_.line1);
    paint::text(painter, QRectF(2, y_of(share) - 8, kLeft - 8, 16), font, theme_.text3,
                QString("%1 %").arg(100 * share, 0, 'f', 0), Qt::AlignRight | Qt::AlignVCenter);
  }
  paint::text(painter, QRectF(14, 1, unit_width() - 28, 18), ui_font(12, 600), theme_.text1,
              "Fill of the waves by number of blocks");
  for (int part : {1, 2, 3, 4}) {
    QString words = QString::number(most() * part / 4);
    double wide = QFontMetricsF(font).horizontalAdvance(words) + 4;
    double left = std::min(x_of(most() * part / 4) - wide / 2, unit_width() - kRight - wide);
    paint::text(painter, QRectF(left, plot().bottom() + 3, wide, 15), font, theme_.text3, words,
                Qt::AlignCenter);
  }
}

void WaveFill::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (blocks_ < 1 || occupancy_.blocks < 1) return;
  draw_axes(painter);
  QPolygonF line;
  auto samples = int(std::min<double>(plot().width() * 2, double(most())));
  for (int i = 1; i <= samples; ++i) {
    int64_t blocks = std::max<int64_t>(1, most() * i / samples);
    line << QPointF(x_of(blocks), y_of(filled(blocks)));
  }
  painter.setPen(QPen(theme_.text2, 1.2));
  painter.drawPolyline(line);
  QPointF here(x_of(blocks_), y_of(filled(blocks_)));
  painter.setPen(QPen(theme_.on_ink, 2));
  painter.setBrush(theme_.ink);
  painter.drawEllipse(here, 5, 5);
  QString words = QString("%1: %2 %").arg(blocks_).arg(100 * filled(blocks_), 0, 'f', 1);
  QFont font = ui_font(12, 600);
  double wide = QFontMetricsF(font).horizontalAdvance(words) + 10;
  double left = here.x() + 9 + wide < plot().right() ? here.x() + 9 : here.x() - 9 - wide;
  QRectF box(left, std::clamp(here.y() - 9, plot().top(), plot().bottom() - 18), wide, 18);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.inset);
  painter.drawRoundedRect(box, 4, 4);
  paint::text(painter, box, font, theme_.text1, words, Qt::AlignCenter);
}

void WaveFill::mouseMoveEvent(QMouseEvent* event) {
  double share = (event->position().x() - plot().left()) / std::max(1.0, plot().width());
  bool inside = blocks_ > 0 && share > 0 && share <= 1;
  setToolTip(inside ? words_at(std::max<int64_t>(1, int64_t(share * double(most())))) : QString());
}

std::vector<Part> WaveFill::parts() const {
  if (blocks_ < 1) return {};
  return {{plot(), words_at(blocks_), true},
          {plot(), "with twice as many, " + words_at(2 * blocks_)}};
}

}  // namespace tw
