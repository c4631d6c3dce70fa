// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QtConcurrent>
#include <algorithm>
#include <map>
#include <set>

#include "widgets/paint/paint.h"

namespace tw {

namespace {

constexpr double kChip = 28, kHead = 34, kPad = 12, kCard = kHead + kChip + 18;

QString chip_text(session::GraphNodeView const& node) {
  return QString::fromStdString(node.detail.empty() ? node.op : node.op + " " + node.detail);
}
double chip_width(session::GraphNodeView const& node) {
  return QFontMetricsF(mono_font(12)).horizontalAdvance(chip_text(node)) + 40;
}

}  // namespace

GraphView::GraphView(QWidget* parent)
    : QWidget(parent), watcher_(new QFutureWatcher<session::Layout>(this)) {
  setObjectName("graph");
  setAccessibleName("Graph");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  connect(watcher_, &QFutureWatcher<session::Layout>::finished, this, [this] {
    layout_ = watcher_->result();
    if (layout_.nodes.size() != cards_.size())
      return start_layout();  // the graph changed meanwhile
    if (!fitted_) zoom_to_fit();
    update();
  });
}

GraphView::~GraphView() { watcher_->waitForFinished(); }

void GraphView::set_theme(Theme const& theme) {
  theme_ = theme;
  update();
}

void GraphView::show_graph(std::shared_ptr<session::GraphView const> graph,
                           std::shared_ptr<session::KernelTable const> kernels, int kernel) {
  bool changed = graph != graph_;
  kernels_ = std::move(kernels);
  kernel_ = kernel;
  if (changed) {
    graph_ = std::move(graph);
    rebuild();
  }
  update();
}

void GraphView::show_before(bool before) {
  if (before == before_) return;
  before_ = before;
  rebuild();
}

void GraphView::rebuild() {
  cards_.clear();
  borders_.clear();
  layout_ = {};
  fitted_ = false;
  chosen_edge_ = -1;
  if (!graph_) return update();
  std::map<int, int> card_of_group, card_of_node;
  auto const& nodes = before_ ? graph_->nodes_before : graph_->nodes;
  for (auto const& node : nodes) {
    bool grouped = !before_ && node.group >= 0;
    auto found = grouped ? card_of_group.find(node.group) : card_of_group.end();
    if (found == card_of_group.end()) {
      Card card;
      card.title = QString::fromStdString(node.name);
      cards_.push_back(card);
      if (grouped) card_of_group[node.group] = int(cards_.size()) - 1;
      card_of_node[node.id] = int(cards_.size()) - 1;
    } else {
      card_of_node[node.id] = found->second;
    }
    cards_[size_t(card_of_node[node.id])].chips.push_back(&node);
  }
  for (auto const& group : graph_->groups)
    if (auto found = card_of_group.find(group.id); found != card_of_group.end()) {
      Card& card = cards_[size_t(found->second)];
      card.title = QString::fromStdString(group.name);
      card.kernel = group.kernel;
      card.share = group.time_share;
    }
  std::set<std::pair<int, int>> seen;
  std::vector<std::pair<int, int>> ends;
  for (auto const& edge : before_ ? graph_->edges_before : graph_->edges) {
    auto from = card_of_node.find(edge.from), to = card_of_node.find(edge.to);
    if (from == card_of_node.end() || to == card_of_node.end() || from->second == to->second)
      continue;
    if (!seen.insert({from->second, to->second}).second) continue;
    borders_.push_back({&edge});
    ends.push_back({from->second, to->second});
  }
  for (Card const& card : cards_) {
    double width = kPad;
    for (auto const* chip : card.chips) width += chip_width(*chip) + 8;
    double title = QFontMetricsF(ui_font(13, 600)).horizontalAdvance(card.title) + 120;
    layout_.nodes.push_back({std::max(width + kPad - 8, title), kCard, 0, 0, 0});
  }
  for (auto const& [from, to] : ends) layout_.edges.push_back({from, to, {}});
  start_layout();
}

void GraphView::start_layout() {
  session::Layout input = layout_;
  if (input.nodes.size() != cards_.size()) return rebuild();
  layout_ = {};
  watcher_->setFuture(QtConcurrent::run([input]() mutable {
    session::lay_out(input);
    return input;
  }));
}

void GraphView::zoom_to_fit() {
  if (layout_.nodes.empty() || width() < 50) return;
  scale_ = std::clamp((width() - 48) / std::max(layout_.width, 1.0), 0.25, 1.0);
  origin_ = QPointF((width() - layout_.width * scale_) / 2, 24);
  fitted_ = true;
  moved_ = false;
  update();
}

/// A place the user has chosen stays; the fitted picture fits again.
void GraphView::resizeEvent(QResizeEvent*) {
  if (!moved_) zoom_to_fit();
}

void GraphView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.inset);
  if (!graph_ || layout_.nodes.size() != cards_.size()) {
    paint::text(painter, QRectF(24, 24, width() - 48, 20), ui_font(12), theme_.text2,
                graph_ && graph_->nodes.empty()
                    ? "A tensor expression has no graph: its one kernel is in Loops."
                : graph_ ? "Laying out the graph"
                         : "The graph of the model appears here.");
    return;
  }
  painter.translate(origin_);
  painter.scale(scale_, scale_);
  draw_edges(painter);
  for (size_t i = 0; i < cards_.size(); ++i) draw_card(painter, i);
}

