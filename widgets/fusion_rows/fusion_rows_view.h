// SPDX-License-Identifier: GPL-3.0-or-later
/// What fusion made of each block of a model, a row each: its operators, the bytes that they and
/// the kernels move, and the kernels that run it now. A row that is chosen says why its kernels are
/// not one.
#pragma once

#include <memory>
#include <vector>

#include "engine/session/views/fusion_rows.h"
#include "widgets/accessible/parts.h"
#include "widgets/fusion_rows/box_flow.h"
#include "widgets/paint/canvas.h"

namespace tw {

class FusionRowsView : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit FusionRowsView(QWidget* parent = nullptr);
  /// `kernel`: the row of the kernel table that is looked at.
  void show_graph(std::shared_ptr<session::GraphView const> graph,
                  std::shared_ptr<session::KernelTable const> kernels, int kernel);
  session::FusionRows const& rows() const { return made_; }
  int current() const { return current_; }
  QRectF row_rect(int row) const;
  QRectF operator_rect(int row, int place) const;
  QRectF kernel_rect(int row, int place) const;
  /// Below all rows: what fusion saved.
  QString summary() const;
  std::vector<Part> parts() const override;

signals:
  void kernel_chosen(int row);     ///< of the kernel table
  void operator_chosen(int node);  ///< by its id, before fusion
  void entered(int row);           ///< to the loops of this kernel
  void row_reached(QRect pixels);  ///< by a key, or by the choice of a kernel elsewhere

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { lay_out(); }
  void rescale() override { lay_out(); }
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  struct Laid {
    double top = 0, height = 0;
    BoxFlow operators, kernels;
    double reasons_top = 0;  ///< from the row's top
  };
  /// What is at a place; -1: none.
  struct Spot {
    int row = -1, op = -1, kernel = -1;
  };
  struct Columns {
    double left = 0, middle = 0, right = 0;  ///< where they begin
    double left_width = 0, middle_width = 0, right_width = 0;
  };
  Columns columns() const;
  void lay_out();
  Laid laid_row(session::FusedRow const& row, bool open) const;
  QStringList reasons_of(session::FusedRow const& row) const;
  Spot spot_at(QPointF at) const;
  void go_to_kernel();
  void choose_row(int row);
  void step_kernel(int by);
  session::GraphGroupView const& group_of(session::FusedKernel const& kernel) const;
  session::KernelRow const* table_row(session::FusedKernel const& kernel) const;
  int kernel_in_row(
      int row) const;  ///< the place of the one that is looked at; -1: it is not there
  QString row_words(int row) const;
  QString tip(Spot const& spot) const;
  // fusion_rows_paint.cpp
  void draw_head(QPainter& painter) const;
  void draw_row(QPainter& painter, int row) const;
  void draw_links(QPainter& painter, BoxFlow const& flow, QPointF at) const;
  void draw_operator(QPainter& painter, QRectF const& box, session::FusedOperator const& op) const;
  void draw_kernel(QPainter& painter, QRectF const& box, session::FusedKernel const& kernel) const;
  void draw_middle(QPainter& painter, session::FusedRow const& row, double top) const;
  void draw_reasons(QPainter& painter, int row) const;

  std::shared_ptr<session::GraphView const> graph_;
  std::shared_ptr<session::KernelTable const> kernels_;
  session::FusionRows made_;
  std::vector<Laid> laid_;
  int kernel_ = -1, current_ = 0;
};

}  // namespace tw
