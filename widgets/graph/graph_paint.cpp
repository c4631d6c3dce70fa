// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_paint.h"

#include <algorithm>

#include "widgets/graph/graph_lookup.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Card;
using session::NodeChange;

QColor wash_over(GraphScene const& scene) {
  QColor wash = scene.theme.inset;
  wash.setAlphaF(float(1 - kDimmed));
  return wash;
}

namespace {

void paint_near(QPainter& painter, GraphScene const& scene) {
  painter.setRenderHint(QPainter::Antialiasing);
  paint_frames(painter, scene);
  paint_edges(painter, scene);
  paint_frame_heads(painter, scene);
  if (scene.search.dims()) painter.fillRect(scene.seen, wash_over(scene));
  for (Card const& card : scene.cards.cards) {
    if (!card.box.intersects(scene.seen)) continue;
    painter.setOpacity(scene.search.is_dimmed(card) ? kDimmed : 1);
    paint_card(painter, scene, card);
  }
  painter.setOpacity(1);
  scene.cut.paint_flags(painter, scene.theme);
}

/// Outside of the card's own frame.
void paint_outline(QPainter& painter, QRectF const& box, QPen const& pen, double out,
                   double round) {
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(box.adjusted(-out, -out, out, out), round, round);
}

/// Under the pointer, here or in the other view: a second frame.
void paint_hint(QPainter& painter, GraphScene const& scene, Card const& card) {
  double thin = scene.thin(), out = 3.5 * thin;
  paint_outline(painter, card.box, QPen(scene.theme.text2, 1.5 * thin), out, 8 + out);
}

/// The one that is found now has the thick frame; from far away a frame keeps its width.
void paint_match(QPainter& painter, GraphScene const& scene, Card const& card, bool current) {
  double thin = scene.thin(), out = 4 * thin;
  painter.setPen(QPen(scene.theme.warn, (current ? 4 : 2) * thin));
  QColor tint = scene.theme.warn;
  tint.setAlphaF(current ? 0.3f : 0.14f);
  painter.setBrush(scene.camera.is_near() ? QBrush(Qt::NoBrush) : QBrush(tint));
  painter.drawRoundedRect(card.box.adjusted(-out, -out, out, out), 10, 10);
}

/// As what is found is marked; one that cannot be seen by the group that holds it.
void paint_alike(QPainter& painter, GraphScene const& scene) {
  double thin = scene.thin();
  std::vector<int> const& groups = scene.alike.groups();
  int current = scene.alike.current();
  for (size_t i = 0; i < groups.size(); ++i) {
    QRectF place = box_of(scene.cards, scene.cards.groups[size_t(groups[i])]);
    if (place.isEmpty() || !place.intersects(scene.seen)) continue;
    bool here = int(i) == current;
    paint_outline(painter, place, QPen(scene.theme.warn, (here ? 5 : 2) * thin),
                  (here ? 5 : 4) * thin, 12);
  }
}

/// Of what is different from another graph: a frame around the card and a sign on it.
void paint_change(QPainter& painter, GraphScene const& scene, int index) {
  Card const& card = scene.cards.cards[size_t(index)];
  GraphMarks::Changes const& counts = scene.marks.card_changes()[size_t(index)];
  auto most = std::ranges::max_element(counts.begin() + 1, counts.end());
  if (*most == 0 || !card.box.intersects(scene.seen)) return;
  auto change = NodeChange(most - counts.begin());
  QColor colour = change_colour(scene.theme, change);
  double thin = scene.thin();
  QPen pen(colour, 2.5 * thin);
  if (change == NodeChange::kRemoved) pen.setStyle(Qt::DashLine);
  paint_outline(painter, card.box, pen, 3 * thin, 9);
  if (!scene.camera.is_near()) return;
  QString words = scene.marks.change_words(index);
  double wide = QFontMetricsF(mono_font(12, 600)).horizontalAdvance(words) + 12;
  QRectF plate(card.box.left() - 6, card.box.top() - 12, wide, 18);
  painter.setPen(QPen(colour, 1.2));
  painter.setBrush(scene.theme.raised);
  painter.drawRoundedRect(plate, 9, 9);
  paint::text(painter, plate, mono_font(12, 600), scene.theme.text1, words, Qt::AlignCenter);
}

}  // namespace

void paint_marks(QPainter& painter, GraphScene const& scene) {
  auto each_seen = [&](auto paint) {
    for (Card const& card : scene.cards.cards)
      if (card.box.intersects(scene.seen)) paint(card);
  };
  painter.setRenderHint(QPainter::Antialiasing);
  if (!scene.marks.hinted().empty())
    each_seen([&](Card const& card) {
      if (scene.marks.is_hinted(card)) paint_hint(painter, scene, card);
    });
  if (scene.search.count() > 0)
    each_seen([&](Card const& card) {
      auto level = scene.search.level_of(card);
      if (level != GraphSearch::Level::kNone)
        paint_match(painter, scene, card, level == GraphSearch::Level::kCurrent);
    });
  paint_alike(painter, scene);
  for (size_t i = 0; i < scene.marks.card_changes().size(); ++i)
    paint_change(painter, scene, int(i));
  scene.cut.paint_drop(painter, scene.theme, scene.camera.scale());
}

void paint_graph(QPainter& painter, GraphScene const& scene, FarNames& names) {
  bool is_near = scene.camera.is_near();
  painter.save();
  if (scene.cut.is_shown())
    painter.setClipRect(scene.camera.to_canvas(scene.seen).adjusted(0, 0, 0, -scene.cut.height()));
  painter.translate(scene.camera.origin());
  painter.scale(scene.camera.scale(), scene.camera.scale());
  if (is_near) {
    paint_near(painter, scene);
  } else {
    paint_frames(painter, scene);
    paint_far(painter, scene);
  }
  paint_marks(painter, scene);
  painter.restore();
  if (!is_near) paint_far_names(painter, scene, names);
}

}  // namespace tw
