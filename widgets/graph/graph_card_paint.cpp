// SPDX-License-Identifier: GPL-3.0-or-later
// A card near enough to be read: an operator's or a kernel's, and a folded group's.
#include "widgets/graph/graph_lookup.h"
#include "widgets/graph/graph_paint.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Card;
using graph::Chip;
using graph::kChip;
using graph::kHead;
using graph::kPad;

namespace {

session::KernelRow const* row_of(GraphScene const& scene, Card const& card) {
  bool known =
      scene.kernels && card.kernel >= 0 && size_t(card.kernel) < scene.kernels->rows.size();
  return known ? &scene.kernels->rows[size_t(card.kernel)] : nullptr;
}

/// What is laid over the card: in words, and as its share of the largest. Only what is known.
void paint_value(QPainter& painter, GraphScene const& scene, Card const& card) {
  QRectF const& box = card.box;
  graph::CardValue const* value = scene.values.of_card(index_of(scene.cards, card));
  if (!value) return;
  QRectF track(box.left() + kPad, box.bottom() - 11, box.width() - 2 * kPad, 3);
  painter.fillRect(track, scene.theme.line1);
  if (!value->known) return;
  painter.fillRect(QRectF(track.left(), track.top(), track.width() * value->share, 3),
                   scene.theme.ink);
  paint::text(painter, QRectF(box.right() - 122, box.top() + 6, 110, 24), mono_font(12),
              scene.theme.text1, value->words, Qt::AlignRight | Qt::AlignVCenter);
}

void paint_chips(QPainter& painter, GraphScene const& scene, Card const& card) {
  double x = card.box.left() + kPad;
  for (Chip const& chip : card.chips) {
    QRectF place(x, card.box.top() + kHead, chip.width, kChip);
    QColor colour = paint::class_colour(scene.theme, chip.node->pattern);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::mix(colour, scene.theme.panel, 0.16));
    painter.drawRoundedRect(place, 4, 4);
    painter.fillRect(QRectF(place.left(), place.top(), 4, place.height()), colour);
    paint::class_glyph(painter, QRectF(place.left() + 8, place.top(), 16, kChip), scene.theme,
                       chip.node->pattern);
    paint::text(painter, place.adjusted(28, 0, -6, 0), mono_font(12), scene.theme.text1, chip.text);
    x += place.width() + 8;
  }
}

/// The same card, with two edges behind it.
void paint_folded(QPainter& painter, GraphScene const& scene, Card const& card) {
  graph::Group const& group = scene.cards.groups[size_t(card.fold)];
  QRectF const& box = card.box;
  bool chosen = scene.marks.is_chosen(card);
  painter.setPen(QPen(scene.theme.line2, 1));
  painter.setBrush(scene.theme.panel);
  painter.drawRoundedRect(box.adjusted(8, 8, 8, 8), 8, 8);
  painter.drawRoundedRect(box.adjusted(4, 4, 4, 4), 8, 8);
  painter.setPen(QPen(chosen ? scene.theme.ink : scene.theme.line3, chosen ? 2 : 1.5));
  painter.drawRoundedRect(box, 8, 8);
  scene.cut.paint_band(painter, scene.theme, card);
  paint_fold_sign(painter, QPointF(box.left() + kPad + 7, box.top() + 18), scene.theme, true);
  double left = box.left() + kPad + 22;
  paint::text(painter, QRectF(left, box.top() + 6, box.right() - left - 110, 24), ui_font(13, 600),
              scene.theme.text1, card.title);
  paint::text(painter, QRectF(left, box.top() + graph::kHead, box.right() - left - kPad, 20),
              ui_font(11), scene.theme.text2, group.contents);
  paint_value(painter, scene, card);
}

void paint_unfolded(QPainter& painter, GraphScene const& scene, Card const& card) {
  QRectF const& box = card.box;
  bool selected = scene.marks.is_chosen(card);
  painter.setPen(QPen(selected ? scene.theme.ink : scene.theme.line3, selected ? 2 : 1.5));
  painter.setBrush(scene.theme.panel);
  painter.drawRoundedRect(box, 8, 8);
  scene.cut.paint_band(painter, scene.theme, card);
  session::KernelRow const* row = row_of(scene, card);
  double left = box.left() + kPad;
  if (row) {
    paint::kernel_state(painter, QPointF(left + 5, box.top() + 18), scene.theme, row->state);
    left += 18;
  }
  paint::text(painter, QRectF(left, box.top() + 6, box.right() - left - 110, 24), ui_font(13, 600),
              scene.theme.text1, card.title);
  paint_chips(painter, scene, card);
  paint_value(painter, scene, card);
}

}  // namespace

void paint_card(QPainter& painter, GraphScene const& scene, Card const& card) {
  if (card.fold >= 0)
    paint_folded(painter, scene, card);
  else
    paint_unfolded(painter, scene, card);
}

}  // namespace tw
