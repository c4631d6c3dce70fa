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

}  // namespace

GraphPair::GraphPair(QWidget* parent) : QSplitter(parent) {
  setObjectName("graphs");
  setHandleWidth(1);
  setChildrenCollapsible(false);
  halves_[1] = make_half("graphBefore", "Before fusion");
  halves_[0] = make_half("graph", "After fusion");
  after_ = leader_ = halves_[0].view;
  before_ = halves_[1].view;
  before_->setAccessibleName("Graph before fusion");
  before_->show_before(true);
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
  connect(&view, &GraphView::hovered, this, [this, &view](std::vector<int> const& nodes) {
    if (!is_both()) return;
    view.hint(nodes);
    other(view).hint(counterparts(is_before(view), nodes));
  });
  connect(&view, &GraphView::looked, this, [this, &view] {
    leader_ = &view;
    stays_at_asked_ = false;
    follow();
  });
  connect(&view, &GraphView::laid_out_anew, this, [this, &view] { laid_out(view); });
  connect(&view, &GraphView::layout_cancelled, this, [this] {
    fitting_ = Fitting::kNo;
    found_ = -1;
  });
}

std::vector<GraphView*> GraphPair::shown() const {
  if (is_both()) return {before_, after_};
  return {&main()};
}

bool GraphPair::busy() const {
  return std::ranges::any_of(shown(), [](GraphView const* view) { return view->busy(); });
}

void GraphPair::cancel_layout() {
  for (GraphView* view : shown()) view->cancel_layout();
}

bool GraphPair::was_cancelled() const {
  return std::ranges::any_of(shown(), [](GraphView const* view) { return view->was_cancelled(); });
}

void GraphPair::lay_out_after_all() {
  for (GraphView* view : shown()) view->lay_out_after_all();
}

// ---- what is shown -------------------------------------------------------------------------

void GraphPair::show_graph(std::shared_ptr<session::GraphView const> graph,
                           std::shared_ptr<session::KernelTable const> kernels, int kernel) {
  bool other_graph = graph != graph_, other_kernel = kernel != kernel_;
  if (other_kernel) asked_.reset();
  graph_ = std::move(graph);
  kernels_ = std::move(kernels);
  kernel_ = kernel;
  if (other_graph) {
    group_.clear();
    found_ = -1;
    asked_.reset();
    fitting_ = Fitting::kNo;
    leader_ = after_;
    folds_differ_ = true;
    show_captions();
  }
  for (GraphView* view : shown()) pass_on(*view);
  if (other_graph || other_kernel) choose_kernel();
}

/// A view that is not shown is not laid out.
void GraphPair::pass_on(GraphView& view) {
  view.show_graph(graph_, kernels_, kernel_);
  view.show_cut(cut_);
}

void GraphPair::show_cut(std::shared_ptr<session::CutView const> cut) {
  cut_ = std::move(cut);
  for (GraphView* view : shown()) view->show_cut(cut_);
}

void GraphPair::set_theme(Theme const& theme) {
  for (Half const& half : halves_) half.view->set_theme(theme);
  fit_again();
}

void GraphPair::show_captions() {
  QString counts[2];
  if (graph_ && !graph_->nodes_before.empty()) {
    counts[0] = QStringLiteral(" · ") + graph::kernel_words(*graph_);
    counts[1] = QStringLiteral(" · ") + QString::fromStdString(count_text(
                                            int64_t(graph_->nodes_before.size()), "operator"));
  }
  halves_[0].caption->setText("After fusion" + counts[0]);
  halves_[1].caption->setText("Before fusion" + counts[1]);
}

