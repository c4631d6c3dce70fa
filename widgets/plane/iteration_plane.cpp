// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plane/iteration_plane.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

using session::PlaneAxis;
using session::PlaneStride;

constexpr double kLeft = 64, kTop = 46, kRight = 20, kBottom = 62;
constexpr double kMostAcross = 30, kMostAlong = 22, kLeast = 4;

/// "j0 by 8, j1 by 1, vector"
QString strides_words(PlaneAxis const& axis) {
  QStringList words;
  for (PlaneStride const& one : axis.strides) {
    QString name = QString::fromStdString(one.reference).section('.', -1);
    if (one.reference.find('.') != std::string::npos)
      name = QString::fromStdString(one.reference.substr(one.reference.find('.') + 1));
    QString mark = one.mark == session::LoopMark::kVector     ? " (vector)"
                   : one.mark == session::LoopMark::kParallel ? " (parallel)"
                   : one.mark == session::LoopMark::kUnroll   ? " (unrolled)"
                                                              : "";
    words << QString("%1 by %2%3").arg(name).arg(one.stride).arg(mark);
  }
  return words.join(", ");
}

QString axis_words(PlaneAxis const& axis) {
  QString name = QString::fromStdString(axis.name);
  bool sums = axis.kind == session::AxisKind::kReduce;
  return (sums ? QStringLiteral("Σ ") : QString()) + name + " " + QString::number(axis.extent);
}

}  // namespace

IterationPlane::IterationPlane(Selection& selection, Preview preview, QWidget* parent)
    : Canvas(parent), selection_(selection), ask_(std::move(preview)) {
  setObjectName("iterationPlane");
  setAccessibleName("Iterations");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumHeight(160);
}

void IterationPlane::show_plane(std::shared_ptr<session::PlaneView const> plane) {
  if (!plane || plane == plane_) return;
  plane_ = std::move(plane);
  hovered_.reset();
  cursor_ = {};
  end_band();
  lay_out();
}

void IterationPlane::set_empty_words(QString const& words) {
  plane_ = nullptr;
  empty_words_ = words;
  update();
}

QRectF IterationPlane::field() const {
  return {kLeft, kTop, std::max(10.0, unit_width() - kLeft - kRight),
          std::max(10.0, unit_height() - kTop - kBottom)};
}

void IterationPlane::lay_out() {
  update();
  if (!plane_ || plane_->blocks.empty()) return;
  QRectF room = field();
  int64_t wide = plane_->right.extent, high = plane_->down.extent;
  across_ = std::clamp(room.width() / double(wide), kLeast, kMostAcross);
  along_ = std::clamp(room.height() / double(high), kLeast, kMostAlong);
  columns_ = int(std::min<int64_t>(wide, int64_t(room.width() / across_)));
  rows_ = int(std::min<int64_t>(high, int64_t(room.height() / along_)));
  numbers_.assign(size_t(columns_) * size_t(rows_), -1);
  for (size_t i = 0; i < plane_->order.size(); ++i) {
    session::PlanePoint const& point = plane_->order[i];
    if (point.right < columns_ && point.down < rows_)
      numbers_[size_t(point.down) * size_t(columns_) + size_t(point.right)] = int(i);
  }
}

QPointF IterationPlane::centre_of(Cell cell) const {
  return {kLeft + (cell.right + 0.5) * across_, kTop + (cell.down + 0.5) * along_};
}

QRectF IterationPlane::box_of(Cell first, Cell last) const {
  return {kLeft + first.right * across_, kTop + first.down * along_,
          (last.right - first.right + 1) * across_, (last.down - first.down + 1) * along_};
}

std::optional<IterationPlane::Cell> IterationPlane::cell_at(QPointF at) const {
  if (!plane_ || columns_ == 0) return std::nullopt;
  Cell cell{int(std::floor((at.x() - kLeft) / across_)), int(std::floor((at.y() - kTop) / along_))};
  bool inside = cell.right >= 0 && cell.right < columns_ && cell.down >= 0 && cell.down < rows_;
  return inside ? std::optional(cell) : std::nullopt;
}

int IterationPlane::order_of(Cell cell) const {
  return numbers_[size_t(cell.down) * size_t(columns_) + size_t(cell.right)];
}

void IterationPlane::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.inset);
  if (!plane_ || plane_->blocks.empty()) {
    paint::paragraph(painter, QRectF(24, 24, unit_width() - 48, 60), ui_font(12), theme_.text2,
                     plane_ ? "This kernel has no iterations to show." : empty_words_);
    return;
  }
  draw_axes(painter);
  draw_remainders(painter);
  draw_lanes(painter);
  draw_dots(painter);
  draw_tiles(painter);
  draw_path(painter);
  draw_arrows(painter);
  draw_band(painter);
  paint::paragraph(painter,
                   QRectF(16, unit_height() - kBottom + 10, unit_width() - 32, kBottom - 12),
                   ui_font(11), theme_.text2, words());
}

