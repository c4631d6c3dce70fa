// SPDX-License-Identifier: GPL-3.0-or-later
/// What two states cost, a row per value: before, after, and how many times as much.
#pragma once

#include <QWidget>
#include <memory>

#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/theme/theme.h"

namespace tw {

class CostTable : public QWidget, public HasParts {
  Q_OBJECT
public:
  explicit CostTable(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_comparison(std::shared_ptr<session::StateComparison const> comparison);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;

private:
  Theme theme_;
  std::shared_ptr<session::StateComparison const> comparison_;
};

}  // namespace tw
