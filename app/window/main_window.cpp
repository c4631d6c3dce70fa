// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/shared/journal/resume.h"
#include "app/window/pane_window.h"
#include "app/window/parts/news.h"
#include "app/window/parts/room.h"
#include "app/window/parts/widget_actions.h"
#include "app/window/playback.h"
#include "app/window/replay.h"
#include "app/window/report_controller.h"
#include "app/window/start_controller.h"
#include "app/window/view_names.h"
#include "engine/session/facts/code_facts.h"
#include "widgets/accessible/parts.h"
#include "widgets/export_dialog/export_dialog.h"
#include "widgets/focus/focus_ring.h"
#include "widgets/refusal/refusal_card.h"
#include "widgets/start/start_page.h"

namespace tw {
namespace {

constexpr QSize kFirst{1440, 900};
constexpr double kPatience = 60;  // seconds

}  // namespace

MainWindow::MainWindow(session::Session& session, std::vector<SampleCard> samples,
                       QString state_folder)
    : Workbench(session, *new Selection(this), settings_file_in(state_folder)),
      samples_(std::move(samples)),
      pages_(new QStackedWidget) {
  install_accessible_parts();
  setWindowTitle("Tilewright");
  setAcceptDrops(true);
  make_parts(state_folder);
  resize(kFirst.boundedTo(look_->room()));
  add_commands();
  add_handlers();
  dialogs_->add_all();
  build();
  add_late_commands();
  projects_ = std::make_unique<Projects>(*this, *this, *performer_, *panes_, *docks_, *look_,
                                         *desk_, state_folder);
  record_widgets(*centralWidget(), *this);
  docks_->build_second();
  for (PlacedPane const& placed : panes_->all())
    if (placed.row->when_asked) docks_->hide_tab(*placed.pane);
  moving_->begin();
  look_->restore();
  // Snapshots come from the session's threads: only the newest is looked at, on this one.
  session_.set_listener(
      [this] { QMetaObject::invokeMethod(this, &MainWindow::refresh, Qt::QueuedConnection); });
  refresh();
}

MainWindow::~MainWindow() {
  session_.set_listener({});
  panes_->clear();    // their threads look at the session and at devices
  projects_.reset();  // its thread looks at the session
  delete desk_;       // it tells the page, which the window deletes
}

void MainWindow::make_parts(QString const& state_folder) {
  performer_ = std::make_unique<Performer>(state_folder.toStdString() + "/journals");
  parts_.performer = performer_.get();
  panes_ = std::make_unique<PaneList>(*this, *performer_);
  dialogs_ = std::make_unique<Dialogs>(
      *this, *this, *performer_, [this] { notices_->forget_trouble(journal::CloseDialog{}); });
  parts_.dialogs = dialogs_.get();
  commands_ = std::make_unique<Commands>(*this, *this, *panes_);
  parts_.commands = commands_.get();
  docks_ = std::make_unique<Docks>(*this, *this, *performer_, *panes_, *pages_);
  parts_.docks = docks_.get();
  notices_ = std::make_unique<Notices>(*this, *this);
  parts_.notices = notices_.get();
  model_notice_ = std::make_unique<ModelNotice>(*this);
  look_ = std::make_unique<Look>(*this, *this, *performer_, theme_);
  parts_.look = look_.get();
  look_->use({[this](Theme const& theme) { apply_theme(theme); }, [this] { place_all(); }});
  moving_ = std::make_unique<PaneMoving>(*this, *this, *panes_, *docks_);
  pictures_ = std::make_unique<PictureSaving>(*this, *this, *performer_, *panes_, *docks_, *look_,
                                              [this] { (void)settle(*this, session_, kPatience); });
  parts_.pictures = pictures_.get();
  parts_.top = new TopBar;
  parts_.start = new StartPage(samples_);
  desk_ = new StartController(*parts_.start, samples_, state_folder);
}

void MainWindow::build() {
  auto* root = new QWidget;
  auto* column = new QVBoxLayout(root);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  pages_->addWidget(parts_.start);
  pages_->addWidget(build_workbench());
  column->addWidget(parts_.top);
  column->addWidget(notices_->progress());
  column->addWidget(pages_, 1);
  column->addWidget(notices_->line());
  setCentralWidget(root);
  focus_ = std::make_unique<Focus>(*this, *panes_, *docks_, *pages_);
  parts_.focus = focus_.get();
  docks_->use(*focus_);
  commands_->use(*docks_, *focus_);
  // Above the line at the bottom; above a refusal's card where there is one.
  notices_->build_card(root, [this] {
    QRect area(pages_->mapTo(centralWidget(), QPoint(0, 0)), pages_->size());
    RefusalCard const& card = refusal_->card();
    if (card.isVisible()) area.setBottom(card.mapTo(centralWidget(), QPoint(0, 0)).y());
    return area;
  });
  connect_bars();
  build_playback();
}

QWidget* MainWindow::build_workbench() {
  panes_->make();
  auto* floor = new QWidget;
  auto* fill = new QVBoxLayout(floor);
  fill->setContentsMargins(0, 0, 0, 0);
  fill->setSpacing(0);
  fill->addWidget(model_notice_->bar());
  docks_->build(*fill);
  refusal_ = new RefusalNotice(*floor, *this, *panes_, *docks_);
  return floor;
}

void MainWindow::build_playback() {
  reports_ = new ReportController(*this, this);
  connect(reports_, &ReportController::saved, this, [this](QString const& done) { note(done); });
  connect(reports_, &ReportController::failed, this, [this](QString const& why) { say(why); });
  auto* bar = new PlaybackBar;
  auto* column = static_cast<QVBoxLayout*>(centralWidget()->layout());
  column->insertWidget(column->count() - 1, bar);  // above the status line
  playback_ = std::make_unique<Playback>(*this, session_, *bar);
}

void MainWindow::connect_bars() {
  TopBar* top = parts_.top;
  connect(top, &TopBar::palette_asked, this, &MainWindow::show_palette);
  connect(top, &TopBar::keys_asked, this, &MainWindow::show_keys);
  connect(top, &TopBar::export_asked, this, [this] { run_action("Export the model"); });
  connect(top, &TopBar::tune_asked, this, [this] { run_action("Tune the kernel"); });
  connect(top, &TopBar::theme_asked, this, [this] { run_action("Switch theme"); });
  connect(top, &TopBar::home_asked, this, [this] { execute(session::CloseModel{}); });
  StartPage* start = parts_.start;
  connect(start, &StartPage::open_asked, this, [this] { ask(journal::ShowDialog{"open", {}}); });
  connect(start, &StartPage::sample_asked, this,
          [this](QString const& path) { projects_->open_path(path); });
  connect(start, &StartPage::recent_asked, this,
          [this](QString const& path) { ask(journal::ResumeWork{path.toStdString()}); });
  connect(start, &StartPage::forget_asked, desk_, &StartController::forget);
  connect(start, &StartPage::devices_asked, this, [this] { ask(journal::ShowView{"devices"}); });
}

Status MainWindow::play_journal(QString const& file, double speed) {
  playback_->set_speed(speed);
  return playback_->open(file);
}

void MainWindow::use_start_facts(std::shared_ptr<session::StartPageData const> facts) {
  desk_->use_facts(std::move(facts));
}

void MainWindow::set_device_files(std::string devices_file, std::string cache_folder,
                                  std::shared_ptr<DeviceLogs> logs, std::string local_program) {
  DeviceFiles files{std::move(devices_file), std::move(cache_folder), std::move(logs),
                    std::move(local_program)};
  for (PlacedPane const& placed : panes_->all()) placed.pane->use_devices(files);
}

QWidget* MainWindow::pane_widget(std::string const& name) {
  PlacedPane* placed = panes_->called(name);
  return placed ? placed->widget : nullptr;
}

void MainWindow::show_centre(int tab) {
  QTabWidget& centre = docks_->centre();
  QString text = centre.tabText(std::min(tab, centre.count() - 1));
  ask(journal::ShowView{view_name(text).toStdString()});
}

bool MainWindow::busy() const {
  return projects_->keeper().busy() || desk_->busy() || reports_->busy() || panes_->busy();
}

std::optional<session::FactValue> MainWindow::fact(std::string const& name) const {
  auto words = [](QString const& text) { return text.toStdString(); };
  if (QString trouble = notices_->trouble(); name == "error" && !trouble.isEmpty())
    return words(trouble);
  if (name == "text.scale") return double(look_->scale());
  if (name == "status") return words(notices_->words());
  if (name == "view") return docks_->in_front();
  if (name == "theme") return words(QString(look_->theme_name()).replace('_', '-'));
  if (name == "window.width") return double(width());
  if (name == "window.height") return double(height());
  ProjectStore const& keeper = projects_->keeper();
  QString file = QFileInfo(keeper.file()).fileName();
  if (name == "project") return file.isEmpty() ? "none" : words(file);
  if (name == "project.embeds") return keeper.embeds() ? "yes" : "no";
  if (name == "project.changed") return keeper.changed() ? "yes" : "no";
  QDialog const* dialog = dialogs_->current();
  if (name == "dialog") return dialog ? words(dialog->objectName()) : "none";
  if (auto value = panes_->fact(name)) return value;
  if (session::is_code_fact(name)) return session::code_fact(name, session_);
  return session::fact(name, snapshot_, {selection_.loop(), selection_.hovered()});
}

// ---- what is new -----------------------------------------------------------------------------

void MainWindow::refresh() {
  Performer::Quiet quiet(*performer_);
  session::Snapshot next = session_.snapshot();
  auto tell_exports = [this, &next] {
    for (auto* dialog : findChildren<ExportDialog*>()) dialog->take(next);
  };
  if (is_progress_alone(next, snapshot_)) {  // no view has anything new
    snapshot_.job = next.job;
    tell_exports();
    return notices_->show_line();
  }
  follow_loops(selection_, next, snapshot_);
  session::Snapshot const before = std::exchange(snapshot_, next);
  bool new_model = next.model != before.model && next.model;
  if (new_model && !next.model->path.empty())
    desk_->remember(QString::fromStdString(next.model->path));
  docks_->place_alone();
  // A tensor expression is its kernel: a graph that is not there shall not take all the room.
  bool has_graph = next.graph && !next.graph->nodes.empty();
  bool at_graph = docks_->room().needs_in_front() == PaneNeeds::kWidthAndHeight;
  if (PlacedPane* home = panes_->home(); new_model && !has_graph && at_graph && home)
    docks_->centre().setCurrentWidget(home->widget);
  parts_.top->show_snapshot(next);
  model_notice_->show_new();
  bool exports = !findChildren<ExportDialog*>().isEmpty();
  tell_exports();
  desk_->take(next);
  panes_->show_new();
  for (PlacedPane const& placed : panes_->all()) placed.pane->settled();
  refusal_->show_new();
  notices_->show_line();
  notices_->show_card();
  for (QString const& sentence : news(next, before, exports)) explain(sentence);
  projects_->keeper().look();
  projects_->keeper().touch();
}

void MainWindow::apply_theme(Theme const& theme) {
  parts_.top->set_theme(theme);
  refusal_->set_theme(theme);
  parts_.start->set_theme(theme);
  for (PlacedPane const& placed : panes_->all()) placed.pane->set_theme(theme);
  docks_->room().set_theme(theme);
  focus_->ring().set_theme(theme);
  docks_->second()->set_theme(theme);
  notices_->set_theme(theme);
  notices_->show_card();
}

void MainWindow::place_all() {
  docks_->room().arrange();
  refusal_->place();
  notices_->place_card();
  notices_->show_line();
}

// ---- Qt's events -----------------------------------------------------------------------------

/// Letters of primitives, repairs and Esc; everything else has a shortcut.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (refusal_->take_key(*event)) return;
  bool escape = event->key() == Qt::Key_Escape;
  if (escape && notices_->has_error()) return notices_->dismiss();
  if (escape && docks_->alone()) return ask(journal::ShowView{"start"});
  if (!commands_->take_key(*event)) QMainWindow::keyPressEvent(event);
}

bool MainWindow::event(QEvent* event) {
  if (event->type() == QEvent::WindowActivate && focus_) focus_->keeper().before_activation();
  return QMainWindow::event(event);
}

bool MainWindow::focusNextPrevChild(bool next) {
  return focus_ ? focus_->step(next) : QMainWindow::focusNextPrevChild(next);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (!refusal_) return;                                    // it is being built
  if (!notices_->words().isEmpty()) notices_->show_line();  // cut for the new width
  docks_->room().arrange();
  refusal_->place();
  notices_->place_card();
  refusal_->show_loop();
  for (PlacedPane const& placed : panes_->all()) placed.pane->settled();
  if (isVisible()) user_did(journal::ResizeWindow{width(), height()});
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  for (QUrl const& url : event->mimeData()->urls())
    if (url.isLocalFile()) return projects_->open_path(url.toLocalFile());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  projects_->close();
  QMainWindow::closeEvent(event);
}

}  // namespace tw