/// Names, and where the outermost tiles begin.
void IterationPlane::draw_axes(QPainter& painter) const {
  QFont const font = mono_font(12, 600);
  auto elided = [&](QFont const& of, QString const& words, double wide) {
    return QFontMetricsF(of).elidedText(words, Qt::ElideRight, wide);
  };
  double wide = std::max(60.0, unit_width() - kLeft - kRight);
  QString name = axis_words(plane_->right);
  QString strides = QString::fromUtf8("→ %1   ↓ %2")
                        .arg(strides_words(plane_->right), strides_words(plane_->down));
  double used = QFontMetricsF(font).horizontalAdvance(name) + 14;
  paint::text(painter, QRectF(kLeft, 6, wide, 18), font,
              paint::word_colour(theme_, plane_->right.hue), elided(font, name, wide - 2));
  if (wide - used > 40)
    paint::text(painter, QRectF(kLeft + used, 6, wide - used, 18), ui_font(11), theme_.text2,
                elided(ui_font(11), strides, wide - used - 2));
  paint::text(painter, QRectF(8, kTop, kLeft - 14, 18), font,
              paint::word_colour(theme_, plane_->down.hue),
              elided(font, axis_words(plane_->down), kLeft - 16));
  auto ticks = [&](PlaneAxis const& axis, int shown, double pitch, bool right) {
    double least = right ? 30 : 16, last = -least;
    int64_t stride = axis.strides.empty() ? 1 : axis.strides.front().stride;
    while (double(stride) * pitch < least) stride *= 2;
    for (int64_t at = 0; at < shown; at += stride) {
      double place = (double(at) + 0.5) * pitch;
      if (place - last < least || (!right && at == 0)) continue;
      last = place;
      QRectF box = right ? QRectF(kLeft + place - 20, kTop - 18, 40, 14)
                         : QRectF(4, kTop + place - 7, kLeft - 12, 14);
      paint::text(painter, box, mono_font(11), theme_.text3, QString::number(at),
                  right ? Qt::AlignCenter : Qt::AlignRight | Qt::AlignVCenter);
    }
  };
  ticks(plane_->right, columns_, across_, true);
  ticks(plane_->down, rows_, along_, false);
}

/// Tiles that the axis ends in the middle of.
void IterationPlane::draw_remainders(QPainter& painter) const {
  auto shade = [&](PlaneAxis const& axis, bool right) {
    int64_t stride = axis.strides.empty() ? 1 : axis.strides.front().stride;
    int64_t whole = axis.extent / stride * stride;
    if (stride <= 1 || whole == axis.extent || whole >= (right ? columns_ : rows_)) return;
    Cell first = right ? Cell{int(whole), 0} : Cell{0, int(whole)};
    QRectF box = box_of(first, {columns_ - 1, rows_ - 1});
    QColor colour = theme_.warn;
    colour.setAlphaF(0.16f);
    painter.fillRect(box, colour);
    painter.fillRect(box, QBrush(Theme::mix(theme_.warn, theme_.inset, 0.35), Qt::BDiagPattern));
  };
  shade(plane_->right, true);
  shade(plane_->down, false);
}

/// Iterations that one vector computes are joined.
void IterationPlane::draw_lanes(QPainter& painter) const {
  auto vector_of = [](PlaneAxis const& axis) -> int64_t {
    for (size_t i = 0; i < axis.strides.size(); ++i)
      if (axis.strides[i].mark == session::LoopMark::kVector && axis.strides[i].stride == 1)
        return i > 0 ? axis.strides[i - 1].stride : axis.extent;
    return 1;
  };
  int64_t lanes = vector_of(plane_->right);
  bool right = lanes > 1;
  if (!right) lanes = vector_of(plane_->down);
  if (lanes <= 1 || across_ < 6) return;
  painter.setPen(
      QPen(Theme::mix(theme_.hue(right ? plane_->right.hue : plane_->down.hue), theme_.inset, 0.45),
           5, Qt::SolidLine, Qt::RoundCap));
  int outer = right ? rows_ : columns_, inner = right ? columns_ : rows_;
  for (int line = 0; line < outer; ++line)
    for (int64_t at = 0; at < inner; at += lanes) {
      int end = int(std::min<int64_t>(at + lanes, inner)) - 1;
      painter.drawLine(centre_of(right ? Cell{int(at), line} : Cell{line, int(at)}),
                       centre_of(right ? Cell{end, line} : Cell{line, end}));
    }
}

