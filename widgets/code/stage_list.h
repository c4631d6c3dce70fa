// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes to choose from, each with what it changed.
#pragma once

#include "widgets/paint/chooser.h"

namespace tw {

class StageList : public Chooser {
  Q_OBJECT
public:
  explicit StageList(QWidget* parent = nullptr);
  /// Of the pass whose data is `key`.
  void mark(QString const& key, int added, int removed);
  void showPopup() override;
};

}  // namespace tw
