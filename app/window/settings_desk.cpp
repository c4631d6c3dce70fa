// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings_desk.h"

#include <QFileDialog>
#include <QHash>
#include <QSettings>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "app/shared/environment.h"
#include "app/shared/journal/journal.h"
#include "app/window/cache_controller.h"
#include "app/window/settings_file.h"
#include "engine/hardware/hardware.h"
#include "engine/support/base/quantities.h"
#include "widgets/settings/settings_dialog.h"

namespace tw {
namespace {

QString key_of(QString const& command) { return "keys/" + QString(command).replace('/', ' '); }

/// What a command was called before; keys that were chosen then stay with it.
QString former_name(QString const& command) {
  static QHash<QString, QString> const names{
      {"Open autosaved project", "Open earlier work"},
      {"Find in view", "Find in what is shown"},
      {"Iteration space", "Iteration plane"},
      {"Suggestions", "Next moves"},
      {"Ablation", "Gain"},
      {"Measure step contributions", "What carries the gain"},
      {"Measure knob contributions", "What carries the trial's gain"},
      {"Show all kernels on the roofline", "Put every kernel below the roofs"},
      {"Toggle fusion of the selected edge", "Fuse or part the edge of the graph that Why shows"},
      {"Back in Attributes", "Inspect what was inspected before"},
      {"Compare focused and current state", "Compare the ringed state with the current one"},
      {"Star the focused state", "Tag the ringed state"},
      {"Name the focused state", "Name the ringed state"},
      {"Set the focused state as baseline", "Set the ringed state as baseline"},
      {"Clear baseline", "Compare with no baseline"},
      {"Offload supported kernels", "Run on the selected device what it can"}};
  return names.value(command);
}

QString kept(Workbench const& bench, char const* key, char const* preset) {
  return QSettings(bench.settings_file(), QSettings::IniFormat).value(key, preset).toString();
}
void keep(Workbench const& bench, char const* key, QString const& value) {
  QSettings(bench.settings_file(), QSettings::IniFormat).setValue(key, value);
}

/// What a pane does, by the words of its journal.
void ask_line(Workbench& bench, QString const& line) {
  auto read = journal::parse(std::string(journal::kHeader) + "\n" + line.toStdString() + "\n");
  if (!read) return bench.say(QString::fromStdString(to_sentence(read.error())));
  for (journal::Line const& one : read->lines)
    if (auto const* action = std::get_if<journal::Action>(&one.what)) bench.ask(*action);
}

std::vector<Setting> look_settings(Workbench& bench) {
  QString theme = bench.theme().name;
  theme.replace('_', '-');
  QStringList sizes, words;
  for (int percent : {80, 90, 100, 110, 125, 150, 175, 200}) {
    sizes << QString::number(percent);
    words << QString("%1 %").arg(percent);
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
      {"Look", "settingText", "Size of text", "Scales text and everything around it.", sizes, words,
       QString::number(int(std::lround(bench.theme().scale * 100))),
       [&bench](QString const& value) { bench.ask(journal::ScaleText{value.toInt()}); }},
      {"Look",
       "settingSyntax",
       "Syntax of assembly",
       "For this kernel and every model from now on; a project keeps its own.",
       {"att", "intel"},
       {"AT&T", "Intel"},
       kept(bench, kSyntaxKey, "att"),
       [&bench](QString const& value) {
         keep(bench, kSyntaxKey, value);
         ask_line(bench, value == "intel" ? "code intel on" : "code intel off");
       }},
  };
}

std::vector<Setting> measuring_settings(Workbench& bench) {
  int cores = bench.snapshot().machine && bench.snapshot().machine->hardware
                  ? bench.snapshot().machine->hardware->unit().count
                  : 1;
  QStringList counts{"0"}, count_words{"all cores"};
  for (int count = 1; count <= cores; ++count) {
    counts << QString::number(count);
    count_words << QString::number(count);
  }
  return {
      {"Measuring",
       "settingBackground",
       "Measure other kernels when idle",
       "Measures remaining kernels when idle, one at a time, two seconds after the last command.",
       {"on", "off"},
       {"On", "Off"},
       bench.live().measures_in_background() ? "on" : "off",
       [&bench](QString const& value) {
         bench.execute(session::MeasureInBackground{value == "off"});
         keep(bench, "background", value);
       }},
      {"Measuring", "settingThreads", "Threads of this machine",
       "Threads that run kernels; takes effect at the next start.", counts, count_words,
       kept(bench, "threads", "0"),
       [&bench](QString const& value) { keep(bench, "threads", value); }},
  };
}

constexpr int kMegabyte = 1 << 20;

/// What the dialog says of the cache's folder: where it is, and where it will be.
QString folder_words(CacheController const& desk) {
  QString now = QString::fromStdString(desk.folder().string());
  QString chosen = QString::fromStdString(chosen_cache_folder());
  if (chosen.isEmpty() || chosen == now) return now;
  if (qEnvironmentVariableIsSet("TW_CACHE_DIR")) return now + " (set by TW_CACHE_DIR)";
  return now + "\nFrom the next start on: " + chosen;
}

/// Takes effect at the next start: what runs keeps its folder.
void ask_folder(QWidget* window, CacheController const& desk) {
  auto* dialog = window->findChild<SettingsDialog*>("settings");
  auto* chooser = new QFileDialog(dialog, "Folder of the cache",
                                  QString::fromStdString(desk.folder().string()));
  chooser->setObjectName("cacheFolder");
  chooser->setFileMode(QFileDialog::Directory);
  chooser->setOption(QFileDialog::ShowDirsOnly);
  chooser->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(chooser, &QFileDialog::fileSelected, dialog, [dialog, &desk](auto const& file) {
    auto chosen = choose_cache_folder(file.toStdString());
    dialog->tell("settingCacheFolder",
                 chosen ? folder_words(desk) : QString::fromStdString(to_sentence(chosen.error())));
  });
  chooser->open();
}

std::vector<Setting> cache_settings(Workbench& bench, QWidget* window, CacheController& desk) {
  QStringList limits, words;
  int64_t now = std::max<int64_t>(1, cache_limit(desk.folder()) / kMegabyte);
  std::set<int64_t> sizes{64, 128, 256, 512, 1024, 2048, 4096, 8192, now};
  for (int64_t size : sizes) {
    limits << QString::number(size);
    words << QString::fromStdString(bytes_text(double(size) * kMegabyte));
  }
  return {
      {"Cache",
       "settingCacheFolder",
       "Folder",
       "Caches compiled kernels, so that models open faster. Another folder is used from the next "
       "start; the old one keeps its contents.",
       {},
       {},
       folder_words(desk),
       {},
       {{"cacheChoose", "Choose", "Choose another folder (used from the next start)",
         [window, &desk] { ask_folder(window, desk); }}}},
      {"Cache",
       "settingCacheSize",
       "Size now",
       "Clearing removes what can be rebuilt. Measurements and files of other programs are kept.",
       {},
       {},
       desk.words(),
       {},
       {{"cacheEmpty", "Clear the cache", "Remove compiled kernels and unpacked models",
         [&bench] { ask_line(bench, "empty cache"); }}}},
      {"Cache", "settingCacheLimit", "Limit of compiled kernels",
       "Least recently used entries are evicted.", limits, words, QString::number(now),
       [&bench](QString const& value) { ask_line(bench, "limit cache " + value); }},
  };
}

std::vector<Setting> settings_of(Workbench& bench, QWidget* window, CacheController& desk) {
  std::vector<Setting> all = look_settings(bench);
  std::ranges::move(measuring_settings(bench), std::back_inserter(all));
  std::ranges::move(cache_settings(bench, window, desk), std::back_inserter(all));
  all.push_back({"Files",
                 "settingFile",
                 "Settings",
                 "All settings are stored in this file, as text.",
                 {},
                 {},
                 bench.settings_file(),
                 {}});
  return all;
}

}  // namespace

QString chosen_keys(QString const& settings_file, UserCommand const& command) {
  QSettings file(settings_file, QSettings::IniFormat);
  QString former = former_name(command.name);
  QVariant usual = command.keys;
  if (!former.isEmpty()) usual = file.value(key_of(former), usual);
  return file.value(key_of(command.name), usual).toString();
}

void add_settings(Workbench& bench, QWidget* window,
                  std::function<std::vector<UserCommand>()> commands,
                  std::function<void(QString const& command, QString const& keys)> use_keys) {
  auto* desk = new CacheController(cache_folder().path, window);
  desk->setObjectName("cacheDesk");
  bench.add_dialog(
      "settings", [&bench, window, commands, use_keys, desk](QString const&) -> Status {
        std::vector<KeySetting> keys;
        // Letters of steps are no shortcuts: they mean the selected loop.
        for (UserCommand const& command : commands())
          if (command.section != "Steps on the selected loop" && command.name != "Keys")
            keys.push_back({command.name, command.keys, command.usual_keys});
        auto* dialog =
            new SettingsDialog(settings_of(bench, window, *desk), std::move(keys), window);
        QObject::connect(desk, &CacheController::counted, dialog,
                         [dialog, desk] { dialog->tell("settingCacheSize", desk->words()); });
        desk->count();
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
