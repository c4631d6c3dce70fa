// SPDX-License-Identifier: GPL-3.0-or-later
/// How much faster or slower each kernel of a model became, as bars to both sides of a line.
#pragma once

#include <vector>

#include "engine/session/bookmarks.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/names_apart.h"

namespace tw {

class DifferenceChart : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit DifferenceChart(QWidget* parent = nullptr);
  /// Those with both times are shown, what changes most of the model's time first. `otherwise` is
  /// said where there is none.
  void show_differences(std::vector<session::KernelDifference> kernels, QString const& otherwise);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }
  std::vector<Part> parts() const override;
  /// Of a kernel's bar, from the line to its end.
  QRectF bar(size_t row) const;

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override {
    setMinimumHeight(sizeHint().height());
    updateGeometry();
  }

private:
  QRectF row_rect(size_t row) const;
  QRectF plot() const;
  double reach() const;  ///< log2 of what both ends of the axis stand for
  QString total_words() const;
  void draw_axis(QPainter& painter) const;
  void draw_row(QPainter& painter, size_t row) const;

  std::vector<session::KernelDifference> kernels_;
  NamesApart names_;
  QString otherwise_;
};

}  // namespace tw
