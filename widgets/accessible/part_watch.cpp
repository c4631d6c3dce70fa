// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/accessible/part_watch.h"

#include <QAccessible>
#include <QEvent>
#include <QWidget>
#include <algorithm>
#include <tuple>

#include "widgets/accessible/parts.h"

namespace tw {
namespace {

void (*hears)(QAccessibleEvent const&) = nullptr;

void say(QAccessibleEvent& event) {
  if (hears) hears(event);
  QAccessible::updateAccessibility(&event);
}

int focused_of(QWidget const* view, std::vector<Part> const& parts) {
  if (auto const* ring = dynamic_cast<HasRing const*>(view)) return ring->ringed_part();
  auto found = std::ranges::find_if(parts, &Part::selected);
  return found == parts.end() ? -1 : int(found - parts.begin());
}

std::pair<int, QString> focused_and_name(QWidget const* view) {
  std::vector<Part> parts = dynamic_cast<HasParts const*>(view)->parts();
  int part = focused_of(view, parts);
  bool known = part >= 0 && size_t(part) < parts.size();
  return {part, known ? parts[size_t(part)].name : QString()};
}

std::optional<ValueInRange> value_of(QWidget const* view) {
  auto const* has = dynamic_cast<HasValue const*>(view);
  return has ? std::optional(has->value_in_range()) : std::nullopt;
}

}  // namespace

int focused_part(QWidget const* view) {
  auto const* whole = dynamic_cast<HasParts const*>(view);
  return whole ? focused_of(view, whole->parts()) : -1;
}

void hear_parts(void (*listener)(QAccessibleEvent const&)) { hears = listener; }

PartWatch::PartWatch(QWidget& view, QEvent const& event) {
  bool counts = event.type() == QEvent::KeyPress || event.type() == QEvent::FocusIn;
  if (!counts || !(hears || QAccessible::isActive()) || !dynamic_cast<HasParts*>(&view)) return;
  view_ = &view;
  focus_came_ = event.type() == QEvent::FocusIn;
  std::tie(part_, name_) = focused_and_name(view_);
  value_ = value_of(view_);
}

/// One event for one key: another part has the focus, or a number is another one, or what the part
/// says is.
PartWatch::~PartWatch() {
  if (!view_ || !view_->hasFocus()) return;
  auto const [part, name] = focused_and_name(view_);
  std::optional<ValueInRange> value = value_of(view_);
  if (value && value != value_) {
    QAccessibleValueChangeEvent event(view_, value->now);
    say(event);
    return;
  }
  QAccessible::Event kind = part != part_ || focus_came_ ? QAccessible::Focus
                            : name != name_              ? QAccessible::NameChanged
                                                         : QAccessible::InvalidEvent;
  if (part < 0 || kind == QAccessible::InvalidEvent) return;
  QAccessibleEvent event(view_, kind);
  event.setChild(part);
  say(event);
}

}  // namespace tw
