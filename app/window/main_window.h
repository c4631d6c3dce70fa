// SPDX-License-Identifier: GPL-3.0-or-later
/// The window: commands to the session, snapshots to the panes, whatever panes there are.
#pragma once

#include <QMainWindow>
#include <memory>

#include "app/shared/journal/journal.h"
#include "app/window/pane.h"
#include "app/window/project_keeper.h"
#include "app/window/recorder.h"
#include "app/window/settings_file.h"
#include "app/window/top_bar.h"
#include "engine/session/session.h"
#include "widgets/refusal/refusal_card.h"
#include "widgets/start/start_values.h"

class QDialog;
class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QTabWidget;

namespace tw {

class ErrorCard;
class FocusKeeper;
class FocusRing;
struct FocusPlace;
class FoldingPanes;
class ModelBar;
class PaneRail;
class PaneWindow;
class Playback;
class ReportDesk;
class StartDesk;
class TabMover;
class StartPage;
class UpperPanes;

namespace journal {
struct MoveView;
struct Present;
struct ResetLayout;
struct ResumeWork;
}  // namespace journal
namespace session {
class StartFacts;
}

class MainWindow : public QMainWindow, public Workbench {
  Q_OBJECT
public:
  static constexpr int kLeastScale = 80, kMostScale = 200;  ///< of text, in percent
  MainWindow(session::Session& session, std::vector<SampleCard> samples, QString state_folder);
  ~MainWindow() override;

  void set_theme(QString const& name);
  /// Of text and everything around it, at once; not remembered.
  void set_text_scale(int percent);
  int text_scale() const { return scale_; }
  QString theme_name() const { return theme_name_; }
  /// The one way in which anything happens: records the action, carries it out, and says in the
  /// status line what was wrong. Menus, keys, gestures, dialogs and journals all come here.
  Status perform(journal::Action const& action) override;
  void execute(session::Command const& command) override;
  void ask_step(QString const& primitive) override;
  void show_palette();
  void show_keys();
  void save_session();
  bool restore_session();
  /// Without this nothing is known of devices.
  void set_device_files(std::string devices_file, std::string cache_folder,
                        std::shared_ptr<DeviceLogs> logs = nullptr, std::string local_program = {});
  /// Without this the start page tells of samples nothing but their descriptions.
  void use_start_facts(std::shared_ptr<session::StartFacts const> facts);
  StartPage& start_page() override { return *start_; }
  void show_centre(int tab);
  /// What stands in a pane's tab; null: there is no such pane.
  QWidget* pane_widget(std::string const& name);
  /// How often a pane was told what is new, and has asked the session.
  std::pair<int, int> work_of_pane(std::string const& name) const;
  /// Takes the newest snapshot now (tests); otherwise it arrives by itself.
  void refresh();
  Recorder& recorder() { return recorder_; }
  /// The names of the palette's commands that can be done now and leave a line in the journal, and
  /// one of all carried out.
  QStringList action_names() const;
  void run_action(QString const& command) override;
  /// A value that a journal may expect (journal::facts); nothing when it is not known now.
  std::optional<session::FactValue> fact(std::string const& name) const;
  /// Whether a pane is still at work by itself, as the layout of a graph.
  bool busy() const;
  /// A model, a tensor expression or a project, by its ending.
  void open_path(QString const& path);
  /// Offers the work of a window that ended without closing, if there is some.
  void offer_recovery();
  /// So that one can follow it, at one of `PlaybackBar::kSpeeds`. Errors: those of reading it.
  Status play_journal(QString const& file, double speed);
  Playback& playback() { return *playback_; }
  /// The size that was asked for: that of a session or project does not take its place.
  void keep_size() { size_is_wished_ = true; }
  /// What was wrong with the last command; empty: nothing.
  QString said() const { return trouble_ ? trouble_->sentence : QString(); }

