// SPDX-License-Identifier: GPL-3.0-or-later
/// Behind the view of a team's queue: asks its server in the background, again and again while
/// somebody looks.
#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QTimer>
#include <memory>

#include "app/window/panes/devices/team_facts.h"
#include "widgets/devices/team_view.h"

namespace tw {

class TeamMonitor : public QObject {
  Q_OBJECT
public:
  /// `settings_file`: where the store's address is kept.
  TeamMonitor(TeamView& view, QString settings_file, QObject* parent);
  /// Waits for an answer that is on its way: some seconds at most.
  ~TeamMonitor() override;

  /// Whether a store may have this address. Errors: no_team (it is no server),
  /// password_in_address.
  static Status check(std::string const& address);
  /// Empty: no store. Errors: those of check.
  Status attach(std::string const& address);
  /// Errors: no_team_store.
  Status ask();
  /// The same where a store is attached.
  void ask_if_attached();
  bool busy() const { return asked_.isRunning(); }
  std::string const& address() const { return address_; }

private:
  using Queue = std::shared_ptr<records::WorkQueue>;
  struct Answer {
    std::string address;  ///< who was asked
    Result<TeamState> state;
    Queue queue;  ///< null: the next question connects again
  };
  static Answer answer_of(std::string const& address, Queue queue);
  void take_answer();

  TeamView& view_;
  QString settings_file_;
  std::string address_;
  Queue queue_;         ///< in the hands of who asks while somebody does
  bool again_ = false;  ///< another server was attached meanwhile
  QTimer turn_;
  QFutureWatcher<Answer> asked_;
};

}  // namespace tw
