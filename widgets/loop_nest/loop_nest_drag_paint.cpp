// SPDX-License-Identifier: GPL-3.0-or-later
// What is on its way over the nest, and what it would do.
#include <algorithm>

#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/loop_nest/loop_nest_paint.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace loop_nest_metrics;
using session::LoopBar;

namespace {

/// "fits L2": the nearest cache that holds what `factor` iterations work on.
QString fits_words(LoopBar const& bar, int64_t factor) {
  for (size_t level = 0; level < bar.fits.size(); ++level)
    if (factor <= bar.fits[level]) return QString("fits L%1").arg(level + 1);
  return bar.fits.empty() ? QString() : QString("fits no cache");
}

/// The place where it would go, and the bar on its way there.
void paint_moved_bar(QPainter& painter, LoopNestScene const& scene, NestItem const& item) {
  bool legal = !scene.drag.preview.refusal;
  for (NestItem const& other : scene.layout.items) {
    if (!other.bar || other.bar->stage != item.bar->stage ||
        scene.layout.slot_of(other) != scene.drag.slot)
      continue;
    double y = scene.drag.slot > scene.layout.slot_of(item) ? other.rect.bottom() + 5
                                                            : other.rect.top() - 5;
    painter.setPen(QPen(legal ? scene.canvas.theme().ink : scene.canvas.theme().error, 2));
    painter.drawLine(QPointF(other.rect.left(), y), QPointF(other.rect.left() + 260, y));
    painter.drawLine(QPointF(other.rect.left(), y - 3), QPointF(other.rect.left(), y + 3));
  }
  QRectF ghost = item.rect.translated(scene.drag.at - scene.drag.press);
  painter.setOpacity(0.8);
  paint::bar(painter, ghost, scene.canvas.theme(), item.bar->hue, item.bar->level, !legal);
  paint::text(painter, ghost.adjusted(12, 0, 0, 0), mono_font(13, 600), scene.canvas.theme().text1,
              QString::fromStdString(item.bar->name));
  painter.setOpacity(1);
}

/// The stage's name, above the pointer: what it would do stands below.
void paint_moved_head(QPainter& painter, LoopNestScene const& scene) {
  QString name = QString::fromStdString(scene.nest->stages[size_t(scene.drag.stage)].name);
  QFont font = mono_font(13, 600);
  QRectF ghost(scene.drag.at.x() + 16, scene.drag.at.y() - 20,
               QFontMetricsF(font).horizontalAdvance(name) + 24, 26);
  painter.setPen(QPen(scene.canvas.theme().line3, 1));
  painter.setBrush(scene.canvas.theme().raised);
  painter.drawRoundedRect(ghost, 6, 6);
  paint::text(painter, ghost.adjusted(12, 0, 0, 0), font, scene.canvas.theme().text1, name);
}

void paint_split(QPainter& painter, LoopNestScene const& scene, NestItem const& item) {
  bool legal = !scene.drag.preview.refusal;
  int64_t outer =
      scene.drag.factor > 0 ? (item.bar->extent + scene.drag.factor - 1) / scene.drag.factor : 1;
  QRectF first(item.rect.left(), item.rect.top(), bar_width(outer), kBar),
      second(first.right() + 6, item.rect.top(), bar_width(scene.drag.factor), kBar);
  paint::bar(painter, first, scene.canvas.theme(), item.bar->hue, item.bar->level, !legal);
  paint::bar(painter, second, scene.canvas.theme(), item.bar->hue, item.bar->level + 1, !legal);
  paint::text(painter, first.adjusted(12, 0, -6, 0), mono_font(13, 600), scene.canvas.theme().text1,
              QString::number(outer));
  paint::text(painter, second.adjusted(12, 0, -6, 0), mono_font(13, 600),
              scene.canvas.theme().text1,
              scene.drag.typed.isEmpty() ? QString::number(scene.drag.factor) : scene.drag.typed);
  bool divides = scene.drag.factor > 0 && item.bar->extent % scene.drag.factor == 0;
  QString words = divides ? "divides" : "leaves a guarded remainder";
  QString fits = fits_words(*item.bar, scene.drag.factor);
  if (!fits.isEmpty()) words += " · " + fits;
  // It may reach into the footprints: they do not go through the words.
  QRectF room(second.right() + 10, second.top(), 240, kBar);
  double wide = QFontMetricsF(ui_font(12)).horizontalAdvance(words);
  painter.fillRect(room.adjusted(-4, 2, wide + 4 - room.width(), -2), scene.canvas.theme().panel);
  paint::text(painter, room, ui_font(12), scene.canvas.theme().text2, words);
  paint_fits(painter, scene, item);
}

/// What the step is, what it is worth and what memories would hold after it: where it is seen.
void paint_hint(QPainter& painter, LoopNestScene const& scene) {
  std::vector<NestHint> hint = scene.hint();
  if (hint.empty()) return;
  QFont const font = mono_font(11);
  QFontMetricsF const metrics(font);
  QRect all = scene.canvas.visibleRegion().boundingRect();
  QRectF seen(scene.canvas.units(all.topLeft()), scene.canvas.units(all.bottomRight()));
  double wide = 250;
  for (NestHint& line : hint) {
    line.words = metrics.elidedText(line.words, Qt::ElideRight, std::max(seen.width() - 48, 120.0));
    wide = std::max(wide, metrics.horizontalAdvance(line.words) + 26);
  }
  wide = std::min(wide, seen.width() - 20);
  double high = 6 + 18 * double(hint.size());
  double left =
      std::max(std::min(scene.drag.at.x() + 16, seen.right() - wide - 10), seen.left() + 10);
  bool below = scene.drag.at.y() + 14 + high < seen.bottom();
  QRectF pill(left, below ? scene.drag.at.y() + 14 : scene.drag.at.y() - 18 - high, wide, high);
  bool wrong = std::ranges::any_of(hint, &NestHint::wrong);
  painter.setPen(QPen(wrong ? scene.canvas.theme().error : scene.canvas.theme().line2, 1));
  painter.setBrush(scene.canvas.theme().raised);
  painter.drawRoundedRect(pill, 6, 6);
  QRectF row(pill.left() + 10, pill.top() + 3, pill.width() - 18, 18);
  for (NestHint const& line : hint) {
    QColor colour = line.wrong               ? scene.canvas.theme().error
                    : &line == &hint.front() ? scene.canvas.theme().text1
                                             : scene.canvas.theme().text2;
    paint::text(painter, row, font, colour, line.words);
    row.translate(0, 18);
  }
}

}  // namespace

void paint_drag(QPainter& painter, LoopNestScene const& scene) {
  if (scene.drag.kind == NestDrag::kNone) return paint_hint(painter, scene);
  if (scene.drag.kind == NestDrag::kPress || scene.drag.kind == NestDrag::kPressHead) return;
  NestItem const* item = scene.layout.item_of(scene.drag.loop);
  if (item && scene.drag.kind == NestDrag::kMove && scene.drag.slot >= 0)
    paint_moved_bar(painter, scene, *item);
  if (item && scene.drag.kind == NestDrag::kSplit) paint_split(painter, scene, *item);
  if (item && (scene.drag.kind == NestDrag::kChip || scene.drag.kind == NestDrag::kHead)) {
    painter.setPen(
        QPen(scene.drag.preview.refusal ? scene.canvas.theme().error : scene.canvas.theme().ok, 1.5,
             Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(item->rect.adjusted(-2, -2, 2, 2), 6, 6);
  }
  if (scene.drag.kind == NestDrag::kHead) paint_moved_head(painter, scene);
  paint_hint(painter, scene);
}

}  // namespace tw