  session::Session& live() override { return session_; }
  session::Snapshot const& snapshot() const override { return snapshot_; }
  Selection& selection() override { return *selection_; }
  Theme const& theme() const override { return theme_; }
  TopBar& top_bar() override { return *top_; }
  QString settings_file() const override { return settings_file_in(state_folder_); }
  void user_did(journal::Action const& action) override;
  void add_dialog(std::string name, std::function<Status(QString const&)> open) override;
  void add_command(UserCommand command) override;
  Status show_view(std::string const& name) override;
  void show_tab(Pane& pane) override;
  void offer_tab(Pane& pane) override;
  void hide_tab(Pane& pane) override;
  void offer_focus(QWidget* widget) override;
  void focus_home() override;
  void explain(QString const& words) override;
  void open(QDialog* dialog) override;
  void show_menu(QStringList const& names, QPoint at, std::vector<MenuEntry> const& here) override;
  void copy(QString const& text) override;
  void say(QString const& sentence) override;

protected:
  void set_handler(std::type_index kind,
                   std::function<Status(journal::Action const&)> run) override;
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;
  bool eventFilter(QObject*, QEvent*) override;
  bool focusNextPrevChild(bool next) override;
  void resizeEvent(QResizeEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dropEvent(QDropEvent*) override;
  void closeEvent(QCloseEvent*) override;

private:
  /// What happens while one is alive was not asked for by the user and is not recorded.
  struct Quiet {
    explicit Quiet(int& depth) : depth_(depth) { ++depth_; }
    ~Quiet() { --depth_; }
    int& depth_;
  };
  /// A pane, and what the window must know to place it.
  struct Placed {
    PaneRow const* row;
    std::unique_ptr<Pane> pane;
    QWidget* widget;
    bool waits = false;  ///< to be told what is new when it is seen
    int told = 0;
  };
  void tell(Placed& placed) const;
  void tell_those_that_wait();
  void build();
  void make_panes();
  // Pictures of views.
  void build_picture_actions();
  Placed* placed_around(QWidget* widget);
  Result<Placed*> bring_into_sight(std::string const& view);
  Placed& placed_in_focus();
  Status save_picture(std::string const& view, std::string const& file, std::string const& theme);
  Status show_picture_dialog(QString const& view);
  void copy_picture(Placed const& placed);
  // Panes that stand elsewhere than their rows say: move_panes.cpp.
  void build_moving();
  void build_move_actions();
  /// Where its tab stands, or would.
  QTabWidget* own_tabs(Placed const& placed) const;
  /// Beside the centre, as its row says and nobody moved it.
  bool stands_beside(Placed const& placed) const;
  static bool can_move(Placed const& placed);
  Placed* placed_at(QTabBar* bar, int tab);
  /// The second window's tabs where the word is "window".
  QTabWidget* tabs_called(std::string const& place) const;
  std::vector<QTabWidget*> all_tabs() const;
  /// The word of the place at a point of the screen; outside of all it is "window".
  std::string place_at(QPoint global) const;
  void show_move_menu(Placed& placed, QPoint at);
  void move_pane(Placed& placed, std::string const& to);
  void share_upper();
  void keep_places() const;
  void restore_places();
  /// Of the window and of the second one.
  QList<QTabBar*> tab_bars() const;
  QTabWidget* tabs_of(PanePlace place);
  QWidget* build_workbench();
  /// Where its tab stands among those of the centre that are there.
  int tab_of(Placed const& placed) const;
  Placed* placed_as(std::string const& name);
  Placed const* home() const;
  Status bring_up(Placed& placed);
  void place_alone();
  FocusPlace place_for_focus(QWidget* had);
  void focus_what_is_shown();
  void run_command(std::function<void()> const& run);
  void settle_panes();
  void build_actions();
  void build_late_actions();
  void sort_actions();
  void find_in_what_is_shown();
  void add_action(QString name, QString keys, std::function<void()> run);
  void set_handlers();
  template <typename... Ts>
  void carry_out() {
    (on<Ts>([this](Ts const& action) { return run(action); }), ...);
  }
  void add_dialogs();
  Status run(session::Command const& command);
  Status run(journal::ChooseKernel const& action);
  Status run(journal::ShowView const& action);
  Status run(journal::SelectLoop const& action);
  Status run(journal::HoverLoop const& action);
  Status run(journal::SetTheme const& action);
  Status run(journal::ScaleText const& action);
  Status run(journal::Present const& action);
  Status run(journal::MoveView const& action);
  Status run(journal::ResetLayout const& action);
  Status run(journal::ResizeWindow const& action);
  Status run(journal::ArrangePanes const& action);
  Status run(journal::ScrollView const& action);
  Status run(journal::OpenProject const& action);
  Status run(journal::SaveProject const& action);
  Status run(journal::SaveProjectWithModel const& action);
  Status run(journal::ResumeWork const& action);
  Status run(journal::RecoverWork const& action);
  Status run(journal::DiscardRecovery const& action);
  Status run(journal::ShowDialog const& action);
  Status run(journal::CloseDialog const& action);
  /// Turns what the user does to the widgets into actions.
  void watch();
  void watch_tabs(QTabBar* tabs);
  void watch_panes(QSplitter* panes);
  void watch_scrolling();
  void show_action(journal::Action const& action) { ask(action); }
  /// The dialog that is open now; null: none.
  QDialog* open_dialog() const;
  Status show_step_dialog(QString const& primitive);
  Status show_note_dialog(int node);
  Status show_open_dialog();
  struct KeySection {
    QString title;
    std::vector<std::pair<QString, QString>> rows;  ///< keys, and what they do
  };
  std::vector<KeySection> key_sections() const;
  std::vector<PaletteEntry> palette_entries();
  Status show_palette_dialog();
  Status show_keys_dialog();
  void build_presenter_actions();
  /// What saves reports, and what plays journals.
  void build_helpers();
  /// 1: larger, -1: smaller, 0: as it was.
  void step_text_scale(int direction);
  Status show_export_dialog();
  Status show_quantize_dialog(bool dense);
  Status show_save_journal_dialog();
  Status show_open_project_dialog(QString const& folder);
  Status show_save_project_dialog(bool with_model);
  Status show_recovery_dialog();
  void show_missing_model(QString const& project, QString const& sentence);
  void watch_projects();
  ProjectKeeper::Layout layout() const;
  void apply_layout(ProjectKeeper::Layout const& layout, bool all);
  Status show_replay_dialog();
  Status show_kernel_dialog(QString const& name);
  void ask_kernel_file(QString const& text);
  void build_history_actions();
  void place_card();
  void show_refused_loop();
  void arrange();
  PaneNeeds needs_in_front() const;
  void give_room();
  void stand_rails();
  void take_room_back(QWidget* within);
  PaneRail* make_rail(Qt::Orientation orientation, char const* name);
  void connect_start_page();
  void show_model_bar();
  void use_shapes(QString const& shapes);
  void show_notes();
  void note(QString const& sentence);  ///< nothing was wrong; stays until the next command
  void show_status(session::Snapshot const& snapshot);
  void take_schedule_by_rule();
  /// `action`: the kind of action that failed.
  void say(Error const& error, std::type_index action);
  void build_error_card(QWidget* home);
  void forget_trouble(journal::Action const& next);
  void show_errors();
  void place_error();
  void dismiss_error();
  QSize room() const;
  std::map<std::string, std::string> pane_sizes() const;

  session::Session& session_;
  std::vector<SampleCard> samples_;
  QString state_folder_, theme_name_;
  int scale_ = 100;
  Theme theme_;
  session::Snapshot snapshot_;
  std::vector<session::PrimitiveView> primitives_;
  std::vector<UserCommand> actions_;
  std::map<std::type_index, std::function<Status(journal::Action const&)>> handlers_;
  std::map<std::string, std::function<Status(QString const&)>> dialogs_;
  QString section_;  ///< of the actions that are being added
  bool wide_ = true;
  bool size_is_wished_ = false;
  QString draft_;         ///< a new kernel's text that was not taken
  QString status_words_;  ///< whole, where the line cuts them
  /// What was wrong with a command.
  struct Trouble {
    std::string code;
    QString sentence;
    Fault fault = Fault::kBadInput;
    std::type_index action = typeid(void);
  };
  std::optional<Trouble> trouble_;
  QString noted_;  ///< what it did, where that cannot be seen
  Recorder recorder_;
  bool told_of_recorder_ = false;
  ProjectKeeper* keeper_ = nullptr;
  ReportDesk* reports_ = nullptr;
  Playback* playback_ = nullptr;
  int scale_before_ = 0;                              ///< a presenter's; 0: nobody presents
  std::pair<QSize, QSize> grown_;                     ///< the window before that, and with it
  std::map<std::string, std::string> looked_before_;  ///< borders between panes before that
  int depth_ = 0;                                     ///< of actions that are being carried out

  Selection* selection_;
  QStackedWidget* pages_ = nullptr;
  StartPage* start_ = nullptr;
  StartDesk* desk_ = nullptr;  ///< the page's
  TopBar* top_ = nullptr;
  mutable std::vector<Placed> panes_;  ///< by their places, and there by their order
  Placed* alone_ = nullptr;            ///< the page of its own that one shows, as no model is open
  std::map<PanePlace, QTabWidget*> tabs_;
  std::map<std::string, std::string> moved_;  ///< by their names, panes that a user moved: where to
  PaneWindow* second_ = nullptr;
  TabMover* mover_ = nullptr;
  QTabWidget* centre_ = nullptr;
  RefusalCard* card_ = nullptr;
  ErrorCard* error_card_ = nullptr;
  FocusRing* ring_ = nullptr;
  FocusKeeper* focus_ = nullptr;
  ModelBar* model_bar_ = nullptr;
  UpperPanes* upper_ = nullptr;
  QSplitter* lower_ = nullptr;
  FoldingPanes* whole_ = nullptr;  ///< both, one above the other
  /// In the place of what gave its room to what is in front.
  PaneRail *left_rail_ = nullptr, *right_rail_ = nullptr, *below_rail_ = nullptr;
  QWidget* shown_pane_ = nullptr;  ///< that the command which runs has brought to the front
  bool all_asked_ = false;         ///< what gave way was asked for, while this tab is in front
  QLabel* status_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QPushButton* by_rule_ = nullptr;  ///< where only the plain nest cannot run
  QPushButton* cancel_ = nullptr;
};

}  // namespace tw
