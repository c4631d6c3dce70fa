// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/shared/journal/resume.h"
#include "app/window/focus_keeper.h"
#include "app/window/playback.h"
#include "app/window/report_desk.h"
#include "app/window/start_desk.h"
#include "engine/session/facts/followed_loop.h"
#include "engine/support/base/quantities.h"
#include "widgets/accessible/parts.h"
#include "widgets/export_dialog/export_dialog.h"
#include "widgets/focus/focus_ring.h"
#include "widgets/model_bar/model_bar.h"
#include "widgets/paint/paint.h"
#include "widgets/start/start_page.h"

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
  build_actions();
  set_handlers();
  add_dialogs();
  build();
  build_helpers();
  build_late_actions();
  keeper_ = new ProjectKeeper(
      session_, state_folder_, [this] { return layout(); }, this);
  watch();
  watch_projects();
  for (Placed const& placed : panes_)
    if (placed.row->when_asked) hide_tab(*placed.pane);
  build_moving();
  QSettings settings(settings_file(), QSettings::IniFormat);
  scale_ = std::clamp(settings.value("scale", 100).toInt(), kLeastScale, kMostScale);
  QString theme = settings.value("theme", "dark").toString();
  set_theme(Theme::names().contains(theme) ? theme : "dark");
  if (theme_name_ != theme) say("There is no theme '" + theme + "'; this one is dark");
  // Snapshots come from the session's threads: only the newest is looked at, on this one.
  session_.set_listener(
      [this] { QMetaObject::invokeMethod(this, &MainWindow::refresh, Qt::QueuedConnection); });
  refresh();
}

bool MainWindow::busy() const {
  return keeper_->busy() || desk_->busy() || reports_->busy() ||
         std::ranges::any_of(panes_, [](Placed const& placed) {
           return !placed.waits && placed.pane->busy();  // what nobody sees is waited for by nobody
         });
}

MainWindow::~MainWindow() {
  session_.set_listener({});
  panes_.clear();  // their threads look at the session and at devices
  delete keeper_;  // its thread looks at the session
  delete desk_;    // it tells the page, which the window deletes
  delete playback_;
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
  desk_ = new StartDesk(*start_, samples_, state_folder_);
  pages_->addWidget(start_);
  pages_->addWidget(build_workbench());
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
  by_rule_ = new QPushButton("Use the default schedule");
  by_rule_->setObjectName("takeScheduleByRule");
  by_rule_->setToolTip("The unscheduled nest cannot be measured here; the default schedule can");
  by_rule_->hide();
  auto* keys = new QLabel("? keys    Ctrl+Shift+P commands");
  keys->setProperty("role", "label");
  row->addWidget(status_, 1);
  row->addWidget(by_rule_);
  row->addWidget(cancel_);
  row->addWidget(keys);
  for (QWidget* comes_and_goes :
       {static_cast<QWidget*>(progress_), static_cast<QWidget*>(cancel_)}) {
    QSizePolicy policy = comes_and_goes->sizePolicy();
    policy.setRetainSizeWhenHidden(true);  // nothing moves when a measurement starts
    comes_and_goes->setSizePolicy(policy);
  }
  column->addWidget(top_);
  column->addWidget(progress_);
  column->addWidget(pages_, 1);
  column->addWidget(bar);
  setCentralWidget(root);
  ring_ = new FocusRing(root);
  focus_ = new FocusKeeper(*this, [this](QWidget* had) { return place_for_focus(had); });
  build_error_card(root);
  connect_start_page();
  connect(cancel_, &QPushButton::clicked, this, [this] { execute(session::CancelJob{}); });
  connect(by_rule_, &QPushButton::clicked, this, &MainWindow::take_schedule_by_rule);
  connect(top_, &TopBar::palette_asked, this, &MainWindow::show_palette);
  connect(top_, &TopBar::keys_asked, this, &MainWindow::show_keys);
  connect(top_, &TopBar::export_asked, this, [this] { run_action("Export the model"); });
  connect(top_, &TopBar::tune_asked, this, [this] { run_action("Tune the kernel"); });
  connect(top_, &TopBar::theme_asked, this, [this] { run_action("Switch theme"); });
  connect(top_, &TopBar::home_asked, this, [this] { execute(session::CloseModel{}); });
}

Status MainWindow::play_journal(QString const& file, double speed) {
  playback_->set_speed(speed);
  return playback_->open(file);
}

void MainWindow::build_helpers() {
  reports_ = new ReportDesk(*this, this);
  connect(reports_, &ReportDesk::saved, this, &MainWindow::note);
  connect(reports_, &ReportDesk::failed, this, qOverload<QString const&>(&MainWindow::say));
  auto* bar = new PlaybackBar;
  auto* column = static_cast<QVBoxLayout*>(centralWidget()->layout());
  column->insertWidget(column->count() - 1, bar);  // above the status line
  playback_ = new Playback(*this, session_, *bar);
}

