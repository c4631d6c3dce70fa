// SPDX-License-Identifier: GPL-3.0-or-later
/// How much of what the trials differ in each knob tells alone, as bars.
#pragma once

#include "engine/session/views/tuning_statistics.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class TuningImportance : public Canvas, public HasParts {
public:
  explicit TuningImportance(QWidget* parent = nullptr);
  void show_runs(session::TuningView const& runs);
  QSize minimumSizeHint() const override { return pixels(QSizeF(232, 170)); }
  QSize sizeHint() const override { return pixels(QSizeF(264, 200)); }
  std::vector<Part> parts() const override;
  QString words() const;

protected:
  void paintEvent(QPaintEvent*) override;

private:
  QRectF row_rect(size_t row) const { return QRectF(16, 64.0 + 22.0 * double(row), 0, 22); }
  /// As many as there is room for.
  size_t rows() const;

  session::KnobImportance all_;
};

}  // namespace tw