void IterationPlane::draw_dots(QPainter& painter) const {
  painter.setPen(Qt::NoPen);
  double radius = std::min(2.6, std::min(across_, along_) * 0.36);
  QColor early = theme_.text1, late = Theme::mix(theme_.text1, theme_.inset, 0.35);
  double all = double(std::max<size_t>(plane_->order.size(), 1));
  for (int down = 0; down < rows_; ++down)
    for (int right = 0; right < columns_; ++right) {
      int number = order_of({right, down});
      // The earlier, the stronger; what comes after the last known one is only outlined.
      painter.setBrush(number < 0 ? theme_.line2 : Theme::mix(late, early, double(number) / all));
      painter.drawEllipse(centre_of({right, down}), radius, radius);
    }
}

void IterationPlane::draw_tiles(QPainter& painter) const {
  auto lines = [&](PlaneAxis const& axis, int shown, bool right) {
    for (size_t level = axis.strides.size(); level-- > 0;) {
      int64_t stride = axis.strides[level].stride;
      if (stride <= 1) continue;
      QColor ink = level == 0 ? theme_.ink : Theme::mix(theme_.ink, theme_.inset, 0.5);
      painter.setPen(QPen(ink, level == 0 ? 1.5 : 1, level == 0 ? Qt::SolidLine : Qt::DashLine));
      for (int64_t at = 0; at <= shown; at += stride) {
        double place = double(at) * (right ? across_ : along_);
        QPointF from = right ? QPointF(kLeft + place, kTop) : QPointF(kLeft, kTop + place);
        painter.drawLine(from, right ? from + QPointF(0, rows_ * along_)
                                     : from + QPointF(columns_ * across_, 0));
      }
    }
  };
  lines(plane_->right, columns_, true);
  lines(plane_->down, rows_, false);
}

