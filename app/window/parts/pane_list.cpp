// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/pane_list.h"

#include <QEvent>
#include <QWidget>
#include <algorithm>

#include "app/window/parts/performer.h"

namespace tw {

void PaneList::make() {
  std::vector<PaneRow const*> rows(pane_table().begin(), pane_table().end());
  std::ranges::sort(rows, {}, [](PaneRow const* row) { return std::pair(row->place, row->order); });
  for (PaneRow const* row : rows) {
    std::unique_ptr<Pane> pane = row->make(bench_);
    QWidget* widget = pane->widget();
    // A pane without a menu of its own has what every pane has.
    if (widget->contextMenuPolicy() == Qt::DefaultContextMenu) bench_.add_menu(widget, {});
    widget->installEventFilter(this);  // one that waits is told when it is seen
    panes_.push_back({row, std::move(pane), widget});
  }
}

PlacedPane* PaneList::called(std::string const& name) {
  for (PlacedPane& placed : panes_)
    if (placed.row->name == journal::view_called(name)) return &placed;
  return nullptr;
}

PlacedPane* PaneList::home() {
  for (PlacedPane& placed : panes_)
    if (placed.row->is_home) return &placed;
  return nullptr;
}

PlacedPane* PaneList::around(QWidget* widget) {
  for (; widget; widget = widget->parentWidget())
    for (PlacedPane& placed : panes_)
      if (placed.widget == widget) return &placed;
  return nullptr;
}

void PaneList::show_new() {
  for (PlacedPane& placed : panes_) {
    placed.waits = !placed.pane->hears_hidden() && !placed.widget->isVisible();
    if (!placed.waits) tell(placed);
  }
}

void PaneList::tell(PlacedPane& placed) {
  placed.waits = false;
  ++placed.told;
  placed.pane->show(bench_.snapshot());
}

void PaneList::tell_those_that_wait() {
  Performer::Quiet quiet(performer_);
  for (PlacedPane& placed : panes_)
    if (placed.waits) tell(placed);
}

bool PaneList::busy() const {
  return std::ranges::any_of(
      panes_, [](PlacedPane const& placed) { return !placed.waits && placed.pane->busy(); });
}

std::optional<session::FactValue> PaneList::fact(std::string const& name) {
  for (PlacedPane& placed : panes_) {
    auto value = placed.pane->fact(name);
    if (!value) continue;
    if (!placed.waits) return value;
    tell(placed);
    return placed.pane->fact(name);
  }
  return {};
}

std::pair<int, int> PaneList::work_of(std::string const& name) const {
  for (PlacedPane const& placed : panes_)
    if (placed.row->name == name) return {placed.told, placed.pane->asked()};
  return {};
}

bool PaneList::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Show)
    for (PlacedPane& placed : panes_)
      if (placed.widget == object && placed.waits) {
        Performer::Quiet quiet(performer_);
        tell(placed);
      }
  return QObject::eventFilter(object, event);
}

}  // namespace tw
