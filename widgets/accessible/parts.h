// SPDX-License-Identifier: GPL-3.0-or-later
/// What a painted view shows, as children that assistive technology and tests can name: a bar, a
/// station, a card.
#pragma once

#include <QRectF>
#include <QString>
#include <vector>

namespace tw {

struct Part {
  QRectF rect;   ///< in the widget's coordinates; a canvas' units
  QString name;  ///< "o, 64 iterations, parallel"
  bool selected = false;
};

/// A view that is painted as a whole but consists of parts.
class HasParts {
public:
  virtual ~HasParts() = default;
  virtual std::vector<Part> parts() const = 0;
};

/// Makes the parts of every widget that has some its accessible children; once per process.
void install_accessible_parts();

}  // namespace tw
