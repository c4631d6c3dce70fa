// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_pair.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/support/base/quantities.h"
#include "widgets/graph/graph_contents.h"

namespace tw {
namespace {

/// A split that leaves less to one of them is no split.
constexpr int kLeastShare = 60;

/// Of the graph, with what it counts after fusion or before it.
QString caption(session::GraphView const* graph, bool before) {
  QString words = before ? "Before fusion" : "After fusion";
  if (!graph || graph->nodes_before.empty()) return words;
  int64_t operators = int64_t(graph->nodes_before.size());
  return words + QStringLiteral(" · ") +
         (before ? QString::fromStdString(count_text(operators, "operator"))
                 : graph::kernel_words(*graph));
}

}  // namespace

GraphPair::GraphPair(QWidget* parent) : QSplitter(parent), fit_(*this), search_(*this) {
  setObjectName("graphs");
  setHandleWidth(1);
  setChildrenCollapsible(false);
  halves_[1] = make_half("graphBefore", caption(nullptr, true));
  halves_[0] = make_half("graph", caption(nullptr, false));
  after_ = leader_ = halves_[0].view;
  before_ = halves_[1].view;
  before_->setAccessibleName("Graph before fusion");
  before_->layout().show_before(true);
  connect_view(*after_);
  connect_view(*before_);
  show_form("after");
}

GraphPair::Half GraphPair::make_half(char const* name, QString const& words) {
  Half half{new QWidget, new QLabel(words), new GraphView};
  half.view->setObjectName(name);
  half.view->installEventFilter(this);
  half.caption->setObjectName(QString(name) + "Caption");
  half.caption->setContentsMargins(12, 4, 12, 4);
  auto* column = new QVBoxLayout(half.page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(half.caption);
  column->addWidget(half.view, 1);
  half.page->setFocusProxy(half.view);
  addWidget(half.page);
  return half;
}

void GraphPair::connect_view(GraphView& view) {
  connect(&view.choice(), &GraphChoice::hovered, this,
          [this, &view](std::vector<int> const& nodes) {
            if (!is_both()) return;
            view.marks().hint(nodes);
            other(view).marks().hint(pairing_.counterparts(is_before(view), nodes));
          });
  connect(&view.camera(), &GraphCamera::looked, this, [this, &view] {
    leader_ = &view;
    stays_at_asked_ = false;
    follow();
  });
  connect(&view, &GraphView::laid_out, this, [this, &view] { laid_out(view); });
  connect(&view.layout(), &GraphLayout::cancelled, this, [this] {
    fit_.cancel();
    search_.forget();
  });
}

std::vector<GraphView*> GraphPair::shown() const {
  if (is_both()) return {before_, after_};
  return {&main()};
}

bool GraphPair::busy() const {
  return std::ranges::any_of(shown(), [](GraphView const* view) { return view->layout().busy(); });
}

void GraphPair::cancel_layout() {
  for (GraphView* view : shown()) view->layout().cancel();
}

bool GraphPair::was_cancelled() const {
  return std::ranges::any_of(shown(),
                             [](GraphView const* view) { return view->layout().was_cancelled(); });
}

void GraphPair::resume_layout() {
  for (GraphView* view : shown()) view->layout().resume();
}

// ---- what is shown -------------------------------------------------------------------------

void GraphPair::show_graph(std::shared_ptr<session::GraphView const> graph,
                           std::shared_ptr<session::KernelTable const> kernels, int kernel) {
  bool other_graph = graph != graph_, other_kernel = kernel != kernel_;
  if (other_kernel) asked_.reset();
  graph_ = std::move(graph);
  kernels_ = std::move(kernels);
  kernel_ = kernel;
  if (other_graph) pairing_.pair(graph_);
  if (other_graph) {
    group_.clear();
    search_.forget();
    asked_.reset();
    fit_.cancel();
    leader_ = after_;
    folds_differ_ = true;
    for (bool before : {false, true})
      halves_[before ? 1 : 0].caption->setText(caption(graph_.get(), before));
  }
  for (GraphView* view : shown()) pass_on(*view);
  if (other_graph || other_kernel) choose_kernel();
}

/// A view that is not shown is not laid out.
void GraphPair::pass_on(GraphView& view) {
  view.show_graph(graph_, kernels_, kernel_);
  view.cut().show(cut_);
}

void GraphPair::show_cut(std::shared_ptr<session::CutView const> cut) {
  cut_ = std::move(cut);
  for (GraphView* view : shown()) view->cut().show(cut_);
}

void GraphPair::set_theme(Theme const& theme) {
  for (Half const& half : halves_) half.view->set_theme(theme);
  fit_.begin_again();
}

void GraphPair::show_form(std::string const& form) {
  QString found = main().search().text();
  search_.end_alike();
  form_ = form;
  for (bool before : {false, true}) {
    Half const& half = halves_[before ? 1 : 0];
    half.page->setVisible(is_both() || before == (form_ == "before"));
    half.caption->setVisible(is_both());
    half.view->have_bars(half.view == &main());
    half.view->choice().step_by_cards(before);
    half.view->marks().hint({});
    if (!is_both()) half.view->marks().mark({});
  }
  setFocusProxy(&main());
  for (GraphView* view : shown()) pass_on(*view);
  if (!found.isEmpty()) search_.find(found);
  if (!is_both()) return asked_ ? begin_at_asked() : choose_kernel();
  fit_.turn();
  if (std::ranges::any_of(sizes(), [](int size) { return size < kLeastShare; }))
    fit_.share_in_half();
  leader_ = after_;
  folds_differ_ = true;
  match_folds();
  pair_places();
  asked_ ? begin_at_asked() : choose_kernel();
  pair_places();
  follow();
}

/// What is open after fusion is open before it, however many cards that are.
void GraphPair::match_folds() {
  if (!folds_differ_ || !after_->layout().is_laid_out() || !before_->layout().is_laid_out()) return;
  folds_differ_ = false;
  before_->layout().fold_as(fold_states(after_->cards()));
}

void GraphPair::resizeEvent(QResizeEvent* event) {
  bool whole = is_both() && (before_->is_whole() || after_->is_whole());
  if (whole) fit_.keep_shares();
  if (is_both() && !fit_.keeps_shares()) fit_.turn();
  QSplitter::resizeEvent(event);
  if (whole)
    fit_.share_for_wholes();
  else
    fit_.share_as_before();
}

bool GraphPair::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    QMetaObject::invokeMethod(
        this, [this] { fit_.begin_again(); }, Qt::QueuedConnection);
    if (is_both())
      QMetaObject::invokeMethod(this, &GraphPair::bring_asked_back, Qt::QueuedConnection);
    if (is_both()) QMetaObject::invokeMethod(this, &GraphPair::follow, Qt::QueuedConnection);
  }
  return QSplitter::eventFilter(object, event);
}

