// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/loop_nest/loop_nest_view.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/moves/move_mark.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace ladder;

using session::LoopBar;

LoopNestView::LoopNestView(Selection& selection, Preview preview, QWidget* parent)
    : Canvas(parent), selection_(selection), ask_(std::move(preview)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAcceptDrops(true);
  setObjectName("ladder");
  setAccessibleName("Loop ladder");
  connect(&selection_, &Selection::changed, this, qOverload<>(&QWidget::update));
  connect(&selection_, &Selection::moves_changed, this, qOverload<>(&QWidget::update));
}

void LoopNestView::show_nest(std::shared_ptr<session::NestView const> nest,
                             std::vector<int64_t> cache_bytes) {
  bool same = nest == current_;
  current_ = std::move(nest);
  caches_ = std::move(cache_bytes);
  if (!same) end_drag();
  if (same && ahead_) return;
  use(current_);
  ahead_ = false;
  if (nest_ && !item_of(selection_.loop())) {
    // The bars of the largest stage matter most: select its outermost.
    int best = -1;
    size_t most = 0;
    for (LoopBar const& bar : nest_->bars) {
      size_t count = size_t(std::count_if(nest_->bars.begin(), nest_->bars.end(),
                                          [&](LoopBar const& b) { return b.stage == bar.stage; }));
      // A loop of one iteration has nothing to shape.
      if (count > most && bar.extent > 1) most = count, best = bar.id;
    }
    selection_.select(best);
  }
}

void LoopNestView::use(std::shared_ptr<session::NestView const> nest) {
  nest_ = std::move(nest);
  lay_out();
}

void LoopNestView::set_refused(std::vector<int> loops) {
  refused_ = std::move(loops);
  update();
}

void LoopNestView::set_empty_words(QString const& words) {
  if (words == empty_words_) return;
  empty_words_ = words;
  update();
}

QSize LoopNestView::sizeHint() const {
  double bottom = items_.empty() ? 176 : items_.back().rect.bottom();
  for (Note const& note : notes_) bottom = std::max(bottom, note.rect.bottom());
  return pixels(QSizeF(720, bottom + 24));
}

void LoopNestView::lay_out() {
  items_.clear();
  notes_.clear();
  double y = 8, right = 0;
  int stage = -1;
  if (nest_) y = lay_out_memories(y);  // first: how full they are is seen without scrolling
  for (size_t i = 0; nest_ && i < nest_->bars.size(); ++i) {
    LoopBar const& bar = nest_->bars[i];
    size_t const items = items_.size();
    y = lay_out_barriers(int(i), y);
    session::StageCard const& owner = nest_->stages[size_t(bar.stage)];
    if ((bar.stage != stage || items_.size() > items) && !stands_between(owner))
      y = lay_out_head(owner, bar.depth, y);
    stage = bar.stage;
    QRectF rect(kLeft + kIndent * bar.depth, y + (kRow - kBar) / 2, bar_width(bar.extent), kBar);
    items_.push_back({&bar, nullptr, rect});
    right = std::max(right, rect.right());
    y += kRow;
  }
  if (nest_) y = lay_out_barriers(int(nest_->bars.size()), y);
  // Footprints stand at the bars that they are of: a wide pane does not draw them apart.
  footprint_left_ = std::min(std::max(right + kBeside, unit_width() - kGraph - 82), right + kApart);
  setMinimumSize(pixels(QSizeF(right + kBeside + 30, y + 16)));
  updateGeometry();
  update();
}

/// It has a place of its own, which is none of its loops.
bool LoopNestView::stands_between(session::StageCard const& stage) const {
  return std::ranges::any_of(nest_->barriers, [&](session::BarrierLine const& line) {
    return line.doc.empty() && line.name == stage.name;
  });
}

double LoopNestView::lay_out_head(session::StageCard const& stage, int depth, double y) {
  double left = 16 + (depth > 0 ? 8 + kIndent * depth : 0);
  items_.push_back({nullptr, &stage, QRectF(left, y + 6, 460, kHead - 14)});
  return y + kHead;
}

double LoopNestView::lay_out_barriers(int before, double y) {
  for (session::BarrierLine const& barrier : nest_->barriers) {
    if (barrier.before != before) continue;
    int depth = 0;
    for (LoopBar const& bar : nest_->bars)
      if (bar.id == barrier.loop) depth = bar.depth + 1;
    auto stage = std::ranges::find(nest_->stages, barrier.name, &session::StageCard::name);
    if (stage != nest_->stages.end() && stands_between(*stage)) {
      y = lay_out_head(*stage, depth, y);
      continue;
    }
    notes_.push_back(
        {&barrier, nullptr, QRectF(kLeft + kIndent * depth, y + 2, 330, kBarrier - 4)});
    y += kBarrier;
  }
  return y;
}

