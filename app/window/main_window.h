// SPDX-License-Identifier: GPL-3.0-or-later
/// The window: commands to the session, snapshots to the panes, whatever panes there are. What a
/// window does beside is in parts, each a class of parts/; this puts them together and hands Qt's
/// events on.
#pragma once

#include <QMainWindow>
#include <memory>

#include "app/window/pane.h"
#include "app/window/parts/commands.h"
#include "app/window/parts/dialogs.h"
#include "app/window/parts/docks.h"
#include "app/window/parts/focus.h"
#include "app/window/parts/look.h"
#include "app/window/parts/model_notice.h"
#include "app/window/parts/notices.h"
#include "app/window/parts/pane_list.h"
#include "app/window/parts/pane_moving.h"
#include "app/window/parts/performer.h"
#include "app/window/parts/picture_saving.h"
#include "app/window/parts/projects.h"
#include "app/window/parts/refusal_notice.h"
#include "app/window/settings_file.h"
#include "app/window/top_bar.h"
#include "widgets/start/start_values.h"

class QStackedWidget;

namespace tw {

class Playback;
class ReportController;
class StartController;
class StartPage;

namespace session {
class StartPageData;
}

class MainWindow : public QMainWindow, public Workbench {
  Q_OBJECT
public:
  MainWindow(session::Session& session, std::vector<SampleCard> samples, QString state_folder);
  ~MainWindow() override;

  void set_theme(QString const& name) { look_->set_theme(name); }
  /// Of text and everything around it, at once; not remembered.
  void set_text_scale(int percent) { look_->set_scale(percent); }
  QString theme_name() const { return look_->theme_name(); }
  void show_palette() { ask(journal::ShowDialog{"palette", {}}); }
  void show_keys() { ask(journal::ShowDialog{"keys", {}}); }
  Projects& projects() { return *projects_; }
  /// Without this nothing is known of devices.
  void set_device_files(std::string devices_file, std::string cache_folder,
                        std::shared_ptr<DeviceLogs> logs = nullptr, std::string local_program = {});
  /// Without this the start page tells of samples nothing but their descriptions.
  void use_start_facts(std::shared_ptr<session::StartPageData const> facts);
  void show_centre(int tab);
  /// What stands in a pane's tab; null: there is no such pane.
  QWidget* pane_widget(std::string const& name);
  std::pair<int, int> work_of_pane(std::string const& name) const { return panes_->work_of(name); }
  /// Takes the newest snapshot now (tests); otherwise it arrives by itself.
  void refresh();
  QStringList action_names() const { return commands_->names(); }
  /// A value that a journal may expect (journal::facts); nothing when it is not known now.
  std::optional<session::FactValue> fact(std::string const& name) const;
  /// Whether a pane is still at work by itself, as the layout of a graph.
  bool busy() const;
  /// So that one can follow it, at one of `PlaybackBar::kSpeeds`. Errors: those of reading it.
  Status play_journal(QString const& file, double speed);
  Playback& playback() { return *playback_; }
  /// What was wrong with the last command; empty: nothing.
  QString said() const { return notices_->trouble(); }

protected:
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;
  bool focusNextPrevChild(bool next) override;
  void resizeEvent(QResizeEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dropEvent(QDropEvent*) override;
  void closeEvent(QCloseEvent*) override;

private:
  void make_parts(QString const& state_folder);
  void build();
  QWidget* build_workbench();
  void build_playback();
  void connect_bars();
  void add_handlers();
  void add_commands();
  void add_late_commands();
  void apply_theme(Theme const& theme);
  /// What follows from another size of the window or its text.
  void place_all();
  Status run(session::Command const& command);

  std::vector<SampleCard> samples_;
  QStackedWidget* pages_;
  StartController* desk_;  ///< the start page's
  std::unique_ptr<Performer> performer_;
  std::unique_ptr<PaneList> panes_;
  std::unique_ptr<Dialogs> dialogs_;
  std::unique_ptr<Commands> commands_;
  std::unique_ptr<Docks> docks_;
  std::unique_ptr<Focus> focus_;
  std::unique_ptr<Notices> notices_;
  std::unique_ptr<ModelNotice> model_notice_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<PaneMoving> moving_;
  std::unique_ptr<PictureSaving> pictures_;
  std::unique_ptr<Projects> projects_;
  RefusalNotice* refusal_ = nullptr;
  ReportController* reports_ = nullptr;
  std::unique_ptr<Playback> playback_;
};

}  // namespace tw
