// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ladder/ladder_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/ladder/divisors.h"
#include "widgets/ladder/ladder_metrics.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace ladder;

using session::LoopBar;
using session::LoopMark;

namespace {

constexpr char const* kChipType = "application/x-tilewright-primitive";

}  // namespace

LadderView::LadderView(Selection& selection, Preview preview, QWidget* parent)
    : Canvas(parent), selection_(selection), ask_(std::move(preview)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAcceptDrops(true);
  setObjectName("ladder");
  setAccessibleName("Loop ladder");
  connect(&selection_, &Selection::changed, this, qOverload<>(&QWidget::update));
}

void LadderView::show_nest(std::shared_ptr<session::NestView const> nest,
                           std::vector<int64_t> cache_bytes) {
  bool same = nest == nest_;
  nest_ = std::move(nest);
  caches_ = std::move(cache_bytes);
  if (!same) end_drag();
  lay_out();
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

void LadderView::set_refused(std::vector<int> loops) {
  refused_ = std::move(loops);
  update();
}

void LadderView::set_empty_words(QString const& words) {
  if (words == empty_words_) return;
  empty_words_ = words;
  update();
}

QSize LadderView::sizeHint() const {
  double bottom = items_.empty() ? 176 : items_.back().rect.bottom();
  for (Note const& note : notes_) bottom = std::max(bottom, note.rect.bottom());
  return pixels(QSizeF(720, bottom + 24));
}

void LadderView::lay_out() {
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
  footprint_left_ = std::max(right + 100, unit_width() - kGraph - 82);
  setMinimumSize(pixels(QSizeF(right + 130, y + 16)));
  updateGeometry();
  update();
}

/// It has a place of its own, which is none of its loops.
bool LadderView::stands_between(session::StageCard const& stage) const {
  return std::ranges::any_of(nest_->barriers, [&](session::BarrierLine const& line) {
    return line.doc.empty() && line.name == stage.name;
  });
}

double LadderView::lay_out_head(session::StageCard const& stage, int depth, double y) {
  double left = 16 + (depth > 0 ? 8 + kIndent * depth : 0);
  items_.push_back({nullptr, &stage, QRectF(left, y + 6, 460, kHead - 14)});
  return y + kHead;
}

double LadderView::lay_out_barriers(int before, double y) {
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

double LadderView::lay_out_memories(double y) {
  for (session::MemoryCard const& memory : nest_->memories) {
    notes_.push_back(
        {nullptr, &memory, QRectF(16, y, std::max(unit_width() - 32, 200.0), kMemory)});
    y += kMemory;
  }
  return y;
}

std::vector<Part> LadderView::parts() const {
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
  for (Note const& note : notes_)
    parts.push_back(
        {note.rect, note.barrier ? barrier_words(*note.barrier)
                                 : memory_words(*note.memory) + ": " + tensor_words(*note.memory)});
  return parts;
}

LadderView::Item const* LadderView::item_at(QPointF at) const {
  for (Item const& item : items_)
    if (item.bar && at.y() >= item.rect.top() - 5 && at.y() < item.rect.bottom() + 5) return &item;
  return nullptr;
}

LadderView::Item const* LadderView::head_at(QPointF at) const {
  for (Item const& item : items_)
    if (!item.bar && item.rect.contains(at)) return &item;
  return nullptr;
}

LadderView::Item const* LadderView::item_of(int loop) const {
  for (Item const& item : items_)
    if (item.bar && item.bar->id == loop) return &item;
  return nullptr;
}

QRectF LadderView::handle_of(int loop) const {
  Item const* item = item_of(loop);
  return item ? QRectF(item->rect.right() - 18, item->rect.top(), 18, item->rect.height())
              : QRectF();
}

void LadderView::ask(std::string const& line) {
  if (line != line_) {
    line_ = line;
    preview_ = line.empty() ? session::StepPreview() : ask_(line);
  }
  update();
}

void LadderView::end_drag() {
  drag_ = Drag::kNone;
  dragged_ = dragged_head_ = slot_ = -1;
  typed_.clear();
  line_.clear();
  preview_ = {};
  update();
}

/// The bars of one stage, outermost first: the order that a reorder names.
std::vector<LoopBar const*> LadderView::chain_of(Item const& member) const {
  std::vector<LoopBar const*> chain;
  for (Item const& item : items_)
    if (item.bar && item.bar->stage == member.bar->stage) chain.push_back(item.bar);
  return chain;
}

int LadderView::slot_of(Item const& member) const {
  std::vector<LoopBar const*> chain = chain_of(member);
  return int(std::find(chain.begin(), chain.end(), member.bar) - chain.begin());
}

/// The script line that puts a bar at another place of its stage; loops between keep their order.
QString LadderView::reorder_line(Item const& moved, int slot) const {
  std::vector<LoopBar const*> chain = chain_of(moved), order = chain;
  std::erase(order, moved.bar);
  order.insert(order.begin() + std::clamp<int>(slot, 0, int(order.size())), moved.bar);
  size_t first = 0, last = chain.size();
  while (first < chain.size() && chain[first] == order[first]) ++first;
  while (last > first && chain[last - 1] == order[last - 1]) --last;
  if (first == last) return {};
  QStringList names;
  for (size_t i = first; i < last; ++i) names << QString::fromStdString(order[i]->reference);
  return "reorder(" + names.join(", ") + ")";
}

std::string LadderView::split_line() const {
  Item const* item = item_of(dragged_);
  if (!item || factor_ < 1) return {};
  return "split(" + item->bar->reference + ", factor=" + std::to_string(factor_) + ")";
}

void LadderView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  Item const* item = item_at(event->position());
  Item const* head = item ? nullptr : head_at(event->position());
  if (event->button() != Qt::LeftButton) return;
  if (head) {
    press_ = at_ = event->position();
    dragged_head_ = int(head->stage - nest_->stages.data());
    drag_ = Drag::kPressHead;
  }
  if (!item) return;
  selection_.select(item->bar->id);
  press_ = at_ = event->position();
  dragged_ = item->bar->id;
  drag_ = Drag::kPress;
  if (handle_of(dragged_).contains(press_)) {
    drag_ = Drag::kSplit;
    factor_ = nearest_divisor(item->bar->extent, std::sqrt(double(item->bar->extent)));
    // Nothing is asked for before the handle moves or a number is typed: a click is no step.
    update();
  }
}

void LadderView::mouseMoveEvent(QMouseEvent* event) {
  at_ = event->position();
  if (drag_ == Drag::kPress && (at_ - press_).manhattanLength() > 6) drag_ = Drag::kMove;
  if (drag_ == Drag::kPressHead && (at_ - press_).manhattanLength() > 6) drag_ = Drag::kHead;
  if (drag_ == Drag::kHead) return update_head(at_);
  if (drag_ == Drag::kMove) return update_move(at_, event->modifiers() & Qt::ShiftModifier);
  if (drag_ == Drag::kSplit && typed_.isEmpty()) return update_split(at_);
  if (drag_ != Drag::kNone) return;
  Item const* item = item_at(at_);
  int lit = item ? item->bar->id : -1;
  for (Note const& note : notes_)
    if (note.barrier && note.rect.contains(at_)) lit = note.barrier->loop;
  selection_.hover(lit);
  bool grips = head_at(at_) || (item && item->rect.contains(at_));
  setCursor(item && handle_of(item->bar->id).contains(at_) ? Qt::SplitHCursor
            : grips                                        ? Qt::OpenHandCursor
                                                           : Qt::ArrowCursor);
}

void LadderView::update_move(QPointF at, bool shift) {
  Item const* item = item_of(dragged_);
  Item const* target = item_at(at);
  bool neighbours = target && target->bar->stage == item->bar->stage &&
                    std::abs(target->bar->depth - item->bar->depth) == 1;
  if (neighbours && shift) {
    slot_ = -1;
    bool outer = item->bar->depth < target->bar->depth;
    return ask("fuse(" + (outer ? item : target)->bar->reference + ", " +
               (outer ? target : item)->bar->reference + ")");
  }
  slot_ = target && target->bar->stage == item->bar->stage ? slot_of(*target) : -1;
  ask(slot_ < 0 ? "" : reorder_line(*item, slot_).toStdString());
}

void LadderView::update_split(QPointF at) {
  Item const* item = item_of(dragged_);
  // The pull to the left makes the inner loop smaller, on the bar's own logarithmic scale.
  double share = std::clamp((at.x() - item->rect.left()) / item->rect.width(), 0.05, 1.0);
  factor_ = nearest_divisor(item->bar->extent,
                            std::pow(double(item->bar->extent), share == 1.0 ? 0.5 : share));
  ask(split_line());
}

/// A producer is computed where it is dropped, a consumer of what stands there right behind it.
void LadderView::update_head(QPointF at) {
  Item const* target = item_at(at);
  bool other = target && target->bar->stage != dragged_head_;
  dragged_ = other ? target->bar->id : -1;
  if (!other) return ask("");
  bool later = dragged_head_ > target->bar->stage;
  ask((later ? "reverse_compute_at(" : "compute_at(") + nest_->stages[size_t(dragged_head_)].name +
      ", " + target->bar->reference + ")");
}

void LadderView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  QString line = QString::fromStdString(line_);
  bool commit = drag_ != Drag::kPress && drag_ != Drag::kPressHead && !line.isEmpty();
  if (drag_ == Drag::kSplit && !typed_.isEmpty()) return;  // the number is still being typed
  end_drag();
  if (commit) emit step_asked(line);
}

