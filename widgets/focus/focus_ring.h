// SPDX-License-Identifier: GPL-3.0-or-later
/// A ring around what the Tab key has reached, whatever it is; and the order that Tab follows.
#pragma once

#include <QList>
#include <QPointer>
#include <QWidget>

#include "widgets/theme/theme.h"

namespace tw {

/// What the Tab key can reach below `root`, as one reads it: pane after pane from the left, each
/// from the top; only what can be seen.
QList<QWidget*> tab_stops(QWidget* root);

class FocusRing : public QWidget {
  Q_OBJECT
public:
  /// Lies over `home`.
  explicit FocusRing(QWidget* home);
  void set_theme(Theme const& theme);
  /// Around this widget until the focus goes elsewhere.
  void show_around(QWidget* widget);
  /// To the stop below `root` that follows the one that has the focus, or comes before it, with the
  /// ring around it; false: there is none.
  bool step(QWidget* root, QWidget* had, bool next);
  QWidget* around() const { return around_; }

protected:
  void paintEvent(QPaintEvent*) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void place();

  Theme theme_;
  QWidget* around_ = nullptr;
  QList<QPointer<QWidget>> watched_;  ///< it, and what it lies in: each may move it
};

}  // namespace tw
