// SPDX-License-Identifier: GPL-3.0-or-later
/// What looks like a field and opens the palette, in which one types.
#pragma once

#include "widgets/start/start_card.h"

namespace tw {

class SearchField : public StartCard {
  Q_OBJECT
public:
  static constexpr double kHeight = 28, kWidth = 480, kLeast = 300;
  static constexpr double kSmall = 32;  ///< the glass alone
  SearchField();

protected:
  void paint(QPainter& painter, QRectF const& area) const override;

private:
  void paint_glass(QPainter& painter, QPointF centre) const;
};

}  // namespace tw
