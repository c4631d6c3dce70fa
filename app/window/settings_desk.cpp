// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings_desk.h"

#include <QFileDialog>
#include <QSettings>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "app/shared/environment.h"
#include "app/shared/journal/journal.h"
#include "app/window/cache_desk.h"
#include "app/window/settings_file.h"
#include "engine/hardware/hardware.h"
#include "engine/support/base/quantities.h"
#include "widgets/settings/settings_dialog.h"

namespace tw {
namespace {

QString key_of(QString const& command) { return "keys/" + QString(command).replace('/', ' '); }

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
      {"Look", "settingText", "Size of text", "Of text and of everything around it.", sizes, words,
       QString::number(int(std::lround(bench.theme().scale * 100))),
       [&bench](QString const& value) { bench.ask(journal::ScaleText{value.toInt()}); }},
      {"Look",
       "settingSyntax",
       "Syntax of assembly",
       "Of this kernel's and of every model's from now on; a project keeps its own.",
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
       "Measure other kernels while nothing else runs",
       "Kernels of the list get a time two seconds after the last command, one at a time.",
       {"on", "off"},
       {"On", "Off"},
       bench.live().measures_in_background() ? "on" : "off",
       [&bench](QString const& value) {
         bench.execute(session::MeasureInBackground{value == "off"});
         keep(bench, "background", value);
       }},
      {"Measuring", "settingThreads", "Threads of this machine",
       "That kernels run with, from the next start on.", counts, count_words,
       kept(bench, "threads", "0"),
       [&bench](QString const& value) { keep(bench, "threads", value); }},
  };
}

constexpr int kMegabyte = 1 << 20;

/// What the dialog says of the cache's folder: where it is, and where it will be.
QString folder_words(CacheDesk const& desk) {
  QString now = QString::fromStdString(desk.folder().string());
  QString chosen = QString::fromStdString(chosen_cache_folder());
  if (chosen.isEmpty() || chosen == now) return now;
  if (qEnvironmentVariableIsSet("TW_CACHE_DIR")) return now + " (TW_CACHE_DIR says so)";
  return now + "\nFrom the next start on: " + chosen;
}

/// Takes effect at the next start: what runs keeps its folder.
void ask_folder(QWidget* window, CacheDesk const& desk) {
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

std::vector<Setting> cache_settings(Workbench& bench, QWidget* window, CacheDesk& desk) {
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
       "Where kernels' code is kept, so that a model opens faster the next time. Another folder is "
       "used from the next start on; what was kept stays in the old one.",
       {},
       {},
       folder_words(desk),
       {},
       {{"cacheChoose", "Choose", "Choose another folder, for the next start on",
         [window, &desk] { ask_folder(window, desk); }}}},
      {"Cache",
       "settingCacheSize",
       "Size now",
       "Emptying removes what can be made again. What was measured stays, and so does what is not "
       "Tilewright's own.",
       {},
       {},
       desk.words(),
       {},
       {{"cacheEmpty", "Empty the cache", "Remove kept code and unpacked models",
         [&bench] { ask_line(bench, "empty cache"); }}}},
      {"Cache", "settingCacheLimit", "Limit of kernels' code",
       "What is over it goes at once, the least recently used first.", limits, words,
       QString::number(now),
       [&bench](QString const& value) { ask_line(bench, "limit cache " + value); }},
  };
}

std::vector<Setting> settings_of(Workbench& bench, QWidget* window, CacheDesk& desk) {
  std::vector<Setting> all = look_settings(bench);
  std::ranges::move(measuring_settings(bench), std::back_inserter(all));
  std::ranges::move(cache_settings(bench, window, desk), std::back_inserter(all));
  all.push_back({"Files",
                 "settingFile",
                 "Settings",
                 "Every setting stands in this file, as text.",
                 {},
                 {},
                 bench.settings_file(),
                 {}});
  return all;
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
  auto* desk = new CacheDesk(cache_folder().path, window);
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
        QObject::connect(desk, &CacheDesk::counted, dialog,
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
