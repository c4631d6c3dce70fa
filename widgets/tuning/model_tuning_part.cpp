// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/model_tuning_part.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/paint.h"

namespace tw {

using controls::label;
using session::ModelTuningState;

namespace {

QString now_words(session::ModelTuningView const& view) {
  QString kernel;
  for (session::TunedKernelRow const& row : view.kernels)
    if (row.turn == session::KernelTurn::kSearched || row.turn == session::KernelTurn::kCompared)
      kernel = QString::fromStdString(row.kernel);
  switch (view.state) {
    case ModelTuningState::kTiming:
      return "Timing the network as it is";
    case ModelTuningState::kArranging:
      return "Trying other layouts and algorithms";
    case ModelTuningState::kSearching:
      return kernel.isEmpty() ? "Searching" : "Searching " + kernel;
    case ModelTuningState::kPaused:
      return "Paused";
    case ModelTuningState::kComparing:
      return "Comparing the best of " + kernel;
    case ModelTuningState::kNetworks:
      return "Final comparison (interleaved runs)";
    default:
      return view.error.empty() ? "Ended: " + QString::fromStdString(view.ended) : "Ended";
  }
}

QString left_words(session::ModelTuningView const& view) {
  if (view.budget > 0) return QString("%1 of %2 trials").arg(view.trials).arg(view.budget);
  return QString("%1 trials · %2 of %3 s")
      .arg(view.trials)
      .arg(std::floor(std::min(view.elapsed, view.seconds)))
      .arg(view.seconds);
}

/// What is kept has its name; what is not has only a number.
QString choice_words(std::vector<session::TriedChoice> const& choices) {
  QStringList kept;
  for (session::TriedChoice const& one : choices) {
    if (one.choice.empty()) return "Layouts stay: " + QString::fromStdString(one.sentence) + ".";
    if (one.kept)
      kept << QString("%1 is kept, %2")
                  .arg(QString::fromStdString(one.choice),
                       QString::fromStdString(speedup_text(one.speedup)));
  }
  size_t others = choices.size() - size_t(kept.size());
  if (others > 0)
    kept << (kept.empty() ? "none of %1 that were tried is faster" : "%1 more were not faster");
  QString words = "Layouts and algorithms: " + kept.join("; ") + ".";
  return others > 0 ? words.arg(others) : words;
}

QString result_words(session::ModelTuningView const& view) {
  QStringList words;
  if (!view.choices.empty()) words << choice_words(view.choices);
  if (!view.error.empty())
    words << "The tuning failed: " + QString::fromStdString(view.error) + ".";
  if (view.after_ms && *view.after_ms < *view.before_ms) {
    words << QString("The network takes %1, before %2: %3.")
                 .arg(paint::time(*view.after_ms), paint::time(*view.before_ms),
                      QString::fromStdString(speedup_text(*view.before_ms / *view.after_ms)));
    words
        << QString(
               view.elsewhere
                   ? "%1 of %2 kernels have another schedule once a device of this type is in use."
                   : "%1 of %2 kernels have another schedule now; each can be undone.")
               .arg(view.changed)
               .arg(view.kernels.size());
  } else if (view.after_ms) {
    words << QString("Nothing was faster in the network, which takes %1.")
                 .arg(paint::time(*view.after_ms));
  } else if (!view.goes_on() && view.error.empty()) {
    words << "The networks were not compared, and no schedule changed. The trials stay.";
  } else if (view.before_ms) {
    words << QString("The network takes %1 before.").arg(paint::time(*view.before_ms));
  }
  if (!view.not_stored.empty())
    words << "Trials are not kept: " + QString::fromStdString(view.not_stored) + ".";
  return words.join(" ");
}

double share_done(session::ModelTuningView const& view) {
  if (!view.goes_on()) return 1;
  if (view.budget > 0) return double(view.trials) / view.budget;
  return view.elapsed / std::max(view.seconds, 1e-9);
}

}  // namespace

ModelTuningPart::ModelTuningPart(QWidget* parent) : QWidget(parent) {
  kernels_ = new TunedKernels;
  devices_ = new TuningDevices;
  kind_ = label("modelTuningKind", "title", controls::Wrap::kYes);
  now_ = label("modelTuningNow", "section", controls::Wrap::kYes);
  left_ = label("modelTuningLeft", "label");
  result_ = label("modelTuningResult", "secondary", controls::Wrap::kYes);
  bar_ = new QProgressBar;
  bar_->setTextVisible(false);
  bar_->setAccessibleName("Budget used");
  bar_->setRange(0, 1000);
  auto* words = new QHBoxLayout;
  words->addWidget(now_, 1);
  words->addWidget(left_);
  auto* head = new QVBoxLayout;
  head->setContentsMargins(16, 4, 16, 8);
  head->setSpacing(4);
  head->addWidget(kind_);
  head->addLayout(words);
  head->addWidget(bar_);
  head->addWidget(result_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(devices_);
  column->addWidget(kernels_);
}

void ModelTuningPart::set_theme(Theme const& theme) {
  kernels_->set_theme(theme);
  devices_->set_theme(theme);
  bar_->setFixedHeight(theme.px(4));
}

void ModelTuningPart::show_tuning(session::ModelTuningView const& view, int current,
                                  bool among_others) {
  kernels_->show_kernels(view.kernels, current);
  devices_->show_devices(view.devices);
  devices_->setFixedHeight(devices_->sizeHint().height());
  kind_->setText(QString::fromStdString(view.machine));
  kind_->setVisible(among_others);
  now_->setText(now_words(view));
  left_->setText(left_words(view));
  bar_->setValue(int(1000 * std::clamp(share_done(view), 0.0, 1.0)));
  result_->setText(result_words(view));
  result_->setVisible(!result_->text().isEmpty());
}

}  // namespace tw
