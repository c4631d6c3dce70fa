// SPDX-License-Identifier: GPL-3.0-or-later
// How the graph is drawn: near with its words, far away as blocks and lines.
#include <QElapsedTimer>
#include <QPainter>
#include <algorithm>
#include <cmath>

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

/// Below, chips cannot be told apart and cards are bars.
constexpr double kSpines = 0.15;
/// No more names than this in one picture: setting them takes time.
constexpr int kMostNames = 250;
/// How much is left of what does not match.
constexpr double kDimmed = 0.22;

}  // namespace

void GraphView::paintEvent(QPaintEvent*) {
  QElapsedTimer timer;
  timer.start();
  UnitPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(unit_rect(), theme_.inset);
  if (!ready()) {
    if (layout_words().isEmpty())  // else these say more
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
  if (scale_ * unit() < graph::kReadable) {
    draw_frames(painter, seen);
    draw_far(painter, seen);
  } else {
    painter.setRenderHint(QPainter::Antialiasing);
    draw_frames(painter, seen);
    draw_edges(painter, seen);
    draw_frame_heads(painter, seen);
    if (dims()) painter.fillRect(seen, wash());
    for (Card const& card : made_->cards) {
      if (!card.box.intersects(seen)) continue;
      painter.setOpacity(is_dimmed(card) ? kDimmed : 1);
      if (card.fold >= 0)
        draw_folded(painter, card);
      else
        draw_card(painter, card);
    }
    painter.setOpacity(1);
    draw_flags(painter);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (size_t i = 0; i < mark_cards_.size(); ++i)
    if (mark_cards_[i] == 1 && made_->cards[i].box.intersects(seen))
      draw_hint(painter, made_->cards[i]);
  for (size_t i = 0; i < match_cards_.size(); ++i)
    if (match_cards_[i] && made_->cards[i].box.intersects(seen))
      draw_match(painter, made_->cards[i], match_cards_[i] == 2);
  draw_alike(painter, seen);
  draw_changes(painter, seen);
  draw_drop(painter);
  painter.restore();
  if (scale_ * unit() < graph::kReadable) draw_names(painter, seen);
  draw_cut_words(painter);
  draw_map(painter);
  frame_ms_ = double(timer.nsecsElapsed()) / 1e6;
}

/// Over lines and frames where only what is found is to be seen.
QColor GraphView::wash() const {
  QColor wash = theme_.inset;
  wash.setAlphaF(float(1 - kDimmed));
  return wash;
}

/// Setting a name takes longer than drawing it, and a picture has hundreds.
GraphView::FarName const& GraphView::far_name(QFont const& font, QString const& title,
                                              int width) const {
  constexpr qsizetype kMostKept = 4000;
  if (far_names_.size() > kMostKept) far_names_.clear();
  auto found = far_names_.find({title, width});
  if (found == far_names_.end()) {
    QStaticText text(QFontMetricsF(font).elidedText(title, Qt::ElideRight, width));
    text.setTextFormat(Qt::PlainText);
    text.prepare({}, font);
    found = far_names_.insert({title, width}, {text});
  }
  return *found;
}

/// Names of what is far away, in letters that can be read, where there is room for some; those of
/// groups first.
void GraphView::draw_names(QPainter& painter, QRectF const& seen) const {
  QFont font = ui_font(11, 600);
  int drawn = 0;
  auto name = [&](QRectF const& words, QString const& title, QColor const& ground) {
    if (words.width() < 36 || ++drawn > kMostNames) return;
    FarName const& shown = far_name(font, title, int(words.width()));
    QRectF ink(words.left(), words.top(), shown.text.size().width(), words.height());
    painter.fillRect(ink.adjusted(-2, 0, 2, 0), ground);
    painter.setFont(font);
    painter.setPen(theme_.text1);
    painter.drawStaticText(
        QPointF(words.left(), words.center().y() - shown.text.size().height() / 2), shown.text);
    paint::log_words(painter, ink, title, false);
  };
  auto place_of_box = [&](QRectF const& box) {
    return QRectF(box.topLeft() * scale_ + origin_, box.size() * scale_).adjusted(5, 0, -4, 0);
  };
  for (bool folded : {true, false})
    for (Card const& card : made_->cards) {
      if ((card.fold >= 0) != folded || !card.box.intersects(seen) || is_dimmed(card)) continue;
      QRectF box = place_of_box(card.box);
      if (box.height() >= 14)
        name(QRectF(box.left(), box.top() + 1, box.width(), std::min(box.height() - 2, 16.0)),
             card.title, theme_.panel);
    }
  drawn = 0;
  for (graph::Group const& group : made_->groups) {
    if (group.frame.isEmpty() || !group.frame.intersects(seen)) continue;
    QRectF box = place_of_box(group.frame);
    name(QRectF(box.left(), box.top() - 8, box.width(), 15), group.title, theme_.inset);
  }
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
  if (dims()) painter.fillRect(seen, wash());
  bool spines = scale_ * unit() >= kSpines;
  for (Card const& card : made_->cards) {
    if (!card.box.intersects(seen)) continue;
    painter.setOpacity(is_dimmed(card) ? kDimmed : 1);
    draw_far_card(painter, card, spines);
  }
  painter.setOpacity(1);
}

/// Chips as spines; as a bar in the colour of the strongest.
void GraphView::draw_far_card(QPainter& painter, Card const& card, bool spines) const {
  auto strongest = session::PatternClass::kInjective;
  for (Chip const& chip : card.chips)
    if (chip.node->pattern != session::PatternClass::kOpaque)
      strongest = std::max(strongest, chip.node->pattern);
  bool grey = card.chips.empty() || card.chips[0].node->pattern == session::PatternClass::kOpaque;
  QColor colour = grey ? theme_.text3 : paint::class_colour(theme_, strongest);
  if (shows_cut()) colour = place_colour(place_of(card));
  double thin = 1 / scale_;
  if (card.fold >= 0)
    for (double step : {8.0, 4.0})
      painter.fillRect(card.box.translated(step, step),
                       Theme::mix(theme_.text3, theme_.panel, step / 20));
  bool as_card = spines || card.fold >= 0;
  painter.fillRect(card.box, as_card ? theme_.panel : Theme::mix(colour, theme_.panel, 0.45));
  double x = card.box.left() + kPad;
  for (size_t i = 0; as_card && i < card.chips.size(); ++i) {
    Chip const& chip = card.chips[i];
    QColor spine = shows_cut() ? colour : paint::class_colour(theme_, chip.node->pattern);
    painter.fillRect(QRectF(x, card.box.bottom() - 32, std::min(chip.width, 40.0), 20), spine);
    x += std::min(chip.width, 40.0) + 8;
  }
  bool selected = is_chosen(card);
  if (!as_card && !selected) return;
  painter.setPen(QPen(selected ? theme_.ink : theme_.line3, (selected ? 2 : 1) * thin));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(card.box);
}

session::KernelRow const* GraphView::row_of(Card const& card) const {
  bool known = kernels_ && card.kernel >= 0 && size_t(card.kernel) < kernels_->rows.size();
  return known ? &kernels_->rows[size_t(card.kernel)] : nullptr;
}

void GraphView::draw_card(QPainter& painter, Card const& card) const {
  QRectF const& box = card.box;
  bool selected = is_chosen(card);
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
  paint::text(painter, QRectF(left, box.top() + 6, box.right() - left - 110, 24), ui_font(13, 600),
              theme_.text1, card.title);
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
  draw_value(painter, card);
}

/// What is laid over the card: in words, and as its share of the largest. Only what is known.
void GraphView::draw_value(QPainter& painter, Card const& card) const {
  QRectF const& box = card.box;
  size_t index = size_t(&card - made_->cards.data());
  if (overlay_ == graph::Overlay::kNone || index >= values_.size()) return;
  graph::CardValue const& value = values_[index];
  QRectF track(box.left() + kPad, box.bottom() - 11, box.width() - 2 * kPad, 3);
  painter.fillRect(track, theme_.line1);
  if (!value.known) return;
  painter.fillRect(QRectF(track.left(), track.top(), track.width() * value.share, 3), theme_.ink);
  paint::text(painter, QRectF(box.right() - 122, box.top() + 6, 110, 24), mono_font(12),
              theme_.text1, value.words, Qt::AlignRight | Qt::AlignVCenter);
}

/// The one that is found now has the thick frame; from far away a frame keeps its width.
void GraphView::draw_match(QPainter& painter, Card const& card, bool current) const {
  double thin = 1 / std::min(scale_, 1.0);
  painter.setPen(QPen(theme_.warn, (current ? 4 : 2) * thin));
  QColor tint = theme_.warn;
  tint.setAlphaF(current ? 0.3f : 0.14f);
  painter.setBrush(scale_ * unit() < graph::kReadable ? QBrush(tint) : QBrush(Qt::NoBrush));
  double out = 4 * thin;
  painter.drawRoundedRect(card.box.adjusted(-out, -out, out, out), 10, 10);
}

}  // namespace tw