void MainWindow::connect_start_page() {
  connect(start_, &StartPage::open_asked, this, [this] {
    show_action(journal::ShowDialog{"open", {}});
  });
  connect(start_, &StartPage::sample_asked, this, &MainWindow::open_path);
  connect(start_, &StartPage::recent_asked, this,
          [this](QString const& path) { show_action(journal::ResumeWork{path.toStdString()}); });
  connect(start_, &StartPage::forget_asked, desk_, &StartDesk::forget);
  connect(start_, &StartPage::devices_asked, this,
          [this] { show_action(journal::ShowView{"devices"}); });
}

void MainWindow::use_start_facts(std::shared_ptr<session::StartFacts const> facts) {
  desk_->use_facts(std::move(facts));
}

static bool is_loop_of(session::Snapshot const& now, int loop) {
  return now.nest &&
         std::ranges::find(now.nest->bars, loop, &session::LoopBar::id) != now.nest->bars.end();
}

/// Nothing but how far a job is.
static bool is_progress_alone(session::Snapshot const& next, session::Snapshot const& before) {
  return next.version == before.version && next.job && before.job &&
         next.job->kind == before.job->kind && next.job->what == before.job->what;
}

/// "3 of 6 kernels run on local:vta:pynq, the others here; 4 copies between them in each run ..."
static QString cut_words(session::Snapshot const& now) {
  QStringList devices;
  int there = 0, all = 0;
  for (session::KernelRow const& row : now.kernels->rows) {
    all += row.count;
    if (row.helper.empty()) continue;
    there += row.count;
    if (QString name = QString::fromStdString(row.helper); !devices.contains(name)) devices << name;
  }
  return QString(
             "%1 of %2 kernels run on %3, the others here; %4 %5 between them in each run, %6. "
             "Graph shows which, and lets the cuts be moved.")
      .arg(there)
      .arg(all)
      .arg(devices.join(", "))
      .arg(now.cut->copies)
      .arg(now.cut->copies == 1 ? "copy" : "copies")
      .arg(QString::fromStdString(bytes_text(double(now.cut->copied_bytes))));
}

void MainWindow::refresh() {
  Quiet quiet(depth_);
  session::Snapshot next = session_.snapshot();
  if (is_progress_alone(next, snapshot_)) {  // no view has anything new
    snapshot_.job = next.job;
    for (auto* dialog : findChildren<ExportDialog*>()) dialog->take(next);
    return show_status(next);
  }
  bool new_model = next.model != snapshot_.model && next.model;
  bool quantized = next.quantized && next.quantized != snapshot_.quantized;
  bool offloaded = new_model && next.cut && !snapshot_.cut;
  bool exported = next.exported && next.exported != snapshot_.exported &&
                  findChildren<ExportDialog*>().isEmpty();  // which says it itself
  if (next.nest != snapshot_.nest || next.kernel != snapshot_.kernel) {
    selection_->select(session::followed_loop(snapshot_, next, selection_->loop()));
    if (!is_loop_of(next, selection_->hovered())) selection_->hover(-1);  // the step took it away
  }
  snapshot_ = next;
  if (new_model && !next.model->path.empty())
    desk_->remember(QString::fromStdString(next.model->path));
  place_alone();
  // A tensor expression is its kernel: a graph that is not there shall not take all the room.
  bool has_graph = next.graph && !next.graph->nodes.empty();
  bool at_graph = needs_in_front() == PaneNeeds::kWidthAndHeight;
  if (new_model && !has_graph && at_graph && home()) centre_->setCurrentWidget(home()->widget);
  top_->show_snapshot(next);
  show_model_bar();
  for (auto* dialog : findChildren<ExportDialog*>()) dialog->take(next);
  desk_->take(next);
  for (Placed& placed : panes_) {
    placed.waits = !placed.pane->hears_hidden() && !placed.widget->isVisible();
    if (!placed.waits) tell(placed);
  }
  settle_panes();
  if (card_->shown() != next.refusal.get()) {
    card_->show_refusal(next.refusal, next.nest);
    if (next.refusal) show_refused_loop();
  }
  if (next.refusal)
    card_->look_ahead([this](std::string const& line) { return session_.outlook(line); });
  place_card();
  show_status(next);
  show_errors();
  if (quantized) explain(QString::fromStdString(next.quantized->summary));
  if (offloaded) explain(cut_words(next));
  if (exported) explain(QString::fromStdString(next.exported->summary));
  keeper_->look();
  keeper_->touch();
}

void MainWindow::tell(Placed& placed) const {
  placed.waits = false;
  ++placed.told;
  placed.pane->show(snapshot_);
}

void MainWindow::tell_those_that_wait() {
  Quiet quiet(depth_);
  for (Placed& placed : panes_)
    if (placed.waits) tell(placed);
}

std::pair<int, int> MainWindow::work_of_pane(std::string const& name) const {
  for (Placed const& placed : panes_)
    if (placed.row->name == name) return {placed.told, placed.pane->asked()};
  return {};
}

bool MainWindow::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Show)
    for (Placed& placed : panes_)
      if (placed.widget == object && placed.waits) {
        Quiet quiet(depth_);
        tell(placed);
      }
  return QMainWindow::eventFilter(object, event);
}

bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::WindowActivate && focus_) focus_->before_activation();
  return QMainWindow::event(event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (status_ && !status_words_.isEmpty()) show_status(snapshot_);  // cut for the new width
  arrange();
  place_card();
  place_error();
  show_refused_loop();
  settle_panes();
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
