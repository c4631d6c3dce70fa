// SPDX-License-Identifier: GPL-3.0-or-later
// How the graph is drawn: near with its words, far away as blocks and lines.
#include <QElapsedTimer>
#include <QPainter>
#include <algorithm>

#include "widgets/graph/graph_view.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Border;
using graph::Card;
using graph::Chip;
using graph::kChip;
using graph::kHead;
using graph::kPad;

namespace {

/// Below, letters are under six pixels tall and only cost time.
constexpr double kReadable = 0.5;

}  // namespace

void GraphView::paintEvent(QPaintEvent*) {
  QElapsedTimer timer;
  timer.start();
  UnitPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(unit_rect(), theme_.inset);
  if (!ready()) {
    paint::text(painter, QRectF(24, 24, unit_width() - 48, 20), ui_font(12), theme_.text2,
                graph_ ? "Laying out the graph" : "The graph of the model appears here.");
    return;
  }
  if (graph_->nodes.empty())
    return paint::text(painter, QRectF(24, 24, unit_width() - 48, 20), ui_font(12), theme_.text2,
                       "A tensor expression has no graph; its kernel is shown in Loops.");
  painter.save();
  if (shows_cut()) painter.setClipRect(unit_rect().adjusted(0, 0, 0, -cut_words_height()));
  painter.translate(origin_);
  painter.scale(scale_, scale_);
  QRectF seen(to_scene({0, 0}), to_scene(QPointF(unit_width(), unit_height())));
  if (scale_ * unit() < kReadable) {
    draw_far(painter, seen);
  } else {
    painter.setRenderHint(QPainter::Antialiasing);
    draw_edges(painter, seen);
    for (Card const& card : made_->cards)
      if (card.box.intersects(seen)) draw_card(painter, card);
    draw_flags(painter);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (size_t i = 0; i < match_cards_.size(); ++i)
    if (match_cards_[i] && made_->cards[i].box.intersects(seen))
      draw_match(painter, made_->cards[i], match_cards_[i] == 2);
  draw_drop(painter);
  painter.restore();
  draw_cut_words(painter);
  frame_ms_ = double(timer.nsecsElapsed()) / 1e6;
}

/// All lines at once, then the cards in the colour of what they mostly are.
void GraphView::draw_far(QPainter& painter, QRectF const& seen) const {
  std::vector<QLineF> lines;
  for (Border const& border : made_->borders) {
    if (!border.box.intersects(seen)) continue;
    for (size_t i = 1; i < border.points.size(); ++i)
      lines.emplace_back(border.points[i - 1], border.points[i]);
  }
  painter.setPen(QPen(theme_.line3, 0));
  painter.drawLines(lines.data(), int(lines.size()));
  if (chosen_edge_ >= 0) {
    auto const& points = made_->borders[size_t(chosen_edge_)].points;
    painter.setPen(QPen(theme_.ink, 2 / scale_));
    painter.drawPolyline(points.data(), int(points.size()));
  }
  for (Card const& card : made_->cards) {
    if (!card.box.intersects(seen)) continue;
    auto strongest = session::PatternClass::kInjective;
    for (Chip const& chip : card.chips)
      if (chip.node->pattern != session::PatternClass::kOpaque)
        strongest = std::max(strongest, chip.node->pattern);
    QColor colour =
        card.chips.empty() || card.chips[0].node->pattern == session::PatternClass::kOpaque
            ? theme_.text3
            : paint::class_colour(theme_, strongest);
    if (shows_cut()) colour = place_colour(place_of(card));
    painter.fillRect(card.box, Theme::mix(colour, theme_.panel, 0.45));
    if (card.kernel < 0 || card.kernel != kernel_) continue;
    painter.setPen(QPen(theme_.ink, 2 / scale_));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(card.box);
  }
}

void GraphView::draw_edges(QPainter& painter, QRectF const& seen) const {
  for (size_t e = 0; e < made_->borders.size(); ++e) {
    Border const& border = made_->borders[e];
    if (border.points.size() < 2 || !border.box.intersects(seen)) continue;
    painter.setPen(edge_pen(e));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(border.points.data(), int(border.points.size()));
    QPointF end = border.points.back();
    painter.drawLine(end, end + QPointF(-5, -6));
    painter.drawLine(end, end + QPointF(5, -6));
  }
  // Above all lines, so that none runs through a shape's digits.
  for (size_t e = 0; e < made_->borders.size(); ++e)
    if (made_->borders[e].points.size() >= 2) draw_mark(painter, seen, e);
}

QPen GraphView::edge_pen(size_t edge) const {
  bool chosen = int(edge) == chosen_edge_;
  Border const& border = made_->borders[edge];
  if (!chosen && goes_over(border)) {
    int from = place_of(made_->cards[size_t(border.from)]);
    int to = place_of(made_->cards[size_t(border.to)]);
    return QPen(place_colour(std::max(from, to)), 2.5, Qt::DashLine);
  }
  return QPen(chosen ? theme_.ink : theme_.line3, chosen ? 2 : 1.5);
}

/// A broken link (these two are not one kernel) and the shape of what passes.
void GraphView::draw_mark(QPainter& painter, QRectF const& seen, size_t edge) const {
  Border const& border = made_->borders[edge];
  QPointF mid = border.mark;
  if (!QRectF(mid.x() - 8, mid.y() - 20, 168, 40).intersects(seen)) return;
  painter.setPen(edge_pen(edge));
  painter.setBrush(theme_.inset);
  painter.drawEllipse(mid, 6, 6);
  painter.drawLine(mid + QPointF(-2.5, 2.5), mid + QPointF(2.5, -2.5));
  // Above a line that runs sideways, beside one that runs down.
  QString shape = paint::shape(border.edge->shape);
  if (goes_over(border)) shape += QStringLiteral(" · ") + paint::bytes(border.edge->bytes);
  QFont font = mono_font(11);
  QRectF place(mid.x() + 10, mid.y() - (border.sideways ? 18 : 8),
               QFontMetricsF(font).horizontalAdvance(shape) + 2, 16);
  painter.fillRect(place, theme_.inset);
  paint::text(painter, place, font, theme_.text3, shape);
}

session::KernelRow const* GraphView::row_of(Card const& card) const {
  bool known = kernels_ && card.kernel >= 0 && size_t(card.kernel) < kernels_->rows.size();
  return known ? &kernels_->rows[size_t(card.kernel)] : nullptr;
}

void GraphView::draw_card(QPainter& painter, Card const& card) const {
  QRectF const& box = card.box;
  bool selected = card.kernel >= 0 && card.kernel == kernel_;
  painter.setPen(QPen(selected ? theme_.ink : theme_.line3, selected ? 2 : 1.5));
  painter.setBrush(theme_.panel);
  painter.drawRoundedRect(box, 8, 8);
  draw_place(painter, card);
  session::KernelRow const* row = row_of(card);
  double left = box.left() + kPad;
  if (row) {
    paint::kernel_state(painter, QPointF(left + 5, box.top() + 18), theme_, row->state);
    left += 18;
  }
  QString time = row && row->time_ms ? paint::time(*row->time_ms) : QString();
  paint::text(painter, QRectF(left, box.top() + 6, box.right() - left - 90, 24), ui_font(13, 600),
              theme_.text1, card.title);
  paint::text(painter, QRectF(box.right() - 92, box.top() + 6, 80, 24), mono_font(12), theme_.text1,
              time, Qt::AlignRight | Qt::AlignVCenter);
  double x = box.left() + kPad;
  for (Chip const& chip : card.chips) {
    QRectF place(x, box.top() + kHead, chip.width, kChip);
    QColor colour = paint::class_colour(theme_, chip.node->pattern);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::mix(colour, theme_.panel, 0.16));
    painter.drawRoundedRect(place, 4, 4);
    painter.fillRect(QRectF(place.left(), place.top(), 4, place.height()), colour);
    paint::class_glyph(painter, QRectF(place.left() + 8, place.top(), 16, kChip), theme_,
                       chip.node->pattern);
    paint::text(painter, place.adjusted(28, 0, -6, 0), mono_font(12), theme_.text1, chip.text);
    x += place.width() + 8;
  }
  QRectF track(box.left() + kPad, box.bottom() - 11, box.width() - 2 * kPad, 3);
  painter.fillRect(track, theme_.line1);
  painter.fillRect(
      QRectF(track.left(), track.top(), track.width() * std::clamp(card.share * 8, 0.0, 1.0), 3),
      theme_.text2);
}

/// The one that is found now has the thick frame; from far away a frame keeps its width.
void GraphView::draw_match(QPainter& painter, Card const& card, bool current) const {
  double thin = 1 / std::min(scale_, 1.0);
  painter.setPen(QPen(theme_.warn, (current ? 4 : 2) * thin));
  QColor tint = theme_.warn;
  tint.setAlphaF(current ? 0.3f : 0.14f);
  painter.setBrush(scale_ * unit() < kReadable ? QBrush(tint) : QBrush(Qt::NoBrush));
  double out = 4 * thin;
  painter.drawRoundedRect(card.box.adjusted(-out, -out, out, out), 10, 10);
}

}  // namespace tw
