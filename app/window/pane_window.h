// SPDX-License-Identifier: GPL-3.0-or-later
/// A second window for panes, on another screen perhaps: tabs and nothing else. Keys that no pane
/// takes are the first window's.
#pragma once

#include <QWidget>

class QTabWidget;

namespace tw {

class FocusRing;
struct Theme;

class PaneWindow : public QWidget {
  Q_OBJECT
public:
  explicit PaneWindow(QWidget* main);
  QTabWidget& tabs() const { return *tabs_; }
  FocusRing& ring() const { return *ring_; }
  void set_theme(Theme const& theme);
  /// It is there while it has a pane.
  void settle();

signals:
  /// Its panes go home.
  void closed();

protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool focusNextPrevChild(bool next) override;

private:
  QTabWidget* tabs_;
  FocusRing* ring_;
};

}  // namespace tw
