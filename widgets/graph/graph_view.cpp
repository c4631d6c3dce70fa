// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_view.h"

#include <QContextMenuEvent>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <algorithm>
#include <utility>

#include "widgets/paint/paint.h"

namespace tw {

using graph::Card;

GraphView::GraphView(QWidget* parent)
    : Canvas(parent),
      find_bar_(new FindBar(this)),
      block_bar_(new BlockBar(this)),
      notice_(new LayoutNotice(layout_.run(), this)),
      camera_(*this, layout_),
      marks_(layout_),
      search_(*find_bar_, layout_, camera_),
      alike_(*block_bar_, layout_, camera_, marks_),
      cut_(layout_),
      reason_(layout_, camera_),
      choice_(layout_, camera_, marks_),
      map_(*this, *find_bar_, layout_, camera_) {
  setObjectName("graph");
  setAccessibleName("Graph");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(
      Qt::WA_OpaquePaintEvent);  // a large picture takes long to fill, and was filled twice
  connect_layout();
  connect_parts();
}

/// The layout tells the other parts.
void GraphView::connect_layout() {
  connect(&layout_, &GraphLayout::replaced, this, &GraphView::forget_graph);
  connect(&layout_, &GraphLayout::folded, this, [this](std::string const& key, bool open) {
    marks_.choose_group(key);
    if (open) search_.open_match_in(key);
  });
  connect(&layout_, &GraphLayout::all_folded, &camera_, &GraphCamera::forget_fit);
  connect(&layout_, &GraphLayout::begun, notice_, &LayoutNotice::wait_for);
  connect(&layout_, &GraphLayout::made, this, &GraphView::take_layout);
  connect(&layout_, &GraphLayout::ended, notice_, &LayoutNotice::end);
  connect(&layout_, &GraphLayout::cancelled, this, [this] {
    alike_.forget_wish();
    search_.forget_wishes();
    notice_->say_cancelled(layout_.cards() ? "Layout cancelled; the previous one is shown."
                                           : "The layout of the graph was cancelled.");
    update();
  });
  connect(notice_, &LayoutNotice::cancel_asked, &layout_, &GraphLayout::cancel_typed);
  connect(notice_, &LayoutNotice::begin_asked, &layout_, &GraphLayout::resume_typed);
  connect(notice_, &LayoutNotice::changed, this, &GraphView::place_bars);
}

/// What is found and blocks that are alike are not marked at the same time.
void GraphView::connect_parts() {
  auto repaint = [this] { update(); };
  auto take_focus = [this] { setFocus(); };
  connect(&camera_, &GraphCamera::changed, this, repaint);
  connect(&marks_, &GraphMarks::changed, this, repaint);
  connect(&search_, &GraphSearch::changed, this, repaint);
  connect(&search_, &GraphSearch::began, &alike_, &AlikeBlocks::end);
  connect(&search_, &GraphSearch::focus_wanted, this, take_focus);
  connect(&alike_, &AlikeBlocks::changed, this, repaint);
  connect(&alike_, &AlikeBlocks::began, this, [this] {
    if (!search_.text().isEmpty() || search_.is_open()) search_.close();
  });
  connect(&alike_, &AlikeBlocks::bar_changed, this, &GraphView::place_bars);
  connect(&alike_, &AlikeBlocks::focus_wanted, this, take_focus);
  connect(&reason_, &ReasonEdge::changed, this, repaint);
  connect(&cut_, &GraphCut::changed, this, [this] {
    camera_.keep_below(cut_.height());
    update();
  });
}

// ---- what is shown -------------------------------------------------------------------------

void GraphView::show_graph(std::shared_ptr<session::GraphView const> graph,
                           std::shared_ptr<session::KernelTable const> kernels, int kernel) {
  bool changed = graph != layout_.graph() || kernels != kernels_ || kernel != marks_.kernel();
  kernels_ = std::move(kernels);
  choice_.show_kernels(kernels_ ? int(kernels_->rows.size()) : 0);
  marks_.show_kernel(kernel);
  layout_.show(std::move(graph));
  if (!changed) return;
  values_.compute(layout_.cards(), kernels_.get());
  update();
}

void GraphView::show_overlay(std::string const& name) {
  values_.choose(name);
  values_.compute(layout_.cards(), kernels_.get());
  update();
}

void GraphView::have_bars(bool has) {
  search_.have_bar(has);
  alike_.have_bar(has);
}

/// What was said of the former graph.
void GraphView::forget_graph() {
  camera_.forget_fit();
  camera_.keep_below(cut_.height());
  reason_.reset();
  cut_.reset();
  marks_.reset();
  search_.reset();
  alike_.reset();
  choice_.reset();
  update();
}

void GraphView::take_layout(bool same, QRectF const& stood) {
  notice_->end();
  map_.forget();
  choice_.reset();
  values_.compute(layout_.cards(), kernels_.get());
  if (!camera_.was_fitted()) camera_.look_first();
  if (stood.intersects(camera_.seen())) {
    if (QRectF stands = layout_.take_anchor(); !stands.isEmpty())
      camera_.keep_in_place(stood, stands);
  } else if (!camera_.is_moved()) {
    camera_.look_first();
  }
  search_.settle(same);
  alike_.settle();
  marks_.settle();
  reason_.settle();
  update();
  emit laid_out();
}

// ---- where things stand ---------------------------------------------------------------------

/// At its own size, from the corner.
QSizeF GraphView::whole_size() const {
  if (!layout_.is_laid_out()) return {unit_width(), unit_height()};
  return {cards()->width + 48, cards()->height + 48 + cut_.height()};
}

QSizeF GraphView::begin_whole() {
  left_ = {camera_.place(), find_bar_->isVisible(), !notice_->isHidden()};
  if (!layout_.is_laid_out()) return whole_size();
  whole_ = true;
  camera_.forget_moves();
  find_bar_->hide();
  notice_->hide();
  alike_.hide_bar(true);
  return whole_size();
}

void GraphView::end_whole() {
  whole_ = false;
  camera_.go_back(left_.place);
  find_bar_->setVisible(left_.searched);
  notice_->setVisible(left_.noted);
  alike_.hide_bar(false);
}

void GraphView::rescale() {
  map_.forget();
  far_names_.forget();
  find_bar_->set_theme(theme_);
  notice_->set_theme(theme_);
  place_bars();
  if (!camera_.is_moved() && !layout_.flows()) camera_.look_first();
}

/// A place the user has chosen stays; the first look is looked anew. One that was fitted fits again
/// beside the other: GraphPair.
void GraphView::resizeEvent(QResizeEvent*) {
  if (!camera_.is_moved() && !layout_.flows()) camera_.look_first();
  place_bars();
}

void GraphView::place_bars() {
  QPoint gap = pixels(QPointF(12, 12));
  auto place = [&](auto& bar) {
    bar.fit(width() - 2 * gap.x());
    bar.move(width() - bar.width() - gap.x(), gap.y());
  };
  place(*find_bar_);
  if (alike_.count() > 0) {
    block_bar_->set_theme(theme_);
    place(*block_bar_);
  }
  // In the middle where nothing else is, else below what is shown.
  QPoint below = pixels(QPointF(12, 12 + cut_.height()));
  int top = cards() ? height() - notice_->height() - below.y() : (height() - notice_->height()) / 2;
  notice_->move(std::max((width() - notice_->width()) / 2, 0), std::max(top, 0));
}

// ---- with the pointer ----------------------------------------------------------------------

void GraphView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  press_ = event->position();
  press_origin_ = camera_.origin();
  dragging_ = false;
  if (event->button() != Qt::LeftButton || map_.press(press_)) return;
  if (cut_.press(camera_.to_graph(press_))) setCursor(Qt::ClosedHandCursor);
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  QPointF place = camera_.to_graph(event->position());
  if (!(event->buttons() & Qt::LeftButton)) {
    choice_.hover(place);
    return cut_.flag_at(place) >= 0 ? setCursor(Qt::OpenHandCursor) : unsetCursor();
  }
  if (map_.is_dragged()) return map_.drag(event->position());
  if (cut_.is_dragged()) return cut_.drag(place);
  if ((event->position() - press_).manhattanLength() > 5) dragging_ = true;
  if (dragging_) camera_.move_to(press_origin_ + event->position() - press_);
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || map_.release()) return;
  if (cut_.is_dragged()) {
    unsetCursor();
    return cut_.drop();
  }
  if (!dragging_) choice_.click(camera_.to_graph(event->position()));
}