void LadderView::wheelEvent(QWheelEvent* event) {
  Item const* item = item_of(dragged_);
  if (drag_ != Drag::kSplit || !item) return event->ignore();
  factor_ = next_divisor(item->bar->extent, factor_, event->angleDelta().y() > 0 ? 1 : -1);
  ask(split_line());
  event->accept();
}

void LadderView::leaveEvent(QEvent*) { selection_.hover(-1); }

void LadderView::select_step(int direction) {
  std::vector<int> bars;
  for (Item const& item : items_)
    if (item.bar) bars.push_back(item.bar->id);
  if (bars.empty()) return;
  auto at = std::find(bars.begin(), bars.end(), selection_.loop());
  auto index = at == bars.end() ? 0
                                : std::clamp<std::ptrdiff_t>(at - bars.begin() + direction, 0,
                                                             std::ptrdiff_t(bars.size()) - 1);
  selection_.select(bars[size_t(index)]);
}

void LadderView::keyPressEvent(QKeyEvent* event) {
  Item const* item = item_of(selection_.loop());
  if (drag_ == Drag::kSplit) {
    if (event->key() == Qt::Key_Escape) return end_drag();
    if (event->key() >= Qt::Key_0 && event->key() <= Qt::Key_9)
      typed_ += QChar('0' + (event->key() - Qt::Key_0));
    if (event->key() == Qt::Key_Backspace) typed_.chop(1);
    if (!typed_.isEmpty()) factor_ = typed_.toLongLong();
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
      QString line = QString::fromStdString(split_line());
      end_drag();
      if (!line.isEmpty()) emit step_asked(line);
      return;
    }
    return ask(split_line());
  }
  if (event->key() == Qt::Key_Escape && drag_ != Drag::kNone) return end_drag();
  bool vertical = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
  int direction = event->key() == Qt::Key_Up ? -1 : 1;
  if (vertical && !(event->modifiers() & Qt::AltModifier)) return select_step(direction);
  if (vertical && item) {
    QString line = reorder_line(*item, slot_of(*item) + direction);
    if (!line.isEmpty()) emit step_asked(line);
    return;
  }
  QWidget::keyPressEvent(event);
}

