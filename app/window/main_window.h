// SPDX-License-Identifier: GPL-3.0-or-later
/// The window: commands to the session, snapshots to the views.
#pragma once

#include <QMainWindow>
#include <memory>

#include "app/shared/journal/journal.h"
#include "app/window/code_panel.h"
#include "app/window/project_keeper.h"
#include "app/window/recorder.h"
#include "app/window/top_bar.h"
#include "engine/session/session.h"
#include "widgets/compare/compare_view.h"
#include "widgets/devices/devices_view.h"
#include "widgets/graph/graph_view.h"
#include "widgets/history/history_panel.h"
#include "widgets/kernels/kernel_list.h"
#include "widgets/ladder/ladder_view.h"
#include "widgets/refusal/refusal_card.h"
#include "widgets/replay/replay_view.h"
#include "widgets/roofline/roofline_view.h"
#include "widgets/start/start_page.h"

class QDialog;
class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QTabWidget;

namespace tw {

class DeviceBoard;
class ErrorCard;
class FocusRing;
class ModelBar;
struct PaletteEntry;
class DeviceLogs;

class MainWindow : public QMainWindow {
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
  Status perform(journal::Action const& action);
  void execute(session::Command const& command);
  void apply_line(QString const& line);
  void ask_step(QString const& primitive);
  void show_palette();
  void show_keys();
  void save_session();
  bool restore_session();
  /// Where the list of devices and their roofs are, what happens on them (may be null), and the
  /// program that runs kernels here (empty: beside this one). Without this nothing is known of
  /// devices.
  void set_device_files(std::string devices_file, std::string cache_folder,
                        std::shared_ptr<DeviceLogs> logs = nullptr, std::string local_program = {});
  CodePanel& code_panel() { return *code_; }
  void show_centre(int tab);
  /// Takes the newest snapshot now (tests); otherwise it arrives by itself.
  void refresh();
  Recorder& recorder() { return recorder_; }
  /// The names of the palette's commands that can be done now and leave a line in the journal, and
  /// one of all carried out.
  QStringList action_names() const;
  void run_action(QString const& name);
  /// A value that a journal may expect (journal::facts); nothing when it is not known now.
  std::optional<std::variant<double, std::string>> fact(std::string const& name) const;
  /// Whether a view is still at work by itself, as the layout of a graph.
  bool busy() const;
  /// A model, a tensor expression or a project, by its ending.
  void open_path(QString const& path);
  /// Offers the work of a window that ended without closing, if there is some.
  void offer_recovery();
  /// The size that was asked for: that of a session or project does not take its place.
  void keep_size() { size_is_wished_ = true; }
  /// What was wrong with the last command; empty: nothing.
  QString said() const { return trouble_ ? trouble_->sentence : QString(); }

protected:
  void keyPressEvent(QKeyEvent*) override;
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
  struct Action {
    QString name, keys;
    QString section;  ///< of the key sheet
    QString also;     ///< another name that finds it: a primitive's in a script
    std::function<void()> run;
    std::function<bool()> possible = {};  ///< now; null: always
    bool copies = false;  ///< to the clipboard, and nothing else: no journal knows it
  };
  void build();
  QWidget* build_workbench(Selection& selection);
  QWidget* build_ladder(Selection& selection);
  void build_actions();
  void add_action(QString name, QString keys, std::function<void()> run);
  void add_possible(QString name, std::function<void()> run, std::function<bool()> possible);
  void add_copy(QString name, std::function<QString()> text);
  void build_menu_actions();
  Status run(session::Command const& command);
  Status run(journal::ChooseKernel const& action);
  Status run(journal::ShowView const& action);
  Status run(journal::ShowPass const& action);
  Status run(journal::MarkChanges const& action);
  Status run(journal::ChooseGraph const& action);
  Status run(journal::LookAtGraph const& action);
  Status run(journal::FitGraph const& action);
  Status run(journal::ExplainFusion const& action);
  Status run(journal::SelectLoop const& action);
  Status run(journal::HoverLoop const& action);
  Status run(journal::SetTheme const& action);
  Status run(journal::ScaleText const& action);
  Status run(journal::ResizeWindow const& action);
  Status run(journal::ArrangePanes const& action);
  Status run(journal::ScrollView const& action);
  Status run(journal::FindInGraph const& action);
  Status run(journal::StepMatch const& action);
  Status run(journal::OpenProject const& action);
  Status run(journal::SaveProject const& action);
  Status run(journal::SaveProjectWithModel const& action);
  Status run(journal::RecoverWork const& action);
  Status run(journal::DiscardRecovery const& action);
  Status run(journal::ShowDialog const& action);
  Status run(journal::CloseDialog const& action);
  Status run(journal::CompareStates const& action);
  Status run(journal::StopComparing const& action);
  Status run(journal::ShowComparison const& action);
  Status run(journal::FindStep const& action);
  Status run(journal::FoldHistory const& action);
  Status run(journal::CompareDevices const& action);
  Status run(journal::MarkStep const& action);
  Status run(journal::UnfoldSteps const& action);
  Status run(journal::PickStep const& action);
  Status run(journal::SelectDevice const& action);
  Status run(journal::AddDevice const& action);
  Status run(journal::RemoveDevice const& action);
  Status run(journal::CheckDevices const& action);
  /// Turns what the user does to the widgets into actions.
  void watch();
  void watch_tabs(QTabBar* tabs);
  void watch_panes(QSplitter* panes);
  void watch_scrolling();
  void watch_history();
  void user_did(journal::Action const& action);
  void show_action(journal::Action const& action) { (void)perform(action); }
  int loop_called(std::string const& reference) const;
  std::string name_of_loop(int loop) const;
  /// The dialog that is open now; null: none.
  QDialog* open_dialog() const;
  void open(QDialog* dialog);
  Status show_step_dialog(QString const& primitive);
  Status show_note_dialog(int node);
  Status show_open_dialog();
  struct KeySection {
    QString title;
    std::vector<std::pair<QString, QString>> rows;  ///< keys, and what they do
  };
  std::vector<KeySection> key_sections() const;
  std::vector<PaletteEntry> palette_entries();
  void show_tensor(session::GraphEdgeView const& edge);
  Status show_palette_dialog();
  Status show_keys_dialog();
  /// 1: larger, -1: smaller, 0: as it was.
  void step_text_scale(int direction);
  Status show_export_dialog();
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
  void compare_marked();
  bool knows_step(int step) const;
  void refresh_history(session::Snapshot const& next);
  void build_history_actions();
  void watch_devices();
  void tell_devices();
  Status show_devices();
  void place_devices();
  Status show_add_device_dialog();
  std::optional<std::variant<double, std::string>> fact_of_devices(std::string const& name) const;
  void place_card();
  void show_refused_loop();
  void arrange();
  void remember_recent(QString const& path);
  void forget_recent(QString const& path);
  void show_model_bar();
  void use_shapes(QString const& shapes);
  void show_notes();
  void show_loop_menu(QPoint at);
  void show_menu(QStringList const& names, QPoint at);
  void add_menu(QWidget* view, QStringList const& names);
  void add_menus();
  void copy(QString const& text);
  void swap_comparison();
  void note(QString const& sentence);  ///< nothing was wrong; stays until the next command
  void show_status(session::Snapshot const& snapshot);
  void say(QString const& sentence);
  /// `action`: the kind of action that failed, as its place in journal::Action.
  void say(Error const& error, size_t action);
  void build_error_card(QWidget* home);
  void forget_trouble(journal::Action const& next);
  void show_errors();
  void place_error();
  void dismiss_error();
  QSize room() const;
  void show_current_station();