/// Where an edge carries its broken link: half way along, so that edges of one source keep apart.
QPointF GraphView::mark_of(size_t edge) const {
  auto const& points = layout_.edges[edge].points;
  double length = 0, passed = 0;
  auto at = [&](size_t i) { return QPointF(points[i].first, points[i].second); };
  for (size_t i = 1; i < points.size(); ++i) length += QLineF(at(i - 1), at(i)).length();
  for (size_t i = 1; i < points.size(); ++i) {
    QLineF piece(at(i - 1), at(i));
    if (passed + piece.length() >= length / 2 && piece.length() > 0)
      return piece.pointAt((length / 2 - passed) / piece.length());
    passed += piece.length();
  }
  return at(0);
}

void GraphView::draw_edges(QPainter& painter) const {
  for (size_t e = 0; e < layout_.edges.size(); ++e) {
    auto const& points = layout_.edges[e].points;
    if (points.size() < 2) continue;
    bool chosen = int(e) == chosen_edge_;
    painter.setPen(QPen(chosen ? theme_.ink : theme_.line3, chosen ? 2 : 1.5));
    painter.setBrush(Qt::NoBrush);
    QPainterPath path(QPointF(points[0].first, points[0].second));
    for (size_t i = 1; i < points.size(); ++i) path.lineTo(points[i].first, points[i].second);
    painter.drawPath(path);
    QPointF end(points.back().first, points.back().second);
    painter.drawLine(end, end + QPointF(-5, -6));
    painter.drawLine(end, end + QPointF(5, -6));
    // A broken link: these two are not one kernel.
    QPointF mid = mark_of(e);
    painter.setBrush(theme_.inset);
    painter.drawEllipse(mid, 6, 6);
    painter.drawLine(mid + QPointF(-2.5, 2.5), mid + QPointF(2.5, -2.5));
    // Above a line that runs sideways, beside one that runs down.
    bool sideways =
        points.size() > 2 && std::any_of(points.begin() + 1, points.end(), [&](auto& p) {
          auto const& before = *(&p - 1);
          return p.second == before.second && std::abs(p.second - mid.y()) < 1;
        });
    paint::text(painter, QRectF(mid.x() + 10, mid.y() - (sideways ? 18 : 8), 140, 16),
                mono_font(11), theme_.text3, QString::fromStdString(borders_[e].edge->shape));
  }
}

void GraphView::draw_card(QPainter& painter, size_t index) const {
  Card const& card = cards_[index];
  auto const& at = layout_.nodes[index];
  QRectF box(at.x, at.y, at.width, at.height);
  bool selected = card.kernel >= 0 && card.kernel == kernel_;
  painter.setPen(QPen(selected ? theme_.ink : theme_.line3, selected ? 2 : 1.5));
  painter.setBrush(theme_.panel);
  painter.drawRoundedRect(box, 8, 8);
  auto const* row = kernels_ && card.kernel >= 0 && size_t(card.kernel) < kernels_->rows.size()
                        ? &kernels_->rows[size_t(card.kernel)]
                        : nullptr;
  double left = box.left() + kPad;
  if (row) {
    paint::kernel_state(painter, QPointF(left + 5, box.top() + 18), theme_, row->state);
    left += 18;
  }
  QString time = row && row->time_ms ? paint::number(*row->time_ms) + " ms" : QString();
  paint::text(painter, QRectF(left, box.top() + 6, box.right() - left - 90, 24), ui_font(13, 600),
              theme_.text1, card.title);
  paint::text(painter, QRectF(box.right() - 92, box.top() + 6, 80, 24), mono_font(12), theme_.text1,
              time, Qt::AlignRight | Qt::AlignVCenter);
  double x = box.left() + kPad;
  for (auto const* chip : card.chips) {
    QRectF place(x, box.top() + kHead, chip_width(*chip), kChip);
    QColor colour = paint::class_colour(theme_, chip->pattern);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::mix(colour, theme_.panel, 0.16));
    painter.drawRoundedRect(place, 4, 4);
    painter.fillRect(QRectF(place.left(), place.top(), 4, place.height()), colour);
    paint::class_glyph(painter, QRectF(place.left() + 8, place.top(), 16, kChip), theme_,
                       chip->pattern);
    paint::text(painter, place.adjusted(28, 0, -6, 0), mono_font(12), theme_.text1,
                chip_text(*chip));
    x += place.width() + 8;
  }
  QRectF track(box.left() + kPad, box.bottom() - 11, box.width() - 2 * kPad, 3);
  painter.fillRect(track, theme_.line1);
  painter.fillRect(
      QRectF(track.left(), track.top(), track.width() * std::clamp(card.share * 8, 0.0, 1.0), 3),
      theme_.text2);
}

