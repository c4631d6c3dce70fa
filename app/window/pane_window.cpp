// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/pane_window.h"

#include <QCloseEvent>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QTabWidget>
#include <QVBoxLayout>

#include "widgets/focus/focus_ring.h"

namespace tw {

/// As a tool of the first window it has that one's shortcuts.
PaneWindow::PaneWindow(QWidget* main)
    : QWidget(main, Qt::Tool | Qt::WindowTitleHint | Qt::WindowSystemMenuHint |
                        Qt::WindowMaximizeButtonHint | Qt::WindowCloseButtonHint),
      tabs_(new QTabWidget) {
  setObjectName("paneWindow");
  setWindowTitle("Tilewright – views");
  setAccessibleName("Second window");
  tabs_->setObjectName("own");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(tabs_);
  ring_ = new FocusRing(this);
  resize(900, 640);
  main->installEventFilter(this);
}

void PaneWindow::set_theme(Theme const& theme) { ring_->set_theme(theme); }

bool PaneWindow::focusNextPrevChild(bool next) { return ring_->step(this, focusWidget(), next); }

/// Not before the first window.
void PaneWindow::settle() {
  bool wanted = tabs_->count() > 0 && parentWidget()->isVisible();
  if (wanted != isVisible()) setVisible(wanted);
}

bool PaneWindow::eventFilter(QObject*, QEvent* event) {
  if (event->type() == QEvent::Show) settle();
  return false;
}

void PaneWindow::closeEvent(QCloseEvent* event) {
  event->accept();
  emit closed();
}

void PaneWindow::keyPressEvent(QKeyEvent* event) {
  QCoreApplication::sendEvent(parentWidget(), event);
}

}  // namespace tw
