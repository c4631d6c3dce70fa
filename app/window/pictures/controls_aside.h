// SPDX-License-Identifier: GPL-3.0-or-later
/// What one acts with is no part of a picture: it stands aside while one is taken.
#pragma once

#include <QRect>
#include <utility>
#include <vector>

class QWidget;

namespace tw {

class ControlsAside {
public:
  explicit ControlsAside(QWidget& view);
  ~ControlsAside();
  ControlsAside(ControlsAside const&) = delete;
  ControlsAside& operator=(ControlsAside const&) = delete;
  /// Of the view, without the rows at its top and bottom in which there were controls alone.
  QRect part() const;

private:
  void look_into(QWidget& widget);

  QWidget& view_;
  QRect content_;
  std::vector<std::pair<QWidget*, QPoint>> aside_;
};

}  // namespace tw
