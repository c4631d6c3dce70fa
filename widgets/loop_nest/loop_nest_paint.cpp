// SPDX-License-Identifier: GPL-3.0-or-later
// How the ladder is drawn; what it does is in ladder_view.cpp.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/loop_nest/divisors.h"
#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace ladder;
using session::LoopBar;
using session::LoopMark;

namespace {

void draw_glyph(QPainter& painter, LoopBar const& bar, QPointF at, Theme const& theme) {
  QColor colour = Theme::mix(theme.hue(bar.hue), theme.text1, 0.35);
  if (bar.bound == session::BoundTo::kNothing)
    paint::loop_glyph(painter, at, theme, bar.mark, colour);
  else
    paint::bound_glyph(painter, at, bar.bound, colour);
}

}  // namespace

void LoopNestView::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!nest_) {
    paint::text(painter, QRectF(24, 24, unit_width() - 48, 24), ui_font(12), theme_.text2,
                empty_words_);
    return;
  }
  if (Item const* lit = item_of(selection_.lit()))
    painter.fillRect(QRectF(0, lit->rect.top() - 5, unit_width(), kRow),
                     Theme::mix(theme_.hue(lit->bar->hue), theme_.panel, 0.12));
  // Rails: from each spine down the body.
  for (Item const& item : items_) {
    if (!item.bar) continue;
    double bottom = item.rect.bottom();
    for (Item const& below : items_)
      if (below.bar && below.bar->stage == item.bar->stage && below.bar->depth > item.bar->depth)
        bottom = std::max(bottom, below.rect.bottom());
    painter.fillRect(
        QRectF(item.rect.left() + 1, item.rect.bottom(), 2, bottom - item.rect.bottom()),
        Theme::mix(theme_.hue(item.bar->hue), theme_.panel, 0.55));
  }
  draw_footprints(painter);
  for (Item const& item : items_) {
    if (item.bar) {
      draw_bar(painter, item);
      continue;
    }
    draw_head(painter, item);
  }
  for (Note const& note : notes_)
    note.barrier ? draw_barrier(painter, note) : draw_memory(painter, note);
  for (Item const& item : items_)
    if (item.bar && move_of(item.bar->id)) draw_mark(painter, item);
  draw_drag(painter);
  if (ahead_) draw_ahead(painter);
}

/// The stage's name, its instruction and its memory with a frame each, and what there is of it.
void LoopNestView::draw_head(QPainter& painter, Item const& item) const {
  session::StageCard const& stage = *item.stage;
  QRectF card = item.rect.adjusted(0, 0, 0, -4);
  QString name = QString::fromStdString(stage.name);
  paint::text(painter, card, mono_font(13, 600), theme_.text1, name);
  double x = card.left() + QFontMetricsF(mono_font(13, 600)).horizontalAdvance(name) + 12;
  for (std::string const* framed : {&stage.call, &stage.memory}) {
    if (framed->empty()) continue;
    QString word = QString::fromStdString(*framed);
    double wide = QFontMetricsF(mono_font(11, 500)).horizontalAdvance(word) + 14;
    QRectF frame(x, card.center().y() - 9, wide, 18);
    bool call = framed == &stage.call;
    painter.setPen(QPen(call ? theme_.ink : theme_.line3, 1));
    painter.setBrush(call ? Theme::mix(theme_.ink, theme_.panel, 0.12) : theme_.inset);
    painter.drawRoundedRect(frame, 4, 4);
    paint::text(painter, frame.adjusted(7, 0, 0, 0), mono_font(11, 500), theme_.text1, word);
    x += wide + 8;
  }
  QString words =
      QString::fromStdString(stage.op.empty() || stage.op == stage.name ? "" : stage.op + " · ") +
      paint::shape(stage.summary + " · " + stage.output);
  paint::text(painter, QRectF(x, card.top(), 420, card.height()), ui_font(11), theme_.text3, words);
}

/// All threads stop at the line, and go on together.
void LoopNestView::draw_barrier(QPainter& painter, Note const& note) const {
  bool lit = note.barrier->loop >= 0 && note.barrier->loop == selection_.lit();
  QColor colour = lit ? theme_.ink : theme_.text2;
  double y = note.rect.center().y(), x = note.rect.left();
  painter.setPen(QPen(colour, 1.5));
  painter.drawLine(QPointF(x, y), QPointF(x + 34, y));
  for (int thread = 0; thread < 4; ++thread)
    painter.drawLine(QPointF(x + 5 + 8 * thread, y - 6), QPointF(x + 5 + 8 * thread, y + 6));
  QRectF words(x + 44, note.rect.top(), std::max(footprint_left_ - x - 52, 40.0),
               note.rect.height());
  paint::text(painter, words, mono_font(11), colour, barrier_words(*note.barrier));
}

