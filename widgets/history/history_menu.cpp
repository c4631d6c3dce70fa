// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_menu.h"

namespace tw {

using session::HistoryNodeView;

/// The same state on two devices, where both measured it.
void HistoryMenu::add_device_comparisons(QMenu& menu, int node) {
  HistoryNodeView const& state = facts_.node(node);
  QStringList measured;
  if (state.min_ms) measured << QString::fromStdString(facts_.view()->device);
  for (session::ElsewhereView const& one : state.elsewhere)
    if (one.min_ms) measured << QString::fromStdString(one.device);
  for (int i = 1; i < measured.size(); ++i)
    menu.addAction(QString("Compare on %1 and %2").arg(measured[0], measured[i]), this,
                   [this, node, before = measured[0], after = measured[i]] {
                     emit devices_compare_asked(node, before, after);
                   });
}

void HistoryMenu::add_marks(QMenu& menu, int node) {
  bool tagged = facts_.is_tagged(node);
  menu.addAction(tagged ? "Remove the star\tT" : "Star\tT", this,
                 [this, node] { toggle_tag(node); });
  menu.addAction("Name\tF2", this, [this, node] { emit name_asked(node); });
  menu.addAction("Write a note\tN", this, [this, node] { emit note_asked(node); });
  menu.addAction(node == facts_.baseline() ? "Clear baseline\tB" : "Set as baseline\tB", this,
                 [this, node] { toggle_baseline(node); });
}

void HistoryMenu::add_comparisons(QMenu& menu, int node, int picked) {
  int current = facts_.view()->current;
  if (node != current)
    menu.addAction("Compare with the current state\tC", this,
                   [this, node, current] { emit compare_asked(node, current); });
  QString pick = "Compare with the picked state";
  if (picked < 0 || picked == node)
    pick = picked == node ? "Unpick" : "Pick for a comparison\tCtrl+click";
  menu.addAction(pick, this, [this, node] { emit pick_asked(node); });
  add_device_comparisons(menu, node);
}

void HistoryMenu::popup(QWidget* parent, QPoint at, int node, int picked) {
  auto* menu = new QMenu(parent);
  menu->setObjectName("historyMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  bool current = node == facts_.view()->current;
  if (!current) menu->addAction("Jump here\tEnter", this, [this, node] { emit node_chosen(node); });
  add_marks(*menu, node);
  add_comparisons(*menu, node, picked);
  if (node > 0) {
    menu->addAction("Tune from here", this, [this, node] { emit tune_asked(node); });
    menu->addAction("Measure step contributions", this, [this, node] { emit gain_asked(node); });
  }
  menu->addAction("Copy the script up to here", this, [this, node] { emit script_copied(node); });
  if (current && node > 0)
    menu->addAction("Replay on another kernel", this, [this] { emit replay_asked(); });
  menu->popup(at);
}

}  // namespace tw
