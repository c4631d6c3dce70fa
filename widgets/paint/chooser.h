// SPDX-License-Identifier: GPL-3.0-or-later
/// One of several, behind a chevron in the theme's colour.
#pragma once

#include <QComboBox>

namespace tw {

class Chooser : public QComboBox {
public:
  explicit Chooser(QWidget* parent = nullptr);

protected:
  /// The style's own arrow stands in a raised button that fits no theme.
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace tw
