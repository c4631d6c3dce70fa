// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/fusion_rows/fusion_rows_view.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "engine/session/kernel_rows.h"
#include "engine/support/base/quantities.h"
#include "widgets/fusion_rows/measures.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace fusion_rows;

namespace {

/// No more reasons are said of one row; the others are counted.
constexpr qsizetype kMostReasons = 3;
/// A kernel's box: its sign, and the bytes that it moves.
constexpr double kSign = 26, kBytes = 66;
/// How a reason begins where it stands alone.
constexpr QLatin1String kNotFused("not fused: ");

double height_of(QString const& words, double wide) {
  QRectF room(0, 0, wide, 10000);
  return std::ceil(QFontMetricsF(ui_font(11)).boundingRect(room, Qt::TextWordWrap, words).height());
}

double width_of(QFont const& font, std::string const& words) {
  return std::ceil(QFontMetricsF(font).horizontalAdvance(QString::fromStdString(words)));
}

QString counted(size_t count, char const* what) {
  return QString::fromStdString(count_text(int64_t(count), what));
}

}  // namespace

FusionRowsView::FusionRowsView(QWidget* parent) : Canvas(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setObjectName("fusionRows");
  setAccessibleName("Fusion by block");
}

void FusionRowsView::show_graph(std::shared_ptr<session::GraphView const> graph,
                                std::shared_ptr<session::KernelTable const> kernels, int kernel) {
  bool other_graph = graph != graph_, other_kernel = kernel != kernel_;
  graph_ = std::move(graph);
  kernels_ = std::move(kernels);
  kernel_ = kernel;
  if (other_graph) {
    made_ = graph_ ? session::fusion_rows(*graph_) : session::FusionRows();
    current_ = 0;
  }
  if (other_graph || other_kernel) go_to_kernel();
  if (other_graph || other_kernel) lay_out();
  update();
}

/// To the first row that runs it, unless the current one does.
void FusionRowsView::go_to_kernel() {
  if (made_.rows.empty() || kernel_in_row(current_) >= 0) return;
  for (int row = 0; row < int(made_.rows.size()); ++row)
    if (kernel_in_row(row) >= 0) {
      current_ = row;
      return;
    }
}

// ---- where things are ----------------------------------------------------------------------

FusionRowsView::Columns FusionRowsView::columns() const {
  double room = std::max(200.0, unit_width() - 2 * kEdge - kMiddle - 2 * kColumnGap);
  Columns all;
  all.left_width = std::floor(room * 0.54);
  all.middle_width = kMiddle;
  all.right_width = room - all.left_width;
  all.left = kEdge;
  all.middle = all.left + all.left_width + kColumnGap;
  all.right = all.middle + all.middle_width + kColumnGap;
  return all;
}

void FusionRowsView::lay_out() {
  laid_.clear();
  double top = kHead;
  for (int row = 0; row < int(made_.rows.size()); ++row) {
    laid_.push_back(laid_row(made_.rows[size_t(row)], row == current_));
    laid_.back().top = top;
    top += laid_.back().height;
  }
  double words = height_of(summary(), unit_width() - 2 * kEdge);
  setMinimumHeight(pixels(QSizeF(0, top + kFoot + words)).height());
  update();
}

FusionRowsView::Laid FusionRowsView::laid_row(session::FusedRow const& row, bool open) const {
  Columns where = columns();
  std::vector<FlowBox> operators, kernels;
  for (session::FusedOperator const& one : row.operators)
    operators.push_back({width_of(ui_font(11), graph_->nodes_before[size_t(one.node)].op) + 18,
                         one.reads, one.from_outside});
  for (session::FusedKernel const& one : row.kernels)
    kernels.push_back({kSign + width_of(ui_font(11, 600), group_of(one).name) + kBytes, one.reads});
  Laid laid;
  laid.operators = flow_boxes(operators, where.left_width, kOperator);
  laid.kernels = flow_boxes(kernels, where.right_width, kKernel);
  laid.reasons_top = kPadding + laid.kernels.height + 8;
  double right = laid.kernels.height;
  if (open)
    for (QString const& reason : reasons_of(row))
      right += height_of(reason, where.right_width - 8) + 6;
  laid.height = std::max({kLeastRow, laid.operators.height, right}) + 2 * kPadding;
  return laid;
}

