// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accessible/parts.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWidget>

#include "widgets/accessible/part_watch.h"
#include "widgets/accessible/roles.h"
#include "widgets/paint/canvas.h"

namespace tw {

namespace {

/// One part. It looks itself up at every question, because a view may change at any time.
class PartInterface : public QAccessibleInterface, public QAccessibleActionInterface {
public:
  PartInterface(QWidget* view, int index) : view_(view), index_(index) {}

  bool isValid() const override { return bool(part()); }
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* parent() const override {
    return QAccessible::queryAccessibleInterface(view_);
  }
  QAccessibleInterface* child(int) const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(QAccessibleInterface const*) const override { return -1; }
  QString text(QAccessible::Text what) const override {
    auto found = part();
    return found && what == QAccessible::Name ? found->name : QString();
  }
  void setText(QAccessible::Text, QString const&) override {}
  QRect rect() const override {
    auto found = part();
    if (!found) return {};
    auto const* canvas = dynamic_cast<Canvas const*>(view_);
    QRect local = canvas ? canvas->pixels(found->rect) : found->rect.toAlignedRect();
    return {view_->mapToGlobal(local.topLeft()), local.size()};
  }
  QAccessible::Role role() const override { return QAccessible::ListItem; }
  QAccessible::State state() const override {
    QAccessible::State state;
    state.selectable = state.focusable = true;
    if (auto found = part()) state.selected = found->selected;
    state.focused = view_->hasFocus() && focused_part(view_) == index_;
    return state;
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::ActionInterface ? static_cast<QAccessibleActionInterface*>(this)
                                                : nullptr;
  }

  // What a click on it does.
  QStringList actionNames() const override { return {pressAction(), setFocusAction()}; }
  void doAction(QString const& name) override {
    if (name == setFocusAction()) return view_->setFocus(Qt::OtherFocusReason);
    if (name != pressAction() || !isValid()) return;
    QPoint global = rect().center();
    QPointF local = view_->mapFromGlobal(global);
    for (QEvent::Type type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
      bool down = type == QEvent::MouseButtonPress;
      QMouseEvent click(type, local, global, Qt::LeftButton, down ? Qt::LeftButton : Qt::NoButton,
                        Qt::NoModifier);
      QApplication::sendEvent(view_, &click);
    }
  }
  QStringList keyBindingsForAction(QString const&) const override { return {}; }

private:
  std::optional<Part> part() const {
    std::vector<Part> all = dynamic_cast<HasParts const*>(view_)->parts();
    return size_t(index_) < all.size() ? std::optional(all[size_t(index_)]) : std::nullopt;
  }
  QWidget* view_;
  int index_;
};

/// The view itself: a list of its parts, and behind them the widgets that lie on it.
class ViewInterface : public QAccessibleWidget, public QAccessibleValueInterface {
public:
  explicit ViewInterface(QWidget* view) : QAccessibleWidget(view, QAccessible::List) {}
  ~ViewInterface() override {
    for (QAccessible::Id id : children_) QAccessible::deleteAccessibleInterface(id);
  }
  int childCount() const override { return count() + QAccessibleWidget::childCount(); }
  QAccessibleInterface* child(int index) const override {
    if (index < 0) return nullptr;
    if (int before = count(); index >= before) return QAccessibleWidget::child(index - before);
    while (children_.size() <= size_t(index))
      children_.push_back(QAccessible::registerAccessibleInterface(
          new PartInterface(widget(), int(children_.size()))));
    return QAccessible::accessibleInterface(children_[size_t(index)]);
  }
  int indexOfChild(QAccessibleInterface const* child_interface) const override {
    for (size_t i = 0; i < children_.size(); ++i)
      if (QAccessible::accessibleInterface(children_[i]) == child_interface) return int(i);
    int widget_index = QAccessibleWidget::indexOfChild(child_interface);
    return widget_index < 0 ? -1 : count() + widget_index;
  }
  QAccessibleInterface* focusChild() const override {
    int part = widget()->hasFocus() ? focused_part(widget()) : -1;
    return part >= 0 ? child(part) : QAccessibleWidget::focusChild();
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    if (type == QAccessible::ValueInterface && value())
      return static_cast<QAccessibleValueInterface*>(this);
    return QAccessibleWidget::interface_cast(type);
  }
  QVariant currentValue() const override { return value() ? value()->value_in_range().now : 0.0; }
  void setCurrentValue(QVariant const&) override {}
  QVariant maximumValue() const override { return value() ? value()->value_in_range().most : 0.0; }
  QVariant minimumValue() const override { return value() ? value()->value_in_range().least : 0.0; }
  QVariant minimumStepSize() const override { return 1.0; }
  QAccessibleInterface* childAt(int x, int y) const override {
    QPointF at = widget()->mapFromGlobal(QPointF(x, y));
    if (auto const* canvas = dynamic_cast<Canvas const*>(widget())) at = canvas->units(at);
    std::vector<Part> all = parts();
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].rect.contains(at)) return child(int(i));
    return QAccessibleWidget::childAt(x, y);
  }

private:
  int count() const { return int(parts().size()); }
  HasValue const* value() const { return dynamic_cast<HasValue const*>(widget()); }
  std::vector<Part> parts() const { return dynamic_cast<HasParts const*>(widget())->parts(); }
  mutable std::vector<QAccessible::Id> children_;
};

/// A painted button: what the space bar does is its action.
class PressInterface : public QAccessibleWidget {
public:
  explicit PressInterface(QWidget* button) : QAccessibleWidget(button, QAccessible::PushButton) {}
  QStringList actionNames() const override {
    if (!widget()->isEnabled()) return {};
    return {pressAction(), setFocusAction()};
  }
  void doAction(QString const& name) override {
    if (name != pressAction()) return QAccessibleWidget::doAction(name);
    for (QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
      QKeyEvent key(type, Qt::Key_Space, Qt::NoModifier, " ");
      QApplication::sendEvent(widget(), &key);
    }
  }
};

QAccessibleInterface* make_interface(QString const&, QObject* object) {
  auto* widget = qobject_cast<QWidget*>(object);
  if (!widget) return nullptr;
  if (dynamic_cast<HasParts*>(widget)) return new ViewInterface(widget);
  if (widget->property(kPaintedButton).toBool()) return new PressInterface(widget);
  if (widget->property(kPaintedText).toBool())
    return new QAccessibleWidget(widget, QAccessible::Document);
  return nullptr;
}

}  // namespace

void install_accessible_parts() {
  static bool const installed = (QAccessible::installFactory(make_interface), true);
  (void)installed;
}

}  // namespace tw
