// SPDX-License-Identifier: GPL-3.0-or-later
// The devices: looked at, added, removed, chosen.
#include "app/window/pane.h"
#include "app/shared/devices.h"
#include "app/window/panes/devices/device_monitor.h"
#include "app/window/panes/devices/journal.h"
#include "app/window/panes/devices/team_monitor.h"
#include "app/window/top_bar.h"
#include "engine/backend/target_table.h"
#include "widgets/devices/add_device_dialog.h"

namespace tw {
namespace {

constexpr char kNoTeam[] = "none";
constexpr char kThisMachine[] = "Use this machine";
constexpr char kOffloadToSelected[] = "Offload supported kernels";

/// "local:vta:pynq" as people call it.
QString simulated_title(std::string const& device) {
  return QString::fromStdString(device).section(':', 1);
}
QString use_command(std::string const& device) {
  return "Use the simulated " + simulated_title(device);
}
/// Of what there is no device: "Judge for an H100 SXM".
QString judge_command(std::string const& device) {
  auto hardware = target_hardware(device);
  return "Judge without a device: " + QString::fromStdString(hardware ? hardware->name : device);
}
QString offload_command(std::string const& device) {
  return "Offload supported kernels to the simulated " + simulated_title(device);
}

class DevicesPane final : public Pane {
public:
  explicit DevicesPane(Workbench& bench)
      : Pane(bench), view_(new DevicesView), team_(view_->team(), bench.settings_file(), nullptr) {
    perform_actions();
    watch();
    add_commands();
    bench.add_dialog("add-device", [this](QString const&) { return show_add_dialog(); });
    bench.add_dialog("devices", [this](QString const&) {  // as it was once
      return bench_.show_view("devices");
    });
  }
  QWidget* widget() override { return view_; }
  QWidget* focus_target() override { return view_; }
  void set_theme(Theme const& theme) override { view_->set_theme(theme); }
  bool busy() const override { return (board_ && board_->busy()) || team_.busy(); }
  void use_devices(DeviceFiles const& files) override {
    board_ = std::make_unique<DeviceMonitor>(
        *view_, files.devices_file,
        DeviceMonitor::Options{files.cache_folder, files.local_program, files.logs}, nullptr);
    show(now());
  }
  Status about_to_show() override {
    TRY(check_known());
    board_->ask_once();
    board_->show();
    if (view_->page() == DevicesView::Page::kTeam) team_.ask_if_attached();
    return {};
  }
  void show(session::Snapshot const& next) override;
  std::optional<session::FactValue> fact(std::string const& name) const override;

private:
  void perform_actions();
  void watch();
  void add_commands();
  void add_simulated(QString const& section);
  std::string in_use() const { return now().machine ? now().machine->device : kLocalDeviceName; }
  Status show_add_dialog();
  Status check_known() const {
    if (board_) return {};
    return bad_input("no_devices", "there is no list of devices");
  }

  std::optional<session::FactValue> team_fact(std::string const& name) const;