void LadderView::contextMenuEvent(QContextMenuEvent* event) {
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  Item const* item = by_key ? item_of(selection_.loop()) : item_at(event->pos());
  if (!item) return;
  selection_.select(item->bar->id);
  emit menu_asked(by_key ? mapToGlobal(pixels(item->rect.center())) : event->globalPos());
}

void LadderView::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasFormat(kChipType)) return;
  chip_ = QString::fromUtf8(event->mimeData()->data(kChipType));
  event->acceptProposedAction();
}

void LadderView::dragMoveEvent(QDragMoveEvent* event) {
  at_ = units(event->position());
  Item const* item = item_at(at_);
  drag_ = item ? Drag::kChip : Drag::kNone;
  dragged_ = item ? item->bar->id : -1;
  ask(item ? chip_.toStdString() + "(" + item->bar->reference + ")" : "");
  event->acceptProposedAction();
}

void LadderView::dragLeaveEvent(QDragLeaveEvent*) { end_drag(); }

void LadderView::dropEvent(QDropEvent* event) {
  QString line = QString::fromStdString(line_);
  int loop = dragged_;
  end_drag();
  if (loop < 0 || line.isEmpty()) return;
  selection_.select(loop);
  event->acceptProposedAction();
  emit step_asked(line);
}

/// The step and what it does to memories, or why it cannot be taken.
std::vector<LadderView::Hint> LadderView::hint() const {
  if (line_.empty()) return {};
  bool legal = !preview_.refusal;
  std::vector<Hint> hint{{QString::fromStdString(legal ? line_ : preview_.refusal->title), !legal}};
  for (session::MemoryForecast const& memory : preview_.memories) {
    hint.push_back({QString::fromStdString(memory.words), memory.overflows()});
    if (memory.overflows()) hint.push_back({QString::fromStdString(memory.parts), true});
  }
  return hint;
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

bool LadderView::event(QEvent* event) {
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
  if (said) role += "\nsaid to the code generator: " + QString::fromStdString(bar.consequence);
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
