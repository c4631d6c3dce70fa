// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about the open model, and what can be done about it: the line at the bottom, the bar
// above the views, menus of a kernel and of a loop, the size of the text.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <algorithm>

#include "app/window/main_window.h"
#include "widgets/model_bar/model_bar.h"
#include "widgets/paint/paint.h"

namespace tw {

void MainWindow::show_status(session::Snapshot const& next) {
  bool busy = next.job != nullptr;
  progress_->setVisible(busy);
  cancel_->setVisible(busy);
  if (busy) {
    progress_->setRange(0, next.job->total > 0 ? int(next.job->total) : 0);
    progress_->setValue(int(next.job->done));
  }
  QString words;
  if (!said_.isEmpty())
    words = said_;
  else if (next.error)
    words = QString::fromStdString(*next.error);
  else if (!noted_.isEmpty())
    words = noted_;
  else if (busy)
    words = QString::fromStdString(next.job->what) +
            (next.job->total > 0 ? QString(", %1 of %2").arg(next.job->done).arg(next.job->total)
                                 : QString());
  else if (next.history && next.history->current > 0)
    words = QString::fromStdString(next.history->nodes[size_t(next.history->current)].step)
                .replace("\n", "; ");
  else if (next.model)
    words = QString::fromStdString(next.model->summary);
  status_->setText(QFontMetrics(status_->font())
                       .elidedText(words, Qt::ElideRight, std::max(200, width() - 420)));
  status_words_ = words;
  status_->setToolTip(paint::wrapped(words));
  status_->setStyleSheet(
      next.error || !said_.isEmpty() ? QString("color: %1").arg(theme_.error.name()) : QString());
  if (!next.model) return;
  QString total = next.kernels && next.kernels->total_ms
                      ? "   " + paint::time(*next.kernels->total_ms)
                      : QString();
  summary_->setText(QString::fromStdString(next.model->summary) + total);
}

void MainWindow::say(QString const& sentence) {
  said_ = sentence;  // stays until the next command
  status_->setText(sentence);
  status_->setStyleSheet(QString("color: %1").arg(theme_.error.name()));
}

void MainWindow::note(QString const& sentence) {
  noted_ = sentence;
  show_status(snapshot_);
}

// ---- open sizes, and what is not understood -----------------------------------------------

namespace {

constexpr char kSizes[] = "sizes/";  // in the settings, by the model's path

}  // namespace

void MainWindow::show_model_bar() {
  std::map<QString, QString> remembered;
  bool open = snapshot_.model && !snapshot_.model->free_inputs.empty();
  if (open) {
    QSettings settings(state_folder_ + "/settings.ini", QSettings::IniFormat);
    QString key = kSizes + QString::fromStdString(snapshot_.model->name);
    for (QString const& pair : settings.value(key).toStringList())
      remembered[pair.section('=', 0, -2)] = pair.section('=', -1);
  }
  model_bar_->show_model(snapshot_.model, remembered);
  kernels_->set_empty_words(
      open ? "No kernels yet: the sizes of the inputs are open. Say them in the bar above."
           : "Nothing of this model could be compiled. The bar above lists the reasons.");
  ladder_->set_empty_words(!snapshot_.kernels || !snapshot_.kernels->rows.empty()
                               ? "The loops of a kernel appear here. Choose a kernel at the left."
                           : open ? "Loops appear when the sizes above are known."
                                  : "This model has no kernel to show loops of.");
}

void MainWindow::use_shapes(QString const& shapes) {
  if (shapes.isEmpty() || !snapshot_.model) return;
  QStringList pairs;
  for (auto const& [name, value] : model_bar_->values()) pairs << name + "=" + value;
  QSettings(state_folder_ + "/settings.ini", QSettings::IniFormat)
      .setValue(kSizes + QString::fromStdString(snapshot_.model->name), pairs);
  execute(session::FixShapes{shapes.toStdString()});
}

void MainWindow::show_notes() {
  if (!snapshot_.model) return;
  QStringList lines;
  for (std::string const& note : snapshot_.model->notes) lines << QString::fromStdString(note);
  why_->setText("Not understood\n\n" + lines.mid(0, 200).join("\n\n"));
  show_action(journal::ShowView{"why"});
}

// ---- menus ----------------------------------------------------------------------------------

void MainWindow::show_loop_menu(QPoint at) {
  auto* menu = new QMenu(this);
  menu->setObjectName("loopMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setAccessibleName("Steps on " + QString::fromStdString(name_of_loop(selection_->loop())));
  for (session::PrimitiveView const& primitive : primitives_) {
    QString name = QString::fromStdString(primitive.name);
    menu->addAction(
        QString::fromStdString(primitive.title) + "\t" + QString::fromStdString(primitive.key),
        [this, name] { ask_step(name); });
  }
  menu->popup(at);
}

void MainWindow::show_menu(QStringList const& names, QPoint at) {
  auto* menu = new QMenu(this);
  menu->setObjectName("viewMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (Action const& action : actions_)
    if (names.contains(action.name)) menu->addAction(action.name + "\t" + action.keys, action.run);
  menu->popup(at);
}

/// Commands that have to do with a view, where it has no menu of its own.
void MainWindow::add_menu(QWidget* view, QStringList const& names) {
  view->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(view, &QWidget::customContextMenuRequested, this,
          [this, view, names](QPoint at) { show_menu(names, view->mapToGlobal(at)); });
}

void MainWindow::add_menus() {
  QStringList const kernel{"Loops",
                           "Graph",
                           "Measure again",
                           "Measure the whole model",
                           "Replay on another kernel",
                           "Edit this kernel's expression",
                           "Export the model"};
  connect(kernels_, &KernelList::menu_asked, this,
          [this, kernel](int, QPoint at) { show_menu(kernel, at); });
  connect(ladder_, &LadderView::menu_asked, this, &MainWindow::show_loop_menu);
  add_menu(graph_, {"Graph before fusion", "Graph after fusion", "Find in the graph"});
  CodeView* code = &code_->view();
  code->setContextMenuPolicy(Qt::ActionsContextMenu);
  auto* copy = new QAction("Copy all of it", code);
  connect(copy, &QAction::triggered, this, [this] { copy_code(); });
  code->addAction(copy);
  for (char const* name : {"Expression", "Lowered program", "LLVM IR", "Assembly"}) {
    auto* show = new QAction(name, code);
    connect(show, &QAction::triggered, this, [this, name] { run_action(name); });
    code->addAction(show);
  }
  add_menu(roofline_, {"Measure again", "Measure this machine's roofs again", "Devices"});
}

void MainWindow::copy_code() {
  session::CodeText const* code = code_->view().text();
  if (!code) return say("There is no code to copy");
  QStringList lines;
  for (session::CodeLine const& line : code->lines) lines << QString::fromStdString(line.text);
  QApplication::clipboard()->setText(lines.join('\n') + '\n');
  note(QString("Copied %1 lines").arg(lines.size()));
}

// ---- the size of the text -------------------------------------------------------------------

Status MainWindow::run(journal::ScaleText const& action) {
  if (action.percent < kLeastScale || action.percent > kMostScale)
    return bad_input("unusable_scale", "text is drawn at " + std::to_string(kLeastScale) + " to " +
                                           std::to_string(kMostScale) + " percent, not at " +
                                           std::to_string(action.percent));
  QSettings(state_folder_ + "/settings.ini", QSettings::IniFormat)
      .setValue("scale", action.percent);
  note(QString("Text and everything else is drawn at %1 % from the next start on")
           .arg(action.percent));
  return {};
}

void MainWindow::step_text_scale(int direction) {
  static std::vector<int> const kSteps{80, 90, 100, 110, 125, 150, 175, 200};
  QSettings settings(state_folder_ + "/settings.ini", QSettings::IniFormat);
  int now = settings.value("scale", 100).toInt();
  auto at = std::ranges::lower_bound(kSteps, now) - kSteps.begin();
  at = std::clamp<std::ptrdiff_t>(at + direction, 0, std::ptrdiff_t(kSteps.size()) - 1);
  show_action(journal::ScaleText{direction == 0 ? 100 : kSteps[size_t(at)]});
}

}  // namespace tw