void GraphPair::show_form(std::string const& form) {
  QString found = main().found_text();
  end_alike();
  form_ = form;
  for (bool before : {false, true}) {
    Half const& half = halves_[before ? 1 : 0];
    half.page->setVisible(is_both() || before == (form_ == "before"));
    half.caption->setVisible(is_both());
    half.view->have_find_bar(half.view == &main());
    half.view->step_by_cards(before);
    half.view->hint({});
    if (!is_both()) half.view->mark({});
  }
  setFocusProxy(&main());
  for (GraphView* view : shown()) pass_on(*view);
  if (!found.isEmpty()) find(found);
  if (!is_both()) return asked_ ? begin_at_asked() : choose_kernel();
  turn();
  if (std::ranges::any_of(sizes(), [](int size) { return size < kLeastShare; })) share_in_half();
  leader_ = after_;
  folds_differ_ = true;
  match_folds();
  pair_anew();
  asked_ ? begin_at_asked() : choose_kernel();
  pair_anew();
  follow();
}

/// What is open after fusion is open before it, however many cards that are.
void GraphPair::match_folds() {
  if (!folds_differ_ || !after_->laid_out() || !before_->laid_out()) return;
  folds_differ_ = false;
  before_->fold_as(after_->fold_states());
}

/// Beside each other where there is more width, else one above the other.
void GraphPair::turn() {
  Qt::Orientation wanted = width() >= height() ? Qt::Horizontal : Qt::Vertical;
  if (orientation() != wanted) setOrientation(wanted);
}

void GraphPair::share_in_half() { setSizes({1000, 1000}); }

/// What its picture of the whole needs, to each of which one is made; they are asked one by one.
void GraphPair::share_for_wholes() {
  bool across = orientation() == Qt::Horizontal;
  auto wanted = [&](GraphView const& view) {
    QSize size = view.pixels(view.whole_size());
    return across ? size.width() : size.height();
  };
  int all = across ? width() : height();
  if (before_->is_whole() && after_->is_whole())
    setSizes({wanted(*before_), wanted(*after_)});
  else if (before_->is_whole())
    setSizes({wanted(*before_), std::max(1, all - wanted(*before_))});
  else
    setSizes({std::max(1, all - wanted(*after_)), wanted(*after_)});
}

void GraphPair::resizeEvent(QResizeEvent* event) {
  bool whole = is_both() && (before_->is_whole() || after_->is_whole());
  if (whole && sizes_.isEmpty()) sizes_ = sizes();
  if (is_both() && sizes_.isEmpty()) turn();
  QSplitter::resizeEvent(event);
  if (whole)
    share_for_wholes();
  else if (!sizes_.isEmpty())
    setSizes(std::exchange(sizes_, {}));
}

bool GraphPair::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Resize) {
    QMetaObject::invokeMethod(this, &GraphPair::fit_again, Qt::QueuedConnection);
    if (is_both())
      QMetaObject::invokeMethod(this, &GraphPair::bring_asked_back, Qt::QueuedConnection);
    if (is_both()) QMetaObject::invokeMethod(this, &GraphPair::follow, Qt::QueuedConnection);
  }
  return QSplitter::eventFilter(object, event);
}

// ---- what stands for what ------------------------------------------------------------------

