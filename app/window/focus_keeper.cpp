// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/focus_keeper.h"

#include <QApplication>
#include <QEvent>
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
    if (watched_) watched_->removeEventFilter(this);
    watched_ = now;
    now->installEventFilter(this);
    QWidget* pane = place_for_(now).pane;
    if (pane && (pane == now || pane->isAncestorOf(now))) pane_ = pane;
    return;
  }
  if (now) return;
  // What is deleted leaves the focus to nobody: keys would go to the window alone.
  QTimer::singleShot(0, this, &FocusKeeper::look);
}

void FocusKeeper::look() {
  QWidget* has = window_.focusWidget();
  if (!window_.isVisible() || !window_.isActiveWindow() || (has && can_have_focus(has))) return;
  stay(has ? has : pane_.data());
}

/// A text editor takes Tab for itself, and does not give the focus away either.
bool FocusKeeper::eventFilter(QObject* watched, QEvent* event) {
  bool gone = event->type() == QEvent::Hide || event->type() == QEvent::EnabledChange;
  if (gone && watched == watched_) QTimer::singleShot(0, this, &FocusKeeper::look);
  return false;
}

/// Never a button that happens to be there: what the pane names for it, else the pane itself.
void FocusKeeper::stay(QWidget* had) {
  QWidget* known = had ? had : pane_.data();
  FocusPlace place = place_for_(known);
  bool in_pane = place.pane && known && (place.pane == known || place.pane->isAncestorOf(known));
  if (!in_pane && pane_ && pane_->isVisible()) place = place_for_(pane_);
  if (!place.pane) return;
  QList<QWidget*> wanted{place.target, place.pane};
  // One that hands the focus on may hand it to what is gone; what lies in it does not.
  wanted << place.pane->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
  for (QWidget* one : wanted) {
    if (!can_have_focus(one) || one == had) continue;
    one->setFocus(Qt::OtherFocusReason);
    QWidget* has = window_.focusWidget();
    if (has != had && can_have_focus(has)) return;
  }
}

void FocusKeeper::before_activation() {
  QWidget* had = window_.focusWidget();
  if (had && can_have_focus(had)) return;
  if (had || pane_) stay(had);
}

}  // namespace tw
