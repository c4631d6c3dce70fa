// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/commands.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QShortcut>
#include <QTabWidget>
#include <algorithm>

#include "app/window/dialogs/step.h"
#include "app/window/parts/docks.h"
#include "app/window/parts/focus.h"
#include "app/window/pictures/pictures.h"
#include "app/window/settings_desk.h"

namespace tw {
namespace {

char const* const kKeysOf = "keys of ";  // a command: the name of its shortcut

}  // namespace

Commands::Commands(QWidget& window, Workbench& bench, PaneList& panes)
    : window_(window), bench_(bench), panes_(panes), primitives_(bench.live().primitives()) {
  bench_.add_dialog("palette", [this](QString const&) { return show_palette(); });
  bench_.add_dialog("keys", [this](QString const&) { return show_keys(); });
}

void Commands::add(UserCommand command) {
  command.usual_keys = command.keys;
  command.run = [this, run = std::move(command.run)] {
    docks_->take_shown();
    run();
    focus_->after_command();
  };
  command.keys = chosen_keys(bench_.settings_file(), command);
  if (!command.keys.isEmpty()) {
    auto* shortcut = new QShortcut(QKeySequence(command.keys), &window_);
    shortcut->setObjectName(kKeysOf + command.name);
    QObject::connect(shortcut, &QShortcut::activated, &window_, command.run);
  }
  commands_.push_back(std::move(command));
}

void Commands::use_keys(QString const& name, QString const& keys) {
  auto command = std::ranges::find(commands_, name, &UserCommand::name);
  if (command == commands_.end()) return;
  command->keys = keys;
  auto* shortcut = window_.findChild<QShortcut*>(kKeysOf + name);
  if (!shortcut) {
    shortcut = new QShortcut(&window_);
    shortcut->setObjectName(kKeysOf + name);
    QObject::connect(shortcut, &QShortcut::activated, &window_, command->run);
  }
  shortcut->setKey(QKeySequence(keys));
}

void Commands::add_last(QString const& section) {
  add_settings(
      bench_, &window_, [this] { return commands_; },
      [this](QString const& name, QString const& keys) { use_keys(name, keys); });
  // These are no shortcuts: `take_key` knows them.
  commands_.push_back({section, "Keys", "?", [this] {
                         bench_.ask(journal::ShowDialog{"keys", {}});
                       }});
  for (session::PrimitiveView const& primitive : primitives_) {
    QString name = QString::fromStdString(primitive.name);
    commands_.push_back({.section = "Steps on the selected loop",
                         .name = QString::fromStdString(primitive.title),
                         .keys = QString::fromStdString(primitive.key),
                         .run = [this, name] { ask_step(bench_, name); },
                         .also = name});
  }
  sort();
}

/// By their sections; in each the window's own come first, then those of its panes.
void Commands::sort() {
  static QStringList const kSections{"Models and projects", "Steps and history",
                                     "Measuring and devices", "Views", "Window"};
  auto place = [](UserCommand const& command) {
    qsizetype at = kSections.indexOf(command.section);
    return at < 0 ? kSections.size() : at;
  };
  std::ranges::stable_sort(commands_, {}, place);
}

void Commands::run(QString const& name) {
  for (UserCommand const& command : commands_)
    if (command.name == name) return command.run();
}

QStringList Commands::names() const {
  QStringList names;
  for (UserCommand const& command : commands_)
    if (!command.copies && (!command.possible || command.possible())) names << command.name;
  return names;
}

bool Commands::take_key(QKeyEvent const& event) {
  if (event.text() == "?") return bench_.ask(journal::ShowDialog{"keys", {}}), true;
  bool plain = !(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  for (session::PrimitiveView const& primitive : primitives_)
    if (plain && !primitive.key.empty() &&
        event.text().toUpper() == QString::fromStdString(primitive.key))
      return ask_step(bench_, QString::fromStdString(primitive.name)), true;
  return false;
}

void Commands::find_in_view() {
  QWidget const* keys = QApplication::focusWidget();
  QString with_keys, central, first;
  for (PlacedPane const& placed : panes_.all()) {
    QString own = placed.pane->find_command();
    if (own.isEmpty()) continue;
    bool in_centre = placed.row->place == PanePlace::kCentre;
    if (keys && placed.widget->isAncestorOf(keys)) with_keys = own;
    if (in_centre && docks_->centre().currentWidget() == placed.widget) central = own;
    if (first.isEmpty() && !in_centre) first = own;
  }
  run(!with_keys.isEmpty() ? with_keys : !central.isEmpty() ? central : first);
}

void Commands::show_menu(QStringList const& names, QPoint at,
                         std::vector<Workbench::MenuEntry> const& here) {
  auto* menu = new QMenu(&window_);
  menu->setObjectName("viewMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (Workbench::MenuEntry const& entry : here)
    menu->addAction(entry.name, entry.run)->setEnabled(entry.possible);
  if (!here.empty()) menu->addSeparator();
  for (QString const& name : names) {
    auto known = std::ranges::find(commands_, name, &UserCommand::name);
    if (known == commands_.end()) continue;
    QAction* item = menu->addAction(name + "\t" + known->keys, known->run);
    item->setEnabled(!known->possible || known->possible());
  }
  add_picture_entries(*menu, at);
  menu->popup(at);
}

/// What a picture is of is seen: two panes never lie above each other.
void Commands::add_picture_entries(QMenu& menu, QPoint at) {
  auto below = [at](PlacedPane const& placed) {
    QWidget const* view = placed.widget;
    return view->isVisible() && view->rect().contains(view->mapFromGlobal(at));
  };
  auto placed = std::ranges::find_if(panes_.all(), below);
  if (placed == panes_.all().end()) return;
  menu.addSeparator();
  menu.addAction(kSavePicture, [this, name = placed->row->name] {
    bench_.ask(journal::ShowDialog{"picture", name});
  });
  menu.addAction(kCopyPicture, [this, name = placed->row->name] { bench_.copy_picture(name); });
}

}  // namespace tw
