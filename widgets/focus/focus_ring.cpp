// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/focus/focus_ring.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <utility>

namespace tw {

namespace {

constexpr int kSameRow = 12;  // what stands beside each other begins at nearly the same height

/// Row after row, each from the left.
QList<QWidget*> in_reading_order(QList<QWidget*> widgets) {
  std::ranges::stable_sort(widgets, {}, &QWidget::y);
  for (qsizetype first = 0; first < widgets.size();) {
    qsizetype end = first + 1;
    while (end < widgets.size() && widgets[end]->y() - widgets[first]->y() <= kSameRow) ++end;
    std::stable_sort(widgets.begin() + first, widgets.begin() + end,
                     [](QWidget* a, QWidget* b) { return a->x() < b->x(); });
    first = end;
  }
  return widgets;
}

}  // namespace

QList<QWidget*> tab_stops(QWidget* root) {
  QList<QWidget*> stops;
  bool usable = root->isVisible() && root->isEnabled();
  if (!usable) return stops;
  if ((root->focusPolicy() & Qt::TabFocus) && !root->focusProxy()) stops << root;
  QList<QWidget*> children = root->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
  children.erase(std::remove_if(children.begin(), children.end(),
                                [](QWidget* child) { return child->isWindow(); }),
                 children.end());
  for (QWidget* child : in_reading_order(std::move(children))) stops << tab_stops(child);
  return stops;
}

FocusRing::FocusRing(QWidget* home) : QWidget(home) {
  setObjectName("focusRing");
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
  setAttribute(Qt::WA_StyledBackground, false);
  setStyleSheet("background: transparent;");
  setFocusPolicy(Qt::NoFocus);
  hide();
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    // A window that is not in front for a moment knows what has the focus in it.
    bool kept = !now && around_ && around_->window()->focusWidget() == around_;
    if (now != around_ && !kept) show_around(nullptr);
  });
}

void FocusRing::set_theme(Theme const& theme) {
  theme_ = theme;
  update();
}

void FocusRing::show_around(QWidget* widget) {
  for (QPointer<QWidget> const& one : std::exchange(watched_, {}))
    if (one) one->removeEventFilter(this);
  around_ = widget;
  setVisible(around_ != nullptr);
  if (!around_) return;
  for (QWidget* one = around_; one && one != parentWidget(); one = one->parentWidget()) {
    one->installEventFilter(this);
    watched_ << one;
  }
  place();
}

bool FocusRing::step(QWidget* root, QWidget* had, bool next) {
  QList<QWidget*> stops = tab_stops(root);
  if (stops.isEmpty()) return false;
  qsizetype at = stops.indexOf(had);
  if (at < 0 && had) {  // a pane that has the focus itself: from there on
    auto within = [had](QWidget* stop) { return had->isAncestorOf(stop); };
    auto first = std::ranges::find_if(stops, within);
    if (first != stops.end()) at = (first - stops.begin()) - (next ? 1 : 0);
  }
  at = at < 0 ? (next ? 0 : stops.size() - 1) : (at + (next ? 1 : stops.size() - 1)) % stops.size();
  stops[at]->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
  show_around(stops[at]);
  return true;
}

/// A view that scrolls is shown by the part of it that is seen.
void FocusRing::place() {
  if (!around_) return;
  QRect seen = around_->visibleRegion().boundingRect();
  if (seen.isEmpty()) seen = around_->rect();
  QPoint corner = around_->mapTo(parentWidget(), seen.topLeft());
  setGeometry(QRect(corner, seen.size()).adjusted(-2, -2, 2, 2) & parentWidget()->rect());
  raise();
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::Hide:
    case QEvent::Destroy:
      if (watched == around_) show_around(nullptr);
      break;
    case QEvent::Move:
    case QEvent::Resize:
      place();
      break;
    default:
      break;
  }
  return false;
}

void FocusRing::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme_.ink, 2));
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
}

}  // namespace tw
