// SPDX-License-Identifier: GPL-3.0-or-later
// What the user does to the widgets themselves, as actions: tabs, borders, scroll bars, pointers.
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTabBar>
#include <algorithm>

#include "app/window/folding_panes.h"
#include "app/window/main_window.h"
#include "app/window/pane.h"
#include "app/window/view_names.h"

namespace tw {

QString view_name(QString const& tab_text) {
  for (PaneRow const* row : pane_table())  // some have another title now
    if (row->title == tab_text) return QString::fromStdString(row->name);
  return tab_text.toLower().replace(' ', '_');
}

QString scroll_name(QAbstractScrollArea const* area) {
  auto const* scroll = qobject_cast<QScrollArea const*>(area);
  return scroll && scroll->widget() ? scroll->widget()->objectName() : area->objectName();
}

void MainWindow::watch_tabs(QTabBar* tabs) {
  connect(tabs, &QTabBar::currentChanged, this, [this, tabs](int index) {
    if (index >= 0) user_did(journal::ShowView{view_name(tabs->tabText(index)).toStdString()});
  });
}

void MainWindow::watch_panes(QSplitter* panes) {
  connect(panes, &QSplitter::splitterMoved, this, [this, panes] {
    user_did(
        journal::ArrangePanes{panes->objectName().toStdString(), sizes_text(*panes).toStdString()});
  });
}

/// A scroll bar says so only when it was the user who moved it.
void MainWindow::watch_scrolling() {
  for (QAbstractScrollArea* area : centralWidget()->findChildren<QAbstractScrollArea*>()) {
    if (scroll_name(area).isEmpty()) continue;
    for (QScrollBar* bar : {area->horizontalScrollBar(), area->verticalScrollBar()})
      connect(bar, &QScrollBar::actionTriggered, this, [this, area] {
        user_did(journal::ScrollView{scroll_name(area).toStdString(),
                                     area->horizontalScrollBar()->sliderPosition(),
                                     area->verticalScrollBar()->sliderPosition()});
      });
  }
}

void MainWindow::watch() {
  for (QTabBar* tabs : centralWidget()->findChildren<QTabBar*>()) watch_tabs(tabs);
  for (QSplitter* panes : centralWidget()->findChildren<QSplitter*>())
    if (!panes->objectName().isEmpty()) watch_panes(panes);
  watch_scrolling();
  connect(selection_, &Selection::changed, this, [this, loop = -1, hovered = -1]() mutable {
    bool selected = loop != selection_->loop(), moved = hovered != selection_->hovered();
    loop = selection_->loop();
    hovered = selection_->hovered();
    if (selected) user_did(journal::SelectLoop{session::reference_of(snapshot_, loop)});
    if (moved) user_did(journal::HoverLoop{session::reference_of(snapshot_, hovered)});
  });
}

}  // namespace tw
