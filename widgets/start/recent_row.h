// SPDX-License-Identifier: GPL-3.0-or-later
/// A file that was open before: what was reached in it, and when.
#pragma once

#include "widgets/start/start_card.h"
#include "widgets/start/start_values.h"

namespace tw {

class RecentRow : public StartCard {
  Q_OBJECT
public:
  static constexpr double kHeight = 56;
  /// `name`: as it is called; `place`: where it is, where nothing was reached.
  RecentRow(QString name, QString place, std::optional<Reached> reached);

protected:
  void paint(QPainter& painter, QRectF const& area) const override;

private:
  void paint_mark(QPainter& painter, QPointF centre) const;

  QString name_, second_, when_;
  std::optional<Reached> reached_;
};

}  // namespace tw
