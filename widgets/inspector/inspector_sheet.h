// SPDX-License-Identifier: GPL-3.0-or-later
/// One operator, kernel or tensor in one column: its name, its attributes, what it reads and makes,
/// the values of a weight, its cost. What it names can be looked at by a click.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/inspector/inspector_rows.h"
#include "widgets/paint/canvas.h"

namespace tw {

class InspectorSheet : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit InspectorSheet(QWidget* parent = nullptr);
  /// Without a view in them: it is looked for; the last one stays, dimmed.
  void show_values(SheetValues values);
  /// In place of rows, while there cannot be any.
  void set_empty_words(QString const& words);
  SheetValues const& shown() const { return values_; }
  std::vector<SheetRow> const& rows() const { return rows_; }
  QRectF row_rect(int row) const { return rects_[size_t(row)]; }
  QRectF bin_rect(int bin) const;
  int current() const { return current_; }
  int current_bin() const { return bin_; }
  std::vector<Part> parts() const override;

signals:
  void inspect_asked(session::Inspected what);
  void back_asked();
  void menu_asked(QPoint global);
  void came_into_sight();
  void moved_to(QRectF const& rect);

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { lay_out(); }
  void rescale() override { lay_out(); }
  void showEvent(QShowEvent*) override { emit came_into_sight(); }
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

private:
  void lay_out();
  double room() const;
  int row_at(QPointF at) const;
  int bin_at(QPointF at) const;
  int bins() const;
  int histogram_row() const;
  QString bin_words(int bin) const;
  /// The next stop of the keys in a direction.
  void go(int step);
  void select(int row);
  void step_bin(int step);
  void choose(int row);
  void draw_row(QPainter& painter, int row) const;

  SheetValues values_;
  std::vector<SheetRow> rows_;
  std::vector<QRectF> rects_;
  QString empty_words_;
  bool looks_ = false;
  int current_ = -1, hovered_ = -1;
  int bin_ = -1;
};

}  // namespace tw