GraphView::Reason GraphView::reason_of(int from, int to) {
  if (!graph_) return {};
  auto const& nodes = before_ ? graph_->nodes_before : graph_->nodes;
  if (to < 0) {
    auto node = std::find_if(nodes.begin(), nodes.end(), [&](auto& n) { return n.id == from; });
    if (node == nodes.end() || before_) return {};
    QString why = QString::fromStdString(node->reason);
    for (auto const& edge : graph_->edges)
      if (edge.to == from && edge.fused) why = QString::fromStdString(edge.reason);
    return {chip_text(*node) + " · " + QString::fromStdString(node->name), why};
  }
  for (size_t e = 0; e < borders_.size(); ++e) {
    auto const& edge = *borders_[e].edge;
    if (edge.from != from || edge.to != to || e >= layout_.edges.size()) continue;
    chosen_edge_ = int(e);
    update();
    QString title = QStringLiteral("Not fused: %1 → %2")
                        .arg(cards_[size_t(layout_.edges[e].from)].title,
                             cards_[size_t(layout_.edges[e].to)].title);
    return {title, QString::fromStdString(edge.reason.empty() ? "fusion did not look at this edge"
                                                              : edge.reason)};
  }
  return {};
}

void GraphView::click(QPointF scene) {
  for (size_t e = 0; e < layout_.edges.size(); ++e) {
    if (layout_.edges[e].points.empty()) continue;
    if ((mark_of(e) - scene).manhattanLength() > 14) continue;
    emit reason_asked(borders_[e].edge->from, borders_[e].edge->to);
    return;
  }
  for (size_t i = 0; i < cards_.size(); ++i) {
    auto const& at = layout_.nodes[i];
    if (!QRectF(at.x, at.y, at.width, at.height).contains(scene)) continue;
    double x = at.x + kPad;
    for (auto const* chip : cards_[i].chips) {
      if (QRectF(x, at.y + kHead, chip_width(*chip), kChip).contains(scene) &&
          !reason_of(chip->id, -1).words.isEmpty())
        emit reason_asked(chip->id, -1);
      x += chip_width(*chip) + 8;
    }
    if (cards_[i].kernel >= 0) emit kernel_chosen(cards_[i].kernel);
    return;
  }
}

bool GraphView::busy() const {
  return watcher_->isRunning() || layout_.nodes.size() != cards_.size();
}

void GraphView::look_at(double scale, QPointF origin) {
  scale_ = std::clamp(scale, 0.02, 2.5);
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
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) return;
  if ((event->position() - press_).manhattanLength() > 5) dragging_ = true;
  if (!dragging_) return;
  origin_ = press_origin_ + event->position() - press_;
  moved_by_user();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  if (!dragging_ && layout_.nodes.size() == cards_.size()) click(to_scene(event->position()));
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
  scale_ = std::clamp(scale_ * factor, 0.1, 2.5);
  origin_ = around - scene * scale_;
  moved_by_user();
}

/// Up and down go from kernel to kernel, + and - zoom, 0 fits.
void GraphView::keyPressEvent(QKeyEvent* event) {
  int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
  if (step != 0 && kernels_) {
    int next = std::clamp(kernel_ + step, 0, int(kernels_->rows.size()) - 1);
    bring_into_view(next);
    if (next != kernel_) emit kernel_chosen(next);
    return;
  }
  QPointF centre(width() / 2.0, height() / 2.0);
  if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) return zoom(1.15, centre);
  if (event->key() == Qt::Key_Minus) return zoom(1 / 1.15, centre);
  if (event->key() == Qt::Key_0) {
    zoom_to_fit();
    return emit looked();
  }
  QWidget::keyPressEvent(event);
}

void GraphView::bring_into_view(int kernel) {
  for (size_t i = 0; i < cards_.size() && i < layout_.nodes.size(); ++i) {
    if (cards_[i].kernel != kernel) continue;
    double top = layout_.nodes[i].y * scale_ + origin_.y();
    if (top >= 0 && top + kCard * scale_ <= height()) return;
    origin_.ry() += height() / 2.0 - top;
    return moved_by_user();
  }
}

std::vector<Part> GraphView::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < cards_.size() && i < layout_.nodes.size(); ++i) {
    auto const& at = layout_.nodes[i];
    parts.push_back(
        {QRectF(QPointF(at.x, at.y) * scale_ + origin_, QSizeF(at.width, at.height) * scale_),
         cards_[i].title, cards_[i].kernel >= 0 && cards_[i].kernel == kernel_});
  }
  return parts;
}

}  // namespace tw
