// SPDX-License-Identifier: GPL-3.0-or-later
/// A pane of the window: a row in a table says what it is and where it stands, and the window knows
/// it by nothing else.
#pragma once

#include <QObject>
#include <QPoint>
#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

#include "app/shared/journal/journal.h"
#include "engine/session/session.h"
#include "widgets/palette/palette.h"
#include "widgets/selection.h"
#include "widgets/theme/theme.h"

class QDialog;
class QWidget;

namespace tw {

class Commands;
class DeviceLogs;
class Dialogs;
class Docks;
class Focus;
class Look;
class Notices;
class Pane;
class Performer;
class PictureSaving;
class Recorder;
class StartPage;
class TopBar;

/// One that the palette, the key sheet and menus show.
struct UserCommand {
  QString section;  ///< of the key sheet
  QString name, keys = {};
  std::function<void()> run = {};
  std::function<bool()> possible = {};  ///< now; null: always
  QString also = {};                    ///< another name that finds it: a primitive's in a script
  bool copies = false;                  ///< to the clipboard, and nothing else: no journal knows it
  QString usual_keys = {};              ///< where the user chose others; the window's
};

/// Where the list of devices and their roofs are, what happens on them (may be null), and the
/// program that runs kernels here (empty: beside this one).
struct DeviceFiles {
  std::string devices_file, cache_folder;
  std::shared_ptr<DeviceLogs> logs;
  std::string local_program;
};

/// The window's parts, for who stands between them and the panes (parts/).
struct BenchParts {
  Performer* performer = nullptr;
  Commands* commands = nullptr;
  Dialogs* dialogs = nullptr;
  Docks* docks = nullptr;
  Focus* focus = nullptr;
  Look* look = nullptr;
  Notices* notices = nullptr;
  PictureSaving* pictures = nullptr;
  TopBar* top = nullptr;
  StartPage* start = nullptr;
};

/// What the window is for its panes: what is open, and a door to each of the window's parts.
class Workbench {
public:
  Workbench(session::Session& session, Selection& selection, QString settings_file)
      : session_(session), selection_(selection), settings_file_(std::move(settings_file)) {}
  session::Session& live() { return session_; }
  session::Snapshot const& snapshot() const { return snapshot_; }
  Selection& selection() { return selection_; }
  Theme const& theme() const { return theme_; }
  TopBar& top_bar() { return *parts_.top; }
  StartPage& start_page() { return *parts_.start; }
  /// Where what was chosen in the window is kept, as QSettings has it.
  QString const& settings_file() const { return settings_file_; }
  /// What is done and seen in the window, as a journal.
  Recorder& recorder();

  /// Records an action and carries it out; says in the status line what was wrong.
  Status perform(journal::Action const& action);
  /// The same, unless it follows from another one that is being carried out.
  void user_did(journal::Action const& action);
  void ask(journal::Action const& action) { (void)perform(action); }
  /// The same for a command of the session. Kernels are written by name: a row may be another one
  /// in the next version of a model.
  void execute(session::Command const& command);
  void apply_line(QString const& line) { execute(session::ApplyStep{line.toStdString()}); }
  void run_action(QString const& command);

  /// How an action of this kind is carried out.
  template <typename T, typename Run>
  void on(Run run) {
    set_handler(typeid(T), [run](journal::Action const& action) { return run(*action.as<T>()); });
  }
  /// `open` gets the argument of the journal's line.
  void add_dialog(std::string name, std::function<Status(QString const&)> open);
  void add_command(UserCommand command);
  void add_copy(QString section, QString name, std::function<QString()> text);

  /// Brings a view to the front, unrecorded.
  Status show_view(std::string const& name);
  /// The tab of a pane that is there only `when_asked`.
  void show_tab(Pane& pane);
  /// The same without coming to the front.
  void offer_tab(Pane& pane);
  void hide_tab(Pane& pane);
  /// Gives the focus, unless a pane has it that keeps it.
  void offer_focus(QWidget* widget);
  /// To the pane that one works in.
  void focus_home();
  /// Words in the pane that is for them.
  void explain(QString const& words);
  void open(QDialog* dialog);
  /// What only one place of a view can do, where its menu is asked for.
  struct MenuEntry {
    QString name;
    bool possible = true;
    std::function<void()> run;
  };
  /// `here`, then commands by their names.
  void show_menu(QStringList const& names, QPoint at, std::vector<MenuEntry> const& here = {});
  void add_menu(QWidget* view, QStringList const& names);
  void copy(QString const& text);
  /// The picture of a view.
  void copy_picture(std::string const& view);
  /// What was wrong.
  void say(QString const& sentence);
  /// `action`: the kind of action that failed.
  void say(Error const& error, std::type_index action);
  /// What was done, where that cannot be seen.
  void note(QString const& sentence);

protected:
  void set_handler(std::type_index kind, std::function<Status(journal::Action const&)> run);