QStringList FusionRowsView::reasons_of(session::FusedRow const& row) const {
  QStringList words;
  for (std::string const& reason : row.reasons) {
    QString why = QString::fromStdString(reason);
    words << (why.startsWith(kNotFused) ? why.mid(kNotFused.size()) : why);
  }
  if (qsizetype more = words.size() - kMostReasons; more > 0) {
    words = words.mid(0, kMostReasons);
    words << QString("and %1 more").arg(counted(size_t(more), "reason"));
  }
  if (!words.isEmpty()) words.front() = "Why not one kernel: " + words.front();
  return words;
}

QRectF FusionRowsView::row_rect(int row) const {
  Laid const& laid = laid_[size_t(row)];
  return {0, laid.top, unit_width(), laid.height};
}

QRectF FusionRowsView::operator_rect(int row, int place) const {
  Laid const& laid = laid_[size_t(row)];
  return laid.operators.boxes[size_t(place)].translated(columns().left, laid.top + kPadding);
}

QRectF FusionRowsView::kernel_rect(int row, int place) const {
  Laid const& laid = laid_[size_t(row)];
  return laid.kernels.boxes[size_t(place)].translated(columns().right, laid.top + kPadding);
}

FusionRowsView::Spot FusionRowsView::spot_at(QPointF at) const {
  Spot spot;
  for (int row = 0; row < int(laid_.size()); ++row) {
    if (!row_rect(row).contains(at)) continue;
    spot.row = row;
    for (int i = 0; i < int(laid_[size_t(row)].operators.boxes.size()); ++i)
      if (operator_rect(row, i).contains(at)) spot.op = i;
    for (int i = 0; i < int(laid_[size_t(row)].kernels.boxes.size()); ++i)
      if (kernel_rect(row, i).contains(at)) spot.kernel = i;
  }
  return spot;
}

// ---- what is said --------------------------------------------------------------------------

session::GraphGroupView const& FusionRowsView::group_of(session::FusedKernel const& kernel) const {
  return graph_->groups[size_t(kernel.group)];
}

session::KernelRow const* FusionRowsView::table_row(session::FusedKernel const& kernel) const {
  int row = group_of(kernel).kernel;
  bool known = kernels_ && row >= 0 && size_t(row) < kernels_->rows.size();
  return known ? &kernels_->rows[size_t(row)] : nullptr;
}

int FusionRowsView::kernel_in_row(int row) const {
  std::vector<session::FusedKernel> const& all = made_.rows[size_t(row)].kernels;
  for (size_t i = 0; i < all.size(); ++i)
    if (kernel_ >= 0 && group_of(all[i]).kernel == kernel_) return int(i);
  return -1;
}

QString FusionRowsView::summary() const {
  if (made_.rows.empty() || made_.moved_before == 0) return {};
  QString words =
      QString("%1 of activations are written and read by %2; by %3, %4")
          .arg(paint::bytes(made_.moved_before), counted(graph_->nodes_before.size(), "operator"),
               counted(graph_->groups.size(), "fused step"), paint::bytes(made_.moved_after));
  double less = double(made_.moved_before) / double(std::max<int64_t>(1, made_.moved_after));
  if (less >= 1.005) words += QString(": %1 times less").arg(paint::number(less));
  words += ". Weights are read once either way.";
  if (made_.left_out > 0)
    words += QString(" The results of %1 are known before the model runs, so they are left out.")
                 .arg(counted(size_t(made_.left_out), "more operator"));
  return words;
}

/// Read aloud.
QString FusionRowsView::row_words(int row) const {
  session::FusedRow const& one = made_.rows[size_t(row)];
  QStringList kernels;
  for (session::FusedKernel const& kernel : one.kernels)
    kernels << QString::fromStdString(group_of(kernel).name);
  QString words =
      QString("%1, %2, %3 moved; after fusion %4, %5 moved")
          .arg(QString::fromStdString(one.title), counted(one.operators.size(), "operator"),
               paint::bytes(one.moved_before), kernels.join(", "), paint::bytes(one.moved_after));
  int chosen = row == current_ ? kernel_in_row(row) : -1;
  return chosen < 0 ? words : words + ", chosen: " + kernels[chosen];
}