  session::Session& session_;
  std::vector<SampleCard> samples_;
  QString state_folder_, theme_name_;
  int scale_ = 100;
  Theme theme_;
  session::Snapshot snapshot_;
  std::vector<session::PrimitiveView> primitives_;
  std::vector<Action> actions_;
  QString section_;  ///< of the actions that are being added
  bool wide_ = true;
  bool size_is_wished_ = false;
  int shown_kernel_ = -1;
  int compared_kernel_ = -1;
  QString draft_;         ///< a new kernel's text that was not taken
  QString status_words_;  ///< whole, where the line cuts them
  /// What was wrong with a command.
  struct Trouble {
    std::string code;
    QString sentence;
    Fault fault = Fault::kBadInput;
    size_t action = std::variant_npos;
  };
  std::optional<Trouble> trouble_;
  QString noted_;  ///< what it did, where that cannot be seen
  Recorder recorder_;
  bool told_of_recorder_ = false;
  ProjectKeeper* keeper_ = nullptr;
  int depth_ = 0;  ///< of actions that are being carried out

  Selection* selection_;
  QStackedWidget* pages_ = nullptr;
  StartPage* start_ = nullptr;
  TopBar* top_ = nullptr;
  KernelList* kernels_ = nullptr;
  QTabWidget* left_ = nullptr;
  QTabWidget* centre_ = nullptr;
  LadderView* ladder_ = nullptr;
  GraphView* graph_ = nullptr;
  CodePanel* code_ = nullptr;
  RooflineView* roofline_ = nullptr;
  HistoryView* history_ = nullptr;
  HistoryPanel* history_panel_ = nullptr;
  CompareView* compare_ = nullptr;
  ReplayView* replay_ = nullptr;
  DevicesView* devices_ = nullptr;
  DeviceBoard* board_ = nullptr;  ///< null: nothing is known of devices
  bool devices_alone_ = false;    ///< they are a page of their own, as no model is open
  QScrollArea* ladder_scroll_ = nullptr;
  RefusalCard* card_ = nullptr;
  ErrorCard* error_card_ = nullptr;
  FocusRing* ring_ = nullptr;
  ModelBar* model_bar_ = nullptr;
  QSplitter* upper_ = nullptr;
  QLabel* status_ = nullptr;
  QLabel* summary_ = nullptr;
  QLabel* why_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QPushButton* cancel_ = nullptr;
  std::vector<StepChip*> chips_;
};

}  // namespace tw