  session::Session& session_;
  session::Snapshot snapshot_;
  Selection& selection_;
  QString settings_file_;
  Theme theme_;
  BenchParts parts_;
};

class Pane : public QObject {
public:
  using Layout = std::map<std::string, std::string>;
  explicit Pane(Workbench& bench) : bench_(bench) {}

  /// What stands in its tab; the window owns it.
  virtual QWidget* widget() = 0;
  /// Shows what is new in a snapshot; called for each, or as `hears_hidden` says.
  virtual void show(session::Snapshot const&) {}
  /// Whether it follows each snapshot though nobody sees it, as something of its own comes of that.
  /// One that only shows is told when it is seen, or asked for a fact.
  virtual bool hears_hidden() const { return true; }
  /// How often it has asked the session since it was made.
  int asked() const { return asked_; }
  /// Colours and the size of text.
  virtual void set_theme(Theme const&) {}
  /// Still at work by itself.
  virtual bool busy() const { return false; }
  /// One of those that its folder's journal.cpp names; nothing: it is another's, or not known now.
  virtual std::optional<session::FactValue> fact(std::string const&) const { return {}; }

  /// The layout has changed, or what is shown has.
  virtual void settled() {}
  /// Before it comes to the front. Errors: it cannot be shown.
  virtual Status about_to_show() { return {}; }
  /// What takes the focus when the pane comes to the front; null: nothing does.
  virtual QWidget* focus_target() { return nullptr; }
  /// The focus stays here when another kernel is chosen.
  virtual bool keeps_focus() const { return false; }
  /// A loop that it shows is moved above this line, which something below it covers.
  virtual void bring_above(int /*loop*/, int /*global_y*/) {}
  /// Whether it is for words, and has shown these.
  virtual bool explain(QString const&) { return false; }
  virtual void use_devices(DeviceFiles const&) {}

  /// What a project keeps of how it looks.
  virtual Layout layout() const { return {}; }
  virtual void apply_layout(Layout const&) {}
  /// What the palette finds beside commands.
  virtual std::vector<PaletteEntry> palette_entries() { return {}; }
  struct Key {
    QString section, keys, what;
  };
  /// Keys that are no command's.
  virtual std::vector<Key> keys() const { return {}; }
  /// The command that finds something in it; empty: none does.
  virtual QString find_command() const { return {}; }

protected:
  session::Session& live() const {
    ++asked_;
    return bench_.live();
  }
  session::Snapshot const& now() const { return bench_.snapshot(); }
  /// Of a pane that is a tab only `when_asked`: whether it is one now, without coming to the front.
  void offer(bool wanted) {
    if (wanted) bench_.offer_tab(*this);
    if (!wanted && offered_) bench_.hide_tab(*this);
    offered_ = wanted;
  }
  bool offered() const { return offered_; }

  Workbench& bench_;

private:
  mutable int asked_ = 0;
  bool offered_ = false;
};

enum class PanePlace : uint8_t {
  kLeft,
  kCentre,
  kBeside,  ///< of the centre; a tab of it in a narrow window
  kBelow,
  kBelowRight
};

/// Of a tab of the centre while it is in front: the width of the list and of what stands beside it;
/// that of the latter and the height of what is below; or all of it.
enum class PaneNeeds : uint8_t { kItsPlace, kWidth, kWidthAndHeight, kAll };
/// Two things are not in a row: words of journals, which stand in the folder's journal.cpp since
/// `tw` reads them too, and what can be asked of any pane.
struct PaneRow {
  std::string name;  ///< the folder's
  QString title;     ///< of its tab
  PanePlace place = PanePlace::kCentre;
  int order = 0;              ///< among the tabs of its place
  bool is_home = false;       ///< one works in it: it has the focus where nothing else wants it
  bool when_asked = false;    ///< its tab is there only while it shows something
  bool stands_alone = false;  ///< without a model it is a page of its own
  PaneNeeds needs = PaneNeeds::kItsPlace;
  std::unique_ptr<Pane> (*make)(Workbench&) = nullptr;
};

/// Made of the folders app/window/panes/NAME: `PaneRow const& pane_NAME()`.
std::span<PaneRow const* const> pane_table();

template <typename T>
std::unique_ptr<Pane> make_pane(Workbench& bench) {
  return std::make_unique<T>(bench);
}

}  // namespace tw
