// SPDX-License-Identifier: GPL-3.0-or-later
/// Names of one list, cut to a width so that different ones stay different.
#pragma once

#include <QFontMetricsF>
#include <QStringList>
#include <map>

namespace tw {

/// Names that begin alike and end alike differ in their middle: what is left out is what they have
/// in common. Names that fit are whole; equal names stay equal.
QStringList elided_apart(QStringList const& names, QFontMetricsF const& metrics, double width);

/// The same for a list that is drawn again and again; its rows may have several widths.
class NamesApart {
public:
  void set_names(QStringList names) {
    names_ = std::move(names);
    shown_.clear();
  }
  QString shown(qsizetype row, QFont const& font, double width) const;

private:
  QStringList names_;
  mutable std::map<std::pair<QString, int>, QStringList> shown_;  ///< by font and width
};

}  // namespace tw
