// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panes/devices/device_monitor.h"

#include <QPointer>
#include <QtConcurrent>

#include "app/window/panes/devices/device_facts.h"
#include "engine/backend/target_table.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr int kSoon = 150;  // milliseconds: calls come by the hundred

QString time_text(QDateTime const& time) { return time.toString("hh:mm:ss"); }

/// What this machine is besides itself, and what is only described: in the list while in use.
bool needs_no_entry(std::string const& device) {
  return is_described(device) || (is_this_machine(device) && device != kLocalDeviceName);
}

QDateTime time_of(double unix_seconds) {
  return QDateTime::fromMSecsSinceEpoch(qint64(unix_seconds * 1e3));
}

}  // namespace

DeviceMonitor::DeviceMonitor(DevicesView& view, std::filesystem::path devices_file, Options options,
                             QObject* parent)
    : QObject(parent),
      view_(view),
      devices_file_(std::move(devices_file)),
      options_(std::move(options)) {
  soon_.setSingleShot(true);
  soon_.setInterval(kSoon);
  connect(&soon_, &QTimer::timeout, this, &DeviceMonitor::show);
  connect(&asked_, &QFutureWatcher<std::vector<DeviceState>>::finished, this,
          &DeviceMonitor::take_answers);
  connect(&view_, &DevicesView::selected_changed, this, &DeviceMonitor::show_log);
}

DeviceMonitor::~DeviceMonitor() {
  asked_.waitForFinished();
  for (auto const& [name, followed] : followed_)
    if (auto log = followed.lock()) log->set_listener({});
}

void DeviceMonitor::ask() {
  again_ = asked_.isRunning();  // the list may have changed since
  if (again_) return;
  auto entries = read_devices(devices_file_);
  view_.say(entries ? "" : QString::fromStdString(to_sentence(entries.error())));
  asked_.setFuture(
      QtConcurrent::run([list = entries.value_or(std::vector<DeviceEntry>()), options = options_] {
        return ask_devices(list, {options.cache_folder, options.local_program, options.logs});
      }));
  show();
}

void DeviceMonitor::ask_once() {
  if (states_.empty() && !asked_.isRunning()) ask();
}

void DeviceMonitor::take_answers() {
  states_ = asked_.result();
  QDateTime now = QDateTime::currentDateTime();
  for (DeviceState const& state : states_) {
    Known& known = known_[state.entry.name];
    known.asked = now;
    if (!state.failure)
      known.unreachable_since = {};
    else if (!known.unreachable_since.isValid())
      known.unreachable_since = now;
    follow_log(state.entry.name);
  }
  show();
  if (std::exchange(again_, false)) ask();
}

/// Events come on the threads that make calls: the view is told on its own, now and then.
void DeviceMonitor::follow_log(std::string const& device) {
  if (!options_.logs || followed_.contains(device)) return;
  auto log = options_.logs->of(device);
  followed_[device] = log;
  QPointer<DeviceMonitor> alive(this);
  log->set_listener([this, alive] {
    if (!alive) return;
    QMetaObject::invokeMethod(
        this,
        [this] {
          if (!soon_.isActive()) soon_.start();
        },
        Qt::QueuedConnection);
  });
}

void DeviceMonitor::set_use(Use const& use) {
  if (use == use_) return;
  use_ = use;
  if (!soon_.isActive()) soon_.start();
}

Status DeviceMonitor::add(NewDevice const& device) {
  DeviceEntry entry{device.name.toStdString(), device.address.toStdString(),
                    device.certificate.toStdString(), device.token_file.toStdString(),
                    device.timeout_seconds};
  TRY(add_checked_device(devices_file_, entry));
  ask();
  return {};
}

Status DeviceMonitor::remove(QString const& name) {
  if (name == use_.device)
    return bad_input("device_in_use", "the device '" + name.toStdString() +
                                          "' is in use; switch to another one first");
  TRY(remove_device(devices_file_, name.toStdString()));
  std::erase_if(states_, [&](auto const& one) { return one.entry.name == name.toStdString(); });
  known_.erase(name.toStdString());
  ask();
  return {};
}

/// A loss that its log knows and that was later than its last answer.
DeviceMonitor::Loss DeviceMonitor::lost_since_asked(DeviceState const& state) const {
  auto known = known_.find(state.entry.name);
  if (!options_.logs || known == known_.end()) return {};
  std::vector<DeviceEvent> events = options_.logs->of(state.entry.name)->events();
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (time_of(event->unix_seconds) < known->second.asked) return {};
    if (event->kind == DeviceEvent::Kind::kLost)
      return {time_of(event->unix_seconds), QString::fromStdString(event->text)};
    if (event->kind != DeviceEvent::Kind::kFailed) return {};  // it has worked since
  }
  return {};
}

