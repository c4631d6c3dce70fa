// SPDX-License-Identifier: GPL-3.0-or-later
// What is done with the states of a history, and with kernels of the user's own.
#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/main_window.h"
#include "engine/session/use_cases.h"
#include "engine/support/files.h"
#include "widgets/expression/kernel_dialog.h"

namespace tw {

namespace {

constexpr char kEmptyKernel[] =
    "tilewright te 1\n"
    "kernel mine(A: f32[64, 64], B: f32[64, 64]) -> C\n"
    "  C[i in 64, j in 64] = sum[k in 64] A[i, k] * B[k, j]\n";

}  // namespace

void MainWindow::watch_history() {
  HistoryView* view = history_;
  connect(view, &HistoryView::node_chosen, this,
          [this](int node) { execute(session::JumpTo{node}); });
  connect(view, &HistoryView::ringed, this,
          [this](int node) { user_did(journal::MarkStep{node}); });
  connect(view, &HistoryView::unfold_asked, this,
          [this](int first) { show_action(journal::UnfoldSteps{first}); });
  connect(view, &HistoryView::pick_asked, this,
          [this](int node) { show_action(journal::PickStep{node}); });
  connect(view, &HistoryView::devices_compare_asked, this,
          [this](int node, QString const& before, QString const& after) {
            show_action(journal::CompareDevices{node, before.toStdString(), after.toStdString()});
          });
  connect(view, &HistoryView::note_written, this, [this](int node, QString const& note) {
    execute(session::SetNote{node, note.toStdString()});
  });
  connect(view, &HistoryView::compare_asked, this, [this](int before, int after) {
    show_action(journal::CompareStates{before, after});
  });
  connect(view, &HistoryView::script_copied, this, [this](int node) {
    QApplication::clipboard()->setText(QString::fromStdString(session_.script_of(node)));
  });
  auto replay = [this] { show_action(journal::ShowDialog{"replay", {}}); };
  connect(view, &HistoryView::replay_asked, this, replay);
  connect(history_panel_, &HistoryPanel::replay_asked, this, replay);
  connect(history_panel_, &HistoryPanel::find_asked, this,
          [this](QString const& words) { show_action(journal::FindStep{words.toStdString()}); });
  connect(history_panel_, &HistoryPanel::fold_asked, this,
          [this](bool folded) { show_action(journal::FoldHistory{folded ? "on" : "off"}); });
  connect(history_panel_, &HistoryPanel::compare_asked, this, [this] { compare_marked(); });
  connect(compare_, &CompareView::swap_asked, this, &MainWindow::swap_comparison);
  connect(compare_, &CompareView::close_asked, this,
          [this] { show_action(journal::StopComparing{}); });
  connect(compare_, &CompareView::stage_chosen, this, [this](QString const& key) {
    user_did(journal::ShowComparison{"stage", key.toStdString()});
  });
  connect(compare_, &CompareView::form_chosen, this, [this](QString const& form) {
    user_did(journal::ShowComparison{"form", form.toStdString()});
  });
}

/// The ringed state against the current one; the current one against what it came from.
void MainWindow::compare_marked() {
  int current = snapshot_.history ? snapshot_.history->current : 0, marked = history_->marked();
  if (snapshot_.history && (marked < 0 || marked == current))
    marked = snapshot_.history->nodes[size_t(current)].parent;
  show_action(journal::CompareStates{std::max(marked, 0), current});
}

Status MainWindow::run(journal::CompareStates const& action) {
  if (!knows_step(action.before) || !knows_step(action.after))
    return bad_input("unknown_node", "there is no such step");
  if (action.before == action.after)
    return bad_input("same_state", "two different states are compared");
  compared_kernel_ = snapshot_.kernel;
  compare_->compare(action.before, action.after);
  if (centre_->indexOf(compare_) < 0) centre_->addTab(compare_, "Compare");
  centre_->setCurrentWidget(compare_);
  compare_->refresh(snapshot_);
  return {};
}

Status MainWindow::run(journal::CompareDevices const& action) {
  if (!knows_step(action.state)) return bad_input("unknown_node", "there is no such step");
  if (action.before == action.after)
    return bad_input("same_device", "two different devices are compared");
  if (!session_.compare_devices(action.state, action.before, action.after))
    return bad_input("not_measured", "the step was not measured on both '" + action.before +
                                         "' and '" + action.after + "'");
  compared_kernel_ = snapshot_.kernel;
  compare_->compare_devices(action.state, QString::fromStdString(action.before),
                            QString::fromStdString(action.after));
  if (centre_->indexOf(compare_) < 0) centre_->addTab(compare_, "Compare");
  centre_->setCurrentWidget(compare_);
  compare_->refresh(snapshot_);
  return {};
}

bool MainWindow::knows_step(int step) const {
  return snapshot_.history && step >= 0 && size_t(step) < snapshot_.history->nodes.size();
}

Status MainWindow::run(journal::MarkStep const& action) {
  if (!knows_step(action.step)) return bad_input("unknown_node", "there is no such step");
  history_->mark(action.step);
  return {};
}

Status MainWindow::run(journal::UnfoldSteps const& action) {
  if (history_->unfold(action.first)) return {};
  return bad_input("unknown_fold", "no fold begins with step " + std::to_string(action.first));
}

Status MainWindow::run(journal::PickStep const& action) {
  if (!knows_step(action.step)) return bad_input("unknown_node", "there is no such step");
  history_->pick(action.step);
  return {};
}

Status MainWindow::run(journal::StopComparing const&) {
  compare_->clear();
  if (int at = centre_->indexOf(compare_); at >= 0) centre_->removeTab(at);
  return {};
}

Status MainWindow::run(journal::ShowComparison const& action) {
  QString value = QString::fromStdString(action.value);
  if (action.what == "form") {
    if (value != "pair" && value != "marks")
      return bad_input("unknown_form", "the forms are pair and marks");
    compare_->show_form(value);
    return {};
  }
  if (compare_->show_stage(value)) return {};
  return bad_input("unknown_stage", "there is no stage '" + action.value + "'");
}

Status MainWindow::run(journal::FindStep const& action) {
  history_panel_->find(QString::fromStdString(action.words));
  return {};
}

Status MainWindow::run(journal::FoldHistory const& action) {
  history_panel_->fold(action.state == "on");
  return {};
}

/// What belongs to one kernel leaves with it; a new result comes to the front.
void MainWindow::refresh_history(session::Snapshot const& next) {
  Quiet quiet(depth_);
  history_panel_->show_history(next.history);
  if (compare_->active() && (next.kernel != compared_kernel_ || !next.history))
    (void)run(journal::StopComparing{});
  compare_->refresh(next);
  bool fresh = next.replay && next.replay.get() != replay_->shown();
  replay_->show_replay(next.replay);
  if (fresh) (void)run(journal::ShowView{"replay"});
}

Status MainWindow::show_replay_dialog() {
  if (!snapshot_.kernels || !snapshot_.history)
    return bad_input("no_kernel", "no kernel is selected");
  if (snapshot_.history->current == 0)
    return bad_input("nothing_to_replay", "the plain nest has no steps to replay");
  auto* dialog = new QDialog(this);
  dialog->setObjectName("replayDialog");
  dialog->setWindowTitle("Replay on another kernel");
  dialog->resize(460, 420);
  auto* column = new QVBoxLayout(dialog);
  auto* find = new QLineEdit;
  find->setPlaceholderText("Find a kernel");
  auto* list = new QListWidget;
  list->setObjectName("replayKernels");
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  auto* take = buttons->addButton("Replay", QDialogButtonBox::AcceptRole);
  take->setProperty("primary", true);
  column->addWidget(find);
  column->addWidget(list, 1);
  column->addWidget(buttons);
  auto fill = [this, list](QString const& words) {
    list->clear();
    for (size_t i = 0; i < snapshot_.kernels->rows.size(); ++i) {
      QString name = QString::fromStdString(snapshot_.kernels->rows[i].name);
      if (int(i) != snapshot_.kernel && name.contains(words, Qt::CaseInsensitive))
        list->addItem(name);
    }
    list->setCurrentRow(0);
  };
  connect(find, &QLineEdit::textChanged, dialog, fill);
  connect(find, &QLineEdit::returnPressed, dialog, &QDialog::accept);
  connect(list, &QListWidget::itemActivated, dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  connect(dialog, &QDialog::accepted, this, [this, list] {
    if (list->currentItem()) execute(session::ReplayOn{list->currentItem()->text().toStdString()});
  });
  fill("");
  open(dialog);
  find->setFocus();
  return {};
}

/// A new kernel, or (by name) one that the user wrote. What was typed and not taken is there again.
Status MainWindow::show_kernel_dialog(QString const& name) {
  std::string text;
  if (!name.isEmpty()) {
    for (session::KernelRow const& row :
         snapshot_.kernels ? snapshot_.kernels->rows : std::vector<session::KernelRow>())
      if (row.name == name.toStdString()) text = row.own_text;
    if (text.empty())
      return bad_input("not_your_kernel", "only kernels that you wrote can be rewritten");
  }
  auto* dialog =
      new KernelDialog(session::expression_examples(), session::problems_in, theme_, this);
  QString draft = draft_.isEmpty() ? QString(kEmptyKernel) : draft_;
  dialog->begin(name.isEmpty() ? draft : QString::fromStdString(text), !name.isEmpty());
  connect(dialog, &KernelDialog::save_asked, this,
          [this](QString const& shown) { ask_kernel_file(shown); });
  connect(dialog, &QDialog::finished, this, [this, dialog, name](int taken) {
    std::string now = dialog->text().toStdString();
    if (name.isEmpty()) draft_ = taken ? QString() : dialog->text();
    if (!taken) return;
    if (name.isEmpty())
      execute(session::AddKernel{now});
    else
      execute(session::RewriteKernel{name.toStdString(), now});
  });
  open(dialog);
  return {};
}

void MainWindow::ask_kernel_file(QString const& text) {
  auto* dialog = new QFileDialog(this, "Save the kernel", {}, "Tensor expressions (*.te)");
  dialog->setObjectName("saveKernelDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix("te");
  connect(dialog, &QFileDialog::fileSelected, this, [this, text](QString const& path) {
    if (Status status = write_output(path.toStdString(), text.toStdString()); !status)
      say(status.error(), journal::Action(journal::ShowDialog{}).index());
  });
  open(dialog);
}

void MainWindow::build_history_actions() {
  add_action("New kernel", "Ctrl+N", [this] { show_action(journal::ShowDialog{"kernel", {}}); });
  add_action("Edit this kernel's expression", "Ctrl+E", [this] {
    bool known = snapshot_.kernels && snapshot_.kernel >= 0;
    show_action(journal::ShowDialog{
        "kernel", known ? snapshot_.kernels->rows[size_t(snapshot_.kernel)].name : "none"});
  });
  add_action("Replay on another kernel", "Ctrl+Shift+R", [this] {
    show_action(journal::ShowDialog{"replay", {}});
  });
  add_action("Compare the ringed state with the current one", "Ctrl+D",
             [this] { compare_marked(); });
  add_action("Write a note on the current state", "", [this] {
    int current = snapshot_.history ? snapshot_.history->current : 0;
    show_action(journal::ShowDialog{"note", std::to_string(current)});
  });
  add_action("Find in the history", "", [this] {
    (void)perform(journal::ShowView{"history"});
    history_panel_->findChild<QLineEdit*>("findStep")->setFocus();
  });
}

}  // namespace tw
