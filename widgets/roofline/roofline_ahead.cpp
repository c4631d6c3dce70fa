// SPDX-License-Identifier: GPL-3.0-or-later
// Where moves would lead below the roofs: hollow, since they are modelled; an arrow to the one that
// is pointed at.
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_paint.h"

namespace tw {
namespace {

constexpr size_t kMostMoves = 5;
constexpr double kWorthIt = 1.01;  // of the time: less moves no point that one could see

}  // namespace

session::RooflinePoint const* RooflineScene::current_point() const {
  if (!roofline || layers) return nullptr;
  for (auto const& point : roofline->trail)
    if (point.current) return &point;
  return nullptr;
}

/// Operations of the kernel: what the current point does for each byte, times its bytes.
double RooflineScene::work() const {
  session::RooflinePoint const* now = current_point();
  return now && !now->levels.empty() ? now->intensity * now->levels.back().bytes : 0;
}

/// Where the current step is by the same model that says where others would be.
QPointF RooflineScene::modelled_place() const {
  session::RooflinePoint const& now = *current_point();
  bool known = now.measured && now.model_ms > 0 && work() > 0;
  return known ? position(now.intensity, work() / now.model_ms * 1e-6) : place(now);
}

std::optional<QLineF> RooflineScene::arrow() const {
  if (!current_point() || !outlook || !outlook->point) return std::nullopt;
  return QLineF(modelled_place(), place(*outlook->point));
}

/// The best ones stand first.
size_t RooflineScene::drawn_moves() const {
  if (!moves || work() <= 0) return 0;
  auto slow = std::ranges::find_if(moves->moves, [](session::MoveView const& move) {
    return move.gain < kWorthIt || move.ms <= 0 || move.bytes <= 0;
  });
  return std::min(kMostMoves, size_t(slow - moves->moves.begin()));
}

std::optional<QPointF> RooflineScene::place_of_move(size_t move) const {
  if (move >= drawn_moves()) return std::nullopt;
  session::MoveView const& to = moves->moves[move];
  return position(work() / to.bytes, std::max(work() / to.ms * 1e-6, 1e-3));
}

QString RooflineScene::move_at(QPointF at) const {
  for (size_t move = 0; move < drawn_moves(); ++move)
    if ((*place_of_move(move) - at).manhattanLength() < 12)
      return QString::fromStdString(moves->moves[move].line);
  return {};
}

namespace {

/// Hollow, where an arrow begins beside the measured point.
void paint_modelled(QPainter& painter, RooflineScene const& scene) {
  QPointF measured = scene.place(*scene.current_point()), modelled = scene.modelled_place();
  if (QLineF(measured, modelled).length() < 16) return;
  painter.setPen(QPen(scene.canvas.theme().text3, 1, Qt::DotLine));
  painter.drawLine(measured, modelled);
  painter.setPen(QPen(scene.canvas.theme().ink, 1.4));
  painter.setBrush(scene.canvas.theme().inset);
  painter.drawEllipse(modelled, 5, 5);
}

/// What the step is, and what it is worth, where it covers neither end of the arrow.
void paint_card(QPainter& painter, RooflineScene const& scene, QPointF to) {
  QFont strong = ui_font(11, 600), plain = ui_font(11);
  QString worth = QString::fromStdString(scene.outlook->words);
  double wide =
      std::min(QFontMetricsF(plain).horizontalAdvance(worth) + 26, scene.plot().width() - 16);
  QSizeF size(wide, 46);
  QRectF best;
  for (QPointF corner : {QPointF(22, 22), QPointF(-22 - wide, 22), QPointF(22, -68),
                         QPointF(-22 - wide, -68), QPointF(-wide / 2, 26)}) {
    QRectF card(to + corner, size);
    if (!scene.plot().contains(card) || card.contains(scene.place(*scene.current_point())))
      continue;
    best = card;
    break;
  }
  if (best.isNull())
    best = QRectF(QPointF(scene.plot().right() - wide - 8, scene.plot().bottom() - 54), size);
  painter.setPen(QPen(scene.canvas.theme().line2, 1));
  painter.setBrush(scene.canvas.theme().raised);
  painter.drawRoundedRect(best, 6, 6);
  QRectF words = best.adjusted(12, 5, -10, 0);
  QString name = QFontMetricsF(strong).elidedText(
      QString::fromStdString("next: " + scene.outlook->line), Qt::ElideRight, words.width() - 2);
  paint::text(painter, QRectF(words.left(), words.top(), words.width(), 18), strong,
              scene.canvas.theme().text1, name);
  paint::text(painter, QRectF(words.left(), words.top() + 18, words.width(), 18), plain,
              scene.canvas.theme().text2,
              QFontMetricsF(plain).elidedText(worth, Qt::ElideRight, words.width() - 2));
}

}  // namespace

void paint_moves(QPainter& painter, RooflineScene const& scene) {
  if (scene.drawn_moves() > 0) paint_modelled(painter, scene);
  for (size_t move = scene.drawn_moves(); move-- > 0;) {
    QPointF to = *scene.place_of_move(move);
    QPen pen(scene.canvas.theme().line3, 1, Qt::DotLine);
    painter.setPen(pen);
    paint_arrow(painter, scene.modelled_place(), to);
    painter.setPen(QPen(scene.canvas.theme().text2, 1.4));
    painter.setBrush(scene.canvas.theme().inset);
    painter.drawEllipse(to, 4, 4);
  }
}

void paint_outlook(QPainter& painter, RooflineScene const& scene) {
  std::optional<QLineF> line = scene.arrow();
  if (!line) return;
  QPointF to = line->p2();
  paint_modelled(painter, scene);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(scene.canvas.theme().ink, 1.5));
  paint_arrow(painter, line->p1(), to);
  painter.setBrush(scene.canvas.theme().inset);
  painter.drawEllipse(to, 5.5, 5.5);
  paint_card(painter, scene, to);
}

}  // namespace tw