void DeviceMonitor::set_word(DeviceState const& state, DeviceRow& row) const {
  Loss loss = lost_since_asked(state);
  auto known = known_.find(state.entry.name);
  // A kernel that ended this machine's child process ended nothing else: the next call starts one.
  if (state.failure || (loss.at.isValid() && !row.fixed)) {
    QDateTime since =
        state.failure && known != known_.end() ? known->second.unreachable_since : loss.at;
    row.word = DeviceWord::kUnreachable;
    row.since = "since " + time_text(since);
    row.trouble = state.failure ? QString::fromStdString(to_sentence(*state.failure)) : loss.text;
  } else if ((row.in_use || row.runs_part) && !use_.busy_with.isEmpty()) {
    row.word = DeviceWord::kBusy;
    row.since = use_.busy_with;
  } else {
    row.word = row.described ? DeviceWord::kDescribed : DeviceWord::kReady;
  }
}

DeviceRow DeviceMonitor::row_of(DeviceState const& state) const {
  DeviceRow row = row_not_asked(state.entry);
  auto known = known_.find(state.entry.name);
  row.figures =
      figures_of(state, known == known_.end() ? QString() : time_text(known->second.asked));
  set_word(state, row);
  row.answers_now = row.word != DeviceWord::kAsking && row.word != DeviceWord::kUnreachable;
  if (!state.hardware) return row;
  row.machine = QString::fromStdString(machine_text(*state.hardware));
  if (state.answer_ms > 0) row.answers = paint::time(state.answer_ms);
  if (!state.roofs) return row;
  MainRoof roof = main_roof(*state.roofs);
  row.speed = paint::speed(roof.rate.all_cores, roof.unit.c_str());
  row.memory = paint::speed(state.roofs->memory.back().load.all_cores, "GB/s");
  row.roofs = roofs_of(*state.roofs);
  return row;
}

DeviceRow DeviceMonitor::row_not_asked(DeviceEntry const& entry) const {
  DeviceRow row;
  row.name = QString::fromStdString(entry.name);
  row.described = is_described(entry.name);
  row.fixed = row.described || is_this_machine(entry.name);
  row.address = row.described ? "no device"
                : row.fixed   ? "this machine"
                              : QString::fromStdString(entry.address);
  row.in_use = row.name == use_.device;
  row.runs_part = use_.of_a_part.contains(row.name);
  row.simulated = std::ranges::count(simulated_device_names(), entry.name) > 0;
  if (options_.logs)
    row.activity = activity_of(options_.logs->of(entry.name)->events(),
                               double(QDateTime::currentMSecsSinceEpoch()) / 1e3);
  return row;
}

/// This machine, what it is besides itself now, and the list.
std::vector<DeviceEntry> DeviceMonitor::entries() const {
  std::vector<DeviceEntry> entries{{.name = kLocalDeviceName}};
  QStringList used = use_.of_a_part;
  used.prepend(use_.device);
  for (QString const& name : used)
    if (std::string here = name.toStdString(); needs_no_entry(here))
      entries.push_back({.name = here});
  for (DeviceEntry const& entry : read_devices(devices_file_).value_or(std::vector<DeviceEntry>()))
    entries.push_back(entry);
  return entries;
}

/// Null: it was not asked yet, or is another one now.
DeviceState const* DeviceMonitor::state_of(DeviceEntry const& entry) {
  if (needs_no_entry(entry.name)) {
    auto [known, is_new] = targets_.try_emplace(entry.name);
    if (is_new) known->second = ask_device(entry, {options_.cache_folder, {}, options_.logs});
    if (is_new) follow_log(entry.name);
    return &known->second;
  }
  auto state =
      std::ranges::find_if(states_, [&](auto const& one) { return one.entry.name == entry.name; });
  bool same = state != states_.end() && (state->entry == entry || entry.address.empty());
  return same ? &*state : nullptr;
}

/// What is asked again shows meanwhile what it said before.
void DeviceMonitor::show() {
  std::vector<DeviceRow> rows;
  for (DeviceEntry const& entry : entries()) {
    DeviceState const* state = state_of(entry);
    rows.push_back(state ? row_of(*state) : row_not_asked(entry));
    bool asked = rows.back().fixed ? entry.name == kLocalDeviceName : true;
    if (asked && asked_.isRunning()) rows.back().word = DeviceWord::kAsking;
  }
  view_.show_devices(std::move(rows));
  show_log();
}

void DeviceMonitor::show_log() {
  DeviceRow const* row = view_.selected();
  if (!row || !options_.logs) return;
  view_.show_log(row->name, lines_of(options_.logs->of(row->name.toStdString())->events()));
}

}  // namespace tw