double LoopNestView::lay_out_memories(double y) {
  for (session::MemoryCard const& memory : nest_->memories) {
    notes_.push_back(
        {nullptr, &memory, QRectF(16, y, std::max(unit_width() - 32, 200.0), kMemory)});
    y += kMemory;
  }
  return y;
}

std::vector<Part> LoopNestView::parts() const {
  std::vector<Part> parts;
  for (Item const& item : items_) {
    if (!item.bar) {
      parts.push_back({item.rect, head_words(*item.stage)});
      continue;
    }
    QString marked = item.bar->consequence.empty()
                         ? QString()
                         : ", " + QString::fromStdString(item.bar->consequence);
    parts.push_back({item.rect,
                     QString("%1, %2 iterations%3")
                         .arg(QString::fromStdString(item.bar->reference))
                         .arg(item.bar->extent)
                         .arg(marked),
                     item.bar->id == selection_.loop()});
  }
  for (Item const& item : items_)
    if (session::MoveView const* move = item.bar ? move_of(item.bar->id) : nullptr)
      parts.push_back({mark_of(item.bar->id), mark_name(*move)});
  for (Note const& note : notes_)
    parts.push_back(
        {note.rect, note.barrier ? barrier_words(*note.barrier)
                                 : memory_words(*note.memory) + ": " + tensor_words(*note.memory)});
  return parts;
}

LoopNestView::Item const* LoopNestView::item_at(QPointF at) const {
  for (Item const& item : items_)
    if (item.bar && at.y() >= item.rect.top() - 5 && at.y() < item.rect.bottom() + 5) return &item;
  return nullptr;
}

LoopNestView::Item const* LoopNestView::head_at(QPointF at) const {
  for (Item const& item : items_)
    if (!item.bar && item.rect.contains(at)) return &item;
  return nullptr;
}

LoopNestView::Item const* LoopNestView::item_of(int loop) const {
  for (Item const& item : items_)
    if (item.bar && item.bar->id == loop) return &item;
  return nullptr;
}

QRectF LoopNestView::handle_of(int loop) const {
  Item const* item = item_of(loop);
  return item ? QRectF(item->rect.right() - 18, item->rect.top(), 18, item->rect.height())
              : QRectF();
}

namespace {

/// "a split by 8 fits L2, by 64 L3"
QString fit_list(LoopBar const& bar) {
  QStringList parts;
  for (size_t level = 0; level < bar.fits.size(); ++level)
    if (bar.fits[level] > 0) parts << QString("L%1 %2").arg(level + 1).arg(bar.fits[level]);
  return parts.isEmpty() ? "no inner loop of it fits a cache"
                         : "largest inner loop that fits: " + parts.join(", ");
}

}  // namespace

bool LoopNestView::event(QEvent* event) {
  if (event->type() == QEvent::Resize) lay_out();
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  for (Note const& note : notes_)
    if (note.memory && note.rect.contains(units(help->pos())))
      return QToolTip::showText(
                 help->globalPos(),
                 QString::fromStdString(note.memory->doc) + "\n" + tensor_words(*note.memory),
                 this),
             true;
  Item const* item = item_at(units(help->pos()));
  if (!item) return QToolTip::hideText(), true;
  LoopBar const& bar = *item->bar;
  QString role = bar.role.empty() ? "" : " · " + QString::fromStdString(bar.role).replace('_', ' ');
  // A serial loop has no other consequences with a value.
  bool said = bar.mark == session::LoopMark::kSerial && bar.consequence.contains('=');
  if (said) role += "\nannotations: " + QString::fromStdString(bar.consequence);
  QToolTip::showText(
      help->globalPos(),
      QString("%1 iterations%2\n"
              "%3\n"
              "%4%5 touched by one iteration; each byte is used %6 times over the whole loop\n"
              "%7")
          .arg(bar.extent)
          .arg(role, QString::fromStdString(bar.reference), bar.footprint_exact ? "" : "at most ",
               paint::bytes(bar.footprint), paint::number(bar.reuse), fit_list(bar)),
      this);
  return true;
}

}  // namespace tw
