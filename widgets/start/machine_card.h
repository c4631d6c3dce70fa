// SPDX-License-Identifier: GPL-3.0-or-later
/// What kernels run on: the machine, its caches, its roofs in their levels' colours.
#pragma once

#include <memory>

#include "engine/session/values.h"
#include "widgets/start/start_card.h"
#include "widgets/start/start_values.h"

namespace tw {

class MachineCard : public StartCard {
  Q_OBJECT
public:
  static constexpr double kHeight = 96;
  MachineCard();
  /// Null: it is not known yet. `measured`: when its roofs were; not valid: nobody knows.
  void show_machine(std::shared_ptr<session::MachineView const> machine, QDateTime const& measured);
  /// The roofs stand below the words where there is no room beside them.
  void set_narrow(bool narrow);

protected:
  void paint(QPainter& painter, QRectF const& area) const override;

private:
  struct Column {
    QString name, value, unit;
    int level = -1;  ///< of memory; -1: arithmetic
  };
  std::vector<Column> columns() const;
  QStringList lines() const;
  void describe();
  void paint_columns(QPainter& painter, QRectF const& room) const;

  std::shared_ptr<session::MachineView const> machine_;
  QDateTime measured_;
  bool narrow_ = false;
};

}  // namespace tw
