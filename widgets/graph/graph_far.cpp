// SPDX-License-Identifier: GPL-3.0-or-later
// From far away: cards as bars in the colour of what they mostly are, names where there is room.
#include <algorithm>

#include "widgets/graph/graph_paint.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Border;
using graph::Card;
using graph::Chip;
using graph::kPad;

namespace {

/// Below, chips cannot be told apart and cards are bars.
constexpr double kSpines = 0.15;
/// No more names than this in one picture: setting them takes time.
constexpr int kMostNames = 250;

/// Chips as spines; as a bar in the colour of the strongest.
void paint_far_card(QPainter& painter, GraphScene const& scene, Card const& card, bool spines) {
  auto strongest = session::PatternClass::kInjective;
  for (Chip const& chip : card.chips)
    if (chip.node->pattern != session::PatternClass::kOpaque)
      strongest = std::max(strongest, chip.node->pattern);
  bool grey = card.chips.empty() || card.chips[0].node->pattern == session::PatternClass::kOpaque;
  QColor colour = grey ? scene.theme.text3 : paint::class_colour(scene.theme, strongest);
  if (scene.cut.is_shown()) colour = scene.cut.colour_of(scene.theme, scene.cut.place_of(card));
  double thin = 1 / scene.camera.scale();
  if (card.fold >= 0)
    for (double step : {8.0, 4.0})
      painter.fillRect(card.box.translated(step, step),
                       Theme::mix(scene.theme.text3, scene.theme.panel, step / 20));
  bool as_card = spines || card.fold >= 0;
  painter.fillRect(card.box,
                   as_card ? scene.theme.panel : Theme::mix(colour, scene.theme.panel, 0.45));
  double x = card.box.left() + kPad;
  for (size_t i = 0; as_card && i < card.chips.size(); ++i) {
    Chip const& chip = card.chips[i];
    QColor spine =
        scene.cut.is_shown() ? colour : paint::class_colour(scene.theme, chip.node->pattern);
    painter.fillRect(QRectF(x, card.box.bottom() - 32, std::min(chip.width, 40.0), 20), spine);
    x += std::min(chip.width, 40.0) + 8;
  }
  bool selected = scene.marks.is_chosen(card);
  if (!as_card && !selected) return;
  painter.setPen(QPen(selected ? scene.theme.ink : scene.theme.line3, (selected ? 2 : 1) * thin));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(card.box);
}

}  // namespace

QStaticText const& FarNames::name(QFont const& font, QString const& title, int width) {
  constexpr qsizetype kMostKept = 4000;
  if (names_.size() > kMostKept) names_.clear();
  auto found = names_.find({title, width});
  if (found == names_.end()) {
    QStaticText text(QFontMetricsF(font).elidedText(title, Qt::ElideRight, width));
    text.setTextFormat(Qt::PlainText);
    text.prepare({}, font);
    found = names_.insert({title, width}, text);
  }
  return *found;
}

/// In letters that can be read, where there is room for some; those of groups first.
void paint_far_names(QPainter& painter, GraphScene const& scene, FarNames& names) {
  QFont font = ui_font(11, 600);
  int drawn = 0;
  auto name = [&](QRectF const& words, QString const& title, QColor const& ground) {
    if (words.width() < 36 || ++drawn > kMostNames) return;
    QStaticText const& shown = names.name(font, title, int(words.width()));
    QRectF ink(words.left(), words.top(), shown.size().width(), words.height());
    painter.fillRect(ink.adjusted(-2, 0, 2, 0), ground);
    painter.setFont(font);
    painter.setPen(scene.theme.text1);
    painter.drawStaticText(QPointF(words.left(), words.center().y() - shown.size().height() / 2),
                           shown);
    paint::log_words(painter, ink, title, false);
  };
  auto place_of_box = [&](QRectF const& box) {
    return scene.camera.to_canvas(box).adjusted(5, 0, -4, 0);
  };
  for (bool folded : {true, false})
    for (Card const& card : scene.cards.cards) {
      if ((card.fold >= 0) != folded || !card.box.intersects(scene.seen) ||
          scene.search.is_dimmed(card))
        continue;
      QRectF box = place_of_box(card.box);
      if (box.height() >= 14)
        name(QRectF(box.left(), box.top() + 1, box.width(), std::min(box.height() - 2, 16.0)),
             card.title, scene.theme.panel);
    }
  drawn = 0;
  for (graph::Group const& group : scene.cards.groups) {
    if (group.frame.isEmpty() || !group.frame.intersects(scene.seen)) continue;
    QRectF box = place_of_box(group.frame);
    name(QRectF(box.left(), box.top() - 8, box.width(), 15), group.title, scene.theme.inset);
  }
}

void paint_far(QPainter& painter, GraphScene const& scene) {
  std::vector<QLineF> lines;
  for (Border const& border : scene.cards.borders) {
    if (!border.box.intersects(scene.seen)) continue;
    for (size_t i = 1; i < border.points.size(); ++i)
      lines.emplace_back(border.points[i - 1], border.points[i]);
  }
  painter.setPen(QPen(scene.theme.line3, 0));
  painter.drawLines(lines.data(), int(lines.size()));
  if (scene.edge >= 0) {
    auto const& points = scene.cards.borders[size_t(scene.edge)].points;
    painter.setPen(QPen(scene.theme.ink, 2 / scene.camera.scale()));
    painter.drawPolyline(points.data(), int(points.size()));
  }
  if (scene.search.dims()) painter.fillRect(scene.seen, wash_over(scene));
  bool spines = scene.camera.scale() * scene.unit >= kSpines;
  for (Card const& card : scene.cards.cards) {
    if (!card.box.intersects(scene.seen)) continue;
    painter.setOpacity(scene.search.is_dimmed(card) ? kDimmed : 1);
    paint_far_card(painter, scene, card, spines);
  }
  painter.setOpacity(1);
}

}  // namespace tw
