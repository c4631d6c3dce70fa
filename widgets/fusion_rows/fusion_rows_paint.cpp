// SPDX-License-Identifier: GPL-3.0-or-later
// How the rows are drawn.
#include <QFontMetricsF>
#include <QPaintEvent>
#include <QPainter>
#include <QStringList>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/fusion_rows/fusion_rows_view.h"
#include "widgets/fusion_rows/measures.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/paint/paint.h"

namespace tw {

using namespace fusion_rows;

namespace {

constexpr double kBar = 64, kBarHigh = 8;  ///< the longest, of the bytes of a row

QString elided(QFont const& font, QString const& words, double wide) {
  return QFontMetricsF(font).elidedText(words, Qt::ElideMiddle, wide);
}

QPolygonF arrow_head(QPointF tip, bool upward) {
  constexpr double kLong = 5, kHalf = 3;
  if (upward) return QPolygonF({tip, tip + QPointF(-kHalf, kLong), tip + QPointF(kHalf, kLong)});
  return QPolygonF({tip, tip + QPointF(-kLong, -kHalf), tip + QPointF(-kLong, kHalf)});
}

}  // namespace

void FusionRowsView::paintEvent(QPaintEvent* event) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.inset);
  QRectF all(kEdge, 12, unit_width() - 2 * kEdge, 20);
  if (!graph_)
    return paint::text(painter, all, ui_font(12), theme_.text2,
                       "Open a model to see its fusion by block.");
  if (made_.rows.empty())
    return paint::text(painter, all, ui_font(12), theme_.text2,
                       "A tensor expression has no graph, and nothing to fuse.");
  draw_head(painter);
  QRectF seen(units(event->rect().topLeft()), units(event->rect().bottomRight()));
  for (int row = 0; row < int(laid_.size()); ++row)
    if (row_rect(row).intersects(seen)) draw_row(painter, row);
  QRectF words(kEdge, row_rect(int(laid_.size()) - 1).bottom() + 12, all.width(), 200);
  paint::paragraph(painter, words, ui_font(11), theme_.text2, summary());
}

void FusionRowsView::draw_head(QPainter& painter) const {
  Columns where = columns();
  auto words = [&](double left, double width, QString const& text, Qt::Alignment side) {
    QRectF room(left, 12, width, 20);
    paint::text(painter, room, ui_font(12, 600), theme_.text1,
                elided(ui_font(12, 600), text, width - 2), int(side | Qt::AlignVCenter));
  };
  QString operators = QString::fromStdString(count_text(made_.operators, "operator"));
  words(where.left, where.left_width, QStringLiteral("Before fusion · ") + operators,
        Qt::AlignLeft);
  words(where.middle, where.middle_width, "bytes moved", Qt::AlignHCenter);
  words(where.right, where.right_width,
        QStringLiteral("After fusion · ") + graph::kernel_words(*graph_), Qt::AlignLeft);
}

void FusionRowsView::draw_row(QPainter& painter, int row) const {
  QRectF box = row_rect(row);
  session::FusedRow const& one = made_.rows[size_t(row)];
  Laid const& laid = laid_[size_t(row)];
  if (row == current_) {
    painter.fillRect(box, theme_.panel);
    painter.fillRect(QRectF(0, box.top(), 3, box.height()), theme_.ink);
  }
  painter.fillRect(QRectF(kEdge, box.bottom() - 1, box.width() - 2 * kEdge, 1), theme_.line1);
  QPointF corner(0, box.top() + kPadding);
  draw_links(painter, laid.operators, corner + QPointF(columns().left, 0));
  draw_links(painter, laid.kernels, corner + QPointF(columns().right, 0));
  for (size_t i = 0; i < one.operators.size(); ++i)
    draw_operator(painter, operator_rect(row, int(i)), one.operators[i]);
  for (size_t i = 0; i < one.kernels.size(); ++i)
    draw_kernel(painter, kernel_rect(row, int(i)), one.kernels[i]);
  draw_middle(painter, one, corner.y());
  if (row == current_) draw_reasons(painter, row);
  if (row == current_ && hasFocus())
    paint::focus_ring(painter, box.adjusted(5, 4, -5, -5), theme_, 4);
}

