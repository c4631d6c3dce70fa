// SPDX-License-Identifier: GPL-3.0-or-later
/// The fused kernels: time, share of the roof, state.
#pragma once

#include <memory>

#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class KernelList : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit KernelList(QWidget* parent = nullptr);
  void show_kernels(std::shared_ptr<session::KernelTable const> table, int current);
  /// What stands there while the table has no row: what to do about it.
  void set_empty_words(QString const& words);
  QRectF row_rect(int row) const;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;

signals:
  void kernel_chosen(int row);
  void kernel_entered();  ///< its loops are wanted now
  void menu_asked(int row, QPoint global);

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override {
    setMinimumHeight(sizeHint().height());
    updateGeometry();
  }
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

private:
  std::shared_ptr<session::KernelTable const> table_;
  QString empty_words_;
  int current_ = -1;
  int hovered_ = -1;
};

}  // namespace tw
