// SPDX-License-Identifier: GPL-3.0-or-later
// A model over several devices: cards in the colours of their devices, a flag where another device
// takes over, which can be dragged, and what the cut costs.
#include <QCursor>
#include <QPainter>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/graph/graph_view.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Border;
using graph::Card;

namespace {

constexpr double kFlagHeight = 18;
constexpr double kWordsHeight = 46;  // two lines

/// Those that no class of operators has.
constexpr int kHues[] = {4, 3, 5, 7};

QString words(std::string const& text) { return QString::fromStdString(text); }

}  // namespace

void GraphView::show_cut(std::shared_ptr<session::CutView const> cut) {
  if (cut == cut_) return;
  cut_ = std::move(cut);
  dragged_flag_ = drop_group_ = -1;
  update();
}

int GraphView::place_of(Card const& card) const {
  return card.members.empty() ? 0 : place_of(made_->members[size_t(card.members.front())]);
}

int GraphView::place_of(graph::Member const& member) const {
  int group = shows_cut() ? member.group : -1;
  return group >= 0 && size_t(group) < cut_->place_of.size() ? cut_->place_of[size_t(group)] : 0;
}

QColor GraphView::place_colour(int place) const {
  return place == 0 ? theme_.text2 : theme_.hue(kHues[size_t(place - 1) % std::size(kHues)]);
}

double GraphView::cut_words_height() const { return shows_cut() ? kWordsHeight : 0; }

Card const* GraphView::card_of_group(int group) const {
  auto of_group = [&](Card const& card) {
    if (card.fold < 0) return card.group == group && !card.inside;
    return std::ranges::any_of(
        card.members, [&](int member) { return made_->members[size_t(member)].group == group; });
  };
  auto found = std::ranges::find_if(made_->cards, of_group);
  return found == made_->cards.end() ? nullptr : &*found;
}

Card const* GraphView::card_at(QPointF scene) const {
  auto found = std::ranges::find_if(made_->cards,
                                    [&](Card const& card) { return card.box.contains(scene); });
  return found == made_->cards.end() ? nullptr : &*found;
}

/// On the upper edge of the card, in the graph's coordinates.
QRectF GraphView::flag_rect(session::CutPointView const& point, Card const& card) const {
  double wide =
      QFontMetricsF(ui_font(11, 600)).horizontalAdvance(words(cut_->places[size_t(point.place)])) +
      32;
  return {card.box.left() + graph::kPad, card.box.top() - kFlagHeight / 2 - 3, wide, kFlagHeight};
}

/// A point of the cut, by its flag; -1: none.
int GraphView::flag_at(QPointF scene) const {
  if (!shows_cut() || !ready()) return -1;
  for (size_t i = 0; i < cut_->points.size(); ++i) {
    Card const* card = card_of_group(cut_->points[i].group);
    if (card && flag_rect(cut_->points[i], *card).contains(scene)) return int(i);
  }
  return -1;
}

bool GraphView::goes_over(Border const& border) const {
  return shows_cut() &&
         place_of(made_->cards[size_t(border.from)]) != place_of(made_->cards[size_t(border.to)]);
}

// ---- painting ------------------------------------------------------------------------------

/// A band at the left edge of what runs elsewhere.
void GraphView::draw_place(QPainter& painter, Card const& card) const {
  int place = place_of(card);
  if (place == 0) return;
  painter.save();
  painter.setClipRect(QRectF(card.box.left(), card.box.top(), 6, card.box.height()),
                      Qt::IntersectClip);
  painter.setPen(Qt::NoPen);
  painter.setBrush(place_colour(place));
  painter.drawRoundedRect(card.box, 8, 8);
  painter.restore();
}

void GraphView::draw_flags(QPainter& painter) const {
  if (!shows_cut()) return;
  for (session::CutPointView const& point : cut_->points) {
    Card const* card = card_of_group(point.group);
    if (!card) continue;
    QRectF flag = flag_rect(point, *card);
    QColor colour = place_colour(point.place);
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(Theme::mix(colour, theme_.panel, 0.25));
    painter.drawRoundedRect(flag, kFlagHeight / 2, kFlagHeight / 2);
    // An arrow downwards: from here on.
    QPointF tip(flag.left() + 12, flag.center().y() + 3);
    painter.setPen(QPen(theme_.text1, 1.5));
    painter.drawLine(tip - QPointF(0, 7), tip);
    painter.drawLine(tip, tip + QPointF(-3, -3));
    painter.drawLine(tip, tip + QPointF(3, -3));
    paint::text(painter, flag.adjusted(22, 0, -6, 0), ui_font(11, 600), theme_.text1,
                words(cut_->places[size_t(point.place)]));
  }
}

