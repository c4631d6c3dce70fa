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
#include "widgets/model_bar/model_bar.h"
#include "widgets/paint/paint.h"

namespace tw {

namespace {

constexpr QSize kFirst{1440, 900}, kLeast{960, 620};

/// A screen has a size; one that says nothing is no reason for a window without one.
QSize room_on(QScreen const* screen) {
  QSize room = screen ? screen->availableSize() : QSize();
  return room.width() < 200 || room.height() < 200 ? kFirst : room;
}

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
  QSize room = room_on(screen());
  setMinimumSize(kLeast.boundedTo(room));
  resize(kFirst.boundedTo(room));
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
  QString theme = settings.value("theme", "dark").toString();
  set_theme(Theme::names().contains(theme) ? theme : "dark");
  if (theme_name_ != theme) say("there is no theme '" + theme + "'; this one is dark");
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
  connect(start_, &StartPage::open_asked, this, [this] {
    show_action(journal::ShowDialog{"open", {}});
  });
  connect(start_, &StartPage::sample_asked, this,
          [this](QString const& name) { execute(session::OpenSample{name.toStdString()}); });
  connect(start_, &StartPage::recent_asked, this, &MainWindow::open_path);
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
  auto* row = new QHBoxLayout;
  row->setContentsMargins(16, 8, 16, 4);
  hint_ = new QLabel("Drag a bar to reorder (Shift: fuse), pull its handle to split");
  hint_->setProperty("role", "label");
  row->addWidget(hint_);
  row->addStretch(1);
  // A mark for every primitive that works on loops: dropped on one, or clicked for its dialog. What
  // moves whole blocks and tensors has its dialog in the menu beside them, and its key.
  row->setSpacing(6);
  auto* menu = new QMenu(this);
  for (session::PrimitiveView const& primitive : primitives_) {
    QString name = QString::fromStdString(primitive.name),
            key = QString::fromStdString(primitive.key);
    if (!primitive.target_kinds.empty() || name.size() > 9) {
      menu->addAction(QString::fromStdString(primitive.title) + "\t" + key,
                      [this, name] { ask_step(name); });
      continue;
    }
    auto* chip = new StepChip(name, key, QString::fromStdString(primitive.title));
    connect(chip, &StepChip::clicked, this, [this](QString const& asked) { ask_step(asked); });
    chips_.push_back(chip);
    row->addWidget(chip);
  }
  auto* more = new QPushButton("More steps");
  more->setObjectName("moreSteps");
  more->setMenu(menu);
  row->addWidget(more);
  column->addLayout(row);
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
  left_->setMinimumWidth(276);

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
  // Two tracks of a history fit, in a small window too; a larger one gives more to loops.
  whole->setStretchFactor(0, 1);
  whole->setStretchFactor(1, 0);
  whole->setSizes({500, 290});
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

void MainWindow::set_theme(QString const& name) {
  theme_name_ = name;
  theme_ = Theme::load(name);
  QToolTip::setFont(ui_font(12));
  qApp->setStyleSheet(theme_.style_sheet());
  QPalette palette;
  palette.setColor(QPalette::Window, theme_.panel);
  palette.setColor(QPalette::Base, theme_.inset);
  palette.setColor(QPalette::Text, theme_.text1);
  palette.setColor(QPalette::WindowText, theme_.text1);
  palette.setColor(QPalette::PlaceholderText, theme_.text3);
  qApp->setPalette(palette);
  top_->set_theme(theme_);
  start_->set_theme(theme_);
  kernels_->set_theme(theme_);
  ladder_->set_theme(theme_);
  graph_->set_theme(theme_);
  code_->set_theme(theme_);
  roofline_->set_theme(theme_);
  history_->set_theme(theme_);
  compare_->set_theme(theme_);
  replay_->set_theme(theme_);
  devices_->set_theme(theme_);
  card_->set_theme(theme_);
  ring_->set_theme(theme_);
  for (StepChip* chip : chips_) chip->set_theme(theme_);
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
      ladder_scroll_->verticalScrollBar()->setValue(std::max(0, int(bar.top()) - 100));
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
  keeper_->touch();
}

void MainWindow::apply_line(QString const& line) {
  execute(session::ApplyStep{line.toStdString()});
}

void MainWindow::place_card() {
  QWidget* home = card_->parentWidget();
  bool words_only = card_->shown() && !card_->shown()->conflict && card_->shown()->repairs.empty();
  int tall = std::min(words_only ? 150 : 264, home->height() - 40);
  card_->setGeometry(24, home->height() - tall - 20, home->width() - 48, tall);
}

/// The card covers the lower part: the loop that it speaks of moves above it.
void MainWindow::show_refused_loop() {
  QTimer::singleShot(0, this, [this] {
    if (!snapshot_.refusal || snapshot_.refusal->culprits.empty()) return;
    QRectF bar = ladder_->handle_of(snapshot_.refusal->culprits.front());
    QWidget* view = ladder_scroll_->viewport();
    int edge = view->mapFromGlobal(card_->mapToGlobal(QPoint(0, 0))).y();
    int room = std::min(view->height(), edge);
    QScrollBar* scroll = ladder_scroll_->verticalScrollBar();
    int y = int(bar.center().y()) - scroll->value();
    if (!bar.isEmpty() && (y < 24 || y > room - 40))
      scroll->setValue(scroll->value() + y - room / 2);
  });
}

/// Narrow windows have the code as a tab beside the loops.
void MainWindow::arrange() {
  bool wide = width() >= 1360;
  if (wide == wide_) return;
  wide_ = wide;
  Quiet quiet(depth_);
  if (!wide) {
    centre_->insertTab(2, code_, "Code");  // the tabs show it when it is chosen
    return;
  }
  upper_->addWidget(code_);
  upper_->setSizes({276, (width() - 276) * 11 / 20, (width() - 276) * 9 / 20});
  code_->show();
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
  // The gestures are in the key sheet, too: narrow panes have the room for the steps.
  hint_->setVisible(width() >= 1700 || !wide_);
  place_card();
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
