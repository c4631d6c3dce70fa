// SPDX-License-Identifier: GPL-3.0-or-later
/// What two states cost, a row per value: before, after, and how many times as much.
#pragma once

#include <memory>

#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class CostTable : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit CostTable(QWidget* parent = nullptr);
  void show_comparison(std::shared_ptr<session::StateComparison const> comparison);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override {
    setMinimumHeight(sizeHint().height());
    updateGeometry();
  }

private:
  std::shared_ptr<session::StateComparison const> comparison_;
};

}  // namespace tw