/// Where a dragged flag would come down.
void GraphView::draw_drop(QPainter& painter) const {
  if (dragged_flag_ < 0 || drop_group_ < 0) return;
  Card const* card = card_of_group(drop_group_);
  if (!card) return;
  QColor colour = place_colour(cut_->points[size_t(dragged_flag_)].place);
  painter.setPen(QPen(colour, 3 / std::min(scale_, 1.0), Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(card->box.adjusted(-4, -4, 4, 4), 10, 10);
}

QString GraphView::cut_costs() const {
  auto value = [](double ms) { return words(milliseconds_text(ms)); };
  QString costs =
      words(count_text(cut_->copies, "value")) +
      QString(cut_->copies == 1 ? ", %1, is copied in each run" : ", %1, are copied in each run")
          .arg(paint::bytes(cut_->copied_bytes));
  // A target that this machine simulates takes the simulator's time, not its own.
  bool simulated = std::ranges::any_of(
      cut_->places, [](std::string const& place) { return place.starts_with("local:"); });
  if (cut_->ms)
    costs += QStringLiteral(" · ") + value(*cut_->ms) +
             (simulated ? QStringLiteral(" including simulation overhead") : QString());
  if (cut_->whole_ms)
    costs += QString(cut_->ms ? ", %1 on %2 alone" : QStringLiteral(" · %1 on %2 alone"))
                 .arg(value(*cut_->whole_ms), words(cut_->places.front()));
  if (!cut_->ms) costs += QStringLiteral(" · not measured yet");
  return costs;
}

/// The devices with how many kernels each runs, and below what that costs.
void GraphView::draw_cut_words(QPainter& painter) const {
  if (!shows_cut()) return;
  QRectF strip(0, unit_height() - kWordsHeight, unit_width(), kWordsHeight);
  painter.fillRect(strip, theme_.panel);
  painter.fillRect(QRectF(strip.left(), strip.top(), strip.width(), 1), theme_.line2);
  double x = 16;
  for (size_t place = 0; place < cut_->places.size(); ++place) {
    auto runs = std::ranges::count_if(made_->members, [&](graph::Member const& member) {
      return member.kernel >= 0 && place_of(member) == int(place);
    });
    QString text = words(cut_->places[place]) + QStringLiteral(" · ") +
                   words(count_text(int64_t(runs), "kernel"));
    double wide = QFontMetricsF(ui_font(12, 600)).horizontalAdvance(text) + 4;
    painter.fillRect(QRectF(x, strip.top() + 10, 10, 10), place_colour(int(place)));
    paint::text(painter, QRectF(x + 16, strip.top() + 5, std::min(wide, unit_width() - x - 24), 20),
                ui_font(12, 600), theme_.text1, text);
    x += wide + 36;
  }
  paint::text(painter, QRectF(16, strip.top() + 24, unit_width() - 32, 18), ui_font(12),
              theme_.text2, cut_costs());
}

// ---- dragging ------------------------------------------------------------------------------

bool GraphView::press_flag(QPointF scene) {
  dragged_flag_ = flag_at(scene);
  drop_group_ = -1;
  if (dragged_flag_ >= 0) setCursor(Qt::ClosedHandCursor);
  return dragged_flag_ >= 0;
}

void GraphView::drag_flag(QPointF scene) {
  Card const* card = card_at(scene);
  drop_group_ = card ? made_->members[size_t(card->members.front())].group : -1;
  update();
}

void GraphView::drop_flag() {
  int from = cut_->points[size_t(dragged_flag_)].group, to = drop_group_;
  dragged_flag_ = drop_group_ = -1;
  unsetCursor();
  update();
  if (to >= 0 && to != from) emit cut_moved(from, to);
}

}  // namespace tw