/// What enters a card is no click any more when the button is let go.
void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  mousePressEvent(event);
  bool pressed = event->button() == Qt::LeftButton && !map_.is_dragged() && !cut_.is_dragged();
  if (pressed) dragging_ = choice_.enter(camera_.to_graph(event->position()));
}

void GraphView::wheelEvent(QWheelEvent* event) {
  if (!(event->modifiers() & Qt::ControlModifier))
    return camera_.move_to(camera_.origin() +
                           QPointF(event->angleDelta().x(), event->angleDelta().y()) / 2);
  camera_.zoom(event->angleDelta().y() > 0 ? 1.15 : 1 / 1.15, event->position());
}

void GraphView::leaveEvent(QEvent*) { choice_.leave(); }

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  QPointF place = camera_.to_graph(event->pos());
  Card const* card = by_key ? marks_.chosen_card() : card_at(cards(), place);
  if (!card) return emit choice_.menu_asked({}, event->globalPos());
  QPoint at =
      by_key ? mapToGlobal(pixels(camera_.to_canvas(card->box).center())) : event->globalPos();
  emit choice_.menu_asked(choice_.spot_of(*card, by_key ? nullptr : chip_at(*card, place)), at);
}

// ---- with keys -----------------------------------------------------------------------------

/// The marked blocks first, then what goes from one to another, then the camera.
void GraphView::keyPressEvent(QKeyEvent* event) {
  if (alike_.press(*event) || choice_.press(*event) || camera_.press(*event)) return;
  if (event->key() == Qt::Key_Escape && press_escape()) return;
  QWidget::keyPressEvent(event);
}