void GraphPair::pair_places() {
  if (is_both()) pairing_.place(after_->cards(), before_->cards());
}

// ---- in step -------------------------------------------------------------------------------

QRectF GraphPair::chosen_box(GraphView const& view) const {
  return box_of(view.cards(),
                group_.empty() ? view.marks().marked() : nodes_of_group(view.cards(), group_));
}

/// What stands for what is chosen in the one that leads comes level with it, while that is seen;
/// else what stands for its middle comes to the middle. Where all of both is seen, nothing moves.
void GraphPair::follow() {
  if (!both_laid_out() || fit_.runs()) return;
  if (fit_.is_kept() && after_->camera().shows_all() && before_->camera().shows_all()) return;
  GraphView& follower = other(*leader_);
  GraphCamera const& camera = leader_->camera();
  QRectF chosen = chosen_box(*leader_), there = chosen_box(follower);
  if (!chosen.isEmpty() && !there.isEmpty() && camera.shows(chosen)) return level(chosen, there);
  QPointF place = camera.seen().center();
  bool in_columns = after_->layout().flows() || before_->layout().flows();
  QPointF other_place = in_columns ? pairing_.place_near(is_before(*leader_), place)
                                   : pairing_.place_in_other(is_before(*leader_), place);
  QPointF middle(follower.unit_width() / 2, follower.unit_height() / 2);
  follower.camera().look_at(camera.scale(), middle - other_place * camera.scale());
}

