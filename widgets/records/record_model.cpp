// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/records/record_model.h"

#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {

QString knob_words(RecordRow const& row) {
  QStringList words;
  for (auto const& [name, value] : row.knobs)
    words << name.mid(name.indexOf('.') + 1) + " " + value;
  return words.join(", ");
}

QString time_words(RecordRow const& row) {
  if (row.ms <= 0) return QStringLiteral("–");
  QString words = paint::time(row.ms);
  if (row.spread > 0) words += " +" + QString::fromStdString(percent_text(row.spread));
  return words;
}

void RecordModel::set_theme(Theme const& theme) {
  theme_ = theme;
  if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, kColumns - 1));
}

void RecordModel::begin(int rows) {
  beginResetModel();
  rows_ = std::max(rows, 0);
  pages_.clear();
  wanted_.clear();
  endResetModel();
}

void RecordModel::take(int page, std::vector<RecordRow> rows) {
  wanted_.erase(page);
  int first = page * kPage, last = std::min(first + int(rows.size()), rows_) - 1;
  if (page < 0 || last < first) return;
  pages_[page] = std::move(rows);
  forget_far_from(page);
  emit dataChanged(index(first, 0), index(last, kColumns - 1));
}

void RecordModel::forget_far_from(int page) {
  while (pages_.size() > kMostPages) {
    int first = pages_.begin()->first, last = pages_.rbegin()->first;
    pages_.erase(page - first > last - page ? first : last);
  }
}

RecordRow const* RecordModel::row(int row) const {
  if (row < 0 || row >= rows_) return nullptr;
  auto page = pages_.find(row / kPage);
  if (page == pages_.end()) {
    if (wanted_.insert(row / kPage).second) emit page_wanted(row / kPage);
    page = pages_.find(row / kPage);  // who is asked may answer at once
    if (page == pages_.end()) return nullptr;
  }
  size_t at = size_t(row % kPage);
  return at < page->second.size() ? &page->second[at] : nullptr;
}

int RecordModel::row_of(qint64 id) const {
  for (auto const& [page, rows] : pages_) {
    auto found = std::ranges::find(rows, id, &RecordRow::id);
    if (found != rows.end()) return page * kPage + int(found - rows.begin());
  }
  return -1;
}

QVariant RecordModel::words(RecordRow const& row, int column) const {
  switch (column) {
    case kNumber:
      return row.id;
    case kWhen:
      return row.when;
    case kKernel:
      return row.kernel;
    case kDevice:
      return row.device;
    case kOutcome:
      return row.outcome;
    case kTime:
      return time_words(row);
    case kRatio:
      return row.ratio > 0 ? QString::number(row.ratio, 'f', 2) : QStringLiteral("–");
    case kJob:
      return row.job;
    case kKnobs:
      return knob_words(row);
    default:
      return {};
  }
}

QVariant RecordModel::data(QModelIndex const& at, int role) const {
  bool is_number = at.column() == kTime || at.column() == kRatio || at.column() == kNumber;
  if (role == Qt::TextAlignmentRole)
    return int((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::FontRole)
    return is_number || at.column() == kKnobs ? mono_font(12 * theme_.scale)
                                              : ui_font(12 * theme_.scale);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::ForegroundRole) return {};
  RecordRow const* known = row(at.row());
  if (role == Qt::ForegroundRole) {
    if (!known || !known->is_right) return theme_.text2;
    return at.column() == kRatio && known->ratio > 0 && known->ratio < 1.0005 ? theme_.ok
                                                                              : theme_.text1;
  }
  if (!known) return role == Qt::DisplayRole && at.column() == kKernel ? QVariant("…") : QVariant();
  if (role == Qt::DisplayRole) return words(*known, at.column());
  if (at.column() == kDevice) return known->machine;
  if (at.column() == kOutcome && !known->failure.isEmpty()) return paint::wrapped(known->failure);
  return paint::wrapped(words(*known, at.column()).toString());
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  static char const* const kTitles[] = {"#",      "Kernel", "Time", "To best", "Outcome",
                                        "Device", "When",   "Job",  "Knobs"};
  static char const* const kWhy[] = {
      "Its number in the store",
      "Kernel of the trial",
      "The shortest run, and how much longer the longest one took",
      "How many times as long as the fastest trial of this kernel on this machine",
      "Outcome",
      "The device that it ran on",
      "When it was tried",
      "The search that proposed it",
      "Knob values"};
  if (role == Qt::DisplayRole) return kTitles[section];
  if (role == Qt::ToolTipRole) return kWhy[section];
  if (role == Qt::TextAlignmentRole) {
    bool is_number = section == kTime || section == kRatio || section == kNumber;
    return int((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  }
  return {};
}

}  // namespace tw
