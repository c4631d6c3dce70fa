// SPDX-License-Identifier: GPL-3.0-or-later
// What could come next, in the ladder: marks at bars, and the nest as it would be.
#include <QPainter>
#include <algorithm>

#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/moves/move_mark.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace ladder;

/// Nothing moves below the pointer: what is pointed at here is told beside it.
void LoopNestView::show_outlook(std::shared_ptr<session::Outlook const> outlook) {
  outlook_ = std::move(outlook);
  bool ahead = outlook_ && outlook_->nest && current_ && drag_ == Drag::kNone && !here_;
  if (ahead || ahead_) use(ahead ? outlook_->nest : current_);
  ahead_ = ahead;
  update();
}

/// In a nest that is not there yet: this bar is another one than now.
bool LoopNestView::is_new(session::LoopBar const& bar) const {
  return std::ranges::none_of(current_->bars, [&](session::LoopBar const& now) {
    return now.id == bar.id && now.mark == bar.mark && now.extent == bar.extent &&
           now.stage == bar.stage;
  });
}

session::MoveView const* LoopNestView::move_of(int loop) const {
  if (!selection_.moves() || ahead_) return nullptr;
  for (session::MoveView const& move : selection_.moves()->moves)
    if (move.loop == loop) return is_worth_a_mark(move) ? &move : nullptr;
  return nullptr;
}

/// Right of what a bar is for, where there is room before the footprints.
QRectF LoopNestView::mark_of(int loop) const {
  Item const* item = item_of(loop);
  session::MoveView const* move = item ? move_of(loop) : nullptr;
  if (!move) return {};
  double said = item->bar->consequence.empty()
                    ? 0
                    : 8 + QFontMetricsF(ui_font(12))
                              .horizontalAdvance(QString::fromStdString(item->bar->consequence));
  return {item->rect.right() + 10 + said, item->rect.top() + 4, mark_width(*move),
          item->rect.height() - 8};
}

LoopNestView::Item const* LoopNestView::mark_at(QPointF at) const {
  for (Item const& item : items_)
    if (item.bar && mark_of(item.bar->id).contains(at)) return &item;
  return nullptr;
}

/// The step and what it does to memories, or why it cannot be taken.
std::vector<LoopNestView::Hint> LoopNestView::hint() const {
  bool ahead = outlook_ && !outlook_->words.empty();
  if (line_.empty()) {  // a mark, or nothing
    if (!ahead || !here_) return {};
    return {{QString::fromStdString(outlook_->line), false},
            {QString::fromStdString(outlook_->words), false}};
  }
  bool legal = !preview_.refusal;
  std::vector<Hint> hint{{QString::fromStdString(legal ? line_ : preview_.refusal->title), !legal}};
  if (legal && ahead && outlook_->line == line_)
    hint.push_back({QString::fromStdString(outlook_->words), false});
  for (session::MemoryForecast const& memory : preview_.memories) {
    hint.push_back({QString::fromStdString(memory.words), memory.overflows()});
    if (memory.overflows()) hint.push_back({QString::fromStdString(memory.parts), true});
  }
  return hint;
}

/// What a click here would bring.
void LoopNestView::draw_mark(QPainter& painter, Item const& item) const {
  QRectF mark = mark_of(item.bar->id);
  draw_move_mark(painter, mark, *move_of(item.bar->id), mark.contains(at_) && here_, theme_);
}

/// The nest is not there yet: what is new in it is framed, and the words say what it is worth.
void LoopNestView::draw_ahead(QPainter& painter) const {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_.ok, 1.5, Qt::DashLine));
  for (Item const& item : items_)
    if (item.bar && is_new(*item.bar))
      painter.drawRoundedRect(item.rect.adjusted(-2.5, -2.5, 2.5, 2.5), 6, 6);
  QRect all = visibleRegion().boundingRect();
  QRectF seen(units(all.topLeft()), units(all.bottomRight()));
  QString words =
      QString::fromStdString("Preview" + (outlook_->words.empty() ? "" : ": " + outlook_->words));
  QFont font = ui_font(12, 500);
  double wide = QFontMetricsF(font).horizontalAdvance(words) + 24;
  QRectF plate(seen.left() + 16, seen.bottom() - 40, std::min(wide, seen.width() - 32), 28);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(plate, 6, 6);
  paint::text(painter, plate.adjusted(12, 0, -8, 0), font, theme_.text1,
              QFontMetricsF(font).elidedText(words, Qt::ElideRight, plate.width() - 20));
}

}  // namespace tw
