// SPDX-License-Identifier: GPL-3.0-or-later
/// A second window for panes, on another screen perhaps: tabs and nothing else. Keys that no pane
/// takes are the first window's.
#pragma once

#include <QWidget>

class QTabWidget;

namespace tw {

class PaneWindow : public QWidget {
  Q_OBJECT
public:
  explicit PaneWindow(QWidget* main);
  QTabWidget& tabs() const { return *tabs_; }
  /// It is there while it has a pane.
  void settle();

signals:
  /// Its panes go home.
  void closed();

protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QTabWidget* tabs_;
};

}  // namespace tw
