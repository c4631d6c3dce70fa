// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/refusal/conflict_picture.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <set>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

using session::ConflictView;
using session::LoopBar;
using session::NestView;

constexpr int kMostAcross = 8, kMostDown = 14;
constexpr double kHead = 40;  // names and numbers above the iterations
constexpr double kFoot = 44;  // words below the tensor
constexpr double kLeastGrid = 14;

/// One axis of the iterations that are drawn.
struct Axis {
  QString name;
  int64_t extent = kMostAcross;
  int hue = -1;
  int64_t first = 0, second = 0;  ///< where A and B stand
};

class Picture {
public:
  Picture(QPainter& painter, QRectF const& room, ConflictView const& conflict, NestView const* nest,
          int stage, Theme const& theme)
      : painter_(painter),
        room_(room),
        conflict_(conflict),
        nest_(nest),
        stage_(stage),
        theme_(theme) {
    choose_axes();
    choose_grid();
  }
  void draw() {
    draw_dots();
    draw_grid();
    draw_tensor_words();
    draw_ways();
    draw_others();
  }

private:
  Axis axis_of(size_t loop) const {
    auto const& [name, value] = conflict_.first.loops[loop];
    Axis axis{QString::fromStdString(name), 1, -1, value, conflict_.second.loops[loop].second};
    if (nest_)
      for (LoopBar const& bar : nest_->bars)
        if (bar.stage == stage_ && bar.name == name) axis.extent = bar.extent, axis.hue = bar.hue;
    axis.extent = std::max({axis.extent, axis.first + 1, axis.second + 1});
    return axis;
  }
  /// Across the loop in which they differ; down the innermost other one of which a few fit.
  void choose_axes() {
    double high = room_.height() - kHead - 40;  // the names below take the rest
    for (size_t i = 0; i < conflict_.first.loops.size(); ++i) {
      Axis axis = axis_of(i);
      if (conflict_.first.loops[i].first == conflict_.differs) {
        across_ = axis;
        continue;
      }
      bool fits = high > 40 && axis.extent > 1 && axis.first == axis.second &&
                  axis.first < std::min<int64_t>(kMostDown, int64_t(high / 13));
      if (fits) down_ = axis;
    }
    columns_ = int(std::min<int64_t>(across_.extent, kMostAcross));
    near_ = across_.first < columns_ && across_.second < columns_;
    rows_ = down_.name.isEmpty()
                ? 1
                : int(std::min<int64_t>({down_.extent, kMostDown, int64_t(high / 13)}));
    across_step_ = std::min(30.0, (room_.width() * 0.55 - 40) / kMostAcross);
    down_step_ = rows_ > 1 ? std::min(17.0, high / rows_) : 17;
  }
  /// The last two dimensions that have some extent.
  void choose_grid() {
    for (size_t i = conflict_.shape.size(); i-- > 0 && dimensions_.size() < 2;)
      if (conflict_.shape[i] > 1 && i < conflict_.index.size()) dimensions_.push_back(i);
    double side = std::clamp(room_.height() - kHead - kFoot - 8, 40.0, 130.0);
    double wide =
        std::clamp(room_.width() - (20 + across_step_ * kMostAcross) - 70, kLeastGrid, 130.0);
    auto extent = [&](size_t k) {
      return k < dimensions_.size() ? double(conflict_.shape[dimensions_[k]]) : 1.0;
    };
    cell_ = std::clamp(std::min(wide / extent(0), side / extent(1)), 0.0, 12.0);
    grid_ = QRectF(0, 0, std::max(cell_ * extent(0), kLeastGrid),
                   std::max(cell_ * extent(1), kLeastGrid));
    grid_.moveTopRight({room_.right() - 4, room_.top() + kHead - 10});
  }

  /// Of two that are far away the picture is not to scale, and says their numbers.
  QPointF place(int64_t across, int64_t down) const {
    double column = near_                                               ? double(across)
                    : across == std::min(across_.first, across_.second) ? 1
                                                                        : 5;
    return {room_.left() + 34 + across_step_ * column,
            room_.top() + kHead + down_step_ * double(down)};
  }
  int64_t row() const { return down_.name.isEmpty() ? 0 : down_.first; }

  void draw_dots() {
    painter_.setPen(Qt::NoPen);
    QColor dot = across_.hue >= 0 ? theme_.hue(across_.hue) : theme_.line3;
    for (int x = 0; near_ && x < columns_; ++x)
      for (int y = 0; y < rows_; ++y) {
        painter_.setBrush(y == row() ? dot : Theme::mix(dot, theme_.raised, 0.6));
        painter_.drawEllipse(place(x, y), 2.6, 2.6);
      }
    double top = room_.top() + kHead - 30;
    for (int x = 0; near_ && x < columns_; ++x) {
      bool one = x == across_.first || x == across_.second;
      paint::text(painter_, QRectF(place(x, 0).x() - 14, top, 28, 16),
                  mono_font(11, one ? 600 : 400), one ? theme_.error : theme_.text3,
                  QString::number(x), Qt::AlignCenter);
    }
    double end = place(near_ ? columns_ - 1 : 5, 0).x() + 18;
    paint::text(painter_, QRectF(end, top, 90, 16), mono_font(11), theme_.text2, across_.name);
    if (down_.name.isEmpty()) return;
    for (int64_t y : std::set<int64_t>{0, row(), rows_ - 1})
      paint::text(painter_, QRectF(room_.left(), place(0, y).y() - 8, 20, 16),
                  mono_font(11, y == row() ? 600 : 400), y == row() ? theme_.error : theme_.text3,
                  QString::number(y), Qt::AlignRight | Qt::AlignVCenter);
    paint::text(painter_, QRectF(room_.left(), place(0, rows_ - 1).y() + 10, 90, 16), mono_font(11),
                theme_.text2,
                down_.name + (rows_ < down_.extent ? QStringLiteral(" …") : QString()));
  }

