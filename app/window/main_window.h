// SPDX-License-Identifier: GPL-3.0-or-later
/// The window: commands to the session, snapshots to the views.
#pragma once

#include <QMainWindow>
#include <memory>

#include "app/window/code_panel.h"
#include "app/window/top_bar.h"
#include "engine/session/session.h"
#include "widgets/graph/graph_view.h"
#include "widgets/history/history_view.h"
#include "widgets/kernels/kernel_list.h"
#include "widgets/ladder/ladder_view.h"
#include "widgets/refusal/refusal_card.h"
#include "widgets/roofline/roofline_view.h"
#include "widgets/start/start_page.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace tw {

class MainWindow : public QMainWindow {
  Q_OBJECT
public:
  MainWindow(session::Session& session, std::vector<SampleCard> samples, QString state_folder);
  ~MainWindow() override;

  void set_theme(QString const& name);
  QString theme_name() const { return theme_name_; }
  void execute(session::Command const& command);
  void apply_line(QString const& line);
  void ask_step(QString const& primitive);
  void show_palette();
  void show_keys();
  void save_session();
  bool restore_session();
  CodePanel& code_panel() { return *code_; }
  void show_centre(int tab);
  /// Takes the newest snapshot now (tests); otherwise it arrives by itself.
  void refresh();

protected:
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dropEvent(QDropEvent*) override;
  void closeEvent(QCloseEvent*) override;

private:
  struct Action {
    QString name, keys;
    std::function<void()> run;
  };
  void build();
  QWidget* build_workbench(Selection& selection);
  QWidget* build_ladder(Selection& selection);
  void build_actions();
  void add_action(QString name, QString keys, std::function<void()> run);
  void open_dialog();
  void place_card();
  void ask_note(int node);
  void show_refused_loop();
  void arrange();
  void remember_recent(QString const& path);
  void show_status(session::Snapshot const& snapshot);
  void say(QString const& sentence);
  void show_current_station();

  session::Session& session_;
  std::vector<SampleCard> samples_;
  QString state_folder_, theme_name_;
  Theme theme_;
  session::Snapshot snapshot_;
  std::vector<session::PrimitiveView> primitives_;
  std::vector<Action> actions_;
  bool wide_ = true;
  int shown_kernel_ = -1;
  QString said_;  ///< about the last command

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
  QScrollArea* ladder_scroll_ = nullptr;
  QScrollArea* history_scroll_ = nullptr;
  RefusalCard* card_ = nullptr;
  QSplitter* upper_ = nullptr;
  QLabel* status_ = nullptr;
  QLabel* hint_ = nullptr;
  QLabel* summary_ = nullptr;
  QLabel* why_ = nullptr;
  QProgressBar* progress_ = nullptr;
  QPushButton* cancel_ = nullptr;
  std::vector<StepChip*> chips_;
};

}  // namespace tw
