// SPDX-License-Identifier: GPL-3.0-or-later
/// The layout of a graph off the window's thread: one at a time, the last that was asked for.
#pragma once

#include <QFutureWatcher>
#include <atomic>
#include <memory>
#include <optional>

#include "widgets/graph/graph_cards.h"

namespace tw {

class LayoutRun : public QObject {
  Q_OBJECT
public:
  struct Of {
    std::shared_ptr<session::GraphView const> graph = {};
    bool before = false;
    graph::Folds folds = {};
    bool operator==(Of const&) const = default;
  };
  explicit LayoutRun(QObject* parent);
  /// A window does not wait for what nobody will see.
  ~LayoutRun() override;

  /// One that runs for another graph or other folds is stopped.
  void start(Of of);
  /// What runs is computed no further, and nothing of it is told.
  void stop();
  /// Whether something that was asked for is still to come.
  bool runs() const { return wanted_.has_value(); }
  /// Of what is computed, 0 to 100.
  int percent() const { return *percent_; }

signals:
  void made(std::shared_ptr<graph::Cards const> cards);

private:
  void begin();
  void take();

  QFutureWatcher<std::shared_ptr<graph::Cards const>> watcher_;
  bool computes_ = false;  ///< its end was not told yet
  Of running_;
  std::optional<Of> wanted_;
  std::stop_source stop_;
  std::shared_ptr<std::atomic<int>> percent_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace tw
