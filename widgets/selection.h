// SPDX-License-Identifier: GPL-3.0-or-later
/// What is selected, hovered and pointed at, and what could be done next: shared by all views.
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "engine/session/moves.h"

namespace tw {

class Selection : public QObject {
  Q_OBJECT
public:
  using QObject::QObject;
  int loop() const { return loop_; }
  int hovered() const { return hovered_; }
  /// The loop that views should light up: the hovered one, else the selected one.
  int lit() const { return hovered_ >= 0 ? hovered_ : loop_; }
  /// The step that is pointed at, as a script line: of a drag, a move in a list; empty: none is.
  QString const& step() const { return step_; }
  /// `who` points; nobody else ends that but with another step, or as null.
  void point_at(QString const& step, void const* who = nullptr) {
    if (step.isEmpty() && who && who != pointer_) return;
    pointer_ = step.isEmpty() ? nullptr : who;
    if (step == step_) return;
    step_ = step;
    emit step_changed();
  }
  /// What is offered next where somebody looks for it; null: nothing is.
  std::shared_ptr<session::MovesView const> const& moves() const { return moves_; }
  void offer(std::shared_ptr<session::MovesView const> moves) {
    if (moves == moves_) return;
    moves_ = std::move(moves);
    emit moves_changed();
  }
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
  /// What of the graph is asked about, by ids after fusion: one node, or the edge to a second one.
  /// -1: none.
  struct Asked {
    int node = -1, to = -1;
    bool operator==(Asked const&) const = default;
  };
  Asked asked() const { return asked_; }
  void ask_about(Asked asked) {
    if (asked == asked_) return;
    asked_ = asked;
    emit asked_changed();
  }

signals:
  void changed();
  void step_changed();
  void moves_changed();
  void asked_changed();

private:
  int loop_ = -1;
  int hovered_ = -1;
  Asked asked_;
  QString step_;
  void const* pointer_ = nullptr;  ///< that points at it
  std::shared_ptr<session::MovesView const> moves_;
};

}  // namespace tw