/// The way on from the iteration that is pointed at.
void IterationPlane::draw_path(QPainter& painter) const {
  constexpr int kSteps = 96;
  std::optional<Cell> from = hovered_     ? hovered_
                             : hasFocus() ? std::optional(cursor_)
                                          : std::nullopt;
  if (!from || from_ || columns_ == 0) return;
  int first = order_of(*from);
  if (first < 0) return;
  QPolygonF path;
  for (int i = first; i < first + kSteps && i < int(plane_->order.size()); ++i) {
    session::PlanePoint const& point = plane_->order[size_t(i)];
    if (point.right >= columns_ || point.down >= rows_) break;
    path << centre_of({point.right, point.down});
  }
  painter.setPen(QPen(theme_.text1, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(path);
  painter.setPen(QPen(theme_.ink, 1.5));
  painter.drawEllipse(centre_of(*from), 6, 6);
}

void IterationPlane::draw_arrows(QPainter& painter) const {
  Cell at = hovered_ ? *hovered_ : Cell{columns_ / 2, rows_ / 2};
  painter.setPen(QPen(theme_.text2, 1.5));
  for (session::PlaneArrow const& arrow : plane_->arrows) {
    Cell to{at.right + int(arrow.right), at.down + int(arrow.down)};
    if (to.right < 0 || to.down < 0 || to.right >= columns_ || to.down >= rows_) continue;
    QPointF start = centre_of(at), end = centre_of(to), way = end - start;
    double length = std::hypot(way.x(), way.y());
    if (length < 1) continue;
    QPointF unit = way / length, side(-unit.y(), unit.x());
    painter.drawLine(start, end);
    painter.drawPolyline(
        QPolygonF({end - unit * 6 + side * 3.5, end, end - unit * 6 - side * 3.5}));
  }
}

void IterationPlane::draw_band(QPainter& painter) const {
  if (!from_) return;
  QRectF box = box_of({std::min(from_->right, to_.right), std::min(from_->down, to_.down)},
                      {std::max(from_->right, to_.right), std::max(from_->down, to_.down)});
  bool wrong = bool(preview_.refusal);
  painter.setPen(QPen(wrong ? theme_.error : theme_.ink, 1.5, Qt::DashLine));
  QColor fill = theme_.ink;
  fill.setAlphaF(0.08f);
  painter.setBrush(fill);
  painter.drawRoundedRect(box, 3, 3);
}

QString IterationPlane::cell_words(Cell cell) const {
  int number = order_of(cell);
  QString place = QString("%1 %2, %3 %4")
                      .arg(QString::fromStdString(plane_->right.name))
                      .arg(cell.right)
                      .arg(QString::fromStdString(plane_->down.name))
                      .arg(cell.down);
  if (number < 0) return place + ": order beyond the displayed range.";
  return QString("%1: number %2 of %3%4 with all other loops fixed.")
      .arg(place)
      .arg(number + 1)
      .arg(plane_->right.extent * plane_->down.extent)
      .arg(plane_->right.name == plane_->down.name ? " on the diagonal" : "");
}

QString IterationPlane::words() const {
  if (from_) {
    int right = std::abs(to_.right - from_->right) + 1, down = std::abs(to_.down - from_->down) + 1;
    QString what = QString("A tile of %1 x %2").arg(down).arg(right);
    what = what.replace(" x ", QStringLiteral(" × "));
    if (preview_.refusal) return what + ": " + QString::fromStdString(preview_.refusal->title);
    if (line_.empty()) return what + ": too small, or no loop along these axes can be tiled so.";
    return what + ": " + QString::fromStdString(line_);
  }
  if (hovered_) return cell_words(*hovered_);
  if (hasFocus() && columns_ > 0) return cell_words(cursor_);
  QStringList all;
  for (session::PlaneArrow const& arrow : plane_->arrows)
    all << QString::fromStdString(arrow.words) + ".";
  if (plane_->skipped > 0)
    all << QString("%1 out-of-range iterations are guarded off.").arg(plane_->skipped);
  if (columns_ < plane_->right.extent || rows_ < plane_->down.extent)
    all << QString("The first %1 by %2 iterations are drawn.").arg(columns_).arg(rows_);
  all << "Draw a rectangle: it becomes a tile.";
  return all.join(" ");
}

void IterationPlane::ask() {
  line_ = session::line_for_tile(*plane_, std::abs(to_.right - from_->right) + 1,
                                 std::abs(to_.down - from_->down) + 1);
  preview_ = line_.empty() ? session::StepPreview() : ask_(line_);
  selection_.point_at(preview_.refusal ? QString() : QString::fromStdString(line_), this);
  update();
}

void IterationPlane::band_to(Cell cell) {
  if (from_ && cell == to_) return;
  to_ = cell;
  ask();
}

void IterationPlane::end_band() {
  if (from_) selection_.point_at({}, this);
  from_.reset();
  line_.clear();
  preview_ = {};
  update();
}

void IterationPlane::mousePressEvent(QMouseEvent* event) {
  setFocus();
  auto cell = cell_at(event->position());
  if (event->button() != Qt::LeftButton || !cell) return;
  cursor_ = *cell;
  from_ = to_ = *cell;
  ask();
}

void IterationPlane::mouseMoveEvent(QMouseEvent* event) {
  QRectF room(kLeft, kTop, columns_ * across_, rows_ * along_);
  QPointF at = event->position();
  if (from_) {
    at = {std::clamp(at.x(), room.left() + 1, room.right() - 1),
          std::clamp(at.y(), room.top() + 1, room.bottom() - 1)};
    if (auto cell = cell_at(at)) band_to(*cell);
    return;
  }
  auto cell = cell_at(at);
  if (cell == hovered_) return;
  hovered_ = cell;
  setCursor(cell ? Qt::CrossCursor : Qt::ArrowCursor);
  update();
}

void IterationPlane::mouseReleaseEvent(QMouseEvent*) {
  QString line = band_line();
  end_band();
  if (!line.isEmpty()) emit step_asked(line);
}

void IterationPlane::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
}

void IterationPlane::keyPressEvent(QKeyEvent* event) {
  if (!plane_ || columns_ == 0) return Canvas::keyPressEvent(event);
  bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (event->key() == Qt::Key_Escape && from_) return end_band();
  if (enter && from_) {
    QString line = band_line();
    end_band();
    if (!line.isEmpty()) emit step_asked(line);
    return;
  }
  int right = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  int down = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
  if (!right && !down) return Canvas::keyPressEvent(event);
  Cell next{std::clamp(cursor_.right + right, 0, columns_ - 1),
            std::clamp(cursor_.down + down, 0, rows_ - 1)};
  bool band = event->modifiers() & Qt::ShiftModifier;
  if (band && !from_) from_ = cursor_;
  if (!band && from_) end_band();
  cursor_ = next;
  hovered_.reset();
  if (band) return band_to(next);
  update();
}

std::vector<Part> IterationPlane::parts() const {
  if (!plane_ || columns_ == 0) return {};
  std::vector<Part> parts;
  parts.push_back(
      {QRectF(kLeft, 6, unit_width() - kLeft - kRight, 18),
       "To the right: " + axis_words(plane_->right) + ", " + strides_words(plane_->right)});
  parts.push_back({QRectF(8, kTop, kLeft - 14, 18),
                   "Down: " + axis_words(plane_->down) + ", " + strides_words(plane_->down)});
  parts.push_back({box_of(cursor_, cursor_), cell_words(cursor_), true});
  return parts;
}

}  // namespace tw
