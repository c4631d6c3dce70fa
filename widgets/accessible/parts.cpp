// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accessible/parts.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QWidget>

#include "widgets/paint/canvas.h"

namespace tw {

namespace {

/// One part. It looks itself up at every question, because a view may change at any time.
class PartInterface : public QAccessibleInterface {
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
    state.selectable = true;
    if (auto found = part()) state.selected = found->selected;
    return state;
  }

private:
  std::optional<Part> part() const {
    std::vector<Part> all = dynamic_cast<HasParts const*>(view_)->parts();
    return size_t(index_) < all.size() ? std::optional(all[size_t(index_)]) : std::nullopt;
  }
  QWidget* view_;
  int index_;
};

/// The view itself: a list of its parts.
class ViewInterface : public QAccessibleWidget {
public:
  explicit ViewInterface(QWidget* view) : QAccessibleWidget(view, QAccessible::List) {}
  ~ViewInterface() override {
    for (QAccessible::Id id : children_) QAccessible::deleteAccessibleInterface(id);
  }
  int childCount() const override { return int(parts().size()); }
  QAccessibleInterface* child(int index) const override {
    if (index < 0 || index >= childCount()) return nullptr;
    while (children_.size() <= size_t(index))
      children_.push_back(QAccessible::registerAccessibleInterface(
          new PartInterface(widget(), int(children_.size()))));
    return QAccessible::accessibleInterface(children_[size_t(index)]);
  }
  int indexOfChild(QAccessibleInterface const* child_interface) const override {
    for (size_t i = 0; i < children_.size(); ++i)
      if (QAccessible::accessibleInterface(children_[i]) == child_interface) return int(i);
    return -1;
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    QPointF at = widget()->mapFromGlobal(QPointF(x, y));
    if (auto const* canvas = dynamic_cast<Canvas const*>(widget())) at = canvas->units(at);
    std::vector<Part> all = parts();
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].rect.contains(at)) return child(int(i));
    return nullptr;
  }

private:
  std::vector<Part> parts() const { return dynamic_cast<HasParts const*>(widget())->parts(); }
  mutable std::vector<QAccessible::Id> children_;
};

QAccessibleInterface* make_interface(QString const&, QObject* object) {
  auto* widget = qobject_cast<QWidget*>(object);
  return widget && dynamic_cast<HasParts*>(widget) ? new ViewInterface(widget) : nullptr;
}

}  // namespace

void install_accessible_parts() {
  static bool const installed = (QAccessible::installFactory(make_interface), true);
  (void)installed;
}

}  // namespace tw