/// Ends what is being dragged; cancels a layout that is said to take long, and takes away what was
/// said of one that was cancelled, where there is something to be seen instead; closes the bar.
bool GraphView::press_escape() {
  if (cut_.is_dragged()) {
    unsetCursor();
    cut_.cancel_drag();
  } else if (!notice_->isHidden() && (!layout_.was_cancelled() || cards())) {
    if (!layout_.was_cancelled()) return emit layout_.cancel_typed(), true;
    layout_.forget_cancelled();
    notice_->end();
  } else if (find_bar_->isVisible()) {
    emit search_.close_typed();
  } else {
    return false;
  }
  return true;
}

// ---- pictures ------------------------------------------------------------------------------

void GraphView::paintEvent(QPaintEvent*) {
  QElapsedTimer timer;
  timer.start();
  UnitPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(unit_rect(), theme_.inset);
  auto say = [&](QString const& words) {
    paint::text(painter, QRectF(24, 24, unit_width() - 48, 20), ui_font(12), theme_.text2, words);
  };
  if (!cards()) {
    if (notice_->words().isEmpty())  // else these say more
      say(layout_.graph() ? "Laying out the graph" : "The graph of the model appears here.");
    return;
  }
  if (layout_.graph()->nodes.empty())
    return say("A tensor expression has no graph; its kernel is shown in Loops.");
  GraphScene scene{*cards(), kernels_.get(), theme_, camera_, unit(),         values_,
                   marks_,   search_,        alike_, cut_,    reason_.edge(), camera_.seen()};
  paint_graph(painter, scene, far_names_);
  cut_.paint_words(painter, theme_,
                   QRectF(0, unit_height() - cut_.height(), unit_width(), cut_.height()));
  map_.paint(painter, theme_);
  frame_ms_ = double(timer.nsecsElapsed()) / 1e6;
}

std::vector<Part> GraphView::parts() const {
  std::vector<Part> parts;
  if (!cards()) return parts;
  for (Card const& card : cards()->cards) {
    if (card.fold >= 0) continue;  // below, with the open groups
    int place = cut_.place_of(card);
    QString on = place == 0 ? QString()
                            : ", on " + QString::fromStdString(cut_.view().places[size_t(place)]);
    parts.push_back({camera_.to_canvas(card.box), card.title + on, marks_.is_chosen(card)});
  }
  for (graph::Group const& group : cards()->groups) {
    if (!group.seen()) continue;
    parts.push_back({camera_.to_canvas(head_of(*cards(), group)),
                     group.title + (group.open ? ", open group, " : ", folded group, ") +
                         group.words + alike_.place_words(group),
                     group.key == marks_.group()});
  }
  return parts;
}

}  // namespace tw
