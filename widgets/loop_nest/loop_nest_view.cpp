// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/loop_nest/loop_nest_view.h"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

#include "widgets/loop_nest/loop_nest_metrics.h"
#include "widgets/loop_nest/loop_nest_paint.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace loop_nest_metrics;

using session::LoopBar;

LoopNestView::LoopNestView(Selection& selection, Preview preview, QWidget* parent)
    : Canvas(parent), selection_(selection), ask_(std::move(preview)), scene_{*this, selection} {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAcceptDrops(true);
  setObjectName("loopNest");
  setAccessibleName("Loop nest");
  connect(&selection_, &Selection::changed, this, qOverload<>(&QWidget::update));
  connect(&selection_, &Selection::moves_changed, this, qOverload<>(&QWidget::update));
}

void LoopNestView::show_nest(std::shared_ptr<session::NestView const> nest,
                             std::vector<int64_t> cache_bytes) {
  bool same = nest == scene_.current;
  scene_.current = std::move(nest);
  scene_.caches = std::move(cache_bytes);
  if (!same) end_drag();
  if (same && scene_.ahead) return;
  use(scene_.current);
  scene_.ahead = false;
  if (scene_.nest && !scene_.layout.item_of(selection_.loop())) {
    // The bars of the largest stage matter most: select its outermost.
    int best = -1;
    size_t most = 0;
    for (LoopBar const& bar : scene_.nest->bars) {
      size_t count = size_t(std::count_if(scene_.nest->bars.begin(), scene_.nest->bars.end(),
                                          [&](LoopBar const& b) { return b.stage == bar.stage; }));
      // A loop of one iteration has nothing to shape.
      if (count > most && bar.extent > 1) most = count, best = bar.id;
    }
    selection_.select(best);
  }
}

void LoopNestView::use(std::shared_ptr<session::NestView const> nest) {
  scene_.nest = std::move(nest);
  lay_out();
}

void LoopNestView::set_refused(std::vector<int> loops) {
  scene_.refused = std::move(loops);
  update();
}

void LoopNestView::set_empty_words(QString const& words) {
  if (words == empty_words_) return;
  empty_words_ = words;
  update();
}

QSize LoopNestView::sizeHint() const { return pixels(scene_.layout.size()); }

void LoopNestView::lay_out() {
  scene_.layout = lay_out_nest(scene_.nest, unit_width());
  setMinimumSize(pixels(scene_.layout.least));
  updateGeometry();
  update();
}

/// Nothing moves below the pointer: what is pointed at here is told beside it.
void LoopNestView::show_outlook(std::shared_ptr<session::Outlook const> outlook) {
  scene_.outlook = std::move(outlook);
  bool ahead = scene_.outlook && scene_.outlook->nest && scene_.current &&
               scene_.drag.kind == NestDrag::kNone && !scene_.here;
  if (ahead || scene_.ahead) use(ahead ? scene_.outlook->nest : scene_.current);
  scene_.ahead = ahead;
  update();
}

void LoopNestView::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!scene_.nest) {
    paint::text(painter, QRectF(24, 24, unit_width() - 48, 24), ui_font(12), theme_.text2,
                empty_words_);
    return;
  }
  paint_nest(painter, scene_);
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
  for (NestNote const& note : scene_.layout.notes)
    if (note.memory && note.rect.contains(units(help->pos())))
      return QToolTip::showText(
                 help->globalPos(),
                 QString::fromStdString(note.memory->doc) + "\n" + tensor_words(*note.memory),
                 this),
             true;
  NestItem const* item = scene_.layout.item_at(units(help->pos()));
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