void FusionRowsView::draw_links(QPainter& painter, BoxFlow const& flow, QPointF at) const {
  painter.save();
  painter.translate(at);
  for (size_t i = 0; i < flow.links.size(); ++i) {
    painter.setPen(QPen(theme_.line3, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(flow.links[i]);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.line3);
    painter.drawPolygon(arrow_head(flow.heads[i], flow.upward[i]));
  }
  painter.restore();
}

void FusionRowsView::draw_operator(QPainter& painter, QRectF const& box,
                                   session::FusedOperator const& op) const {
  session::GraphNodeView const& node = graph_->nodes_before[size_t(op.node)];
  QColor colour = paint::class_colour(theme_, node.pattern);
  painter.setPen(Qt::NoPen);
  painter.setBrush(Theme::mix(colour, theme_.inset, 0.3));
  painter.drawRoundedRect(box, 3, 3);
  painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), colour);
  double room = box.width() - 12;
  paint::text(painter, QRectF(box.left() + 9, box.top(), room, box.height()), ui_font(11),
              theme_.text1, elided(ui_font(11), QString::fromStdString(node.op), room));
}

/// Its state, its name and what it moves.
void FusionRowsView::draw_kernel(QPainter& painter, QRectF const& box,
                                 session::FusedKernel const& kernel) const {
  session::GraphGroupView const& group = group_of(kernel);
  bool chosen = kernel_ >= 0 && group.kernel == kernel_;
  painter.setPen(QPen(chosen ? theme_.ink : theme_.line3, chosen ? 2 : 1.2));
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(box, 5, 5);
  if (session::KernelRow const* row = table_row(kernel))
    paint::kernel_state(painter, QPointF(box.left() + 13, box.center().y()), theme_, row->state);
  QString moved = paint::bytes(kernel.moved);
  double wide = QFontMetricsF(mono_font(10)).horizontalAdvance(moved);
  paint::text(painter, QRectF(box.right() - wide - 8, box.top(), wide + 2, box.height()),
              mono_font(10), theme_.text2, moved, int(Qt::AlignRight | Qt::AlignVCenter));
  double room = box.width() - 26 - wide - 18;
  if (room < 12) return;
  paint::text(painter, QRectF(box.left() + 26, box.top(), room + 2, box.height()), ui_font(11, 600),
              theme_.text1, elided(ui_font(11, 600), QString::fromStdString(group.name), room));
}

/// Its name, how many of each there are, and bars of the bytes, of the largest row's.
void FusionRowsView::draw_middle(QPainter& painter, session::FusedRow const& row,
                                 double top) const {
  Columns where = columns();
  double middle = where.middle + where.middle_width / 2;
  int64_t most = 1;
  for (session::FusedRow const& one : made_.rows)
    most = std::max({most, one.moved_before, one.moved_after});
  paint::text(painter, QRectF(where.middle, top, where.middle_width, 18), ui_font(12, 600),
              theme_.text1,
              elided(ui_font(12, 600), QString::fromStdString(row.title), where.middle_width - 2),
              int(Qt::AlignCenter));
  QString counts = QStringLiteral("%1 → %2").arg(row.operators.size()).arg(row.kernels.size());
  paint::text(painter, QRectF(middle - 28, top + 18, 56, 16), mono_font(11), theme_.text2, counts,
              int(Qt::AlignCenter));
  double before = kBar * double(row.moved_before) / double(most);
  double after = kBar * double(row.moved_after) / double(most);
  painter.fillRect(QRectF(middle - 29 - before, top + 22, before, kBarHigh), theme_.text3);
  painter.fillRect(QRectF(middle + 29, top + 22, after, kBarHigh), theme_.ink);
  auto number = [&](double left, int64_t bytes, Qt::Alignment side) {
    paint::text(painter, QRectF(left, top + 34, kBar, 15), mono_font(10), theme_.text2,
                paint::bytes(bytes), int(side | Qt::AlignVCenter));
  };
  number(middle - 29 - kBar, row.moved_before, Qt::AlignRight);
  number(middle + 29, row.moved_after, Qt::AlignLeft);
}

void FusionRowsView::draw_reasons(QPainter& painter, int row) const {
  Columns where = columns();
  double y = laid_[size_t(row)].top + laid_[size_t(row)].reasons_top;
  for (QString const& reason : reasons_of(made_.rows[size_t(row)]))
    y += 6 + paint::paragraph(painter, QRectF(where.right + 8, y, where.right_width - 8, 400),
                              ui_font(11), theme_.text2, reason);
}

}  // namespace tw
