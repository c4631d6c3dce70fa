// SPDX-License-Identifier: GPL-3.0-or-later
/// In which order a layout lays down the elements of two dimensions: a path through the first ones.
#pragma once

#include "engine/session/layouts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class LayoutPicture : public Canvas {
public:
  explicit LayoutPicture(QWidget* parent = nullptr);
  void show_path(session::LayoutPath path);
  QSize sizeHint() const override { return pixels(QSizeF(380, 190)); }
  QSize minimumSizeHint() const override { return sizeHint(); }

protected:
  void paintEvent(QPaintEvent*) override;

private:
  session::LayoutPath path_;
};

}  // namespace tw
