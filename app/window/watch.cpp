// SPDX-License-Identifier: GPL-3.0-or-later
// What the user does to the widgets themselves, as actions: tabs, borders, scroll bars, pointers.
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTabBar>
#include <algorithm>

#include "app/window/main_window.h"
#include "app/window/view_names.h"

namespace tw {

QString view_name(QString const& tab_text) { return tab_text.toLower().replace(' ', '_'); }

QString scroll_name(QAbstractScrollArea const* area) {
  auto const* scroll = qobject_cast<QScrollArea const*>(area);
  return scroll && scroll->widget() ? scroll->widget()->objectName() : area->objectName();
}

std::string node_reference(std::vector<session::GraphNodeView> const& nodes, int id) {
  std::string name;
  for (auto const& node : nodes)
    if (node.id == id) name = node.name;
  auto same = std::count_if(nodes.begin(), nodes.end(), [&](auto& n) { return n.name == name; });
  return name.empty() || name.front() == '#' || same != 1 ? "#" + std::to_string(id) : name;
}

int node_called(std::vector<session::GraphNodeView> const& nodes, std::string const& reference) {
  for (auto const& node : nodes)
    if (reference == "#" + std::to_string(node.id) ||
        (node.name == reference && !reference.empty()))
      return node.id;
  return -1;
}

void MainWindow::watch_tabs(QTabBar* tabs) {
  connect(tabs, &QTabBar::currentChanged, this, [this, tabs](int index) {
    if (index >= 0) user_did(journal::ShowView{view_name(tabs->tabText(index)).toStdString()});
  });
}

void MainWindow::watch_panes(QSplitter* panes) {
  connect(panes, &QSplitter::splitterMoved, this, [this, panes] {
    QStringList sizes;
    for (int size : panes->sizes()) sizes << QString::number(size);
    user_did(
        journal::ArrangePanes{panes->objectName().toStdString(), sizes.join(' ').toStdString()});
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
    if (selected) user_did(journal::SelectLoop{name_of_loop(loop)});
    if (moved) user_did(journal::HoverLoop{name_of_loop(hovered)});
  });
  connect(code_, &CodePanel::pass_chosen, this,
          [this](QString const& pass) { user_did(journal::ShowPass{pass.toStdString()}); });
  connect(code_, &CodePanel::changes_marked, this,
          [this](bool marked) { user_did(journal::MarkChanges{marked ? "on" : "off"}); });
  connect(graph_, &GraphView::looked, this, [this] {
    user_did(journal::LookAtGraph{graph_->scale(), graph_->origin().x(), graph_->origin().y()});
  });
  connect(graph_, &GraphView::find_typed, this, [this](QString const& text) {
    if (text.isEmpty()) return graph_->find({});  // the line stays open
    user_did(journal::FindInGraph{text.toStdString()});
  });
  connect(graph_, &GraphView::step_typed, this, [this](int direction) {
    if (graph_->match_count() > 0)
      user_did(journal::StepMatch{direction > 0 ? "next" : "previous"});
  });
  connect(graph_, &GraphView::find_closed, this, [this] { user_did(journal::FindInGraph{}); });
  connect(graph_, &GraphView::reason_asked, this, [this](int from, int to) {
    if (!snapshot_.graph) return;
    auto const& nodes =
        graph_->shows_before() ? snapshot_.graph->nodes_before : snapshot_.graph->nodes;
    user_did(journal::ExplainFusion{node_reference(nodes, from),
                                    to < 0 ? "" : node_reference(nodes, to)});
  });
}

}  // namespace tw
