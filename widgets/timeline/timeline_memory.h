// SPDX-License-Identifier: GPL-3.0-or-later
/// Which elements of a memory the instructions up to the cursor wrote and read last, and which the
/// chosen one touches.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/timeline/timeline_focus.h"

namespace tw {

class TimelineMemory : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TimelineMemory(TimelineFocus& focus, QWidget* parent = nullptr);
  QSize minimumSizeHint() const override { return pixels(QSizeF(200, 150)); }
  std::vector<Part> parts() const override;

  enum class Cell : uint8_t { kUntouched, kRead, kWritten };
  /// Row by row; each stands for `elements_per_cell`.
  std::vector<Cell> const& cells() const { return fill(), cells_; }
  int64_t elements_per_cell() const { return fill(), per_cell_; }

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { forget(); }
  void rescale() override { forget(); }
  bool event(QEvent*) override;

private:
  void forget() {
    stale_ = true;
    update();
  }
  void fill() const;  ///< once somebody looks
  QRectF cell_rect(size_t cell) const;
  void draw_legend(QPainter& painter) const;
  QString words() const;

  TimelineFocus& focus_;
  mutable bool stale_ = true;
  mutable std::vector<Cell> cells_;
  mutable std::vector<bool> chosen_;  ///< touched by the chosen instruction
  mutable int columns_ = 1;
  mutable double pitch_ = 10;  ///< of the squares
  mutable int64_t per_cell_ = 1;
};

}  // namespace tw
