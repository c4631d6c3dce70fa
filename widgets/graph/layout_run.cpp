// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/layout_run.h"

#include <QtConcurrent>
#include <utility>

namespace tw {

LayoutRun::LayoutRun(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFutureWatcherBase::finished, this, &LayoutRun::take);
}

LayoutRun::~LayoutRun() {
  stop();
  watcher_.waitForFinished();
}

void LayoutRun::start(Of of) {
  wanted_ = std::move(of);
  if (!computes_) return begin();
  if (running_ != *wanted_) stop_.request_stop();  // this one begins when that has ended
}

void LayoutRun::stop() {
  wanted_.reset();
  stop_.request_stop();
}

void LayoutRun::begin() {
  running_ = *wanted_;
  stop_ = {};
  *percent_ = 0;
  computes_ = true;
  watcher_.setFuture(
      QtConcurrent::run([of = running_, token = stop_.get_token(), percent = percent_] {
        return graph::make_cards(of.graph, of.before, of.folds, token,
                                 [&](ProgressReport const& report) {
                                   *percent = int(100 * report.done / report.total);
                                 });
      }));
}

void LayoutRun::take() {
  computes_ = false;
  Of of = std::exchange(running_, {});  // a graph that was closed is not kept
  if (!wanted_) return;
  std::shared_ptr<graph::Cards const> cards = watcher_.result();
  if (!cards || of != *wanted_) return begin();
  wanted_.reset();
  emit made(std::move(cards));
}

}  // namespace tw
