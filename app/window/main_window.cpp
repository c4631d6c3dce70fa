// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/window/device_board.h"
#include "app/window/follow_selection.h"

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QFile>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTimer>
#include <QToolTip>
#include <QVBoxLayout>

#include "widgets/accessible/parts.h"
#include "widgets/export_dialog/export_dialog.h"
#include "widgets/focus/focus_ring.h"
#include "widgets/ladder/step_row.h"
#include "widgets/model_bar/model_bar.h"
#include "widgets/paint/paint.h"

namespace tw {

namespace {

constexpr QSize kFirst{1440, 900};

}  // namespace

MainWindow::MainWindow(session::Session& session, std::vector<SampleCard> samples,
                       QString state_folder)
    : session_(session),
      samples_(std::move(samples)),
      state_folder_(std::move(state_folder)),
      primitives_(session.primitives()),
      recorder_(state_folder_.toStdString() + "/journals"),
      selection_(new Selection(this)) {
  install_accessible_parts();
  setWindowTitle("Tilewright");
  setAcceptDrops(true);
  resize(kFirst.boundedTo(room()));
  build();
  build_actions();
  add_menus();
  keeper_ = new ProjectKeeper(
      session_, state_folder_, [this] { return layout(); }, this);
  watch();
  watch_projects();
  watch_devices();
  centre_->removeTab(centre_->indexOf(compare_));  // until two states are compared
  QSettings settings(state_folder_ + "/settings.ini", QSettings::IniFormat);
  scale_ = std::clamp(settings.value("scale", 100).toInt(), kLeastScale, kMostScale);
  QString theme = settings.value("theme", "dark").toString();
  set_theme(Theme::names().contains(theme) ? theme : "dark");
  if (theme_name_ != theme) say("There is no theme '" + theme + "'; this one is dark");
  start_->show_recent(settings.value("recent").toStringList());
  // Snapshots come from the session's threads: only the newest is looked at, on this one.
  session_.set_listener(
      [this] { QMetaObject::invokeMethod(this, &MainWindow::refresh, Qt::QueuedConnection); });
  refresh();
}

bool MainWindow::busy() const {
  return graph_->busy() || keeper_->busy() || (board_ && board_->busy());
}

MainWindow::~MainWindow() {
  session_.set_listener({});
  delete board_;   // its threads look at devices
  delete keeper_;  // its thread looks at the session
}

void MainWindow::build() {
  auto* root = new QWidget;
  auto* column = new QVBoxLayout(root);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  top_ = new TopBar;
  progress_ = new QProgressBar;
  progress_->setTextVisible(false);
  progress_->setFixedHeight(3);
  pages_ = new QStackedWidget;
  start_ = new StartPage(samples_);
  pages_->addWidget(start_);
  pages_->addWidget(build_workbench(*selection_));
  auto* bar = new QWidget;
  bar->setObjectName("statusBar");
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 3, 12, 3);
  status_ = new QLabel;
  status_->setObjectName("status");
  status_->setProperty("role", "label");
  cancel_ = new QPushButton("Cancel");
  cancel_->setObjectName("cancel");
  cancel_->setProperty("quiet", true);
  auto* keys = new QLabel("? keys    Ctrl+Shift+P commands");
  keys->setProperty("role", "label");
  row->addWidget(status_, 1);
  row->addWidget(cancel_);
  row->addWidget(keys);
  column->addWidget(top_);
  column->addWidget(progress_);
  column->addWidget(pages_, 1);
  column->addWidget(bar);
  setCentralWidget(root);
  ring_ = new FocusRing(root);
  build_error_card(root);
  connect(start_, &StartPage::open_asked, this, [this] {
    show_action(journal::ShowDialog{"open", {}});
  });
  connect(start_, &StartPage::sample_asked, this,
          [this](QString const& name) { execute(session::OpenSample{name.toStdString()}); });
  connect(start_, &StartPage::recent_asked, this, &MainWindow::open_path);
  connect(start_, &StartPage::forget_asked, this, &MainWindow::forget_recent);
  connect(cancel_, &QPushButton::clicked, this, [this] { execute(session::CancelJob{}); });
  connect(top_, &TopBar::devices_asked, this,
          [this] { show_action(journal::ShowView{"devices"}); });
  connect(top_, &TopBar::home_asked, this, [this] { execute(session::CloseModel{}); });
}

