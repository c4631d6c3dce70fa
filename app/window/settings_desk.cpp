// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings_desk.h"

#include <QSettings>
#include <cmath>

#include "app/shared/journal/journal.h"
#include "engine/hardware/hardware.h"
#include "widgets/settings/settings_dialog.h"

namespace tw {
namespace {

QString key_of(QString const& command) { return "keys/" + QString(command).replace('/', ' '); }

std::vector<Setting> settings_of(Workbench& bench) {
  QString theme = bench.theme().name;
  theme.replace('_', '-');
  QStringList sizes, words;
  for (int percent : {80, 90, 100, 110, 125, 150, 175, 200}) {
    sizes << QString::number(percent);
    words << QString("%1 %").arg(percent);
  }
  QString threads =
      QSettings(bench.settings_file(), QSettings::IniFormat).value("threads", "0").toString();
  int cores = bench.snapshot().machine && bench.snapshot().machine->hardware
                  ? bench.snapshot().machine->hardware->unit().count
                  : 1;
  QStringList counts{"0"}, count_words{"all cores"};
  for (int count = 1; count <= cores; ++count) {
    counts << QString::number(count);
    count_words << QString::number(count);
  }
  return {
      {"Look",
       "settingTheme",
       "Theme",
       "Colours of the window, and of pictures and reports.",
       {"dark", "light", "high-contrast"},
       {"Dark", "Light", "High contrast"},
       theme,
       [&bench](QString const& value) { bench.ask(journal::SetTheme{value.toStdString()}); }},
      {"Look", "settingText", "Size of text", "Of text and of everything around it.", sizes, words,
       QString::number(int(std::lround(bench.theme().scale * 100))),
       [&bench](QString const& value) { bench.ask(journal::ScaleText{value.toInt()}); }},
      {"Measuring",
       "settingBackground",
       "Measure other kernels while nothing else runs",
       "Kernels of the list get a time two seconds after the last command, one at a time.",
       {"on", "off"},
       {"On", "Off"},
       bench.live().measures_in_background() ? "on" : "off",
       [&bench](QString const& value) {
         bench.execute(session::MeasureInBackground{value == "off"});
         QSettings(bench.settings_file(), QSettings::IniFormat).setValue("background", value);
       }},
      {"Measuring", "settingThreads", "Threads of this machine",
       "That kernels run with, from the next start on.", counts, count_words, threads,
       [&bench](QString const& value) {
         QSettings(bench.settings_file(), QSettings::IniFormat).setValue("threads", value);
       }},
      {"Files",
       "settingFile",
       "Settings",
       "Every setting stands in this file, as text.",
       {},
       {},
       bench.settings_file(),
       {}},
  };
}

}  // namespace

QString chosen_keys(QString const& settings_file, UserCommand const& command) {
  return QSettings(settings_file, QSettings::IniFormat)
      .value(key_of(command.name), command.keys)
      .toString();
}

void add_settings(Workbench& bench, QWidget* window,
                  std::function<std::vector<UserCommand>()> commands,
                  std::function<void(QString const& command, QString const& keys)> use_keys) {
  bench.add_dialog("settings", [&bench, window, commands, use_keys](QString const&) -> Status {
    std::vector<KeySetting> keys;
    // Letters of steps are no shortcuts: they mean the selected loop.
    for (UserCommand const& command : commands())
      if (command.section != "Steps on the selected loop" && command.name != "Keys")
        keys.push_back({command.name, command.keys, command.usual_keys});
    auto* dialog = new SettingsDialog(settings_of(bench), std::move(keys), window);
    QObject::connect(dialog, &SettingsDialog::keys_chosen, window,
                     [&bench, use_keys](QString const& command, QString const& chosen) {
                       QSettings file(bench.settings_file(), QSettings::IniFormat);
                       file.setValue(key_of(command), chosen);
                       file.sync();
                       use_keys(command, chosen);
                     });
    bench.open(dialog);
    dialog->resize(bench.theme().px(640), bench.theme().px(480));
    return {};
  });
  bench.add_command({.section = "Window", .name = "Settings", .keys = "Ctrl+,", .run = [&bench] {
                       bench.ask(journal::ShowDialog{"settings", {}});
                     }});
}

}  // namespace tw
