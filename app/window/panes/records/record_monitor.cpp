// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/records/record_monitor.h"

#include <QCoreApplication>
#include <QPointer>

namespace tw {

RecordMonitor::RecordMonitor(RecordsView& view, std::filesystem::path file)
    : view_(view), reader_(std::make_shared<RecordReader>(std::move(file))) {
  thread_.setMaxThreadCount(1);  // the reader is used by one thread at a time
  connect(&view_.model(), &RecordModel::page_wanted, this, &RecordMonitor::ask_page);
}

RecordMonitor::~RecordMonitor() {
  ++*round_;
  thread_.clear();
  thread_.waitForDone();
}

/// What is asked of an older round is left out, and its answer dropped.
template <typename Ask, typename Take>
void RecordMonitor::work(Ask ask, Take take) {
  ++waiting_;
  QPointer<RecordMonitor> alive(this);
  thread_.start([alive, this, ask, take, round = round_, mine = round_->load()] {
    using Answer = decltype(ask());
    std::shared_ptr<Answer> answer;
    if (round->load() == mine) answer = std::make_shared<Answer>(ask());
    // Not `this`, which may be gone: the destructor waits for this thread, not for what it posts.
    QMetaObject::invokeMethod(
        qApp,
        [alive, this, answer, take, round, mine] {
          if (!alive) return;
          --waiting_;
          if (answer && round->load() == mine) take(*answer);
        },
        Qt::QueuedConnection);
  });
}

void RecordMonitor::ask() {
  ++*round_;
  filter_ = view_.filter();
  view_.say_working();
  work([reader = reader_, filter = filter_] { return reader->ask(filter, RecordModel::kPage); },
       [this](Result<RecordReader::Answer> const& answer) { take(answer); });
}

void RecordMonitor::take(Result<RecordReader::Answer> const& answer) {
  QString wrong = answer ? QString() : QString::fromStdString(to_sentence(answer.error()));
  bool empty = !answer && answer.error().code == "no_store";
  empty ? view_.say_empty(wrong) : view_.say(wrong);
  if (!answer) return view_.begin(0, 0);
  up_to_ = answer->up_to;
  view_.offer(answer->names);
  view_.begin(int(answer->rows), answer->all);
  for (size_t first = 0; first < answer->first.size(); first += RecordModel::kPage) {
    auto begin = answer->first.begin() + std::ptrdiff_t(first);
    auto count = std::min(answer->first.size() - first, size_t(RecordModel::kPage));
    view_.model().take(int(first) / RecordModel::kPage, {begin, begin + std::ptrdiff_t(count)});
  }
}

void RecordMonitor::ask_page(int page) {
  if (filter_.best) return;  // all of them came at once
  int64_t offset = int64_t(page) * RecordModel::kPage;
  work([reader = reader_, filter = filter_, up_to = up_to_,
        offset] { return reader->page(filter, up_to, offset, RecordModel::kPage); },
       [this, page](Result<std::vector<RecordRow>> const& rows) {
         if (!rows) return view_.say(QString::fromStdString(to_sentence(rows.error())));
         view_.model().take(page, *rows);
       });
}

void RecordMonitor::show_trials(std::vector<qint64> const& ids) {
  work(
      [reader = reader_, ids]() -> Result<std::vector<RecordRow>> {
        std::vector<RecordRow> rows;
        for (qint64 id : ids) {
          TRY_ASSIGN(RecordRow row, reader->trial(id));
          rows.push_back(row);
        }
        return rows;
      },
      [this](Result<std::vector<RecordRow>> const& rows) {
        if (!rows) return view_.say(QString::fromStdString(to_sentence(rows.error())));
        view_.say("");
        view_.show_trials(*rows);
      });
}

}  // namespace tw
