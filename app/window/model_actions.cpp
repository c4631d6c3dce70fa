// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about the open model, and what can be done about it: the line at the bottom, the bar
// above the views.
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <algorithm>

#include "app/window/main_window.h"
#include "widgets/model_bar/model_bar.h"
#include "widgets/paint/paint.h"

namespace tw {

namespace {

/// Why the current step has no time; empty: it has one, or is waited for.
QString why_not_measured(session::Snapshot const& now) {
  if (!now.history) return {};
  session::HistoryNodeView const& current = now.history->nodes[size_t(now.history->current)];
  if (current.failure.empty()) return {};
  return "▲ Not measured: " + QString::fromStdString(current.failure);
}

/// Beside a plain nest that the target has no code for there may be a schedule by rule: its step in
/// the history, or -1.
int rule_instead_of_plain(session::Snapshot const& now) {
  if (!now.history) return -1;
  auto const& nodes = now.history->nodes;
  session::HistoryNodeView const& current = nodes[size_t(now.history->current)];
  auto rule = std::ranges::find_if(
      nodes, [](auto const& one) { return one.label == "default" && one.failure.empty(); });
  bool stuck = current.parent < 0 && !current.failure.empty();
  return stuck && rule != nodes.end() ? rule->id : -1;
}

}  // namespace

void MainWindow::take_schedule_by_rule() {
  if (int step = rule_instead_of_plain(snapshot_); step >= 0) execute(session::JumpTo{step});
}

void MainWindow::show_status(session::Snapshot const& next) {
  bool busy = next.job != nullptr;
  progress_->setVisible(busy);
  cancel_->setVisible(busy);
  if (busy) {
    progress_->setRange(0, next.job->total > 0 ? int(next.job->total) : 0);
    progress_->setValue(int(next.job->done));
  }
  QString words;
  if (trouble_)
    words = trouble_->sentence;
  else if (next.error)
    words = QString::fromStdString(next.error->sentence);
  else if (!noted_.isEmpty())
    words = noted_;
  else if (busy)
    words = QString::fromStdString(next.job->what) +
            (next.job->total > 0 ? QString(", %1 of %2").arg(next.job->done).arg(next.job->total)
                                 : QString());
  else if (QString why = why_not_measured(next); !why.isEmpty())
    words = why;
  else if (next.history && next.history->current > 0)
    words = QString::fromStdString(next.history->nodes[size_t(next.history->current)].step)
                .replace("\n", "; ");
  else if (next.model)
    words = QString::fromStdString(next.model->summary);
  by_rule_->setVisible(rule_instead_of_plain(next) >= 0);
  int taken = theme_.px(420) + (by_rule_->isVisibleTo(this) ? by_rule_->sizeHint().width() : 0);
  status_->setText(QFontMetrics(status_->font())
                       .elidedText(words, Qt::ElideRight, std::max(200, width() - taken)));
  status_words_ = words;
  status_->setToolTip(paint::wrapped(words));
  QColor colour = next.error || trouble_  ? theme_.error
                  : words.startsWith("▲") ? theme_.warn
                                          : QColor();
  status_->setStyleSheet(colour.isValid() ? QString("color: %1").arg(colour.name()) : QString());
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
    QSettings settings(settings_file(), QSettings::IniFormat);
    QString key = kSizes + QString::fromStdString(snapshot_.model->name);
    for (QString const& pair : settings.value(key).toStringList())
      remembered[pair.section('=', 0, -2)] = pair.section('=', -1);
  }
  model_bar_->show_model(snapshot_.model, remembered);
}

void MainWindow::use_shapes(QString const& shapes) {
  if (shapes.isEmpty() || !snapshot_.model) return;
  QStringList pairs;
  for (auto const& [name, value] : model_bar_->values()) pairs << name + "=" + value;
  QSettings(settings_file(), QSettings::IniFormat)
      .setValue(kSizes + QString::fromStdString(snapshot_.model->name), pairs);
  execute(session::FixShapes{shapes.toStdString()});
}

void MainWindow::show_notes() {
  if (!snapshot_.model) return;
  QStringList lines;
  for (std::string const& note : snapshot_.model->notes) lines << QString::fromStdString(note);
  explain("Import warnings\n\n" + lines.mid(0, 200).join("\n\n"));
}

}  // namespace tw
