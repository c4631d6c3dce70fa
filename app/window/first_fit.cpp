// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/first_fit.h"

#include <QEvent>
#include <QScreen>
#include <QTimer>
#include <QWidget>
#include <QWindow>

namespace tw {
namespace {

constexpr QSize kUnknown{1440, 900};

}  // namespace

/// A screen has a size; one that says nothing is no reason for a window without one.
QSize room_for(QWidget const& window) {
  QSize room = window.screen() ? window.screen()->availableSize() : QSize();
  if (room.width() < 200 || room.height() < 200) return kUnknown;
  return window.windowHandle() ? room.shrunkBy(window.windowHandle()->frameMargins()) : room;
}

FirstFit::FirstFit(QWidget& window) : QObject(&window), window_(window), begun_(window.size()) {
  window.installEventFilter(this);
}

bool FirstFit::eventFilter(QObject*, QEvent* event) {
  if (event->type() != QEvent::WindowActivate) return false;
  window_.removeEventFilter(this);
  QTimer::singleShot(0, this, &FirstFit::fit);
  return false;
}

/// A size that somebody has asked for since stays.
void FirstFit::fit() {
  QSize room = room_for(window_);
  window_.setMinimumSize(window_.minimumSize().boundedTo(room));
  bool larger = begun_.width() > room.width() || begun_.height() > room.height();
  if (window_.size() == begun_ && larger && !window_.isMaximized() && !window_.isFullScreen())
    window_.resize(begun_.boundedTo(room));
  deleteLater();
}

}  // namespace tw
