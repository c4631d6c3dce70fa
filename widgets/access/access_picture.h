// SPDX-License-Identifier: GPL-3.0-or-later
/// What one request of a warp costs memory: lanes above, the sectors or banks that they touch
/// below. One lane is ringed.
#pragma once

#include "engine/session/launches.h"
#include "widgets/access/access_cells.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class AccessPicture : public Canvas, public HasParts {
  Q_OBJECT
public:
  /// What is shown: an access of one state, at one place.
  struct Shown {
    QString title;  ///< "now", "step 4 · tile"
    bool past = false;
    LaunchAccess access;
    WarpRequest request;
  };
  explicit AccessPicture(QString const& name, QWidget* parent = nullptr);
  /// Nothing hides it.
  void show_request(std::optional<Shown> shown);
  void ring(int lane);
  std::optional<Shown> const& shown() const { return shown_; }
  AccessCells const& cells() const { return cells_; }
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(420, needed_height())); }

signals:
  void lane_asked(int lane);

protected:
  void paintEvent(QPaintEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void resizeEvent(QResizeEvent*) override { rescale(); }
  void rescale() override;

private:
  double needed_height() const;
  /// Of a cell; a wide picture has higher ones.
  double row_height() const;
  QRectF lane_rect(int lane) const;
  QRectF cell_rect(AccessCell const& cell) const;
  QRectF column_rect(int column) const;
  int lane_at(QPointF at) const;
  QString below_words() const;
  void draw_head(QPainter& painter) const;
  void draw_lanes(QPainter& painter) const;
  void draw_ways(QPainter& painter) const;
  void draw_cells(QPainter& painter) const;
  void draw_foot(QPainter& painter) const;

  std::optional<Shown> shown_;
  AccessCells cells_;
  int ringed_ = 0;
};

}  // namespace tw
