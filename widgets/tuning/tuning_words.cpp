// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_words.h"

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

/// The trial that is offered against what it was searched from.
QString offer_words(session::TuningRun const& run) {
  double ms = run.best_ms.value_or(run.trial(run.best)->ms);
  auto against = [&](QString const& what, double other) {
    return QString(", %1 %2: %3")
        .arg(what, paint::time(other), QString::fromStdString(speedup_text(other / ms)));
  };
  QString words = QString("Trial %1 takes %2").arg(run.best).arg(paint::time(ms));
  if (run.from > 0 && run.from_ms() > 0)
    words += against(QString("step %1").arg(run.from), run.from_ms());
  if (run.default_ms) words += against("the default", *run.default_ms);
  return words + ".";
}

}  // namespace

QString end_words(session::TuningRun const& run) {
  QStringList words;
  if (!run.error.empty()) {
    words << "The tuning failed: " + QString::fromStdString(run.error) + ".";
    if (run.best > 0) words << offer_words(run);
  }
  if (run.state == session::TuningState::kEnded && run.error.empty()) {
    words << "Ended: " + QString::fromStdString(run.ended) + ".";
    if (run.best > 0)
      words << offer_words(run) + (run.elsewhere ? " It is saved for devices of this type." : "");
    else
      words << (run.from > 0 ? QString("Nothing was faster than step %1.").arg(run.from)
                             : QStringLiteral("Nothing was faster than the default schedule."));
  }
  if (!run.not_stored.empty())
    words << "Trials are not kept: " + QString::fromStdString(run.not_stored) + ".";
  return words.join(" ");
}

QString words_of_kinds(std::vector<session::TuningRun const*> const& runs) {
  QStringList lines;
  for (session::TuningRun const* run : runs) {
    QStringList names;
    for (session::TuningDevice const& one : run->devices) names << QString::fromStdString(one.name);
    QString words = end_words(*run);
    if (run->goes_on()) {
      words = run->state == session::TuningState::kPreparing
                  ? QStringLiteral("computing reference outputs")
                  : QString("%1 of %2 trials").arg(run->trials.size()).arg(run->budget);
      if (run->least_ms() > 0) words += ", best " + paint::time(run->least_ms());
    }
    lines << names.join(", ") + ": " + words;
  }
  return lines.join("\n");
}

QString kept_words(session::TuningView const& view, std::string const& kernel) {
  QStringList words;
  for (session::KeptSchedule const& one : view.kept) {
    if (one.kernel != kernel) continue;
    QString time = one.ms > 0 ? ", " + paint::time(one.ms) : QString();
    QString where = one.device.empty() ? QString() : " on " + QString::fromStdString(one.device);
    words << QString::fromStdString(one.machine) + (where + time);
  }
  if (words.isEmpty()) return {};
  return "Saved for another device type: " + words.join("; ") + ".";
}

QString progress_words(session::TuningRun const& run,
                       std::vector<session::TuningRun const*> const& runs,
                       std::string const& kernel) {
  QString words = QString("%1 of %2 trials").arg(run.trials.size()).arg(run.budget);
  if (runs.size() > 1) {
    size_t trials = 0;
    for (session::TuningRun const* one : runs) trials += one->trials.size();
    words = QString("%1 trials on %2 device types").arg(trials).arg(runs.size());
  }
  switch (run.state) {
    case session::TuningState::kPreparing:
      words = "Computing reference outputs";
      break;
    case session::TuningState::kPaused:
      words += QStringLiteral(" · paused");
      break;
    case session::TuningState::kComparing:
      words += QStringLiteral(" · comparing the best");
      break;
    default:
      break;
  }
  if (run.from > 0) words += QStringLiteral(" · from step %1").arg(run.from);
  if (!run.kept.empty()) words += QStringLiteral(" · %1 kept").arg(run.kept.size());
  return run.kernel == kernel ? words : words + " of " + QString::fromStdString(run.kernel);
}

}  // namespace tw
