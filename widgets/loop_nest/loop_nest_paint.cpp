// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/loop_nest/loop_nest_paint.h"

#include <algorithm>
#include <cmath>

#include "widgets/loop_nest/divisors.h"
#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/moves/move_mark.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace loop_nest_metrics;
using session::LoopBar;
using session::LoopMark;

namespace {

void paint_glyph(QPainter& painter, LoopBar const& bar, QPointF at, Theme const& theme) {
  QColor colour = Theme::mix(theme.hue(bar.hue), theme.text1, 0.35);
  if (bar.bound == session::BoundTo::kNothing)
    paint::loop_glyph(painter, at, theme, bar.mark, colour);
  else
    paint::bound_glyph(painter, at, bar.bound, colour);
}

/// The stage's name, its instruction and its memory with a frame each, and what there is of it.
void paint_head(QPainter& painter, LoopNestScene const& scene, NestItem const& item) {
  session::StageCard const& stage = *item.stage;
  QRectF card = item.rect.adjusted(0, 0, 0, -4);
  QString name = QString::fromStdString(stage.name);
  paint::text(painter, card, mono_font(13, 600), scene.canvas.theme().text1, name);
  double x = card.left() + QFontMetricsF(mono_font(13, 600)).horizontalAdvance(name) + 12;
  for (std::string const* framed : {&stage.call, &stage.memory}) {
    if (framed->empty()) continue;
    QString word = QString::fromStdString(*framed);
    double wide = QFontMetricsF(mono_font(11, 500)).horizontalAdvance(word) + 14;
    QRectF frame(x, card.center().y() - 9, wide, 18);
    bool call = framed == &stage.call;
    painter.setPen(QPen(call ? scene.canvas.theme().ink : scene.canvas.theme().line3, 1));
    painter.setBrush(call ? Theme::mix(scene.canvas.theme().ink, scene.canvas.theme().panel, 0.12)
                          : scene.canvas.theme().inset);
    painter.drawRoundedRect(frame, 4, 4);
    paint::text(painter, frame.adjusted(7, 0, 0, 0), mono_font(11, 500), scene.canvas.theme().text1,
                word);
    x += wide + 8;
  }
  QString words =
      QString::fromStdString(stage.op.empty() || stage.op == stage.name ? "" : stage.op + " · ") +
      paint::shape(stage.summary + " · " + stage.output);
  paint::text(painter, QRectF(x, card.top(), 420, card.height()), ui_font(11),
              scene.canvas.theme().text3, words);
}

/// All threads stop at the line, and go on together.
void paint_barrier(QPainter& painter, LoopNestScene const& scene, NestNote const& note) {
  bool lit = note.barrier->loop >= 0 && note.barrier->loop == scene.selection.lit();
  QColor colour = lit ? scene.canvas.theme().ink : scene.canvas.theme().text2;
  double y = note.rect.center().y(), x = note.rect.left();
  painter.setPen(QPen(colour, 1.5));
  painter.drawLine(QPointF(x, y), QPointF(x + 34, y));
  for (int thread = 0; thread < 4; ++thread)
    painter.drawLine(QPointF(x + 5 + 8 * thread, y - 6), QPointF(x + 5 + 8 * thread, y + 6));
  QRectF words(x + 44, note.rect.top(), std::max(scene.layout.footprint_left - x - 52, 40.0),
               note.rect.height());
  paint::text(painter, words, mono_font(11), colour, barrier_words(*note.barrier));
}

/// How much of a memory the tensors take that live there together, and which they are.
void paint_memory(QPainter& painter, LoopNestScene const& scene, NestNote const& note) {
  session::MemoryCard const& memory = *note.memory;
  QString words = memory_words(memory);
  bool full = memory.bytes > 0 && memory.used > memory.bytes;
  paint::text(painter, note.rect, mono_font(12, 600),
              full ? scene.canvas.theme().error : scene.canvas.theme().text1, words);
  double x = note.rect.left() + QFontMetricsF(mono_font(12, 600)).horizontalAdvance(words) + 14;
  if (memory.bytes > 0) {
    double share = std::min(1.0, double(memory.used) / double(memory.bytes));
    QRectF gauge(x, note.rect.center().y() - 4, 96, 8);
    painter.setPen(QPen(scene.canvas.theme().line3, 1));
    painter.setBrush(scene.canvas.theme().inset);
    painter.drawRoundedRect(gauge, 3, 3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(full ? scene.canvas.theme().error : scene.canvas.theme().levels[1]);
    painter.drawRoundedRect(gauge.adjusted(1, 1, -1 - (gauge.width() - 2) * (1 - share), -1), 2, 2);
    x = gauge.right() + 14;
  }
  paint::text(painter, QRectF(x, note.rect.top(), note.rect.right() - x, note.rect.height()),
              mono_font(11), scene.canvas.theme().text2, tensor_words(memory));
}

/// Where on the bar a split by `factor` is pulled to: the bar's own logarithmic scale.
double place_of(NestItem const& item, int64_t factor) {
  double share =
      item.bar->extent > 1 ? std::log(double(factor)) / std::log(double(item.bar->extent)) : 0;
  return item.rect.left() + item.rect.width() * std::clamp(share, 0.05, 1.0);
}

void paint_bar(QPainter& painter, LoopNestScene const& scene, NestItem const& item) {
  LoopBar const& bar = *item.bar;
  bool refused =
      std::find(scene.refused.begin(), scene.refused.end(), bar.id) != scene.refused.end();
  paint::bar(painter, item.rect, scene.canvas.theme(), bar.hue, bar.level, refused);
  double glyph = bar.mark == LoopMark::kSerial ? 0 : 20;
  QFont name_font = mono_font(13, 600);
  QString extent = QString::number(bar.extent);
  double extent_width = QFontMetricsF(mono_font(12)).horizontalAdvance(extent) + 24;
  QRectF name(item.rect.left() + 12, item.rect.top(), item.rect.width() - 12 - glyph - extent_width,
              item.rect.height());
  // The end of a long name tells a loop from others of the same axis.
  QFontMetricsF metrics(name_font);
  QString words = metrics.elidedText(shown_name(bar), Qt::ElideMiddle, name.width());
  paint::text(painter, name, name_font, scene.canvas.theme().text1, words);
  double used = metrics.horizontalAdvance(words);
  if (glyph > 0)
    paint_glyph(painter, bar, QPointF(name.left() + used + 8, item.rect.center().y()),
                scene.canvas.theme());
  paint::text(painter,
              QRectF(item.rect.right() - extent_width, item.rect.top(), extent_width - 20,
                     item.rect.height()),
              mono_font(12), scene.canvas.theme().text2, extent, Qt::AlignRight | Qt::AlignVCenter);
  painter.setPen(
      QPen(Theme::mix(scene.canvas.theme().hue(bar.hue), scene.canvas.theme().text1, 0.5), 1.5));
  for (int i = 0; i < 2; ++i)
    painter.drawLine(QPointF(item.rect.right() - 9 + 4 * i, item.rect.center().y() - 6),
                     QPointF(item.rect.right() - 9 + 4 * i, item.rect.center().y() + 6));
  if (!bar.consequence.empty())
    paint::text(painter, QRectF(item.rect.right() + 10, item.rect.top(), 96, item.rect.height()),
                ui_font(12), scene.canvas.theme().text2, QString::fromStdString(bar.consequence));
  if (bar.id != scene.selection.loop()) return;
  paint::focus_ring(painter, item.rect, scene.canvas.theme(), 5);
  paint_fits(painter, scene, item);
}

void paint_footprints(QPainter& painter, LoopNestScene const& scene) {
  // Narrow panes get a narrower scale; below a thumb's width the numbers alone would say nothing.
  double left = scene.layout.footprint_left,
         span = std::min(kGraph, scene.canvas.unit_width() - scene.layout.footprint_left - 74);
  if (span < 70) return;
  double top = scene.layout.items.empty() ? 0 : scene.layout.items.front().rect.top();
  double bottom = scene.layout.items.empty() ? 0 : scene.layout.items.back().rect.bottom();
  auto x_of = [&](double bytes) {
    return left + span * std::clamp((std::log2(std::max(bytes, 50.0)) - std::log2(50.0)) /
                                        (std::log2(64e6) - std::log2(50.0)),
                                    0.0, 1.0);
  };
  static QString const kNames[] = {"L1", "L2", "L3"};
  double from = left;
  for (size_t i = 0; i < scene.caches.size() && i < 3; ++i) {
    double x = x_of(double(scene.caches[i]));
    QColor tint = scene.canvas.theme().levels[i];
    tint.setAlphaF(0.07f);
    painter.fillRect(QRectF(from, top, x - from, bottom - top), tint);
    painter.setPen(QPen(scene.canvas.theme().levels[i], 1));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    paint::text(painter, QRectF(x - 26, top - 2, 24, 16), ui_font(11, 500),
                scene.canvas.theme().levels[i], kNames[i], Qt::AlignRight | Qt::AlignTop);
    from = x;
  }
  for (NestItem const& item : scene.layout.items) {
    if (!item.bar) continue;
    double x = x_of(double(item.bar->footprint)), y = item.rect.center().y();
    size_t level = 0;
    while (level < scene.caches.size() && item.bar->footprint > scene.caches[level]) ++level;
    QColor colour = scene.canvas.theme().levels[std::min<size_t>(level, 3)];
    painter.setPen(QPen(colour, 1.5));
    painter.drawLine(QPointF(left, y), QPointF(x, y));
    painter.setBrush(colour);
    painter.drawEllipse(QPointF(x, y), 3.5, 3.5);
    // The numbers stand in a column of their own, clear of the cache lines.
    paint::text(painter, QRectF(left + span + 2, y - 9, 62, 18), mono_font(11),
                scene.canvas.theme().text2, paint::bytes(item.bar->footprint),
                Qt::AlignRight | Qt::AlignVCenter);
  }
}

/// What a click here would bring.
void paint_mark(QPainter& painter, LoopNestScene const& scene, NestItem const& item) {
  QRectF mark = scene.mark_of(item.bar->id);
  draw_move_mark(painter, mark, *scene.move_of(item.bar->id),
                 mark.contains(scene.drag.at) && scene.here, scene.canvas.theme());
}

/// The nest is not there yet: what is new in it is framed, and the words say what it is worth.
void paint_ahead(QPainter& painter, LoopNestScene const& scene) {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(scene.canvas.theme().ok, 1.5, Qt::DashLine));
  for (NestItem const& item : scene.layout.items)
    if (item.bar && scene.is_new(*item.bar))
      painter.drawRoundedRect(item.rect.adjusted(-2.5, -2.5, 2.5, 2.5), 6, 6);
  QRect all = scene.canvas.visibleRegion().boundingRect();
  QRectF seen(scene.canvas.units(all.topLeft()), scene.canvas.units(all.bottomRight()));
  QString words = QString::fromStdString(
      "Preview" + (scene.outlook->words.empty() ? "" : ": " + scene.outlook->words));
  QFont font = ui_font(12, 500);
  double wide = QFontMetricsF(font).horizontalAdvance(words) + 24;
  QRectF plate(seen.left() + 16, seen.bottom() - 40, std::min(wide, seen.width() - 32), 28);
  painter.setPen(QPen(scene.canvas.theme().line2, 1));
  painter.setBrush(scene.canvas.theme().raised);
  painter.drawRoundedRect(plate, 6, 6);
  paint::text(painter, plate.adjusted(12, 0, -8, 0), font, scene.canvas.theme().text1,
              QFontMetricsF(font).elidedText(words, Qt::ElideRight, plate.width() - 20));
}

}  // namespace

