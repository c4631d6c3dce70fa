// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/pictures/controls_aside.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>

namespace tw {
namespace {

constexpr int kEdge = 8;          // pixels around what is left
constexpr int kAside = -100'000;  // no picture reaches there

bool is_control(QWidget const& widget) {
  auto const* label = qobject_cast<QLabel const*>(&widget);
  return (label && label->buddy()) || qobject_cast<QAbstractButton const*>(&widget) ||
         qobject_cast<QComboBox const*>(&widget) || qobject_cast<QLineEdit const*>(&widget) ||
         qobject_cast<QAbstractSpinBox const*>(&widget) ||
         qobject_cast<QAbstractSlider const*>(&widget);
}

/// Where there is something to be seen, and not only room around parts that a layout places.
bool is_content(QWidget const& widget) {
  if (auto const* label = qobject_cast<QLabel const*>(&widget)) return !label->text().isEmpty();
  bool parts = qobject_cast<QSplitter const*>(&widget) || qobject_cast<QTabWidget const*>(&widget);
  return !parts && !widget.layout();
}

}  // namespace

/// They keep their places in their layouts: nothing is laid out anew, and none loses the focus.
ControlsAside::ControlsAside(QWidget& view) : view_(view) {
  look_into(view);
  if (content_.isEmpty()) aside_.clear();  // there is nothing else
  for (auto& [widget, at] : aside_) widget->move(kAside, at.y());
}

ControlsAside::~ControlsAside() {
  for (auto const& [widget, at] : aside_) widget->move(at);
}

void ControlsAside::look_into(QWidget& widget) {
  if (&widget != &view_ && is_control(widget))
    return aside_.emplace_back(&widget, widget.pos()), void();
  if (is_content(widget)) content_ |= QRect(widget.mapTo(&view_, QPoint(0, 0)), widget.size());
  if (qobject_cast<QAbstractScrollArea*>(&widget)) return;  // what is in it is what it shows
  for (QWidget* child : widget.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
    if (child->isVisibleTo(&widget) && !child->isWindow()) look_into(*child);
}

QRect ControlsAside::part() const {
  QRect whole = view_.rect(), part = content_.adjusted(0, -kEdge, 0, kEdge) & whole;
  if (aside_.empty()) return whole;
  return QRect(whole.left(), part.top(), whole.width(), part.height());
}

}  // namespace tw
