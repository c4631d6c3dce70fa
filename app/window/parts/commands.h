// SPDX-License-Identifier: GPL-3.0-or-later
/// Everything that can be asked for by a name: in the palette, by keys, in the key sheet and in
/// menus.
#pragma once

#include "app/window/parts/pane_list.h"

class QKeyEvent;

namespace tw {

class Docks;
class Focus;

class Commands {
public:
  Commands(QWidget& window, Workbench& bench, PaneList& panes);
  void use(Docks& docks, Focus& focus) { docks_ = &docks, focus_ = &focus; }

  /// `section`: of the key sheet.
  void add(UserCommand command);
  /// What panes have added stands before these: the settings, the key sheet, and each primitive.
  void add_last(QString const& section);
  void run(QString const& name);
  /// Those that can be done now and leave a line in the journal.
  QStringList names() const;
  /// Keys without a shortcut: letters of primitives and "?". True: it was one.
  bool take_key(QKeyEvent const& event);
  /// Finds in the view that has the keys, else in the one in the centre, else in the first that
  /// can.
  void find_in_view();
  /// `here`, then commands by their names; what cannot be done now is there and grey.
  void show_menu(QStringList const& names, QPoint at,
                 std::vector<Workbench::MenuEntry> const& here);

private:
  void sort();
  void use_keys(QString const& name, QString const& keys);
  void add_picture_entries(class QMenu& menu, QPoint at);
  std::vector<PaletteEntry> palette_entries() const;
  Status show_palette();
  struct KeySection {
    QString title;
    std::vector<std::pair<QString, QString>> rows;  ///< keys, and what they do
  };
  std::vector<KeySection> key_sections() const;
  Status show_keys();

  QWidget& window_;
  Workbench& bench_;
  PaneList& panes_;
  Docks* docks_ = nullptr;
  Focus* focus_ = nullptr;
  std::vector<UserCommand> commands_;
  std::vector<session::PrimitiveView> primitives_;
};

}  // namespace tw
