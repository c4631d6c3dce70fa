// SPDX-License-Identifier: GPL-3.0-or-later
/// What bounds how many blocks a multiprocessor runs at once: a row for each resource, with what
/// one block takes and what brings one block more.
#pragma once

#include "engine/session/launches.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class LimitsTable : public Canvas, public HasParts {
public:
  explicit LimitsTable(QWidget* parent = nullptr);
  void show_launch(LaunchReport const& launch, gpu::Multiprocessor const& unit);
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(420, needed_height())); }

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override;

private:
  struct Row {
    QString name, takes, blocks;
    double share = 0;  ///< of the multiprocessor, by the blocks that run
    int segments = 0;
    bool limits = false;
  };
  double needed_height() const;
  void draw_row(QPainter& painter, Row const& row, double y) const;

  std::vector<Row> rows_;
  QString next_;
};

}  // namespace tw
