// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_view.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <utility>

#include "widgets/graph/layout_notice.h"

namespace tw {

using graph::Border;
using graph::Card;
using graph::Chip;

namespace {

constexpr double kLeastScale = 0.02, kMostScale = 2.5;

}  // namespace

GraphView::GraphView(QWidget* parent) : Canvas(parent), bar_(new FindBar(this)) {
  setObjectName("graph");
  setAccessibleName("Graph");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(
      Qt::WA_OpaquePaintEvent);  // a large picture takes long to fill, and was filled twice
  bar_->hide();
  make_block_bar();
  make_layout();
  connect(bar_, &FindBar::text_typed, this, &GraphView::find_typed);
  connect(bar_, &FindBar::step_asked, this, &GraphView::step_typed);
  connect(bar_, &FindBar::only_asked, this, &GraphView::only_matches_typed);
  connect(bar_, &FindBar::closed, this, &GraphView::find_closed);
}

void GraphView::show_graph(std::shared_ptr<session::GraphView const> graph,
                           std::shared_ptr<session::KernelTable const> kernels, int kernel) {
  bool changed = graph != graph_;
  bool repaint = changed || kernels != kernels_ || kernel != kernel_;
  kernels_ = std::move(kernels);
  kernel_ = kernel;
  if (changed) {
    graph_ = std::move(graph);
    rebuild();
  }
  if (repaint) update_values();
}

void GraphView::show_before(bool before) {
  if (before == before_) return;
  before_ = before;
  rebuild();
}

double GraphView::fit_scale() const {
  if (!laid_out() || unit_width() < 50 || unit_height() < 50) return 0;
  double wide = (unit_width() - 48) / std::max(made_->width, 1.0);
  double high = (unit_height() - cut_words_height() - 48) / std::max(made_->height, 1.0);
  return std::clamp(std::min(wide, high), kLeastScale, 1.0);
}

void GraphView::flow(bool in_columns) {
  if (unit_width() < 50 || unit_height() < 50) return;
  QSizeF room(unit_width() - 48, unit_height() - cut_words_height() - 48);
  folds_[before_ ? 1 : 0].room = in_columns ? room : QSizeF();
  anchor_.clear();
  lay_out_as_wanted();
}

bool GraphView::shows_all() const {
  return laid_out() && shows(QRectF(0, 0, made_->width, made_->height));
}

/// The whole width, as far as names can be read.
void GraphView::first_look() {
  if (!laid_out() || unit_width() < 50) return;
  double least = std::min(1.0, graph::kReadable / unit() * 1.01);
  look_from_above(std::clamp((unit_width() - 48) / std::max(made_->width, 1.0), least, 1.0));
}

void GraphView::look_from_above(double scale) {
  if (!laid_out()) return;
  moved_ = false;
  scale_ = scale;
  origin_ = QPointF((unit_width() - made_->width * scale_) / 2, 24);
  fitted_ = true;
  update();
}

void GraphView::show_overlay(std::string const& name) {
  overlay_ = graph::overlay_called(name);
  update_values();
}

std::string const& GraphView::overlay() const { return graph::overlay_names()[size_t(overlay_)]; }

void GraphView::update_values() {
  values_.clear();
  sums_.clear();
  if (made_) {
    values_ = graph::overlay_values(*made_, kernels_.get(), overlay_);
    sums_ = graph::group_values(*made_, kernels_.get(), overlay_);
  }
  update();
}

QString GraphView::value_of(QString const& title) const {
  for (size_t i = 0; i < values_.size() && ready(); ++i)
    if (made_->cards[i].title == title) return values_[i].words;
  return {};
}

/// At its own size, from the corner.
QSizeF GraphView::whole_size() const {
  if (!laid_out()) return {unit_width(), unit_height()};
  return {made_->width + 48, made_->height + 48 + cut_words_height()};
}

QSizeF GraphView::begin_whole() {
  left_ = {scale_, origin_, moved_, bar_->isVisible(), !notice_->isHidden()};
  if (!laid_out()) return whole_size();
  whole_ = true;
  moved_ = false;
  bar_->hide();
  notice_->hide();
  show_block_bar();
  return whole_size();
}

void GraphView::end_whole() {
  whole_ = false;
  scale_ = left_.scale;
  origin_ = left_.origin;
  moved_ = left_.moved;
  bar_->setVisible(left_.searched);
  notice_->setVisible(left_.noted);
  show_block_bar();
  update();
}

void GraphView::rescale() {
  map_of_ = nullptr;
  far_names_.clear();
  bar_->set_theme(theme_);
  notice_->set_theme(theme_);
  place_bar();
  if (!moved_ && !flows()) first_look();
}

void GraphView::place_bar() {
  QPoint gap = pixels(QPointF(12, 12));
  bar_->fit(width() - 2 * gap.x());
  bar_->move(width() - bar_->width() - gap.x(), gap.y());
  place_block_bar();
  place_notice();
}

/// A place the user has chosen stays; the first look is looked anew. One that was fitted fits again
/// beside the other: GraphPair.
void GraphView::resizeEvent(QResizeEvent*) {
  if (!moved_ && !flows()) first_look();
  place_bar();
}

void GraphView::look_at(double scale, QPointF origin) {
  scale_ = std::clamp(scale, kLeastScale, kMostScale);
  origin_ = origin;
  fitted_ = moved_ = true;
  update();
}

void GraphView::moved_by_user() {
  moved_ = true;
  update();
  emit looked();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  press_ = event->position();
  press_origin_ = origin_;
  dragging_ = false;
  on_map_ = false;
  if (event->button() != Qt::LeftButton || drag_map(press_, true)) return;
  press_flag(to_scene(press_));
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) {
    bool on_flag = flag_at(to_scene(event->position())) >= 0;
    hover(to_scene(event->position()));
    return on_flag ? setCursor(Qt::OpenHandCursor) : unsetCursor();
  }
  if (on_map_) return (void)drag_map(event->position(), false);
  if (dragged_flag_ >= 0) return drag_flag(to_scene(event->position()));
  if ((event->position() - press_).manhattanLength() > 5) dragging_ = true;
  if (!dragging_) return;
  origin_ = press_origin_ + event->position() - press_;
  moved_by_user();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (std::exchange(on_map_, false)) return;
  if (dragged_flag_ >= 0) return drop_flag();
  if (!dragging_ && ready()) click(to_scene(event->position()));
}

