// SPDX-License-Identifier: GPL-3.0-or-later
/// Colours and type of the window, read from resources/themes; no colour stands anywhere else.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>
#include <QStringList>
#include <array>

namespace tw {

struct Theme {
  QString name;
  QColor window, panel, raised, control, hover, inset;
  QColor line1, line2, line3, text1, text2, text3;
  QColor ink, on_ink, ok, warn, error, added, removed, moved;
  std::array<QColor, 8> hues;
  std::array<QColor, 4> levels;  ///< L1, L2, L3, main memory
  double outer_fill = 0.3, inner_fill = 0.16;
  double scale = 1;  ///< of text and everything around it

  static QStringList names();
  /// One of these; anything else is a mistake of the program and ends it.
  static Theme load(QString const& name);
  QColor hue(int axis) const { return hues[size_t(axis % 8)]; }
  /// t of a and 1-t of b.
  static QColor mix(QColor const& a, QColor const& b, double t);
  QString style_sheet() const;
  /// Pixels for a length that is meant for a scale of 100 %.
  int px(double units) const { return int(units * scale + 0.5); }
  /// The same for each length of a style sheet; lines of one pixel stay.
  QString scaled(QString sheet) const;
};

/// Logical pixels; weight as in CSS.
QFont ui_font(double px, int weight = 400);
QFont mono_font(double px, int weight = 400);

}  // namespace tw
