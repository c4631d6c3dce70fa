// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernels of a model that is tuned: what each took before, and what became of it.
#pragma once

#include "engine/session/tuning.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/names_apart.h"

namespace tw {

class TunedKernels : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TunedKernels(QWidget* parent = nullptr);
  void show_kernels(std::vector<session::TunedKernelRow> rows, int current);
  /// In units.
  QRectF row_rect(size_t row) const;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;

signals:
  void kernel_chosen(int row);
  void kernel_entered();  ///< its trials are wanted now

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;
  void rescale() override { setMinimumHeight(sizeHint().height()), updateGeometry(); }

private:
  struct Column {
    QString title;
    double left = 0, width = 0;
    Qt::Alignment side = Qt::AlignRight;
  };
  std::vector<Column> columns() const;
  std::vector<QString> cells(session::TunedKernelRow const& row) const;
  void draw_row(QPainter& painter, size_t row, std::vector<Column> const& columns) const;
  int row_at(QPointF at) const;

  std::vector<session::TunedKernelRow> rows_;
  NamesApart names_;
  int current_ = -1;  ///< row of the session's table
};

}  // namespace tw
