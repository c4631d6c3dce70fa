// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/widget_actions.h"

#include <QMainWindow>
#include <QScrollBar>
#include <QSplitter>

#include "app/window/folding_panes.h"
#include "app/window/view_names.h"

namespace tw {
namespace {

Status resize(QMainWindow& window, journal::ResizeWindow const& action) {
  QSize wanted(action.width, action.height), least = window.minimumSize();
  constexpr int kLargest = 16384;
  if (wanted.width() < least.width() || wanted.height() < least.height() ||
      wanted.width() > kLargest || wanted.height() > kLargest)
    return bad_input("unusable_size",
                     QString("a window has between %1 %2 and %3 %3 pixels, not %4 %5")
                         .arg(least.width())
                         .arg(least.height())
                         .arg(kLargest)
                         .arg(action.width)
                         .arg(action.height)
                         .toStdString());
  if (wanted != window.size()) window.resize(wanted);
  return {};
}

Status arrange(QWidget& root, journal::ArrangePanes const& action) {
  auto* panes = root.findChild<QSplitter*>(QString::fromStdString(action.panes));
  if (!panes || action.panes.empty())
    return bad_input("unknown_panes", "there are no panes '" + action.panes + "'");
  QList<int> sizes;
  for (QString const& size : QString::fromStdString(action.sizes).split(' ', Qt::SkipEmptyParts))
    sizes << size.toInt();
  if (sizes.size() != panes->count())
    return bad_input("unusable_size", "these are " + std::to_string(panes->count()) +
                                          " panes, not " + std::to_string(sizes.size()));
  if (auto* folding = dynamic_cast<FoldingPanes*>(panes))
    folding->arrange(sizes);
  else
    panes->setSizes(sizes);
  return {};
}

Status scroll(QWidget& root, journal::ScrollView const& action) {
  // The loop nest had another name in journals of before.
  std::string view = action.view == "ladder" ? "loopNest" : action.view;
  for (QAbstractScrollArea* area : root.findChildren<QAbstractScrollArea*>()) {
    if (scroll_name(area) != QString::fromStdString(view)) continue;
    area->horizontalScrollBar()->setValue(action.x);
    area->verticalScrollBar()->setValue(action.y);
    return {};
  }
  return bad_input("unknown_view", "nothing called '" + action.view + "' can be scrolled");
}

/// -1: "none".
Result<int> loop_called(Workbench& bench, std::string const& name) {
  int loop = session::loop_called(bench.snapshot(), name);
  if (loop < 0 && name != "none")
    return bad_input("unknown_loop", "there is no loop '" + name + "'");
  return loop;
}

/// A scroll bar says so only when it was the user who moved it.
void record_scrolling(QAbstractScrollArea* area, Workbench& bench) {
  if (scroll_name(area).isEmpty()) return;
  for (QScrollBar* bar : {area->horizontalScrollBar(), area->verticalScrollBar()})
    QObject::connect(bar, &QScrollBar::actionTriggered, area, [&bench, area] {
      bench.user_did(journal::ScrollView{scroll_name(area).toStdString(),
                                         area->horizontalScrollBar()->sliderPosition(),
                                         area->verticalScrollBar()->sliderPosition()});
    });
}

void record_selection(Workbench& bench) {
  Selection* selection = &bench.selection();
  QObject::connect(selection, &Selection::changed, selection,
                   [&bench, selection, loop = -1, hovered = -1]() mutable {
                     bool selected = loop != selection->loop();
                     bool moved = hovered != selection->hovered();
                     loop = selection->loop();
                     hovered = selection->hovered();
                     auto name = [&bench](int one) {
                       return session::reference_of(bench.snapshot(), one);
                     };
                     if (selected) bench.user_did(journal::SelectLoop{name(loop)});
                     if (moved) bench.user_did(journal::HoverLoop{name(hovered)});
                   });
}

}  // namespace

void add_widget_handlers(QMainWindow& window, Workbench& bench) {
  using namespace journal;
  bench.on<ResizeWindow>([&window](ResizeWindow const& action) { return resize(window, action); });
  bench.on<ArrangePanes>(
      [&window](ArrangePanes const& action) { return arrange(*window.centralWidget(), action); });
  bench.on<ScrollView>(
      [&window](ScrollView const& action) { return scroll(*window.centralWidget(), action); });
  bench.on<SelectLoop>([&bench](SelectLoop const& action) -> Status {
    TRY_ASSIGN(int loop, loop_called(bench, action.loop));
    return bench.selection().select(loop), Status();
  });
  bench.on<HoverLoop>([&bench](HoverLoop const& action) -> Status {
    TRY_ASSIGN(int loop, loop_called(bench, action.loop));
    return bench.selection().hover(loop), Status();
  });
}

void record_widgets(QWidget& root, Workbench& bench) {
  for (QSplitter* panes : root.findChildren<QSplitter*>()) {
    if (panes->objectName().isEmpty()) continue;
    QObject::connect(panes, &QSplitter::splitterMoved, panes, [&bench, panes] {
      bench.user_did(journal::ArrangePanes{panes->objectName().toStdString(),
                                           sizes_text(*panes).toStdString()});
    });
  }
  for (QAbstractScrollArea* area : root.findChildren<QAbstractScrollArea*>())
    record_scrolling(area, bench);
  record_selection(bench);
}

}  // namespace tw
