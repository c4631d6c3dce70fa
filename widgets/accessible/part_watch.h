// SPDX-License-Identifier: GPL-3.0-or-later
/// Says to assistive technology where a key went in a painted view: the part that has the focus
/// now, or the value that changed.
#pragma once

#include <QString>
#include <optional>

class QAccessibleEvent;
class QEvent;
class QWidget;

namespace tw {

/// A view in which the keyboard is on another part than the chosen one.
class HasRing {
public:
  virtual ~HasRing() = default;
  virtual int ringed_part() const = 0;  ///< -1: on none
};

struct ValueInRange {
  double now = 0, least = 0, most = 0;
  bool operator==(ValueInRange const&) const = default;
};
/// A view in which arrows change a number: a player's place, a size that is asked about.
class HasValue {
public:
  virtual ~HasValue() = default;
  virtual ValueInRange value_in_range() const = 0;
};

/// The part of a view that the keyboard is on; -1: on none, or the view has no parts.
int focused_part(QWidget const* view);

/// Hears what is said of parts, where no platform listens: a test. Null: nobody does.
void hear_parts(void (*listener)(QAccessibleEvent const&));

/// Around a view's handling of an event. Nothing happens while nobody listens.
class PartWatch {
public:
  PartWatch(QWidget& view, QEvent const& event);
  ~PartWatch();
  PartWatch(PartWatch const&) = delete;
  PartWatch& operator=(PartWatch const&) = delete;

private:
  QWidget* view_ = nullptr;  ///< null: the event is none that counts
  bool focus_came_ = false;
  int part_ = -1;
  QString name_;
  std::optional<ValueInRange> value_;
};

}  // namespace tw
