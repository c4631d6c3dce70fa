// SPDX-License-Identifier: GPL-3.0-or-later
/// What is selected and hovered, shared by all views.
#pragma once

#include <QObject>

namespace tw {

class Selection : public QObject {
  Q_OBJECT
public:
  using QObject::QObject;
  int loop() const { return loop_; }
  int hovered() const { return hovered_; }
  /// The loop that views should light up: the hovered one, else the selected one.
  int lit() const { return hovered_ >= 0 ? hovered_ : loop_; }
  void select(int loop) {
    if (loop == loop_) return;
    loop_ = loop;
    emit changed();
  }
  void hover(int loop) {
    if (loop == hovered_) return;
    hovered_ = loop;
    emit changed();
  }

signals:
  void changed();

private:
  int loop_ = -1;
  int hovered_ = -1;
};

}  // namespace tw