QString FusionRowsView::tip(Spot const& spot) const {
  if (spot.op >= 0) {
    size_t node = size_t(made_.rows[size_t(spot.row)].operators[size_t(spot.op)].node);
    session::GraphNodeView const& one = graph_->nodes_before[node];
    QStringList words{QString::fromStdString(one.name), QString::fromStdString(one.op)};
    if (!one.detail.empty()) words.back() += " " + paint::shape(one.detail);
    if (!one.shape.empty()) words << paint::shape(one.shape);
    return words.join("\n");
  }
  if (spot.kernel < 0) return {};
  session::FusedKernel const& kernel = made_.rows[size_t(spot.row)].kernels[size_t(spot.kernel)];
  QString words = QString::fromStdString(group_of(kernel).name);
  if (session::KernelRow const* row = table_row(kernel)) {
    words += "\n" + QString::fromStdString(row->operators);
    if (auto time = session::time_of(*row))
      words += "\n" + paint::time(*time) + (row->time_ms ? " measured" : " modelled");
  }
  return words + "\n" + paint::bytes(kernel.moved) + " written and read";
}

std::vector<Part> FusionRowsView::parts() const {
  std::vector<Part> parts;
  for (int row = 0; row < int(laid_.size()); ++row)
    parts.push_back({row_rect(row), row_words(row), row == current_});
  return parts;
}

// ---- what is done --------------------------------------------------------------------------

void FusionRowsView::choose_row(int row) {
  if (made_.rows.empty()) return;
  current_ = std::clamp(row, 0, int(made_.rows.size()) - 1);
  lay_out();
  emit row_reached(pixels(row_rect(current_)));
}

/// To the kernel before or after the chosen one in the row; the first where none is.
void FusionRowsView::step_kernel(int by) {
  if (made_.rows.empty()) return;
  std::vector<session::FusedKernel> const& all = made_.rows[size_t(current_)].kernels;
  int now = kernel_in_row(current_);
  int next = now < 0 ? 0 : std::clamp(now + by, 0, int(all.size()) - 1);
  if (next < int(all.size()) && group_of(all[size_t(next)]).kernel >= 0)
    emit kernel_chosen(group_of(all[size_t(next)]).kernel);
}

void FusionRowsView::mousePressEvent(QMouseEvent* event) {
  setFocus();
  Spot spot = spot_at(event->position());
  if (event->button() != Qt::LeftButton || spot.row < 0) return;
  session::FusedRow const& row = made_.rows[size_t(spot.row)];
  choose_row(spot.row);
  if (spot.op >= 0)
    emit operator_chosen(graph_->nodes_before[size_t(row.operators[size_t(spot.op)].node)].id);
  if (spot.kernel < 0) return;
  if (int kernel = group_of(row.kernels[size_t(spot.kernel)]).kernel; kernel >= 0)
    emit kernel_chosen(kernel);
}

void FusionRowsView::mouseDoubleClickEvent(QMouseEvent* event) {
  Spot spot = spot_at(event->position());
  if (spot.kernel < 0) return;
  int kernel = group_of(made_.rows[size_t(spot.row)].kernels[size_t(spot.kernel)]).kernel;
  if (kernel >= 0) emit entered(kernel);
}

void FusionRowsView::mouseMoveEvent(QMouseEvent* event) {
  setToolTip(paint::wrapped(tip(spot_at(event->position()))));
}

void FusionRowsView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
      return choose_row(current_ - 1);
    case Qt::Key_Down:
      return choose_row(current_ + 1);
    case Qt::Key_Home:
      return choose_row(0);
    case Qt::Key_End:
      return choose_row(int(made_.rows.size()) - 1);
    case Qt::Key_Left:
      return step_kernel(-1);
    case Qt::Key_Right:
      return step_kernel(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!made_.rows.empty() && kernel_in_row(current_) >= 0) return emit entered(kernel_);
      return step_kernel(0);
    default:
      Canvas::keyPressEvent(event);
  }
}

}  // namespace tw
