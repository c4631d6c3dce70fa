// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/names_apart.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace tw {
namespace {

constexpr QChar kDots(0x2026);
constexpr size_t kMostKept = 8;  // widths: a window that is pulled has many

using Rows = std::vector<qsizetype>;

/// How many letters all of them begin with.
qsizetype common_begin(QStringList const& names, Rows const& rows) {
  QString const& first = names[rows.front()];
  qsizetype common = first.size();
  for (qsizetype row : rows) {
    QString const& other = names[row];
    qsizetype same = 0, most = std::min(common, other.size());
    while (same < most && first[same] == other[same]) ++same;
    common = same;
  }
  return common;
}

/// From `from` on, with as much of the begin as there is room for.
QString without_common(QString const& name, qsizetype from, QFontMetricsF const& metrics,
                       double width) {
  QString rest = kDots + name.mid(from);
  if (metrics.horizontalAdvance(rest) > width)
    return metrics.elidedText(rest, Qt::ElideRight, width);
  qsizetype kept = 0;
  while (kept < from && metrics.horizontalAdvance(name.left(kept + 1) + rest) <= width) ++kept;
  return name.left(kept) + rest;
}

/// Rows whose names differ and are shown alike get texts that differ.
void part(QStringList const& names, QFontMetricsF const& metrics, double width, Rows const& rows,
          QStringList& shown) {
  std::map<QString, Rows> alike;
  for (qsizetype row : rows) alike[shown[row]].push_back(row);
  for (auto const& [text, group] : alike) {
    std::set<QString> different;
    for (qsizetype row : group) different.insert(names[row]);
    if (different.size() < 2) continue;
    qsizetype common = common_begin(names, group);
    for (qsizetype row : group) shown[row] = without_common(names[row], common, metrics, width);
    // Those that have more in common than the whole group; a group that stays as it is has no room.
    if (std::ranges::any_of(group, [&](qsizetype row) { return shown[row] != shown[group[0]]; }))
      part(names, metrics, width, group, shown);
  }
}

}  // namespace

QStringList elided_apart(QStringList const& names, QFontMetricsF const& metrics, double width) {
  QStringList shown;
  Rows rows;
  for (qsizetype row = 0; row < names.size(); ++row) {
    shown << metrics.elidedText(names[row], Qt::ElideMiddle, width);
    if (shown.back() != names[row]) rows.push_back(row);
  }
  part(names, metrics, width, rows, shown);
  return shown;
}

QString NamesApart::shown(qsizetype row, QFont const& font, double width) const {
  if (row < 0 || row >= names_.size()) return {};
  if (shown_.size() > kMostKept) shown_.clear();
  auto [known, is_new] = shown_.try_emplace({font.key(), int(std::floor(width))});
  if (is_new) known->second = elided_apart(names_, QFontMetricsF(font), std::floor(width));
  return known->second[row];
}

}  // namespace tw
