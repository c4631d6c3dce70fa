// SPDX-License-Identifier: GPL-3.0-or-later
/// Tabs that are dragged to another place: while one is, a frame says where it would go.
#pragma once

#include <QObject>
#include <QPoint>
#include <QPointer>
#include <QRect>
#include <functional>

class QRubberBand;
class QTabBar;

namespace tw {

class TabMover : public QObject {
  Q_OBJECT
public:
  /// `target`: the place at a point of the screen, to be framed; empty: a window of its own.
  TabMover(std::function<QRect(QPoint)> target, QObject* parent);
  ~TabMover() override;
  void watch(QTabBar* tabs);

signals:
  void dropped(QTabBar* from, int tab, QPoint at);
  void menu_asked(QTabBar* from, int tab, QPoint at);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  bool press(QTabBar* tabs, QPoint at);
  bool move(QTabBar* tabs, QPoint global);
  bool release(QTabBar* tabs, QPoint global);
  void end();

  std::function<QRect(QPoint)> target_;
  QPointer<QTabBar> from_;
  int tab_ = -1;
  QPoint pressed_;
  bool dragging_ = false;
  QRubberBand* frame_;
};

}  // namespace tw