  DevicesView* view_;
  TeamMonitor team_;
  std::unique_ptr<DeviceMonitor> board_;  ///< null: nothing is known of devices
};

void DevicesPane::perform_actions() {
  bench_.on<journal::SelectDevice>([this](auto const& action) -> Status {
    TRY(check_known());
    if (view_->select(QString::fromStdString(action.device))) return {};
    return bad_input("unknown_device", "there is no device '" + action.device + "'");
  });
  bench_.on<journal::AddDevice>([this](auto const& action) -> Status {
    TRY(check_known());
    return board_->add({QString::fromStdString(action.device),
                        QString::fromStdString(action.address),
                        QString::fromStdString(action.certificate),
                        QString::fromStdString(action.token_file), action.timeout_seconds});
  });
  bench_.on<journal::RemoveDevice>([this](auto const& action) -> Status {
    TRY(check_known());
    return board_->remove(QString::fromStdString(action.device));
  });
  bench_.on<journal::CheckDevices>([this](auto const&) -> Status {
    TRY(check_known());
    board_->ask();
    return {};
  });
  bench_.on<journal::AttachTeam>([this](auto const& action) {
    view_->show_page(DevicesView::Page::kTeam);
    return team_.attach(action.address == kNoTeam ? "" : action.address);
  });
  bench_.on<journal::ShowTeam>([this](auto const&) -> Status {
    TRY(bench_.show_view("devices"));
    view_->show_page(DevicesView::Page::kTeam);
    team_.ask_if_attached();
    return {};
  });
}

void DevicesPane::watch() {
  connect(view_, &DevicesView::selected_changed, this, [this](QString const& name) {
    bench_.user_did(journal::SelectDevice{name.toStdString()});
  });
  connect(view_, &DevicesView::use_asked, this,
          [this](QString const& name) { bench_.execute(session::UseDevice{name.toStdString()}); });
  connect(view_, &DevicesView::remove_asked, this,
          [this](QString const& name) { bench_.ask(journal::RemoveDevice{name.toStdString()}); });
  connect(view_, &DevicesView::check_asked, this, [this] { bench_.ask(journal::CheckDevices{}); });
  connect(view_, &DevicesView::add_asked, this, [this] {
    bench_.ask(journal::ShowDialog{"add-device", {}});
  });
  connect(view_, &DevicesView::page_changed, this, [this] {
    if (view_->page() == DevicesView::Page::kTeam) team_.ask_if_attached();
  });
  connect(&view_->team(), &TeamView::refresh_asked, this,
          [this] { bench_.ask(journal::ShowTeam{}); });
  connect(&view_->team(), &TeamView::attach_asked, this, [this](QString const& address) {
    std::string wanted = address.isEmpty() ? std::string(kNoTeam) : address.toStdString();
    Status attached = TeamMonitor::check(address.toStdString());  // no journal has a password
    if (attached) attached = bench_.perform(journal::AttachTeam{wanted});
    if (!attached) view_->team().say(QString::fromStdString(to_sentence(attached.error())));
  });
  connect(&bench_.top_bar(), &TopBar::devices_asked, this,
          [this] { bench_.ask(journal::ShowView{"devices"}); });
  connect(view_, &DevicesView::menu_asked, this, [this](QPoint at) {
    QStringList names{"Use the selected device",
                      kOffloadToSelected,
                      "Ask every device again",
                      "Copy the device's log",
                      "Measure this machine's roofs again",
                      "Add a device",
                      "Remove the selected device",
                      kThisMachine};
    for (std::string const& name : simulated_device_names()) names << use_command(name);
    for (std::string const& name : described_devices()) names << judge_command(name);
    bench_.show_menu(names, at);
  });
}

void DevicesPane::add_commands() {
  QString const section = "Measuring and devices";
  auto add = [&](char const* name, char const* keys, journal::Action action) {
    bench_.add_command({.section = section, .name = name, .keys = keys, .run = [this, action] {
                          bench_.ask(action);
                        }});
  };
  add("Devices", "Ctrl+Shift+D", journal::ShowView{"devices"});
  add("Add a device", "", journal::ShowDialog{"add-device", {}});
  add("Ask every device again", "", journal::CheckDevices{});
  add("Show the team's queue", "", journal::ShowTeam{});
  bench_.add_command({.section = section,
                      .name = "Use the selected device",
                      .run = [this] { view_->use_selected(); },
                      .possible = [this] { return view_->can_use(); }});
  bench_.add_command({.section = section,
                      .name = kOffloadToSelected,
                      .run =
                          [this] {
                            if (DeviceRow const* row = view_->selected())
                              bench_.execute(session::OffloadTo{row->name.toStdString()});
                          },
                      .possible = [this] { return now().model != nullptr && view_->can_use(); }});
  bench_.add_command({.section = section,
                      .name = "Remove the selected device",
                      .run = [this] { view_->remove_selected(); },
                      .possible = [this] { return view_->can_remove(); }});
  add_simulated(section);
  bench_.add_copy(section, "Copy the device's log", [this] { return view_->log_text(); });
}

/// Machines that this one simulates, and those that are only described, need no entry in the list.
void DevicesPane::add_simulated(QString const& section) {
  bench_.add_command({.section = section,
                      .name = kThisMachine,
                      .run = [this] { bench_.execute(session::UseDevice{kLocalDeviceName}); },
                      .possible = [this] { return in_use() != kLocalDeviceName; }});
  for (std::string const& name : described_devices())
    bench_.add_command({.section = section,
                        .name = judge_command(name),
                        .run = [this, name] { bench_.execute(session::UseDevice{name}); },
                        .possible = [this, name] { return in_use() != name; }});
  for (std::string const& name : simulated_device_names()) {
    bench_.add_command({.section = section,
                        .name = use_command(name),
                        .run = [this, name] { bench_.execute(session::UseDevice{name}); },
                        .possible = [this, name] { return in_use() != name; }});
    bench_.add_command(
        {.section = section,
         .name = offload_command(name),
         .run = [this, name] { bench_.execute(session::OffloadTo{name}); },
         .possible = [this, name] { return now().model != nullptr && in_use() != name; }});
  }
}

/// Which device the session works with, and at what.
void DevicesPane::show(session::Snapshot const& next) {
  if (!board_) return;
  DeviceMonitor::Use use{next.machine ? QString::fromStdString(next.machine->device) : "local",
                         {},
                         next.job ? QString::fromStdString(next.job->what) : QString()};
  if (next.cut)
    for (std::string const& place : next.cut->places)
      if (QString name = QString::fromStdString(place); name != use.device) use.of_a_part << name;
  board_->set_use(use);
}

Status DevicesPane::show_add_dialog() {
  TRY(check_known());
  auto* dialog = new AddDeviceDialog(bench_.top_bar().window());
  connect(dialog, &AddDeviceDialog::add_asked, this, [this, dialog](NewDevice const& device) {
    Status added = bench_.perform(journal::AddDevice{
        device.name.toStdString(), device.address.toStdString(), device.timeout_seconds,
        device.certificate.toStdString(), device.token_file.toStdString()});
    if (added) return dialog->accept();
    dialog->say(QString::fromStdString(to_sentence(added.error())));
  });
  bench_.open(dialog);
  return {};
}

std::optional<session::FactValue> DevicesPane::fact(std::string const& name) const {
  if (name == "devices") return double(view_->devices().size());
  DeviceRow const* row = view_->selected();
  if (name == "device.selected") return row ? row->name.toStdString() : "none";
  if (name == "device.state") return row ? word_of(row->word).toStdString() : "none";
  if (name == "device.trouble")
    return row && !row->trouble.isEmpty() ? row->trouble.toStdString() : "none";
  if (name == "device.log") return view_->log_text().toStdString();
  return team_fact(name);
}

std::optional<session::FactValue> DevicesPane::team_fact(std::string const& name) const {
  QStringList words;
  TeamRows const& rows = view_->team().rows();
  if (name == "team.jobs")
    for (TeamJobRow const& job : rows.jobs)
      words << QString("%1: %2, %3 slices").arg(job.name, job.state, job.slices);
  else if (name == "team.workers")
    for (TeamWorkerRow const& worker : rows.workers)
      words << QString("%1: %2").arg(worker.name, worker.alive ? worker.holds : "silent");
  else if (name == "team.says")
    words << view_->team().sentence();
  else
    return {};
  QString all = words.join("; ");
  return all.isEmpty() ? std::string("none") : all.toStdString();
}

}  // namespace

PaneRow const& pane_devices() {
  static PaneRow const row{.name = "devices",
                           .title = "Devices",
                           .place = PanePlace::kCentre,
                           .order = 30,
                           .stands_alone = true,
                           .needs = PaneNeeds::kWidth,  // facts, roofs and a log
                           .make = &make_pane<DevicesPane>};
  return row;
}

}  // namespace tw
