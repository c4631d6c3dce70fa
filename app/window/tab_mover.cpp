// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tab_mover.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QRubberBand>
#include <QTabBar>

namespace tw {

TabMover::TabMover(std::function<QRect(QPoint)> target, QObject* parent)
    : QObject(parent), target_(std::move(target)), frame_(new QRubberBand(QRubberBand::Rectangle)) {
  frame_->setObjectName("tabFrame");
}

TabMover::~TabMover() { delete frame_; }

void TabMover::watch(QTabBar* tabs) {
  tabs->installEventFilter(this);
  tabs->setContextMenuPolicy(Qt::DefaultContextMenu);
}

bool TabMover::eventFilter(QObject* watched, QEvent* event) {
  auto* tabs = qobject_cast<QTabBar*>(watched);
  if (!tabs) return false;
  auto* mouse = static_cast<QMouseEvent*>(event);
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      return mouse->button() == Qt::LeftButton && press(tabs, mouse->position().toPoint());
    case QEvent::MouseMove:
      return move(tabs, mouse->globalPosition().toPoint());
    case QEvent::MouseButtonRelease:
      return release(tabs, mouse->globalPosition().toPoint());
    case QEvent::KeyPress:
      if (dragging_ && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) return end(), true;
      return false;
    case QEvent::ContextMenu: {
      auto* asked = static_cast<QContextMenuEvent*>(event);
      int tab = tabs->tabAt(asked->pos());
      if (tab >= 0) emit menu_asked(tabs, tab, asked->globalPos());
      return tab >= 0;
    }
    default:
      return false;
  }
}

/// The tab comes to the front all the same.
bool TabMover::press(QTabBar* tabs, QPoint at) {
  from_ = tabs;
  tab_ = tabs->tabAt(at);
  pressed_ = tabs->mapToGlobal(at);
  return false;
}

bool TabMover::move(QTabBar* tabs, QPoint global) {
  if (from_ != tabs || tab_ < 0) return false;
  // Along its bar a tab stays where it is.
  QRect bar(tabs->mapToGlobal(QPoint(0, 0)), tabs->size());
  bool away = !bar.adjusted(0, -8, 0, 8).contains(global) &&
              (global - pressed_).manhattanLength() >= QApplication::startDragDistance();
  if (!dragging_ && !away) return false;
  dragging_ = true;
  tabs->setCursor(Qt::ClosedHandCursor);
  QRect target = target_(global);
  frame_->setGeometry(target.isEmpty() ? QRect(global - QPoint(90, 12), QSize(240, 160)) : target);
  frame_->show();
  return true;
}

bool TabMover::release(QTabBar* tabs, QPoint global) {
  bool was = dragging_;
  int tab = tab_;
  end();
  if (was && tab >= 0) emit dropped(tabs, tab, global);
  return was;
}

void TabMover::end() {
  if (from_) from_->unsetCursor();
  from_ = nullptr;
  tab_ = -1;
  dragging_ = false;
  frame_->hide();
}

}  // namespace tw