void paint_fits(QPainter& painter, LoopNestScene const& scene, NestItem const& item) {
  double y = item.rect.bottom();
  if (scene.drag.kind == NestDrag::kSplit) {
    painter.setPen(QPen(scene.canvas.theme().line3, 1));
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
    painter.setBrush(scene.canvas.theme().levels[level]);
    painter.drawPolygon(QPolygonF({{x - 5, y + 1}, {x + 5, y + 1}, {x, y + 8}}));
  }
}

void paint_nest(QPainter& painter, LoopNestScene const& scene) {
  if (NestItem const* lit = scene.layout.item_of(scene.selection.lit()))
    painter.fillRect(
        QRectF(0, lit->rect.top() - 5, scene.canvas.unit_width(), kRow),
        Theme::mix(scene.canvas.theme().hue(lit->bar->hue), scene.canvas.theme().panel, 0.12));
  // Rails: from each spine down the body.
  for (NestItem const& item : scene.layout.items) {
    if (!item.bar) continue;
    double bottom = item.rect.bottom();
    for (NestItem const& below : scene.layout.items)
      if (below.bar && below.bar->stage == item.bar->stage && below.bar->depth > item.bar->depth)
        bottom = std::max(bottom, below.rect.bottom());
    painter.fillRect(
        QRectF(item.rect.left() + 1, item.rect.bottom(), 2, bottom - item.rect.bottom()),
        Theme::mix(scene.canvas.theme().hue(item.bar->hue), scene.canvas.theme().panel, 0.55));
  }
  paint_footprints(painter, scene);
  for (NestItem const& item : scene.layout.items) {
    if (item.bar) {
      paint_bar(painter, scene, item);
      continue;
    }
    paint_head(painter, scene, item);
  }
  for (NestNote const& note : scene.layout.notes)
    note.barrier ? paint_barrier(painter, scene, note) : paint_memory(painter, scene, note);
  for (NestItem const& item : scene.layout.items)
    if (item.bar && scene.move_of(item.bar->id)) paint_mark(painter, scene, item);
  paint_drag(painter, scene);
  if (scene.ahead) paint_ahead(painter, scene);
}

}  // namespace tw
