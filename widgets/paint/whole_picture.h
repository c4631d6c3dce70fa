// SPDX-License-Identifier: GPL-3.0-or-later
/// A view that shows a part of a larger picture without a scroll bar, and can show all of it for a
/// moment.
#pragma once

#include <QSizeF>

namespace tw {

class HasWholePicture {
public:
  virtual ~HasWholePicture() = default;
  /// In a canvas of the size that is returned, in units, all is seen until `end_whole`.
  virtual QSizeF begin_whole() = 0;
  /// As it was before.
  virtual void end_whole() = 0;
};

}  // namespace tw
