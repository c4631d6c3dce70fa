// SPDX-License-Identifier: GPL-3.0-or-later
/// Loops in an order that is made by dragging them, or with Alt and the arrow keys.
#pragma once

#include <QListWidget>

namespace tw {

class LoopOrder : public QListWidget {
  Q_OBJECT
public:
  explicit LoopOrder(QStringList const& loops, QWidget* parent = nullptr);
  QStringList order() const;
  /// Without the signal; what is no permutation of the loops changes nothing.
  void set_order(QStringList const& loops);

signals:
  void order_changed();

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  void move_current(int by);
};

}  // namespace tw
