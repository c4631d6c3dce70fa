// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_cut.h"

#include <algorithm>
#include <utility>

#include "engine/support/base/quantities.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_lookup.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Card;

namespace {

constexpr double kFlagHeight = 18;
constexpr double kWordsHeight = 46;  // two lines

/// Those that no class of operators has.
constexpr int kHues[] = {4, 3, 5, 7};

QString words(std::string const& text) { return QString::fromStdString(text); }

/// What the copies between devices cost, and what all of it takes.
QString costs_of(session::CutView const& cut) {
  auto value = [](double ms) { return words(milliseconds_text(ms)); };
  QString costs =
      words(count_text(cut.copies, "value")) +
      QString(cut.copies == 1 ? ", %1, is copied in each run" : ", %1, are copied in each run")
          .arg(paint::bytes(cut.copied_bytes));
  // A target that this machine simulates takes the simulator's time, not its own.
  bool simulated = std::ranges::any_of(
      cut.places, [](std::string const& place) { return place.starts_with("local:"); });
  if (cut.ms)
    costs += QStringLiteral(" · ") + value(*cut.ms) +
             (simulated ? QStringLiteral(" including simulation overhead") : QString());
  if (cut.whole_ms)
    costs += QString(cut.ms ? ", %1 on %2 alone" : QStringLiteral(" · %1 on %2 alone"))
                 .arg(value(*cut.whole_ms), words(cut.places.front()));
  if (!cut.ms) costs += QStringLiteral(" · not measured yet");
  return costs;
}

}  // namespace

void GraphCut::show(std::shared_ptr<session::CutView const> cut) {
  if (cut == cut_) return;
  cut_ = std::move(cut);
  reset();
  emit changed();
}

bool GraphCut::is_shown() const { return cut_ && !layout_.before(); }

double GraphCut::height() const { return is_shown() ? kWordsHeight : 0; }

int GraphCut::place_of(Card const& card) const {
  if (card.members.empty()) return 0;
  return place_of(layout_.cards()->members[size_t(card.members.front())]);
}

int GraphCut::place_of(graph::Member const& member) const {
  int group = is_shown() ? member.group : -1;
  return group >= 0 && size_t(group) < cut_->place_of.size() ? cut_->place_of[size_t(group)] : 0;
}

QColor GraphCut::colour_of(Theme const& theme, int place) const {
  return place == 0 ? theme.text2 : theme.hue(kHues[size_t(place - 1) % std::size(kHues)]);
}

bool GraphCut::is_crossed_by(graph::Border const& border) const {
  if (!is_shown()) return false;
  auto const& cards = layout_.cards()->cards;
  return place_of(cards[size_t(border.from)]) != place_of(cards[size_t(border.to)]);
}

/// On the upper edge of the card, in the graph's coordinates.
QRectF GraphCut::flag_rect(session::CutPointView const& point, Card const& card) const {
  QString name = words(cut_->places[size_t(point.place)]);
  double wide = QFontMetricsF(ui_font(11, 600)).horizontalAdvance(name) + 32;
  return {card.box.left() + graph::kPad, card.box.top() - kFlagHeight / 2 - 3, wide, kFlagHeight};
}

int GraphCut::flag_at(QPointF place) const {
  if (!is_shown() || !layout_.cards()) return -1;
  for (size_t i = 0; i < cut_->points.size(); ++i) {
    Card const* card = card_of(layout_.cards(), cut_->points[i].group);
    if (card && flag_rect(cut_->points[i], *card).contains(place)) return int(i);
  }
  return -1;
}

// ---- dragging ------------------------------------------------------------------------------

bool GraphCut::press(QPointF place) {
  dragged_ = flag_at(place);
  drop_group_ = -1;
  return is_dragged();
}

void GraphCut::drag(QPointF place) {
  Card const* card = card_at(layout_.cards(), place);
  drop_group_ = card ? layout_.cards()->members[size_t(card->members.front())].group : -1;
  emit changed();
}

void GraphCut::drop() {
  int from = cut_->points[size_t(dragged_)].group, to = drop_group_;
  reset();
  emit changed();
  if (to >= 0 && to != from) emit moved(from, to);
}

void GraphCut::cancel_drag() {
  reset();
  emit changed();
}

// ---- painting ------------------------------------------------------------------------------

void GraphCut::paint_band(QPainter& painter, Theme const& theme, Card const& card) const {
  int place = place_of(card);
  if (place == 0) return;
  painter.save();
  painter.setClipRect(QRectF(card.box.left(), card.box.top(), 6, card.box.height()),
                      Qt::IntersectClip);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour_of(theme, place));
  painter.drawRoundedRect(card.box, 8, 8);
  painter.restore();
}

void GraphCut::paint_flags(QPainter& painter, Theme const& theme) const {
  if (!is_shown()) return;
  for (session::CutPointView const& point : cut_->points) {
    Card const* card = card_of(layout_.cards(), point.group);
    if (!card) continue;
    QRectF flag = flag_rect(point, *card);
    QColor colour = colour_of(theme, point.place);
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(Theme::mix(colour, theme.panel, 0.25));
    painter.drawRoundedRect(flag, kFlagHeight / 2, kFlagHeight / 2);
    // An arrow downwards: from here on.
    QPointF tip(flag.left() + 12, flag.center().y() + 3);
    painter.setPen(QPen(theme.text1, 1.5));
    painter.drawLine(tip - QPointF(0, 7), tip);
    painter.drawLine(tip, tip + QPointF(-3, -3));
    painter.drawLine(tip, tip + QPointF(3, -3));
    paint::text(painter, flag.adjusted(22, 0, -6, 0), ui_font(11, 600), theme.text1,
                words(cut_->places[size_t(point.place)]));
  }
}

void GraphCut::paint_drop(QPainter& painter, Theme const& theme, double scale) const {
  if (dragged_ < 0 || drop_group_ < 0) return;
  Card const* card = card_of(layout_.cards(), drop_group_);
  if (!card) return;
  QColor colour = colour_of(theme, cut_->points[size_t(dragged_)].place);
  painter.setPen(QPen(colour, 3 / std::min(scale, 1.0), Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(card->box.adjusted(-4, -4, 4, 4), 10, 10);
}

void GraphCut::paint_words(QPainter& painter, Theme const& theme, QRectF const& strip) const {
  if (!is_shown()) return;
  painter.fillRect(strip, theme.panel);
  painter.fillRect(QRectF(strip.left(), strip.top(), strip.width(), 1), theme.line2);
  double x = 16;
  for (size_t place = 0; place < cut_->places.size(); ++place) {
    auto runs = std::ranges::count_if(layout_.cards()->members, [&](graph::Member const& member) {
      return member.kernel >= 0 && place_of(member) == int(place);
    });
    QString text = words(cut_->places[place]) + QStringLiteral(" · ") +
                   words(count_text(int64_t(runs), "kernel"));
    double wide = QFontMetricsF(ui_font(12, 600)).horizontalAdvance(text) + 4;
    painter.fillRect(QRectF(x, strip.top() + 10, 10, 10), colour_of(theme, int(place)));
    paint::text(painter,
                QRectF(x + 16, strip.top() + 5, std::min(wide, strip.width() - x - 24), 20),
                ui_font(12, 600), theme.text1, text);
    x += wide + 36;
  }
  paint::text(painter, QRectF(16, strip.top() + 24, strip.width() - 32, 18), ui_font(12),
              theme.text2, costs_of(*cut_));
}

}  // namespace tw
