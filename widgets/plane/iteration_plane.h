// SPDX-License-Identifier: GPL-3.0-or-later
/// Iterations along two axes: a dot each, tiles, what is left over, the order in which they run and
/// which of them wait for which. A rubber band is a tile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/session/memory.h"
#include "engine/session/preview.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/selection.h"

namespace tw {

class IterationPlane : public Canvas, public HasParts {
  Q_OBJECT
public:
  using Preview = std::function<session::StepPreview(std::string const&)>;
  IterationPlane(Selection& selection, Preview preview, QWidget* parent = nullptr);
  /// Null: it is made; the last one stays.
  void show_plane(std::shared_ptr<session::PlaneView const> plane);
  void set_empty_words(QString const& words);
  session::PlaneView const* shown() const { return plane_.get(); }

  /// An iteration, by its place along the axes.
  struct Cell {
    int right = 0, down = 0;
    bool operator==(Cell const&) const = default;
  };
  QPointF centre_of(Cell cell) const;
  std::optional<Cell> cell_at(QPointF at) const;
  /// What the rubber band would ask for; empty: nothing.
  QString band_line() const { return QString::fromStdString(line_); }
  std::vector<Part> parts() const override;
  /// Below the picture: what it says in words.
  QString words() const;

signals:
  void step_asked(QString line);

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { lay_out(); }
  void rescale() override { lay_out(); }
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  void lay_out();
  void band_to(Cell cell);
  void end_band();
  void ask();
  QRectF field() const;
  QRectF box_of(Cell first, Cell last) const;
  int order_of(Cell cell) const;
  QString cell_words(Cell cell) const;
  void draw_axes(QPainter& painter) const;
  void draw_lanes(QPainter& painter) const;
  void draw_dots(QPainter& painter) const;
  void draw_tiles(QPainter& painter) const;
  void draw_remainders(QPainter& painter) const;
  void draw_path(QPainter& painter) const;
  void draw_arrows(QPainter& painter) const;
  void draw_band(QPainter& painter) const;

  Selection& selection_;
  Preview ask_;
  std::shared_ptr<session::PlaneView const> plane_;
  QString empty_words_;
  double across_ = 30, along_ = 17;  ///< from one dot to the next
  int columns_ = 0, rows_ = 0;       ///< that are drawn
  std::vector<int> numbers_;         ///< when each of those runs; -1: not known
  std::optional<Cell> hovered_, from_;
  Cell cursor_, to_;
  std::string line_;
  session::StepPreview preview_;
};

}  // namespace tw