/// How much of a memory the tensors take that live there together, and which they are.
void LoopNestView::draw_memory(QPainter& painter, Note const& note) const {
  session::MemoryCard const& memory = *note.memory;
  QString words = memory_words(memory);
  bool full = memory.bytes > 0 && memory.used > memory.bytes;
  paint::text(painter, note.rect, mono_font(12, 600), full ? theme_.error : theme_.text1, words);
  double x = note.rect.left() + QFontMetricsF(mono_font(12, 600)).horizontalAdvance(words) + 14;
  if (memory.bytes > 0) {
    double share = std::min(1.0, double(memory.used) / double(memory.bytes));
    QRectF gauge(x, note.rect.center().y() - 4, 96, 8);
    painter.setPen(QPen(theme_.line3, 1));
    painter.setBrush(theme_.inset);
    painter.drawRoundedRect(gauge, 3, 3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(full ? theme_.error : theme_.levels[1]);
    painter.drawRoundedRect(gauge.adjusted(1, 1, -1 - (gauge.width() - 2) * (1 - share), -1), 2, 2);
    x = gauge.right() + 14;
  }
  paint::text(painter, QRectF(x, note.rect.top(), note.rect.right() - x, note.rect.height()),
              mono_font(11), theme_.text2, tensor_words(memory));
}

void LoopNestView::draw_bar(QPainter& painter, Item const& item) const {
  LoopBar const& bar = *item.bar;
  bool refused = std::find(refused_.begin(), refused_.end(), bar.id) != refused_.end();
  paint::bar(painter, item.rect, theme_, bar.hue, bar.level, refused);
  double glyph = bar.mark == LoopMark::kSerial ? 0 : 20;
  QFont name_font = mono_font(13, 600);
  QString extent = QString::number(bar.extent);
  double extent_width = QFontMetricsF(mono_font(12)).horizontalAdvance(extent) + 24;
  QRectF name(item.rect.left() + 12, item.rect.top(), item.rect.width() - 12 - glyph - extent_width,
              item.rect.height());
  paint::text(painter, name, name_font, theme_.text1, shown_name(bar));
  double used = std::min(name.width(), QFontMetricsF(name_font).horizontalAdvance(shown_name(bar)));
  if (glyph > 0)
    draw_glyph(painter, bar, QPointF(name.left() + used + 8, item.rect.center().y()), theme_);
  paint::text(painter,
              QRectF(item.rect.right() - extent_width, item.rect.top(), extent_width - 20,
                     item.rect.height()),
              mono_font(12), theme_.text2, extent, Qt::AlignRight | Qt::AlignVCenter);
  painter.setPen(QPen(Theme::mix(theme_.hue(bar.hue), theme_.text1, 0.5), 1.5));
  for (int i = 0; i < 2; ++i)
    painter.drawLine(QPointF(item.rect.right() - 9 + 4 * i, item.rect.center().y() - 6),
                     QPointF(item.rect.right() - 9 + 4 * i, item.rect.center().y() + 6));
  if (!bar.consequence.empty())
    paint::text(painter, QRectF(item.rect.right() + 10, item.rect.top(), 96, item.rect.height()),
                ui_font(12), theme_.text2, QString::fromStdString(bar.consequence));
  if (bar.id != selection_.loop()) return;
  paint::focus_ring(painter, item.rect, theme_, 5);
  draw_fits(painter, item);
}

/// Where on the bar a split by `factor` is pulled to: the bar's own logarithmic scale.
double LoopNestView::place_of(Item const& item, int64_t factor) const {
  double share =
      item.bar->extent > 1 ? std::log(double(factor)) / std::log(double(item.bar->extent)) : 0;
  return item.rect.left() + item.rect.width() * std::clamp(share, 0.05, 1.0);
}

/// Ticks at the divisors, and a triangle for each cache at the largest factor whose data fits.
void LoopNestView::draw_fits(QPainter& painter, Item const& item) const {
  double y = item.rect.bottom();
  if (drag_ == Drag::kSplit) {
    painter.setPen(QPen(theme_.line3, 1));
    for (int64_t divisor : divisors_of(item.bar->extent)) {
      double x = place_of(item, divisor);
      painter.drawLine(QPointF(x, y - 4), QPointF(x, y));
    }
  }
  painter.setPen(Qt::NoPen);
  for (size_t level = item.bar->fits.size(); level-- > 0;) {
    int64_t factor = item.bar->fits[level];
    if (factor <= 1 || factor >= item.bar->extent || level > 2) continue;
    double x = place_of(item, factor);
    painter.setBrush(theme_.levels[level]);
    painter.drawPolygon(QPolygonF({{x - 5, y + 1}, {x + 5, y + 1}, {x, y + 8}}));
  }
}

/// "fits L2": the nearest cache that holds what `factor` iterations work on.
QString LoopNestView::fits_words(LoopBar const& bar, int64_t factor) const {
  for (size_t level = 0; level < bar.fits.size(); ++level)
    if (factor <= bar.fits[level]) return QString("fits L%1").arg(level + 1);
  return bar.fits.empty() ? QString() : QString("fits no cache");
}

void LoopNestView::draw_footprints(QPainter& painter) const {
  // Narrow panes get a narrower scale; below a thumb's width the numbers alone would say nothing.
  double left = footprint_left_, span = std::min(kGraph, unit_width() - footprint_left_ - 74);
  if (span < 70) return;
  double top = items_.empty() ? 0 : items_.front().rect.top();
  double bottom = items_.empty() ? 0 : items_.back().rect.bottom();
  auto x_of = [&](double bytes) {
    return left + span * std::clamp((std::log2(std::max(bytes, 50.0)) - std::log2(50.0)) /
                                        (std::log2(64e6) - std::log2(50.0)),
                                    0.0, 1.0);
  };
  static QString const kNames[] = {"L1", "L2", "L3"};
  double from = left;
  for (size_t i = 0; i < caches_.size() && i < 3; ++i) {
    double x = x_of(double(caches_[i]));
    QColor tint = theme_.levels[i];
    tint.setAlphaF(0.07f);
    painter.fillRect(QRectF(from, top, x - from, bottom - top), tint);
    painter.setPen(QPen(theme_.levels[i], 1));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    paint::text(painter, QRectF(x - 26, top - 2, 24, 16), ui_font(11, 500), theme_.levels[i],
                kNames[i], Qt::AlignRight | Qt::AlignTop);
    from = x;
  }
  for (Item const& item : items_) {
    if (!item.bar) continue;
    double x = x_of(double(item.bar->footprint)), y = item.rect.center().y();
    size_t level = 0;
    while (level < caches_.size() && item.bar->footprint > caches_[level]) ++level;
    QColor colour = theme_.levels[std::min<size_t>(level, 3)];
    painter.setPen(QPen(colour, 1.5));
    painter.drawLine(QPointF(left, y), QPointF(x, y));
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(x, y), 3.5, 3.5);
    // The numbers stand in a column of their own, clear of the cache lines.
    paint::text(painter, QRectF(left + span + 2, y - 9, 62, 18), mono_font(11), theme_.text2,
                paint::bytes(item.bar->footprint), Qt::AlignRight | Qt::AlignVCenter);
  }
}

