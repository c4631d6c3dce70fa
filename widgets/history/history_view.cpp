// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

using session::HistoryNodeView;
using session::Verdict;

namespace {
constexpr double kLane = 98, kTop = 44, kLeft = 52;
}

HistoryView::HistoryView(QWidget* parent) : QWidget(parent) {
  setObjectName("history");
  setAccessibleName("History");
  setFocusPolicy(Qt::StrongFocus);
}

void HistoryView::set_theme(Theme const& theme) {
  theme_ = theme;
  update();
}

void HistoryView::show_history(std::shared_ptr<session::HistoryView const> view) {
  view_ = std::move(view);
  lay_out();
}

/// The first child goes on in its parent's lane, every other one opens a lane of its own.
void HistoryView::lay_out() {
  stations_.clear();
  on_path_.clear();
  if (view_) {
    size_t count = view_->nodes.size();
    std::vector<int> depth(count, 0), lane(count, 0), children(count, 0);
    on_path_.assign(count, false);
    for (int id = view_->current; id >= 0; id = view_->nodes[size_t(id)].parent)
      on_path_[size_t(id)] = true;
    int lanes = 1;
    // Hand steps take the upper lane: the schedule by rule, which is there from the start, goes
    // below.
    for (size_t i = 1; i < count; ++i) {
      HistoryNodeView const& node = view_->nodes[i];
      auto parent = size_t(node.parent);
      depth[i] = depth[parent] + 1;
      bool by_rule = node.label == "default";
      lane[i] = !by_rule && children[parent] == 0 ? lane[parent] : lanes++;
      if (!by_rule) ++children[parent];
    }
    for (size_t i = 0; i < count; ++i)
      stations_.push_back({kLeft + pitch_ * depth[i], kTop + kLane * lane[i]});
  }
  setMinimumSize(sizeHint());
  updateGeometry();
  update();
}

QSize HistoryView::sizeHint() const {
  double right = 200, bottom = 110;
  for (QPointF const& s : stations_)
    right = std::max(right, s.x() + 64), bottom = std::max(bottom, s.y() + 58);
  return {int(right), int(bottom)};
}

QPointF HistoryView::station(int node) const {
  return node >= 0 && size_t(node) < stations_.size() ? stations_[size_t(node)] : QPointF();
}

void HistoryView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.panel);
  if (!view_)
    return paint::text(painter, QRectF(24, 20, width() - 48, 20), ui_font(12), theme_.text2,
                       "Every step you take is kept here.");
  double best = 0;
  for (HistoryNodeView const& node : view_->nodes)
    if (node.verdict == Verdict::kCorrect) best = std::max(best, node.gflops.value_or(0));
  for (HistoryNodeView const& node : view_->nodes) {
    if (node.parent < 0) continue;
    QPointF from = station(node.parent), to = station(node.id);
    painter.setPen(QPen(on_path_[size_t(node.id)] ? theme_.text1 : theme_.text3, 4,
                        node.label == "default" ? Qt::DotLine : Qt::SolidLine));
    painter.setBrush(Qt::NoBrush);
    QPainterPath path(from);
    if (from.y() == to.y())
      path.lineTo(to);
    else
      path.cubicTo(QPointF(from.x() + pitch_ * 0.6, from.y()),
                   QPointF(to.x() - pitch_ * 0.6, to.y()), to);
    painter.drawPath(path);
  }
  for (HistoryNodeView const& node : view_->nodes) {
    QPointF at = station(node.id);
    bool current = node.id == view_->current,
         wrong = node.verdict == Verdict::kWrong || !node.failure.empty();
    QColor colour = wrong ? theme_.error : on_path_[size_t(node.id)] ? theme_.text1 : theme_.text3;
    painter.setPen(QPen(colour, 2));
    painter.setBrush(node.gflops ? colour : theme_.panel);
    painter.drawEllipse(at, 6, 6);
    painter.setBrush(Qt::NoBrush);
    if (current) painter.drawEllipse(at, 11, 11);
    QRectF above(at.x() - pitch_ / 2 + 2, at.y() - 36, pitch_ - 4, 18),
        below(at.x() - pitch_ / 2 + 2, at.y() + 14, pitch_ - 4, 18),
        under = below.translated(0, 16);
    paint::text(painter, above, mono_font(11.5, current ? 600 : 400), theme_.text1,
                QString::fromStdString(node.label), Qt::AlignCenter);
    bool is_best = node.gflops && *node.gflops >= best && best > 0;
    QString number =
        wrong         ? "no result"
        : node.gflops ? (is_best ? QStringLiteral("★ ") : QString()) + paint::number(*node.gflops)
        : node.measuring ? QStringLiteral("measuring")
                         : QStringLiteral("·");
    paint::text(painter, below, mono_font(12, is_best ? 600 : 500),
                wrong ? theme_.error : theme_.text1, number, Qt::AlignCenter);
    if (!node.note.empty()) {  // a folded corner: there is something to read
      QPointF corner = at + QPointF(11, -11);
      QPointF const fold[] = {corner, corner + QPointF(-8, 0), corner + QPointF(0, 8)};
      painter.setPen(Qt::NoPen);
      painter.setBrush(theme_.warn);
      painter.drawPolygon(fold, 3);
    }
    if (node.min_ms)
      paint::text(painter, under, ui_font(11), theme_.text3, paint::number(*node.min_ms) + " ms",
                  Qt::AlignCenter);
  }
}