std::vector<int> GraphPair::counterparts(bool before, std::vector<int> const& nodes) const {
  std::vector<int> found;
  for (int node : nodes) {
    if (before) {
      if (auto one = pairs_.after.find(node); one != pairs_.after.end())
        found.push_back(one->second);
    } else if (auto all = pairs_.before.find(node); all != pairs_.before.end()) {
      found.insert(found.end(), all->second.begin(), all->second.end());
    }
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

session::ComputedIn GraphPair::computed_in(bool before, int node) const {
  if (!graph_) return {};
  return before ? session::computed_in(*graph_, pairs_, node) : session::computed_in(*graph_, node);
}

void GraphPair::pair_anew() {
  anchors_.clear();
  if (paired_ != graph_) {
    pairs_ = graph_ ? session::pair_nodes(*graph_) : session::NodePairs();
    paired_ = graph_;
  }
  graph::Cards const *after = after_->cards(), *before = before_->cards();
  if (!after || !before || !is_both()) return;
  std::unordered_map<int, QRectF> box_before;
  for (graph::Findable const& found : before->findable)
    box_before[found.node->id] = before->cards[size_t(found.card)].box;
  std::vector<QRectF> boxes(after->cards.size());
  for (graph::Findable const& found : after->findable)
    if (auto all = pairs_.before.find(found.node->id); all != pairs_.before.end())
      for (int node : all->second) boxes[size_t(found.card)] |= box_before[node];
  for (size_t i = 0; i < boxes.size(); ++i)
    if (!boxes[i].isEmpty()) anchors_.push_back({after->cards[i].box.center(), boxes[i].center()});
}

/// Between what stands above and what stands below, in proportion; beyond all, as far as here. In
/// columns as far as here from the nearest.
QPointF GraphPair::place_in_other(bool before, QPointF place) const {
  if (after_->flows() || before_->flows()) {
    auto distance = [&](Anchor const& anchor) { return QLineF(anchor.of(before), place).length(); };
    auto nearest = std::ranges::min_element(anchors_, {}, distance);
    return nearest == anchors_.end() ? place : nearest->of(!before) + place - nearest->of(before);
  }
  Anchor const *above = nullptr, *below = nullptr;
  auto nearer = [&](Anchor const& one, Anchor const* known, bool is_above) {
    if (!known) return true;
    double here = one.of(before).y(), there = known->of(before).y();
    if (here != there) return is_above ? here > there : here < there;
    return std::abs(one.of(before).x() - place.x()) < std::abs(known->of(before).x() - place.x());
  };
  for (Anchor const& anchor : anchors_) {
    bool is_above = anchor.of(before).y() <= place.y();
    Anchor const*& known = is_above ? above : below;
    if (nearer(anchor, known, is_above)) known = &anchor;
  }
  if (!above && !below) return place;
  if (!above) above = below;
  if (!below) below = above;
  QPointF from = above->of(before), to = below->of(before);
  double part = to.y() > from.y() ? (place.y() - from.y()) / (to.y() - from.y()) : 0;
  QPointF here = from + (to - from) * part;
  QPointF there = above->of(!before) + (below->of(!before) - above->of(!before)) * part;
  return there + (place - here);
}

// ---- in step -------------------------------------------------------------------------------

QRectF GraphPair::chosen_box(GraphView const& view) const {
  return view.box_of(group_.empty() ? view.marked() : view.nodes_of_group(group_));
}

/// What stands for what is chosen in the one that leads comes level with it, while that is seen;
/// else what stands for its middle comes to the middle. Where all of both is seen, nothing moves.
void GraphPair::follow() {
  if (!both_laid_out() || fitting_ != Fitting::kNo) return;
  if (after_->stays_fitted() && before_->stays_fitted() && after_->shows_all() &&
      before_->shows_all())
    return;
  GraphView& follower = other(*leader_);
  QRectF chosen = chosen_box(*leader_), there = chosen_box(follower);
  if (!chosen.isEmpty() && !there.isEmpty() && leader_->shows(chosen)) return level(chosen, there);
  QPointF middle(leader_->unit_width() / 2, leader_->unit_height() / 2);
  QPointF place = (middle - leader_->origin()) / leader_->scale();
  QPointF other_place = place_in_other(is_before(*leader_), place);
  QPointF other_middle(follower.unit_width() / 2, follower.unit_height() / 2);
  follower.look_at(leader_->scale(), other_middle - other_place * leader_->scale());
}

/// As far down its way through the view as the other one is on its own: cards of one height are
/// level, and what is taller is seen whole wherever the other one stands, if it fits at all.
void GraphPair::level(QRectF const& box, QRectF const& there) {
  constexpr double kEdge = 16;
  GraphView& follower = other(*leader_);
  double scale = leader_->scale();
  double way = leader_->unit_height() - 2 * kEdge - box.height() * scale;
  double top = box.top() * scale + leader_->origin().y();
  double part = std::abs(way) < 1 ? 0 : std::clamp((top - kEdge) / way, 0.0, 1.0);
  double other_way = follower.unit_height() - 2 * kEdge - there.height() * scale;
  double x = box.center().x() * scale + leader_->origin().x() +
             (follower.unit_width() - leader_->unit_width()) / 2;
  x = std::clamp(x, follower.unit_width() * 0.2, follower.unit_width() * 0.8);
  follower.look_at(
      scale, {x - there.center().x() * scale, kEdge + part * other_way - there.top() * scale});
}

void GraphPair::laid_out(GraphView& view) {
  if (!is_both()) {
    if (view.marked().empty()) choose_kernel();
    return go_on_fitting();
  }
  match_folds();
  pair_anew();
  if (found_ >= 0 && !busy()) choose(false, {}, std::exchange(found_, -1));
  if (view.marked().empty() && group_.empty()) choose_kernel();
  go_on_fitting();
  bring_asked_back();
  follow();
}

bool GraphPair::choose(bool before, std::string const& group, int node) {
  GraphView& one = view(before);
  std::vector<int> nodes = group.empty() ? one.nodes_beside(node) : one.nodes_of_group(group);
  if (nodes.empty()) return false;
  GraphView& counterpart = other(one);
  asked_.reset();
  group_ = counterpart.has_group(group) ? group : std::string();
  one.choose_group(group);
  counterpart.choose_group(group_);
  bool by_frame = !group.empty() && !group_.empty();
  counterpart.mark(by_frame ? std::vector<int>() : counterparts(before, nodes));
  one.mark(by_frame ? std::vector<int>() : std::move(nodes));
  leader_ = &one;
  QRectF box = chosen_box(one);
  if (box.height() * one.scale() < one.unit_height()) one.bring_into_view(box);
  follow();
  return true;
}

/// All operators of the kernel that is looked at, unless one of its places was chosen here.
void GraphPair::choose_kernel() {
  if (form_ == "before") return choose_kernel_before();
  if (!is_both() || !graph_) return;
  pair_anew();
  std::vector<int> nodes = after_->nodes_of_kernel(kernel_);
  std::ranges::sort(nodes);
  auto of_kernel = [&](int node) { return std::ranges::binary_search(nodes, node); };
  if (!after_->marked().empty() && std::ranges::all_of(after_->marked(), of_kernel)) return;
  if (nodes.empty()) return;
  group_.clear();
  before_->mark(counterparts(false, nodes));
  after_->mark(nodes);
  bool seen =
      std::ranges::any_of(nodes, [&](int node) { return after_->shows(after_->box_of({node})); });
  if (!seen && after_->laid_out()) after_->bring_into_view(after_->box_of({nodes.front()}));
  leader_ = after_;
  follow();
}

/// The same without a graph after fusion beside it.
void GraphPair::choose_kernel_before() {
  if (!graph_) return;
  pair_anew();
  std::vector<int> nodes = counterparts(false, before_->nodes_of_kernel(kernel_));
  auto of_kernel = [&](int node) { return std::ranges::binary_search(nodes, node); };
  auto const& marked = before_->marked();
  if (nodes.empty() || (!marked.empty() && std::ranges::all_of(marked, of_kernel))) return;
  before_->mark(nodes);
}

void GraphPair::look_at(double scale, QPointF origin) {
  main().look_at(scale, origin);
  leader_ = &main();
  follow();
}

void GraphPair::show_overlay(std::string const& name) {
  for (Half const& half : halves_) half.view->show_overlay(name);
}

bool GraphPair::fold(std::string const& key, bool open) {
  bool any = false;
  for (GraphView* view : shown()) any |= view->fold(key, open);
  if (!any || !is_both()) return any;
  leader_ = before_->hasFocus() && before_->has_group(key) ? before_ : after_;
  group_ = after_->has_group(key) && before_->has_group(key) ? key : std::string();
  for (GraphView* view : shown()) view->mark({});
  follow();
  return true;
}

void GraphPair::fold_all(bool open) {
  for (GraphView* view : shown()) view->fold_all(open);
}

std::optional<double> GraphPair::apart(int node_before) const {
  std::vector<int> after = counterparts(true, {node_before});
  QRectF here = before_->box_of({node_before}), there = after_->box_of(after);
  if (!both_laid_out() || here.isEmpty() || there.isEmpty()) return {};
  return (here.center() * before_->scale() + before_->origin()).y() -
         (there.center() * after_->scale() + after_->origin()).y();
}

}  // namespace tw
