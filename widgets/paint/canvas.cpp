// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/canvas.h"

#include <QContextMenuEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include "widgets/accessible/part_watch.h"

namespace tw {

QRect Canvas::pixels(QRectF const& units) const {
  return QRectF(units.topLeft() * unit(), units.size() * unit()).toAlignedRect();
}

void Canvas::set_theme(Theme const& theme) {
  bool rescaled = theme.scale != theme_.scale;
  theme_ = theme;
  if (rescaled) rescale();
  update();
}

namespace {

/// The handler decides on the copy whether the event goes on to the widgets around.
template <typename Event>
bool deliver(Event&& copy, QEvent* original, auto const& handle) {
  copy.setAccepted(original->isAccepted());
  bool known = handle(&copy);
  original->setAccepted(copy.isAccepted());
  return known;
}

}  // namespace

bool Canvas::event(QEvent* event) {
  PartWatch watch(*this, *event);  // says afterwards what a key went to
  auto handle = [this](QEvent* copy) { return QWidget::event(copy); };
  switch (unit() == 1 ? QEvent::None : event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseMove: {
      auto* mouse = static_cast<QMouseEvent*>(event);
      return deliver(QMouseEvent(mouse->type(), units(mouse->position()), mouse->scenePosition(),
                                 mouse->globalPosition(), mouse->button(), mouse->buttons(),
                                 mouse->modifiers(), mouse->pointingDevice()),
                     event, handle);
    }
    case QEvent::Wheel: {
      auto* wheel = static_cast<QWheelEvent*>(event);
      return deliver(
          QWheelEvent(units(wheel->position()), wheel->globalPosition(), wheel->pixelDelta(),
                      wheel->angleDelta(), wheel->buttons(), wheel->modifiers(), wheel->phase(),
                      wheel->inverted(), wheel->source(), wheel->pointingDevice()),
          event, handle);
    }
    case QEvent::ContextMenu: {
      auto* asked = static_cast<QContextMenuEvent*>(event);
      return deliver(QContextMenuEvent(asked->reason(), units(asked->pos()).toPoint(),
                                       asked->globalPos(), asked->modifiers()),
                     event, handle);
    }
    default:
      return QWidget::event(event);
  }
}

}  // namespace tw