int HistoryView::node_at(QPointF at) const {
  for (size_t i = 0; i < stations_.size(); ++i)
    if (QRectF(stations_[i].x() - pitch_ / 2, stations_[i].y() - 36, pitch_, 84).contains(at))
      return int(i);
  return -1;
}

void HistoryView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  if (int node = node_at(event->position()); node >= 0) emit node_chosen(node);
}

void HistoryView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (int node = node_at(event->position()); node >= 0) emit note_asked(node);
}

/// Left is the parent, right the first child; up and down go to the nearest station of another
/// lane.
int HistoryView::neighbour(int node, int key) const {
  if (key == Qt::Key_Left) return view_->nodes[size_t(node)].parent;
  if (key == Qt::Key_Right) {
    for (HistoryNodeView const& other : view_->nodes)
      if (other.parent == node) return other.id;
    return -1;
  }
  int best = -1;
  double nearest = 0;
  for (size_t i = 0; i < stations_.size(); ++i) {
    double down = stations_[i].y() - station(node).y();
    if (key == Qt::Key_Down ? down <= 0 : down >= 0) continue;
    double distance = 4 * std::abs(down) + std::abs(stations_[i].x() - station(node).x());
    if (best < 0 || distance < nearest) best = int(i), nearest = distance;
  }
  return best;
}

void HistoryView::keyPressEvent(QKeyEvent* event) {
  if (!view_) return;
  bool arrow = event->key() >= Qt::Key_Left && event->key() <= Qt::Key_Down;
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    return emit note_asked(view_->current);
  int next = arrow ? neighbour(view_->current, event->key()) : -1;
  if (next >= 0) return emit node_chosen(next);
  if (!arrow) QWidget::keyPressEvent(event);
}

std::vector<Part> HistoryView::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; view_ && i < stations_.size(); ++i) {
    HistoryNodeView const& node = view_->nodes[i];
    QString name = QString::fromStdString(node.step.empty() ? node.label : node.step);
    if (node.min_ms) name += ", " + paint::number(*node.min_ms) + " milliseconds";
    if (!node.note.empty()) name += ", note: " + QString::fromStdString(node.note);
    parts.push_back({QRectF(stations_[i].x() - pitch_ / 2, stations_[i].y() - 36, pitch_, 84), name,
                     node.id == view_->current});
  }
  return parts;
}

bool HistoryView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int index = node_at(help->pos());
  if (index < 0) return QToolTip::hideText(), true;
  HistoryNodeView const& node = view_->nodes[size_t(index)];
  QString words = QString::fromStdString(node.step.empty() ? "the plain nest" : node.step);
  if (!node.note.empty()) words += "\n" + QString::fromStdString(node.note);
  if (!node.verdict_text.empty()) words += "\n" + QString::fromStdString(node.verdict_text);
  if (!node.failure.empty()) words += "\n" + QString::fromStdString(node.failure);
  if (node.min_ms) words += QString("\nspread %1 %").arg(node.spread * 100, 0, 'f', 1);
  QToolTip::showText(help->globalPos(), words, this);
  return true;
}

}  // namespace tw
