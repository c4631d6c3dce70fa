// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/start_values.h"

#include <QLocale>

#include "engine/support/base/quantities.h"

namespace tw {

namespace {

constexpr int kMostDays = 30;

QString count(qint64 n, char const* what) {
  return QString::fromStdString(count_text(int64_t(n), what)) + " ago";
}

QString earlier(QDateTime const& then, QDateTime const& now) {
  qint64 days = then.date().daysTo(now.date());
  if (days == 1) return "yesterday";
  if (days > 1 && days <= kMostDays) return count(days, "day");
  return QLocale::c().toString(then.date(), "d MMMM yyyy");
}

}  // namespace

QString day_words(QDateTime const& then, QDateTime const& now) {
  if (!then.isValid()) return {};
  if (then.date() == now.date()) return "today " + then.toString("HH:mm");
  return earlier(then, now);
}

QString ago_words(QDateTime const& then, QDateTime const& now) {
  if (!then.isValid()) return {};
  qint64 seconds = std::max<qint64>(0, then.secsTo(now));
  if (seconds < 60) return "a moment ago";
  if (seconds < 3600) return count(seconds / 60, "minute");
  if (then.date() == now.date() || seconds < 6 * 3600) return count(seconds / 3600, "hour");
  return earlier(then, now);
}

}  // namespace tw
