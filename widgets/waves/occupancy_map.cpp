// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waves/occupancy_map.h"

#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 40, kRight = 14, kTop = 26, kBottom = 38;
constexpr int kStep = 8;  // registers of a row: as the hardware rounds them

}  // namespace

OccupancyMap::OccupancyMap(QWidget* parent) : Canvas(parent) {
  setObjectName("occupancyMap");
  setAccessibleName("Occupancy by threads of a block and registers of a thread");
  setMouseTracking(true);
  setMinimumHeight(220);
}

void OccupancyMap::show_launch(LaunchReport const& launch, gpu::Multiprocessor const& unit) {
  launch_ = launch;
  unit_ = unit;
  shown_ = true;
  update();
}

QRectF OccupancyMap::plot() const {
  return {kLeft, kTop, unit_width() - kLeft - kRight, unit_height() - kTop - kBottom};
}

double OccupancyMap::x_of(double threads) const {
  return plot().left() + plot().width() * threads / unit_.max_threads;
}
double OccupancyMap::y_of(double registers) const {
  return plot().top() + plot().height() * registers / 256;
}

gpu::Occupancy OccupancyMap::at(int threads, int registers) const {
  return gpu::occupancy(
      unit_, {std::min(registers, unit_.registers_per_thread), launch_.shared_bytes, threads});
}

QString OccupancyMap::words_at(int threads, int registers) const {
  gpu::Occupancy here = at(threads, registers);
  QString where = QString("%1 threads, %2 registers: ").arg(threads).arg(registers);
  if (here.blocks == 0) return where + "no block fits a multiprocessor";
  return where + QString("%1 of %2 warps (%3 %), limited by %4")
                     .arg(here.warps)
                     .arg(unit_.max_warps)
                     .arg(100 * here.share, 0, 'f', 0)
                     .arg(QString::fromStdString(gpu::limit_text(here.limit)));
}

void OccupancyMap::draw_cells(QPainter& painter) const {
  painter.setPen(Qt::NoPen);
  for (int column = 1; column <= columns(); ++column)
    for (int registers = kStep; registers <= 256; registers += kStep) {
      int threads = column * unit_.warp;
      gpu::Occupancy here = at(threads, registers);
      QRectF box(QPointF(x_of(threads - unit_.warp), y_of(registers - kStep)),
                 QPointF(x_of(threads) + 0.5, y_of(registers) + 0.5));
      painter.setBrush(here.blocks == 0
                           ? theme_.inset
                           : Theme::mix(theme_.text1, theme_.inset, 0.08 + 0.7 * here.share));
      painter.drawRect(box);
      if (here.blocks > 0) continue;
      painter.setBrush(QBrush(theme_.text3, Qt::BDiagPattern));
      painter.drawRect(box);
    }
}

void OccupancyMap::draw_axes(QPainter& painter) const {
  QFont font = mono_font(11);
  for (int registers : {32, 64, 128, 192, 255})
    paint::text(painter, QRectF(2, y_of(registers) - 8, kLeft - 8, 16), font, theme_.text3,
                QString::number(registers), Qt::AlignRight | Qt::AlignVCenter);
  for (int part : {1, 2, 3, 4}) {
    int threads = unit_.max_threads * part / 4;
    QRectF words(std::min(x_of(threads) - 18, unit_width() - 36), plot().bottom() + 3, 36, 16);
    paint::text(painter, words, font, theme_.text3, QString::number(threads), Qt::AlignCenter);
  }
  paint::text(painter, QRectF(kLeft, plot().bottom() + 19, plot().width(), 16), ui_font(11),
              theme_.text2, "threads of a block", Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(2, 4, 90, 16), ui_font(11), theme_.text2, "registers");
  QString scale = QString("white: 100 % of %1 warps").arg(unit_.max_warps);
  if (theme_.text1.lightness() < 128) scale.replace("white", "black");
  paint::text(painter, QRectF(100, 4, unit_width() - 100 - kRight, 16), ui_font(11), theme_.text3,
              scale, Qt::AlignRight | Qt::AlignVCenter);
}

void OccupancyMap::draw_point(QPainter& painter) const {
  double x = x_of(launch_.threads());
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_.warn, 1.4, Qt::DashLine));
  painter.drawLine(QPointF(x, plot().top()), QPointF(x, plot().bottom()));
  QFont font = ui_font(13, 600);
  auto label = [&](QString const& words, double y) {
    double wide = QFontMetricsF(font).horizontalAdvance(words) + 14;
    double left = x + 12 + wide < unit_width() - kRight ? x + 12 : x - 12 - wide;
    QRectF box(left, std::clamp(y - 11, plot().top(), plot().bottom() - 22), wide, 22);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.ink);
    painter.drawRoundedRect(box, 6, 6);
    paint::text(painter, box, font, theme_.on_ink, words, Qt::AlignCenter);
  };
  if (!launch_.registers) return label("registers not counted", plot().center().y());
  double y = y_of(*launch_.registers);
  painter.drawLine(QPointF(plot().left(), y), QPointF(plot().right(), y));
  painter.setPen(QPen(theme_.on_ink, 2));
  painter.setBrush(theme_.ink);
  painter.drawEllipse(QPointF(x, y), 5.5, 5.5);
  label(QString("%1 %").arg(100 * at(launch_.threads(), *launch_.registers).share, 0, 'f', 0), y);
}

void OccupancyMap::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!shown_) return;
  painter.setRenderHint(QPainter::Antialiasing, false);
  draw_cells(painter);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_axes(painter);
  draw_point(painter);
}

void OccupancyMap::mouseMoveEvent(QMouseEvent* event) {
  if (!shown_ || !plot().contains(event->position())) return setToolTip({});
  QPointF part(event->position().x() - plot().left(), event->position().y() - plot().top());
  int column = int(part.x() / plot().width() * columns()) + 1;
  int row = int(part.y() / plot().height() * 256 / kStep) + 1;
  setToolTip(words_at(column * unit_.warp, std::min(row * kStep, unit_.registers_per_thread)));
}

void OccupancyMap::leaveEvent(QEvent*) { setToolTip({}); }

std::vector<Part> OccupancyMap::parts() const {
  if (!shown_) return {};
  return {{plot(), launch_.registers
                       ? words_at(launch_.threads(), *launch_.registers)
                       : QString("%1 threads, registers not counted").arg(launch_.threads())}};
}

}  // namespace tw
