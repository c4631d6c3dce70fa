// SPDX-License-Identifier: GPL-3.0-or-later
/// The table of stored trials, of which only pages are here: what is looked at is asked for.
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <set>

#include "widgets/records/record_row.h"
#include "widgets/theme/theme.h"

namespace tw {

class RecordModel : public QAbstractTableModel {
  Q_OBJECT
public:
  /// The first ones are what a narrow window shows.
  enum Column : int {
    kNumber,
    kKernel,
    kTime,
    kRatio,
    kOutcome,
    kDevice,
    kWhen,
    kJob,
    kKnobs,
    kColumns
  };
  static constexpr int kPage = 200;
  static constexpr size_t kMostPages = 32;

  using QAbstractTableModel::QAbstractTableModel;
  void set_theme(Theme const& theme);
  /// Another answer: nothing of it is here yet.
  void begin(int rows);
  void take(int page, std::vector<RecordRow> rows);
  /// Null: not here yet.
  RecordRow const* row(int row) const;
  /// -1: it is not on a page that is here.
  int row_of(qint64 id) const;

  int rowCount(QModelIndex const& parent = {}) const override {
    return parent.isValid() ? 0 : rows_;
  }
  int columnCount(QModelIndex const& parent = {}) const override {
    return parent.isValid() ? 0 : int(kColumns);
  }
  QVariant data(QModelIndex const& at, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

signals:
  /// Once for each page until it comes or another answer begins.
  void page_wanted(int page) const;

private:
  QVariant words(RecordRow const& row, int column) const;
  void forget_far_from(int page);

  Theme theme_;
  int rows_ = 0;
  std::map<int, std::vector<RecordRow>> pages_;
  mutable std::set<int> wanted_;
};

/// "28, 16, kh kw" with names: "ow.i 28, oc.i 16".
QString knob_words(RecordRow const& row);
/// "1.02 ms +3 %"
QString time_words(RecordRow const& row);

}  // namespace tw
