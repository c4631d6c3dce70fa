// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/focus_keeper.h"

#include <QApplication>
#include <QTimer>

namespace tw {

bool can_have_focus(QWidget const* widget) {
  return widget && widget->isVisible() && widget->isEnabled();
}

FocusKeeper::FocusKeeper(QWidget& window, std::function<FocusPlace(QWidget*)> place_for)
    : QObject(&window), window_(window), place_for_(std::move(place_for)) {
  connect(qApp, &QApplication::focusChanged, this,
          [this](QWidget*, QWidget* now) { changed(now); });
}

void FocusKeeper::changed(QWidget* now) {
  if (now && window_.isAncestorOf(now)) {
    QWidget* pane = place_for_(now).pane;
    if (pane && (pane == now || pane->isAncestorOf(now))) pane_ = pane;
    return;
  }
  if (now) return;
  // What is deleted leaves the focus to nobody: keys would go to the window alone.
  QTimer::singleShot(0, this, [this] {
    if (window_.isActiveWindow() && !window_.focusWidget()) stay(pane_);
  });
}

/// Never a button that happens to be there: what the pane names for it, else the pane itself.
void FocusKeeper::stay(QWidget* had) {
  QWidget* known = had ? had : pane_.data();
  FocusPlace place = place_for_(known);
  bool in_pane = place.pane && known && (place.pane == known || place.pane->isAncestorOf(known));
  if (!in_pane && pane_ && pane_->isVisible()) place = place_for_(pane_);
  if (!place.pane) return;
  bool usable = can_have_focus(place.target) && place.target != had;
  (usable ? place.target : place.pane)->setFocus(Qt::OtherFocusReason);
}

void FocusKeeper::before_activation() {
  QWidget* had = window_.focusWidget();
  if (had && can_have_focus(had)) return;
  if (had || pane_) stay(had);
}

}  // namespace tw