QWidget* MainWindow::build_ladder(Selection& selection) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  // What moves whole blocks and tensors has its dialog in the menu beside the chips, and its key.
  auto* row = new StepRow(primitives_);
  connect(row, &StepRow::step_asked, this, &MainWindow::ask_step);
  chips_ = row->chips();
  column->addWidget(row);
  ladder_ =
      new LadderView(selection, [this](std::string const& line) { return session_.why_not(line); });
  auto* scroll = ladder_scroll_ = new QScrollArea;
  scroll->setWidget(ladder_);
  scroll->setWidgetResizable(true);
  scroll->setObjectName("ladderScroll");
  scroll->setFocusPolicy(Qt::NoFocus);
  column->addWidget(scroll, 1);
  connect(ladder_, &LadderView::step_asked, this, &MainWindow::apply_line);
  return page;
}

QWidget* MainWindow::build_workbench(Selection& selection) {
  kernels_ = new KernelList;
  auto* kernel_scroll = new QScrollArea;
  kernel_scroll->setWidget(kernels_);
  kernel_scroll->setWidgetResizable(true);
  kernel_scroll->setFocusPolicy(Qt::NoFocus);  // what it shows has the focus
  kernel_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  why_ = new QLabel;
  why_->setObjectName("why");
  why_->setWordWrap(true);
  why_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  why_->setMargin(16);
  why_->setTextFormat(Qt::PlainText);
  why_->setText(
      "Click a border between two kernels in Graph: why they were not fused. Click an operator: "
      "why it joined.");
  left_ = new QTabWidget;
  left_->setObjectName("left");
  auto* kernel_page = new QWidget;
  auto* kernel_column = new QVBoxLayout(kernel_page);
  kernel_column->setContentsMargins(0, 0, 0, 0);
  kernel_column->setSpacing(0);
  kernel_column->addWidget(kernel_scroll, 1);
  summary_ = new QLabel;
  summary_->setMargin(12);
  summary_->setWordWrap(true);
  summary_->setProperty("role", "secondary");
  kernel_column->addWidget(summary_);
  left_->addTab(kernel_page, "Kernels");
  left_->addTab(why_, "Why");

  centre_ = new QTabWidget;
  centre_->setObjectName("centre");
  centre_->addTab(build_ladder(selection), "Loops");
  graph_ = new GraphView;
  centre_->addTab(graph_, "Graph");
  devices_ = new DevicesView;
  centre_->addTab(devices_, "Devices");
  compare_ = new CompareView(session_);
  centre_->addTab(compare_, "Compare");  // shown while two states are compared
  code_ = new CodePanel(session_, selection);
  upper_ = new QSplitter(Qt::Horizontal);
  upper_->setObjectName("upper");
  upper_->addWidget(left_);
  upper_->addWidget(centre_);
  upper_->addWidget(code_);
  upper_->setStretchFactor(0, 0);
  upper_->setStretchFactor(1, 5);
  upper_->setStretchFactor(2, 4);
  upper_->setHandleWidth(1);
  upper_->setSizes({272, 640, 520});

  roofline_ = new RooflineView;
  history_panel_ = new HistoryPanel;
  history_ = &history_panel_->view();
  replay_ = new ReplayView;
  auto* replay_scroll = new QScrollArea;
  replay_scroll->setWidget(replay_);
  replay_scroll->setWidgetResizable(true);
  replay_scroll->setFocusPolicy(Qt::NoFocus);  // what it shows has the focus
  replay_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* roofline_tab = new QTabWidget;
  roofline_tab->addTab(roofline_, "Roofline");
  auto* history_tab = new QTabWidget;
  history_tab->addTab(history_panel_, "History");
  history_tab->addTab(replay_scroll, "Replay");
  auto* lower = new QSplitter(Qt::Horizontal);
  lower->setObjectName("lower");
  lower->addWidget(roofline_tab);
  lower->addWidget(history_tab);
  lower->setHandleWidth(1);
  lower->setSizes({560, 560});
  auto* whole = new QSplitter(Qt::Vertical);
  whole->setObjectName("whole");
  whole->addWidget(upper_);
  whole->addWidget(lower);
  // Two tracks of a history fit, in a small window too; of a larger one loops get two thirds.
  whole->setStretchFactor(0, 2);
  whole->setStretchFactor(1, 1);
  whole->setSizes({500, 335});
  whole->setHandleWidth(1);
  // The card floats: a splitter would make a pane of it.
  auto* floor = new QWidget;
  auto* fill = new QVBoxLayout(floor);
  fill->setContentsMargins(0, 0, 0, 0);
  fill->setSpacing(0);
  model_bar_ = new ModelBar;
  fill->addWidget(model_bar_);
  fill->addWidget(whole, 1);
  connect(model_bar_, &ModelBar::shapes_chosen, this, &MainWindow::use_shapes);
  connect(model_bar_, &ModelBar::notes_asked, this, &MainWindow::show_notes);
  card_ = new RefusalCard(floor);
  connect(kernels_, &KernelList::kernel_chosen, this,
          [this](int row) { execute(session::SelectKernel{row}); });
  connect(kernels_, &KernelList::kernel_entered, this,
          [this] { ladder_->setFocus(Qt::OtherFocusReason); });
  connect(graph_, &GraphView::kernel_chosen, this,
          [this](int row) { execute(session::SelectKernel{row}); });
  watch_history();
  connect(roofline_, &RooflineView::point_chosen, this,
          [this](int node) { execute(session::JumpTo{node}); });
  connect(card_, &RefusalCard::repair_chosen, this, &MainWindow::apply_line);
  connect(card_, &RefusalCard::dismissed, this, [this] { execute(session::DismissRefusal{}); });
  return floor;
}

