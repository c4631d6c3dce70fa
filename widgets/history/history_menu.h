// SPDX-License-Identifier: GPL-3.0-or-later
/// What can be done with a state of the history.
#pragma once

#include <QMenu>
#include <QObject>

#include "widgets/history/history_facts.h"

namespace tw {

class HistoryMenu : public QObject {
  Q_OBJECT
public:
  explicit HistoryMenu(HistoryFacts const& facts) : facts_(facts) {}
  /// Of a state. `picked`: the one that is picked for a comparison; -1: none.
  void popup(QWidget* parent, QPoint at, int node, int picked);
  void toggle_tag(int node) { emit tag_asked(node, !facts_.is_tagged(node)); }
  void toggle_baseline(int node) { emit baseline_asked(node == facts_.baseline() ? -1 : node); }

signals:
  void node_chosen(int node);
  void pick_asked(int node);
  void name_asked(int node);
  void note_asked(int node);
  void devices_compare_asked(int node, QString const& before, QString const& after);
  void tag_asked(int node, bool on);
  void baseline_asked(int node);  ///< -1: none any more
  void compare_asked(int before, int after);
  void replay_asked();
  void tune_asked(int node);
  void gain_asked(int node);
  void script_copied(int node);

private:
  void add_marks(QMenu& menu, int node);
  void add_comparisons(QMenu& menu, int node, int picked);
  void add_device_comparisons(QMenu& menu, int node);

  HistoryFacts const& facts_;
};

}  // namespace tw