void GraphView::wheelEvent(QWheelEvent* event) {
  if (!(event->modifiers() & Qt::ControlModifier)) {
    origin_ += QPointF(event->angleDelta().x(), event->angleDelta().y()) / 2;
    return moved_by_user();
  }
  zoom(event->angleDelta().y() > 0 ? 1.15 : 1 / 1.15, event->position());
}

void GraphView::zoom(double factor, QPointF around) {
  QPointF scene = to_scene(around);
  scale_ = std::clamp(scale_ * factor, kLeastScale, kMostScale);
  origin_ = around - scene * scale_;
  moved_by_user();
}

/// Up and down go from kernel to kernel, left and right from group to group, the space bar opens
/// and folds one, the return key goes to the loops of what is chosen; + and - zoom, 0 fits.
void GraphView::keyPressEvent(QKeyEvent* event) {
  if (alike_key(*event)) return;
  if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right)
    return step_group(event->key() == Qt::Key_Left ? -1 : 1);
  if (event->key() == Qt::Key_Space) {
    std::string key = chosen_group();
    if (!key.empty()) emit fold_asked(QString::fromStdString(key), !is_open(key));
    return;
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    return emit entered(chosen_node());
  int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
  if (step != 0 && steps_by_cards_) return step_card(step);
  if (step != 0 && kernels_ && ready()) {
    int next = std::clamp(kernel_ + step, 0, int(kernels_->rows.size()) - 1);
    for (size_t i = 0; i < made_->cards.size(); ++i)
      if (std::ranges::any_of(made_->cards[i].members, [&](int member) {
            return made_->members[size_t(member)].kernel == next;
          })) {
        bring_into_view(int(i));
        break;
      }
    if (next != kernel_) emit kernel_chosen(next);
    return;
  }
  QPointF centre(unit_width() / 2.0, unit_height() / 2.0);
  if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) return zoom(1.15, centre);
  if (event->key() == Qt::Key_Minus) return zoom(1 / 1.15, centre);
  if (event->key() == Qt::Key_Escape && dragged_flag_ >= 0) {
    drop_group_ = -1;
    return drop_flag();
  }
  if (event->key() == Qt::Key_Escape && end_layout_by_key()) return;
  if (event->key() == Qt::Key_Escape && bar_->isVisible()) return emit find_closed();
  if (event->key() == Qt::Key_0) return emit fit_typed();
  QWidget::keyPressEvent(event);
}

bool GraphView::shows(QRectF const& box) const {
  QRectF shown(box.topLeft() * scale_ + origin_, box.size() * scale_);
  return unit_rect().adjusted(8, 8, -8, -8 - cut_words_height()).contains(shown);
}

void GraphView::bring_into_view(QRectF const& box) {
  if (shows(box)) return;
  origin_ = QPointF(unit_width(), unit_height()) / 2 - box.center() * scale_;
  moved_ = true;
  update();
}

std::vector<Part> GraphView::parts() const {
  std::vector<Part> parts;
  if (!ready()) return parts;
  for (Card const& card : made_->cards) {
    if (card.fold >= 0) continue;  // below, with the open groups
    parts.push_back(
        {QRectF(card.box.topLeft() * scale_ + origin_, card.box.size() * scale_),
         card.title + (place_of(card) == 0 ? QString()
                                           : ", on " + QString::fromStdString(
                                                           cut_->places[size_t(place_of(card))])),
         is_chosen(card)});
  }
  for (Part& part : group_parts()) parts.push_back(std::move(part));
  return parts;
}

}  // namespace tw