void MainWindow::refresh() {
  Quiet quiet(depth_);
  session::Snapshot next = session_.snapshot();
  bool new_model = next.model != snapshot_.model && next.model;
  if (next.nest != snapshot_.nest || next.kernel != snapshot_.kernel)
    selection_->select(followed_loop(snapshot_, next, selection_->loop()));
  snapshot_ = next;
  if (new_model) shown_kernel_ = -1;
  if (new_model && !next.model->path.empty())
    remember_recent(QString::fromStdString(next.model->path));
  place_devices();
  tell_devices();
  top_->show_snapshot(next);
  show_model_bar();
  for (auto* dialog : findChildren<ExportDialog*>()) dialog->take(next);
  start_->show_machine(next.machine);
  kernels_->show_kernels(next.kernels, next.kernel);
  ladder_->show_nest(next.nest, next.machine ? next.machine->cache_bytes : std::vector<int64_t>());
  if (next.kernel != shown_kernel_ && next.nest) {
    // The stage that matters comes into view when another kernel is chosen.
    shown_kernel_ = next.kernel;
    if (!kernels_->hasFocus()) ladder_->setFocus(Qt::OtherFocusReason);
    QRectF bar = ladder_->handle_of(selection_->loop());
    QTimer::singleShot(0, this, [this, bar] {
      int top = ladder_->pixels(bar).top() - theme_.px(100);
      ladder_scroll_->verticalScrollBar()->setValue(std::max(0, top));
    });
  }
  ladder_->set_refused(next.refusal ? next.refusal->culprits : std::vector<int>());
  graph_->show_graph(next.graph, next.kernels, next.kernel);
  code_->refresh(next);
  roofline_->show_roofline(next.roofline);
  refresh_history(next);
  show_current_station();
  if (card_->shown() != next.refusal.get()) {
    card_->show_refusal(next.refusal);
    if (next.refusal) show_refused_loop();
  }
  place_card();
  show_status(next);
  show_errors();
  keeper_->touch();
}

void MainWindow::apply_line(QString const& line) {
  execute(session::ApplyStep{line.toStdString()});
}

/// After the layout has settled: a resize or a new step may have moved it out of the pane.
void MainWindow::show_current_station() {
  QTimer::singleShot(0, this, [this] {
    if (!snapshot_.history) return;
    emit history_->moved_to(history_->station(snapshot_.history->current));
  });
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  arrange();
  place_card();
  place_error();
  show_refused_loop();
  show_current_station();
  if (isVisible()) user_did(journal::ResizeWindow{width(), height()});
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (QUrl const& url : event->mimeData()->urls())
    if (url.isLocalFile()) return open_path(url.toLocalFile());
}

}  // namespace tw
