// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/focus.h"

#include <QMainWindow>
#include <QPointer>
#include <QStackedWidget>
#include <QTabWidget>
#include <algorithm>

#include "app/window/parts/docks.h"
#include "widgets/focus/focus_ring.h"

namespace tw {

Focus::Focus(QMainWindow& window, PaneList& panes, Docks& docks, QStackedWidget& pages)
    : window_(window),
      panes_(panes),
      docks_(docks),
      pages_(pages),
      ring_(new FocusRing(window.centralWidget())),
      keeper_(new FocusKeeper(window, [this](QWidget* had) { return place_for(had); })) {}

Focus::~Focus() { delete keeper_; }  // which asks this one

/// In the pane that has it, or that stands now where that one stood; else where one works.
FocusPlace Focus::place_for(QWidget* had) {
  if (pages_.currentIndex() == 0) {
    QWidget* start = pages_.currentWidget();
    QList<QWidget*> cards = tab_stops(start);
    return {start, cards.isEmpty() ? nullptr : cards.front()};
  }
  PlacedPane const* placed = had ? panes_.around(had) : nullptr;
  if (placed && !placed->widget->isVisible())
    placed = panes_.around(docks_.own_tabs(*placed)->currentWidget());
  if (!placed || !placed->widget->isVisible()) placed = panes_.home();
  if (!placed->widget->isVisible()) placed = panes_.around(docks_.centre().currentWidget());
  if (!placed) return {window_.centralWidget(), nullptr};
  return {placed->widget, placed->pane->focus_target()};
}

void Focus::home() {
  if (PlacedPane* home = panes_.home()) home->pane->focus_target()->setFocus(Qt::OtherFocusReason);
}

void Focus::offer(QWidget* widget) {
  bool kept = std::ranges::any_of(
      panes_.all(), [](PlacedPane const& placed) { return placed.pane->keeps_focus(); });
  // A view that another one stands before would take it all the same, and keys with it.
  if (!kept && can_have_focus(widget)) widget->setFocus(Qt::OtherFocusReason);
}

void Focus::show_what_is_shown() {
  QWidget* has = window_.focusWidget();
  if (has && panes_.around(has) && can_have_focus(has)) return;
  keeper_->stay(docks_.centre().currentWidget());
}

void Focus::after_command() {
  QPointer<QWidget> shown = docks_.take_shown();
  PlacedPane* placed = shown ? panes_.around(shown) : nullptr;
  QWidget* target = placed ? placed->pane->focus_target() : nullptr;
  if (!target || !can_have_focus(target)) return;
  QWidget* has = target->window()->focusWidget();
  if (has && (has == placed->widget || placed->widget->isAncestorOf(has))) return;
  target->window()->activateWindow();
  target->setFocus(Qt::ShortcutFocusReason);
}

/// Qt asks for the next one, too, when what has the focus is hidden or switched off: nobody pressed
/// Tab then.
bool Focus::step(bool next) {
  QWidget* had = window_.focusWidget();
  if (had && window_.isVisible() && !can_have_focus(had)) return keeper_->stay(had), true;
  return ring_->step(window_.centralWidget(), had, next);
}

}  // namespace tw
