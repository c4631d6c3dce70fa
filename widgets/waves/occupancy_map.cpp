// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waves/occupancy_map.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 40, kRight = 14, kTop = 26, kBottom = 38;
constexpr int kStep = OccupancyMap::kRegisterStep;

QString share_words(gpu::Occupancy const& occupancy) {
  return QString("%1 %").arg(100 * occupancy.share, 0, 'f', 0);
}

}  // namespace

OccupancyMap::OccupancyMap(QWidget* parent) : Canvas(parent) {
  setObjectName("occupancyMap");
  setAccessibleName("Occupancy by threads of a block and registers of a thread");
  setAccessibleDescription("Arrows: 32 threads, 8 registers more or fewer; Escape: as it is");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumHeight(220);
}

void OccupancyMap::show_launch(LaunchReport const& launch, gpu::Multiprocessor const& unit) {
  launch_ = launch;
  unit_ = unit;
  shown_ = true;
  update();
}

void OccupancyMap::show_other(std::optional<gpu::KernelUse> other) {
  other_ = other;
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
  return gpu::occupancy(unit_, {std::min(registers, unit_.registers_per_thread),
                                other_ ? other_->shared_bytes : launch_.shared_bytes, threads});
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
  if (!launch_.registers) {
    if (!other_) draw_label(painter, "registers not counted", {x, plot().center().y()});
    return;
  }
  double y = y_of(*launch_.registers);
  painter.drawLine(QPointF(plot().left(), y), QPointF(plot().right(), y));
  painter.setPen(QPen(theme_.on_ink, 2));
  painter.setBrush(theme_.ink);
  painter.drawEllipse(QPointF(x, y), 5.5, 5.5);
  if (!other_) draw_label(painter, share_words(at(launch_.threads(), *launch_.registers)), {x, y});
}

/// Beside a point, where there is room.
void OccupancyMap::draw_label(QPainter& painter, QString const& words, QPointF at) const {
  QFont font = ui_font(13, 600);
  double wide = QFontMetricsF(font).horizontalAdvance(words) + 14;
  double left = at.x() + 12 + wide < unit_width() - kRight ? at.x() + 12 : at.x() - 12 - wide;
  QRectF box(left, std::clamp(at.y() - 11, plot().top(), plot().bottom() - 22), wide, 22);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.ink);
  painter.drawRoundedRect(box, 6, 6);
  paint::text(painter, box, font, theme_.on_ink, words, Qt::AlignCenter);
}

/// A ring, and the way to it.
void OccupancyMap::draw_other(QPainter& painter) const {
  if (!other_) return;
  QPointF to(x_of(other_->threads), y_of(other_->registers));
  if (launch_.registers) {
    painter.setPen(QPen(theme_.ink, 1.5, Qt::DotLine));
    painter.drawLine(QPointF(x_of(launch_.threads()), y_of(*launch_.registers)), to);
  }
  painter.setBrush(theme_.panel);
  painter.setPen(QPen(theme_.ink, 2.5));
  painter.drawEllipse(to, 6, 6);
  draw_label(painter, share_words(at(other_->threads, other_->registers)), to);
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
  draw_other(painter);
  if (hasFocus()) paint::focus_ring(painter, plot().adjusted(-3, -3, 3, 3), theme_, 4);
}

/// Threads and registers of the cell there.
QPoint OccupancyMap::place_at(QPointF at) const {
  QPointF part(at.x() - plot().left(), at.y() - plot().top());
  int column = int(part.x() / plot().width() * columns()) + 1;
  int row = int(part.y() / plot().height() * 256 / kStep) + 1;
  int rows = (unit_.registers_per_thread + kStep - 1) / kStep;
  return {std::clamp(column, 1, columns()) * unit_.warp, std::clamp(row, 1, rows) * kStep};
}

void OccupancyMap::mousePressEvent(QMouseEvent* event) {
  if (!shown_ || event->button() != Qt::LeftButton || !plot().contains(event->position()))
    return event->ignore();
  dragging_ = true;
  QPoint at = place_at(event->position());
  emit dragged(at.x(), at.y());
}

void OccupancyMap::mouseReleaseEvent(QMouseEvent* event) {
  if (!std::exchange(dragging_, false)) return event->ignore();
  QPoint at = place_at(event->position());
  emit dropped(at.x(), at.y());
}

void OccupancyMap::keyPressEvent(QKeyEvent* event) {
  if (!shown_) return Canvas::keyPressEvent(event);
  int threads = other_ ? other_->threads : launch_.threads();
  int registers = other_ ? other_->registers : launch_.registers.value_or(4 * kStep);
  registers = (registers + kStep - 1) / kStep * kStep;
  threads = (threads + unit_.warp - 1) / unit_.warp * unit_.warp;
  switch (event->key()) {
    case Qt::Key_Left:
      threads -= unit_.warp;
      break;
    case Qt::Key_Right:
      threads += unit_.warp;
      break;
    case Qt::Key_Up:
      registers -= kStep;
      break;
    case Qt::Key_Down:
      registers += kStep;
      break;
    case Qt::Key_Escape:
      if (other_) return emit left_as_is();
      return Canvas::keyPressEvent(event);
    default:
      return Canvas::keyPressEvent(event);
  }
  emit dropped(std::clamp(threads, unit_.warp, unit_.max_threads),
               std::clamp(registers, kStep, 256));
}

void OccupancyMap::mouseMoveEvent(QMouseEvent* event) {
  if (!shown_ || (!dragging_ && !plot().contains(event->position()))) return setToolTip({});
  QPoint at = place_at(event->position());
  setToolTip(words_at(at.x(), std::min(at.y(), unit_.registers_per_thread)));
  if (dragging_) emit dragged(at.x(), at.y());
}

void OccupancyMap::leaveEvent(QEvent*) { setToolTip({}); }

std::vector<Part> OccupancyMap::parts() const {
  if (!shown_) return {};
  std::vector<Part> list{
      {plot(), launch_.registers
                   ? words_at(launch_.threads(), *launch_.registers)
                   : QString("%1 threads, registers not counted").arg(launch_.threads())}};
  if (other_)
    list.push_back({plot(), "what if " + words_at(other_->threads, other_->registers), true});
  return list;
}

}  // namespace tw
