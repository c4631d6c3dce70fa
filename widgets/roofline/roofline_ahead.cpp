// SPDX-License-Identifier: GPL-3.0-or-later
// Where moves would lead below the roofs: hollow, since they are modelled; an arrow to the one that
// is pointed at.
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_view.h"

namespace tw {
namespace {

constexpr size_t kMostMoves = 5;
constexpr double kWorthIt = 1.01;  // of the time: less moves no point that one could see

}  // namespace

void RooflineView::show_moves(std::shared_ptr<session::MovesView const> moves) {
  moves_ = std::move(moves);
  update();
}

void RooflineView::show_outlook(std::shared_ptr<session::Outlook const> outlook) {
  outlook_ = std::move(outlook);
  update();
}

session::RooflinePoint const* RooflineView::current_point() const {
  if (!view_ || layers_) return nullptr;
  for (auto const& point : view_->trail)
    if (point.current) return &point;
  return nullptr;
}

/// Operations of the kernel: what the current point does for each byte, times its bytes.
double RooflineView::work() const {
  session::RooflinePoint const* now = current_point();
  return now && !now->levels.empty() ? now->intensity * now->levels.back().bytes : 0;
}

/// Where the current step is by the same model that says where others would be.
QPointF RooflineView::modelled_place() const {
  session::RooflinePoint const& now = *current_point();
  bool known = now.measured && now.model_ms > 0 && work() > 0;
  return known ? position(now.intensity, work() / now.model_ms * 1e-6) : place(now);
}

std::optional<QLineF> RooflineView::arrow() const {
  if (!current_point() || !outlook_ || !outlook_->point) return std::nullopt;
  return QLineF(modelled_place(), place(*outlook_->point));
}

/// Hollow, where an arrow begins beside the measured point.
void RooflineView::draw_modelled(QPainter& painter) const {
  QPointF measured = place(*current_point()), modelled = modelled_place();
  if (QLineF(measured, modelled).length() < 16) return;
  painter.setPen(QPen(theme_.text3, 1, Qt::DotLine));
  painter.drawLine(measured, modelled);
  painter.setPen(QPen(theme_.ink, 1.4));
  painter.setBrush(theme_.inset);
  painter.drawEllipse(modelled, 5, 5);
}

/// The best ones stand first.
size_t RooflineView::drawn_moves() const {
  if (!moves_ || work() <= 0) return 0;
  auto slow = std::ranges::find_if(moves_->moves, [](session::MoveView const& move) {
    return move.gain < kWorthIt || move.ms <= 0 || move.bytes <= 0;
  });
  return std::min(kMostMoves, size_t(slow - moves_->moves.begin()));
}

std::optional<QPointF> RooflineView::place_of_move(size_t move) const {
  if (move >= drawn_moves()) return std::nullopt;
  session::MoveView const& to = moves_->moves[move];
  return position(work() / to.bytes, std::max(work() / to.ms * 1e-6, 1e-3));
}

QString RooflineView::move_at(QPointF at) const {
  for (size_t move = 0; move < drawn_moves(); ++move)
    if ((*place_of_move(move) - at).manhattanLength() < 12)
      return QString::fromStdString(moves_->moves[move].line);
  return {};
}

void RooflineView::mouseMoveEvent(QMouseEvent* event) {
  QString line = move_at(event->position());
  setCursor(line.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  emit move_pointed(line);
  if (!layers_) return;
  session::LayerPoint const* layer = layer_at(event->position());
  if (layer) setCursor(Qt::PointingHandCursor);
  int before = std::exchange(pointed_, layer ? layer->kernel : -1);
  if (before != pointed_) update();
}

void RooflineView::leaveEvent(QEvent*) {
  if (std::exchange(pointed_, -1) >= 0) update();
  emit move_pointed({});
}

void RooflineView::draw_moves(QPainter& painter) const {
  if (drawn_moves() > 0) draw_modelled(painter);
  for (size_t move = drawn_moves(); move-- > 0;) {
    QPointF to = *place_of_move(move);
    QPen pen(theme_.line3, 1, Qt::DotLine);
    painter.setPen(pen);
    draw_arrow(painter, modelled_place(), to);
    painter.setPen(QPen(theme_.text2, 1.4));
    painter.setBrush(theme_.inset);
    painter.drawEllipse(to, 4, 4);
  }
}

void RooflineView::draw_outlook(QPainter& painter) const {
  std::optional<QLineF> line = arrow();
  if (!line) return;
  QPointF to = line->p2();
  draw_modelled(painter);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_.ink, 1.5));
  draw_arrow(painter, line->p1(), to);
  painter.setBrush(theme_.inset);
  painter.drawEllipse(to, 5.5, 5.5);
  draw_card(painter, to);
}

/// What the step is, and what it is worth, where it covers neither end of the arrow.
void RooflineView::draw_card(QPainter& painter, QPointF to) const {
  QFont strong = ui_font(11, 600), plain = ui_font(11);
  QString worth = QString::fromStdString(outlook_->words);
  double wide = std::min(QFontMetricsF(plain).horizontalAdvance(worth) + 26, plot().width() - 16);
  QSizeF size(wide, 46);
  QRectF best;
  for (QPointF corner : {QPointF(22, 22), QPointF(-22 - wide, 22), QPointF(22, -68),
                         QPointF(-22 - wide, -68), QPointF(-wide / 2, 26)}) {
    QRectF card(to + corner, size);
    if (!plot().contains(card) || card.contains(place(*current_point()))) continue;
    best = card;
    break;
  }
  if (best.isNull()) best = QRectF(QPointF(plot().right() - wide - 8, plot().bottom() - 54), size);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(best, 6, 6);
  QRectF words = best.adjusted(12, 5, -10, 0);
  QString name = QFontMetricsF(strong).elidedText(QString::fromStdString("next: " + outlook_->line),
                                                  Qt::ElideRight, words.width() - 2);
  paint::text(painter, QRectF(words.left(), words.top(), words.width(), 18), strong, theme_.text1,
              name);
  paint::text(painter, QRectF(words.left(), words.top() + 18, words.width(), 18), plain,
              theme_.text2,
              QFontMetricsF(plain).elidedText(worth, Qt::ElideRight, words.width() - 2));
}

}  // namespace tw
