// SPDX-License-Identifier: GPL-3.0-or-later
/// What became of a schedule on another kernel: a row per step, as it was and as it is there.
#pragma once

#include <memory>

#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class ReplayView : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit ReplayView(QWidget* parent = nullptr);
  void show_replay(std::shared_ptr<session::ReplayView const> replay);
  session::ReplayView const* shown() const { return replay_.get(); }
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void rescale() override { fit(); }

private:
  struct Row {
    QRectF rect;
    session::ReplayedStep const* step;
    QString from, to, reason;
  };
  std::vector<Row> rows() const;
  double reason_height(QString const& reason) const;
  void draw_row(QPainter& painter, Row const& row) const;
  void fit();

  std::shared_ptr<session::ReplayView const> replay_;
};

}  // namespace tw