void LoopNestView::draw_drag(QPainter& painter) const {
  if (drag_ == Drag::kNone) return draw_hint(painter);
  if (drag_ == Drag::kPress || drag_ == Drag::kPressHead) return;
  Item const* item = item_of(dragged_);
  if (item && drag_ == Drag::kMove && slot_ >= 0) draw_moved_bar(painter, *item);
  if (item && drag_ == Drag::kSplit) draw_split(painter, *item);
  if (item && (drag_ == Drag::kChip || drag_ == Drag::kHead)) {
    painter.setPen(QPen(preview_.refusal ? theme_.error : theme_.ok, 1.5, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(item->rect.adjusted(-2, -2, 2, 2), 6, 6);
  }
  if (drag_ == Drag::kHead) draw_moved_head(painter);
  draw_hint(painter);
}

/// The place where it would go, and the bar on its way there.
void LoopNestView::draw_moved_bar(QPainter& painter, Item const& item) const {
  bool legal = !preview_.refusal;
  for (Item const& other : items_) {
    if (!other.bar || other.bar->stage != item.bar->stage || slot_of(other) != slot_) continue;
    double y = slot_ > slot_of(item) ? other.rect.bottom() + 5 : other.rect.top() - 5;
    painter.setPen(QPen(legal ? theme_.ink : theme_.error, 2));
    painter.drawLine(QPointF(other.rect.left(), y), QPointF(other.rect.left() + 260, y));
    painter.drawLine(QPointF(other.rect.left(), y - 3), QPointF(other.rect.left(), y + 3));
  }
  QRectF ghost = item.rect.translated(at_ - press_);
  painter.setOpacity(0.8);
  paint::bar(painter, ghost, theme_, item.bar->hue, item.bar->level, !legal);
  paint::text(painter, ghost.adjusted(12, 0, 0, 0), mono_font(13, 600), theme_.text1,
              QString::fromStdString(item.bar->name));
  painter.setOpacity(1);
}

/// The stage's name, above the pointer: what it would do stands below.
void LoopNestView::draw_moved_head(QPainter& painter) const {
  QString name = QString::fromStdString(nest_->stages[size_t(dragged_head_)].name);
  QFont font = mono_font(13, 600);
  QRectF ghost(at_.x() + 16, at_.y() - 20, QFontMetricsF(font).horizontalAdvance(name) + 24, 26);
  painter.setPen(QPen(theme_.line3, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(ghost, 6, 6);
  paint::text(painter, ghost.adjusted(12, 0, 0, 0), font, theme_.text1, name);
}

void LoopNestView::draw_split(QPainter& painter, Item const& item) const {
  bool legal = !preview_.refusal;
  int64_t outer = factor_ > 0 ? (item.bar->extent + factor_ - 1) / factor_ : 1;
  QRectF first(item.rect.left(), item.rect.top(), bar_width(outer), kBar),
      second(first.right() + 6, item.rect.top(), bar_width(factor_), kBar);
  paint::bar(painter, first, theme_, item.bar->hue, item.bar->level, !legal);
  paint::bar(painter, second, theme_, item.bar->hue, item.bar->level + 1, !legal);
  paint::text(painter, first.adjusted(12, 0, -6, 0), mono_font(13, 600), theme_.text1,
              QString::number(outer));
  paint::text(painter, second.adjusted(12, 0, -6, 0), mono_font(13, 600), theme_.text1,
              typed_.isEmpty() ? QString::number(factor_) : typed_);
  bool divides = factor_ > 0 && item.bar->extent % factor_ == 0;
  QString words = divides ? "divides" : "leaves a guarded remainder";
  QString fits = fits_words(*item.bar, factor_);
  if (!fits.isEmpty()) words += " · " + fits;
  // It may reach into the footprints: they do not go through the words.
  QRectF room(second.right() + 10, second.top(), 240, kBar);
  double wide = QFontMetricsF(ui_font(12)).horizontalAdvance(words);
  painter.fillRect(room.adjusted(-4, 2, wide + 4 - room.width(), -2), theme_.panel);
  paint::text(painter, room, ui_font(12), theme_.text2, words);
  draw_fits(painter, item);
}

/// What the step is, what it is worth and what memories would hold after it: where it is seen.
void LoopNestView::draw_hint(QPainter& painter) const {
  std::vector<Hint> hint = this->hint();
  if (hint.empty()) return;
  QFont const font = mono_font(11);
  QFontMetricsF const metrics(font);
  QRect all = visibleRegion().boundingRect();
  QRectF seen(units(all.topLeft()), units(all.bottomRight()));
  double wide = 250;
  for (Hint& line : hint) {
    line.words = metrics.elidedText(line.words, Qt::ElideRight, std::max(seen.width() - 48, 120.0));
    wide = std::max(wide, metrics.horizontalAdvance(line.words) + 26);
  }
  wide = std::min(wide, seen.width() - 20);
  double high = 6 + 18 * double(hint.size());
  double left = std::max(std::min(at_.x() + 16, seen.right() - wide - 10), seen.left() + 10);
  bool below = at_.y() + 14 + high < seen.bottom();
  QRectF pill(left, below ? at_.y() + 14 : at_.y() - 18 - high, wide, high);
  bool wrong = std::ranges::any_of(hint, &Hint::wrong);
  painter.setPen(QPen(wrong ? theme_.error : theme_.line2, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(pill, 6, 6);
  QRectF row(pill.left() + 10, pill.top() + 3, pill.width() - 18, 18);
  for (Hint const& line : hint) {
    QColor colour = line.wrong               ? theme_.error
                    : &line == &hint.front() ? theme_.text1
                                             : theme_.text2;
    paint::text(painter, row, font, colour, line.words);
    row.translate(0, 18);
  }
}

}  // namespace tw
