// SPDX-License-Identifier: GPL-3.0-or-later
/// Stands between the view of stored trials and the store: asks on a thread of its own, and answers
/// that are too old are dropped.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <memory>

#include "app/window/panes/records/record_reader.h"
#include "widgets/records/records_view.h"

namespace tw {

class RecordMonitor : public QObject {
public:
  RecordMonitor(RecordsView& view, std::filesystem::path file);
  ~RecordMonitor() override;
  /// For what the view's filter says now; again, where it was asked before.
  void ask();
  void show_trials(std::vector<qint64> const& ids);
  bool busy() const { return waiting_ > 0; }

private:
  template <typename Ask, typename Take>
  void work(Ask ask, Take take);
  void ask_page(int page);
  void take(Result<RecordReader::Answer> const& answer);

  RecordsView& view_;
  std::shared_ptr<RecordReader> reader_;
  QThreadPool thread_;
  std::shared_ptr<std::atomic<int>> round_ = std::make_shared<std::atomic<int>>(0);
  RecordFilter filter_;  ///< of this round
  int64_t up_to_ = 0;
  int waiting_ = 0;
};

}  // namespace tw
