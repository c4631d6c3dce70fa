// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks the store of trials, and says its rows as they are shown. Used off the window's thread, by
/// one thread at a time.
#pragma once

#include <filesystem>
#include <map>

#include "engine/records/trial_store.h"
#include "widgets/records/record_row.h"

namespace tw {

/// Errors: unknown_class, unknown_order.
Result<records::Query> query_of(RecordFilter const& filter);

class RecordReader {
public:
  explicit RecordReader(std::filesystem::path file) : file_(std::move(file)) {}

  struct Answer {
    int64_t rows = 0, all = 0;  ///< that the filter leaves, and that there are
    int64_t up_to = 0;          ///< the last one that counts: others append meanwhile
    RecordNames names;
    std::vector<RecordRow> first;  ///< page; with `best`, every row
  };
  /// Errors: no_store, and those of opening and asking a store.
  Result<Answer> ask(RecordFilter const& filter, int page_rows);
  Result<std::vector<RecordRow>> page(RecordFilter const& filter, int64_t up_to, int64_t offset,
                                      int rows);
  /// Errors: no_trial.
  Result<RecordRow> trial(int64_t id);

private:
  Status open();
  Result<std::vector<RecordRow>> shown(std::vector<records::StoredTrial> const& found);
  Result<double> least_seconds(records::Trial const& of);

  std::filesystem::path file_;
  std::unique_ptr<records::TrialStore> store_;
  /// By kernel, device and machine; since the last answer.
  std::map<std::tuple<uint64_t, std::string, std::string, int>, double> least_;
};

}  // namespace tw
