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

/// Why the current step has no time; empty: it has one, or is waited for. Beside a plain nest that
/// the target has no code for there may be a schedule by rule.
static QString why_not_measured(session::Snapshot const& now) {
  if (!now.history) return {};
  session::HistoryNodeView const& current = now.history->nodes[size_t(now.history->current)];
  if (current.failure.empty()) return {};
  bool by_rule = current.parent < 0 && std::ranges::any_of(now.history->nodes, [](auto const& one) {
                   return one.label == "default" && one.failure.empty();
                 });
  return (by_rule ? "▲ Not measured; 'default' in the history is the schedule by rule. Plainly, "
                  : "▲ Not measured: ") +
         QString::fromStdString(current.failure);
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
  status_->setText(QFontMetrics(status_->font())
                       .elidedText(words, Qt::ElideRight, std::max(200, width() - theme_.px(420))));
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
  explain("Not understood\n\n" + lines.mid(0, 200).join("\n\n"));
}

}  // namespace tw
