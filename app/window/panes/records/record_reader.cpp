// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/records/record_reader.h"

#include <QDateTime>
#include <algorithm>

namespace tw {
namespace {

using records::Order;
using records::StoredTrial;

constexpr std::pair<char const*, Order> kOrders[] = {{"newest", Order::kNewest},
                                                     {"oldest", Order::kOldest},
                                                     {"fastest", Order::kFastest},
                                                     {"slowest", Order::kSlowest}};

QString text_of(std::string const& text) { return QString::fromStdString(text); }

QStringList list_of(std::vector<std::string> const& words) {
  QStringList list;
  for (std::string const& word : words) list << text_of(word);
  return list;
}

QStringList outcome_words() {
  QStringList words;
  for (int i = 0; i <= int(records::Outcome::kDeviceLost); ++i)
    words << text_of(std::string(records::name_of(records::Outcome(i))));
  return words;
}

/// The best come by kernel: as many as there are kernels and devices, so they are sorted here.
void sort(std::vector<StoredTrial>& rows, Order order) {
  auto by_id = [](StoredTrial const& one) { return one.id; };
  auto by_time = [](StoredTrial const& one) {
    return records::seconds_of(one.trial).value_or(std::numeric_limits<double>::infinity());
  };
  if (order == Order::kNewest)
    return std::ranges::sort(rows, std::ranges::greater(), by_id), void();
  if (order == Order::kOldest) return std::ranges::sort(rows, {}, by_id), void();
  if (order == Order::kFastest) return std::ranges::stable_sort(rows, {}, by_time), void();
  std::ranges::stable_sort(rows, std::ranges::greater(), by_time);
}

RecordRow row_of(StoredTrial const& stored, double least) {
  records::Trial const& trial = stored.trial;
  RecordRow row;
  row.id = stored.id;
  row.when =
      QDateTime::fromMSecsSinceEpoch(qint64(trial.unix_time * 1e3)).toString("yyyy-MM-dd hh:mm");
  row.kernel = text_of(trial.task_name);
  row.device = text_of(trial.device);
  row.machine = text_of(trial.machine);
  row.outcome = text_of(std::string(records::name_of(trial.outcome))).replace('_', ' ');
  row.job = text_of(trial.job);
  row.is_right = trial.outcome == records::Outcome::kOk;
  if (auto seconds = records::seconds_of(trial)) {
    row.ms = *seconds * 1e3;
    row.spread = std::ranges::max(trial.samples) / *seconds - 1;
    if (least > 0) row.ratio = *seconds / least;
  }
  for (auto const& [name, value] : trial.knobs)
    row.knobs.emplace_back(text_of(name), text_of(value));
  row.script = text_of(trial.trace);
  row.failure = text_of(trial.failure);
  return row;
}

/// What stands in a row's place that is not as it was written.
RecordRow damaged_row(records::DamagedRow const& damaged) {
  RecordRow row;
  row.id = damaged.id;
  row.outcome = "damaged";
  row.failure = text_of(damaged.why);
  return row;
}

/// Beside the others of a page, where it is ordered by them.
void put_in(std::vector<RecordRow>& rows, std::vector<records::DamagedRow> const& damaged,
            Order order) {
  for (records::DamagedRow const& one : damaged) rows.push_back(damaged_row(one));
  if (order == Order::kNewest)
    std::ranges::stable_sort(rows, std::ranges::greater(), &RecordRow::id);
  if (order == Order::kOldest) std::ranges::stable_sort(rows, {}, &RecordRow::id);
}

}  // namespace

Result<records::Query> query_of(RecordFilter const& filter) {
  records::Query query;
  if (!filter.kernel.isEmpty()) query.task_name = filter.kernel.toStdString();
  if (!filter.device.isEmpty()) query.device = filter.device.toStdString();
  if (!filter.job.isEmpty()) query.job = filter.job.toStdString();
  if (!filter.outcome.isEmpty()) {
    query.outcome = records::outcome_of(filter.outcome.toStdString());
    if (!query.outcome)
      return bad_input("unknown_class", "there is no class '" + filter.outcome.toStdString() + "'");
  }
  query.text = filter.text.toStdString();
  std::string order = filter.order.isEmpty() ? "newest" : filter.order.toStdString();
  for (auto const& [word, meant] : kOrders)
    if (order == word) return query.order = meant, query;
  return bad_input("unknown_order",
                   "the order must be newest, oldest, fastest or slowest, not '" + order + "'");
}

Status RecordReader::open() {
  if (store_) return {};
  std::error_code ignored;
  if (file_.empty()) return bad_input("no_store", "this session keeps no trials");
  if (!std::filesystem::exists(file_, ignored))
    return bad_input("no_store", "no trials are stored yet: tune a kernel to store its trials");
  TRY_ASSIGN(store_, records::open_store(file_));
  return {};
}

Result<double> RecordReader::least_seconds(records::Trial const& of) {
  auto [place, is_new] = least_.try_emplace({of.task, of.device, of.machine, of.threads}, 0);
  if (!is_new) return place->second;
  std::vector<records::DamagedRow> damaged;
  TRY_ASSIGN(std::vector<StoredTrial> best, store_->find({.task = of.task,
                                                          .device = of.device,
                                                          .machine = of.machine,
                                                          .outcome = records::Outcome::kOk,
                                                          .threads = of.threads,
                                                          .order = Order::kFastest,
                                                          .limit = 1,
                                                          .damaged = &damaged}));
  if (!best.empty()) place->second = records::seconds_of(best.front().trial).value_or(0);
  return place->second;
}

Result<std::vector<RecordRow>> RecordReader::shown(std::vector<StoredTrial> const& found) {
  std::vector<RecordRow> rows;
  for (StoredTrial const& one : found) {
    TRY_ASSIGN(double least, least_seconds(one.trial));
    rows.push_back(row_of(one, least));
  }
  return rows;
}

Result<RecordReader::Answer> RecordReader::ask(RecordFilter const& filter, int page_rows) {
  TRY_ASSIGN(records::Query query, query_of(filter));
  TRY(open());
  least_.clear();
  Answer answer;
  std::vector<records::DamagedRow> damaged;
  TRY_ASSIGN(std::vector<StoredTrial> last, store_->find({.limit = 1, .damaged = &damaged}));
  if (!last.empty()) answer.up_to = last.front().id;
  if (!damaged.empty()) answer.up_to = damaged.front().id;
  query.up_to_id = answer.up_to;
  TRY_ASSIGN(answer.all, store_->count({.up_to_id = answer.up_to}));
  TRY_ASSIGN(records::StoredNames names, store_->names());
  answer.names = {list_of(names.tasks), list_of(names.devices), outcome_words(),
                  list_of(names.jobs)};
  if (filter.best) {
    query.damaged = &damaged;
    TRY_ASSIGN(std::vector<StoredTrial> best, store_->best(query));
    sort(best, query.order);
    TRY_ASSIGN(answer.first, shown(best));
    answer.rows = int64_t(best.size());
    return answer;
  }
  TRY_ASSIGN(answer.rows, store_->count(query));
  TRY_ASSIGN(answer.first, page(filter, answer.up_to, 0, page_rows));
  return answer;
}

Result<std::vector<RecordRow>> RecordReader::page(RecordFilter const& filter, int64_t up_to,
                                                  int64_t offset, int rows) {
  TRY_ASSIGN(records::Query query, query_of(filter));
  TRY(open());
  query.up_to_id = up_to;
  query.offset = offset;
  query.limit = rows;
  std::vector<records::DamagedRow> damaged;
  query.damaged = &damaged;
  TRY_ASSIGN(std::vector<StoredTrial> found, store_->find(query));
  TRY_ASSIGN(std::vector<RecordRow> made, shown(found));
  put_in(made, damaged, query.order);
  return made;
}

Result<RecordRow> RecordReader::trial(int64_t id) {
  TRY(open());
  std::vector<StoredTrial> found;
  if (id > 0) {
    TRY_ASSIGN(found, store_->find({.after_id = id - 1, .up_to_id = id}));
  }
  if (found.empty()) return bad_input("no_trial", "the store has no trial " + std::to_string(id));
  TRY_ASSIGN(std::vector<RecordRow> rows, shown(found));
  return rows.front();
}

}  // namespace tw
