// SPDX-License-Identifier: GPL-3.0-or-later
/// The fused kernels: time, share of the roof, state, in the order and the columns that were
/// chosen.
#pragma once

#include <map>
#include <memory>

#include "engine/session/bookmarks.h"
#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/kernels/kernel_cells.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/names_apart.h"

namespace tw {

class KernelList : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit KernelList(QWidget* parent = nullptr);
  void show_kernels(std::shared_ptr<session::KernelTable const> table, int current);
  /// Of kernels that have a baseline.
  void show_baselines(std::vector<session::KernelDifference> const& kernels);
  /// What stands there while no row does: what to do about it.
  void set_empty_words(QString const& words);
  void sort_by(session::KernelOrder order);
  session::KernelOrder order() const { return order_; }
  void filter(QString const& words);
  void set_columns(std::vector<session::KernelKey> columns);
  std::vector<session::KernelKey> const& columns() const { return columns_; }
  /// Rows of the table, from top to bottom.
  std::vector<int> const& shown() const { return shown_; }
  /// Of a row of the table; empty: the filter leaves it out.
  QRectF row_rect(int row) const;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;

signals:
  void kernel_chosen(int row);
  void kernel_entered();  ///< its loops are wanted now
  void menu_asked(int row, QPoint global);
  void sort_asked(session::KernelOrder order);
  void columns_asked(QPoint global);
  /// What should be in view.
  void moved_to(QRectF const& row);

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override { lay_out(); }
  void resizeEvent(QResizeEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

private:
  struct Title {
    session::KernelKey key;
    QRectF rect;
    bool of_words = false;
  };
  void lay_out();
  std::vector<Title> titles() const;
  double head() const;
  double row_height() const;
  double room() const;
  int row_at(QPointF at) const;
  int place_of(int row) const;
  session::KernelOrder asked_order(session::KernelKey key) const;
  void draw_head(QPainter& painter) const;
  void draw_row(QPainter& painter, int row) const;
  void draw_name(QPainter& painter, QRectF const& box, int row) const;
  void draw_bar(QPainter& painter, QRectF const& box, int row) const;
  QString tooltip(int row) const;

  std::shared_ptr<session::KernelTable const> table_;
  NamesApart names_;
  std::map<int, session::KernelDifference> baselines_;
  session::KernelOrder order_;
  QString filter_;
  std::vector<session::KernelKey> columns_{session::KernelKey::kWork, session::KernelKey::kTime,
                                           session::KernelKey::kRoof};
  std::vector<int> shown_;
  KernelCells cells_;
  double longest_ = 0;  ///< of the times in the model
  int64_t most_ = 1;    ///< operations in the model
  QString empty_words_;
  int current_ = -1;
  int hovered_ = -1;
};

}  // namespace tw