/// As far down its way through the view as the other one is on its own: cards of one height are
/// level, and what is taller is seen whole wherever the other one stands, if it fits at all.
void GraphPair::level(QRectF const& box, QRectF const& there) {
  constexpr double kEdge = 16;
  GraphView& follower = other(*leader_);
  GraphCamera const& camera = leader_->camera();
  double scale = camera.scale();
  double way = leader_->unit_height() - 2 * kEdge - box.height() * scale;
  double top = box.top() * scale + camera.origin().y();
  double part = std::abs(way) < 1 ? 0 : std::clamp((top - kEdge) / way, 0.0, 1.0);
  double other_way = follower.unit_height() - 2 * kEdge - there.height() * scale;
  double x = box.center().x() * scale + camera.origin().x() +
             (follower.unit_width() - leader_->unit_width()) / 2;
  x = std::clamp(x, follower.unit_width() * 0.2, follower.unit_width() * 0.8);
  follower.camera().look_at(
      scale, {x - there.center().x() * scale, kEdge + part * other_way - there.top() * scale});
}

void GraphPair::laid_out(GraphView& view) {
  if (!is_both()) {
    if (view.marks().marked().empty()) choose_kernel();
    return fit_.go_on();
  }
  match_folds();
  pair_places();
  search_.settle();
  if (view.marks().marked().empty() && group_.empty()) choose_kernel();
  fit_.go_on();
  bring_asked_back();
  follow();
}

bool GraphPair::choose(bool before, std::string const& group, int node) {
  GraphView& one = view(before);
  std::vector<int> nodes =
      group.empty() ? nodes_beside(one.cards(), node) : nodes_of_group(one.cards(), group);
  if (nodes.empty()) return false;
  GraphView& counterpart = other(one);
  asked_.reset();
  group_ = group_of(counterpart.cards(), group) ? group : std::string();
  one.marks().choose_group(group);
  counterpart.marks().choose_group(group_);
  bool by_frame = !group.empty() && !group_.empty();
  counterpart.marks().mark(by_frame ? std::vector<int>() : pairing_.counterparts(before, nodes));
  one.marks().mark(by_frame ? std::vector<int>() : std::move(nodes));
  leader_ = &one;
  QRectF box = chosen_box(one);
  if (box.height() * one.camera().scale() < one.unit_height()) one.camera().bring_into_view(box);
  follow();
  return true;
}

/// All operators of the kernel that is looked at, unless one of its places was chosen here. After
/// fusion alone a kernel is its own mark.
void GraphPair::choose_kernel() {
  if (!graph_ || form_ == "after") return;
  pair_places();
  GraphView& one = is_both() ? *after_ : *before_;
  std::vector<int> nodes = graph::nodes_of_kernel(graph_.get(), kernel_);
  if (!is_both()) nodes = pairing_.counterparts(false, nodes);
  std::ranges::sort(nodes);
  auto of_kernel = [&](int node) { return std::ranges::binary_search(nodes, node); };
  std::vector<int> const& marked = one.marks().marked();
  if (nodes.empty() || (!marked.empty() && std::ranges::all_of(marked, of_kernel))) return;
  one.marks().mark(nodes);
  if (!is_both()) return;
  group_.clear();
  before_->marks().mark(pairing_.counterparts(false, nodes));
  auto is_seen = [&](int node) { return one.camera().shows(box_of(one.cards(), {node})); };
  if (std::ranges::none_of(nodes, is_seen) && one.layout().is_laid_out())
    one.camera().bring_into_view(box_of(one.cards(), {nodes.front()}));
  leader_ = after_;
  follow();
}

void GraphPair::look_at(double scale, QPointF origin) {
  main().camera().look_at(scale, origin);
  leader_ = &main();
  follow();
}

void GraphPair::show_overlay(std::string const& name) {
  for (Half const& half : halves_) half.view->show_overlay(name);
}

bool GraphPair::fold(std::string const& key, bool open) {
  bool any = false;
  for (GraphView* view : shown()) any |= view->layout().fold(key, open);
  if (!any || !is_both()) return any;
  bool is_after = group_of(after_->cards(), key), is_before = group_of(before_->cards(), key);
  leader_ = before_->hasFocus() && is_before ? before_ : after_;
  group_ = is_after && is_before ? key : std::string();
  for (GraphView* view : shown()) view->marks().mark({});
  follow();
  return true;
}

void GraphPair::fold_all(bool open) {
  for (GraphView* view : shown()) view->layout().fold_all(open);
}

}  // namespace tw
