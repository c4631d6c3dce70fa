// SPDX-License-Identifier: GPL-3.0-or-later
/// What became of trials that gave no time, by class, as bars.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/tuning/tuning_scale.h"

namespace tw {

class TuningFailures : public Canvas, public HasParts {
public:
  explicit TuningFailures(QWidget* parent = nullptr);
  void show_runs(session::TuningView const& runs);
  QSize minimumSizeHint() const override { return pixels(QSizeF(232, 170)); }
  QSize sizeHint() const override { return pixels(QSizeF(264, 200)); }
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;

private:
  struct Row {
    QString name;
    int count = 0;
    bool is_wrong = false;  ///< a fault, where the others are what a search risks
  };
  QRectF row_rect(size_t row) const { return QRectF(16, 32.0 + 22.0 * double(row), 0, 22); }
  std::vector<Row> rows_;
  int failed_ = 0, trials_ = 0;
};

}  // namespace tw