  QRectF cell() const {
    auto at = [&](size_t k) {
      return k < dimensions_.size() ? double(conflict_.index[dimensions_[k]]) : 0.0;
    };
    double size = std::max(cell_, 10.0);
    QRectF cell(grid_.left() + cell_ * at(0), grid_.top() + cell_ * at(1), size, size);
    cell.moveLeft(std::min(cell.left(), grid_.right() - size));
    cell.moveTop(std::min(cell.top(), grid_.bottom() - size));
    return cell;
  }
  void draw_grid() {
    QColor ground = Theme::mix(theme_.ok, theme_.raised, 0.30);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(ground);
    painter_.drawRect(grid_);
    if (cell_ >= 4) {
      painter_.setPen(QPen(theme_.raised, 1));
      for (double x = grid_.left() + cell_; x < grid_.right() - 1; x += cell_)
        painter_.drawLine(QPointF(x, grid_.top()), QPointF(x, grid_.bottom()));
      for (double y = grid_.top() + cell_; y < grid_.bottom() - 1; y += cell_)
        painter_.drawLine(QPointF(grid_.left(), y), QPointF(grid_.right(), y));
    }
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(theme_.error);
    painter_.drawRoundedRect(cell(), 2, 2);
  }
  void draw_tensor_words() {
    QString name = QString::fromStdString(conflict_.buffer);
    QStringList shape;
    for (size_t i = dimensions_.size(); i-- > 0;)
      shape << QString::number(conflict_.shape[dimensions_[i]]);
    if (!shape.isEmpty()) name += " " + shape.join(QStringLiteral(" × "));
    auto line = [&](double y, QFont const& font, QColor const& colour, QString const& words) {
      double wide = room_.width() * 0.5;
      paint::text(painter_, QRectF(room_.right() - wide, y, wide, 16), font, colour,
                  QFontMetricsF(font).elidedText(words, Qt::ElideMiddle, wide),
                  Qt::AlignRight | Qt::AlignVCenter);
    };
    line(grid_.top() - 20, mono_font(11), theme_.text2, name);
    line(grid_.bottom() + 4, mono_font(12), theme_.error,
         QString::fromStdString(conflict_.element));
    line(grid_.bottom() + 22, ui_font(11), theme_.text2,
         conflict_.second_writes ? "both write here" : "one writes, one reads here");
  }

  /// A solid line writes, a dashed one reads.
  void draw_ways() {
    QPointF to(cell().left(), cell().center().y());
    for (bool first : {true, false}) {
      int64_t value = first ? across_.first : across_.second;
      QPointF at = place(value, row());
      bool writes = first || conflict_.second_writes;
      painter_.setPen(QPen(theme_.error, 2, writes ? Qt::SolidLine : Qt::DashLine));
      painter_.setBrush(Qt::NoBrush);
      double bow = first ? -15 : 34;  // below the numbers, across the iterations
      QPainterPath path(at + QPointF(7, first ? -6 : 6));
      path.cubicTo(at + QPointF(60, bow), to + QPointF(-60, bow), to + QPointF(-2, first ? -2 : 2));
      painter_.drawPath(path);
      painter_.setPen(QPen(theme_.error, 2));
      painter_.setBrush(theme_.raised);
      painter_.drawEllipse(at, 9, 9);
      paint::text(painter_, QRectF(at.x() - 9, at.y() - 9, 18, 18), ui_font(11, 600), theme_.text1,
                  first ? "A" : "B", Qt::AlignCenter);
      if (!near_)
        paint::text(painter_, QRectF(at.x() - 40, at.y() - 30, 80, 16), mono_font(11, 600),
                    theme_.error, QString::number(value), Qt::AlignCenter);
    }
  }

  void draw_others() {
    QStringList equal, apart;
    for (size_t i = 0; i < conflict_.first.loops.size(); ++i) {
      auto const& [name, value] = conflict_.first.loops[i];
      int64_t second = conflict_.second.loops[i].second;
      if (name == conflict_.differs) continue;
      QString words = QString("%1 %2").arg(QString::fromStdString(name)).arg(value);
      if (value == second)
        equal << words;
      else
        apart << words + QString(" and %1").arg(second);
    }
    QStringList all;
    if (!apart.isEmpty()) all << "They differ in " + apart.join(", ") + ", too";
    if (!equal.isEmpty())
      all << (apart.isEmpty() ? "All other loops equal: " : "equal: ") + equal.join(", ");
    QString words =
        QFontMetricsF(ui_font(11)).elidedText(all.join("; "), Qt::ElideRight, room_.width());
    paint::text(painter_, QRectF(room_.left(), room_.bottom() - 16, room_.width(), 16), ui_font(11),
                theme_.text3, words);
  }

  QPainter& painter_;
  QRectF room_;
  ConflictView const& conflict_;
  NestView const* nest_;
  int stage_;
  Theme const& theme_;
  Axis across_, down_;
  int columns_ = 0, rows_ = 1;
  bool near_ = true;  ///< both stand among the iterations that are drawn
  double across_step_ = 30, down_step_ = 17;
  std::vector<size_t> dimensions_;  ///< of the tensor: across, then down
  double cell_ = 0;
  QRectF grid_;
};

}  // namespace

void draw_conflict(QPainter& painter, QRectF const& room, ConflictView const& conflict,
                   NestView const* nest, int stage, Theme const& theme) {
  Picture(painter, room, conflict, nest, stage, theme).draw();
}

}  // namespace tw
