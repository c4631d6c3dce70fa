// SPDX-License-Identifier: GPL-3.0-or-later
/// The size of the first window: what a screen has room for, with the frame around it.
#pragma once

#include <QObject>
#include <QSize>

class QWidget;

namespace tw {

/// What the screen leaves to the inside of a window.
QSize room_for(QWidget const& window);

/// Nobody knows the frame before the window is there: then what begins too large becomes smaller.
class FirstFit : public QObject {
public:
  explicit FirstFit(QWidget& window);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fit();

  QWidget& window_;
  QSize begun_;
};

}  // namespace tw
