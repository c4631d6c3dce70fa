// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/devices/team_monitor.h"

#include <QDateTime>
#include <QSettings>
#include <QtConcurrent>

#include "engine/records/trial_store.h"

namespace tw {
namespace {

constexpr int kTurn = 5000;      // milliseconds
constexpr int kPatience = 3000;  // milliseconds: for a server that is just starting
constexpr char const* kStoreKey = "team_store";

}  // namespace

TeamMonitor::TeamMonitor(TeamView& view, QString settings_file, QObject* parent)
    : QObject(parent), view_(view), settings_file_(std::move(settings_file)) {
  address_ =
      QSettings(settings_file_, QSettings::IniFormat).value(kStoreKey).toString().toStdString();
  view_.show_store(QString::fromStdString(address_));
  view_.say("");
  connect(&asked_, &QFutureWatcher<Answer>::finished, this, &TeamMonitor::take_answer);
  turn_.setInterval(kTurn);
  connect(&turn_, &QTimer::timeout, this, [this] {
    if (view_.isVisible() && !busy()) ask_if_attached();
  });
  turn_.start();
}

TeamMonitor::~TeamMonitor() { asked_.waitForFinished(); }

Status TeamMonitor::check(std::string const& address) {
  if (!address.empty() && !records::is_server(address))
    return bad_input(
        "no_team",
        "a team's store is a server, postgresql://USER@HOST/DATABASE, not '" + address + "'");
  // It would be kept in the settings, and stand in journals.
  if (records::shown_place(address) != address)
    return bad_input("password_in_address",
                     "leave the password out of the address: it is read from ~/.pgpass and "
                     "PGPASSWORD");
  return {};
}

Status TeamMonitor::attach(std::string const& address) {
  TRY(check(address));
  address_ = address;
  queue_.reset();
  QSettings(settings_file_, QSettings::IniFormat)
      .setValue(kStoreKey, QString::fromStdString(address));
  view_.show_store(QString::fromStdString(address));
  view_.show_rows({});
  view_.say("");
  ask_if_attached();
  return {};
}

Status TeamMonitor::ask() {
  if (address_.empty())
    return bad_input("no_team_store",
                     "no team's store is attached; attach the address of its PostgreSQL server");
  again_ = busy();
  if (again_) return {};
  if (view_.rows().jobs.empty() && view_.rows().workers.empty()) view_.say("Asking the server …");
  asked_.setFuture(QtConcurrent::run([address = address_, queue = std::exchange(queue_, nullptr)] {
    return answer_of(address, queue);
  }));
  return {};
}

void TeamMonitor::ask_if_attached() {
  if (!address_.empty()) (void)ask();
}

TeamMonitor::Answer TeamMonitor::answer_of(std::string const& address, Queue queue) {
  if (!queue) {
    auto opened = records::open_work_queue(address, kPatience);
    if (!opened) return {address, std::unexpected(opened.error()), nullptr};
    queue = std::move(*opened);
  }
  Result<TeamState> state = team_state(*queue);
  if (!state) queue.reset();
  return {address, std::move(state), std::move(queue)};
}

void TeamMonitor::take_answer() {
  Answer answer = asked_.result();
  if (answer.address == address_) {
    queue_ = answer.queue;
    if (answer.state) {
      TeamRows rows = rows_of(*answer.state);
      view_.show_rows(rows);
      QString at = QDateTime::currentDateTime().toString("hh:mm:ss");
      bool idle = rows.jobs.empty() && rows.workers.empty();
      view_.say(idle ? "The server has no jobs and no workers; asked at " + at + "."
                     : "Asked at " + at + ".");
    } else {
      view_.say(QString::fromStdString(to_sentence(answer.state.error())));
    }
  }
  if (std::exchange(again_, false)) ask_if_attached();
}

}  // namespace tw
