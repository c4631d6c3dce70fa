// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_facts.h"

#include <algorithm>

#include "engine/session/modelled_speed.h"
#include "engine/session/spread_words.h"
#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using session::HistoryNodeView;
using session::Verdict;

void HistoryFacts::show_history(std::shared_ptr<session::HistoryView const> view) {
  view_ = std::move(view);
  best_ = -1;
  double fastest = 0;
  for (size_t i = 0; view_ && i < view_->nodes.size(); ++i) {
    HistoryNodeView const& node = view_->nodes[i];
    bool counts = attached_ ? node.verdict == Verdict::kCorrect : is_modelled(node);
    double speed = attached_ ? node.speed.value_or(0) : counts ? 1 / *node.model_ms : 0;
    if (!counts || speed <= fastest) continue;
    fastest = speed;
    best_ = int(i);
  }
}

double HistoryFacts::modelled_speed(HistoryNodeView const& node) const {
  return session::modelled_speed(*view_, node).value_or(0);
}

bool HistoryFacts::is_tagged(int node) const {
  if (!marks_) return false;
  auto known = marks_->states.find(node);
  return known != marks_->states.end() && known->second.tagged;
}

QString HistoryFacts::name_of(int node) const {
  if (!marks_) return {};
  auto known = marks_->states.find(node);
  return known == marks_->states.end() ? QString() : QString::fromStdString(known->second.name);
}

std::optional<double> HistoryFacts::to_baseline(HistoryNodeView const& node) const {
  int id = baseline();
  if (!view_ || id < 0 || size_t(id) >= view_->nodes.size()) return std::nullopt;
  auto before = time_ms(view_->nodes[size_t(id)]), after = time_ms(node);
  if (!before || !after || *after <= 0) return std::nullopt;
  return *before / *after;
}

/// Empty where there is nothing to say.
QString HistoryFacts::baseline_words(HistoryNodeView const& node) const {
  if (baseline() < 0) return {};
  if (node.id == baseline()) return "the baseline";
  auto times = to_baseline(node);
  return times ? paint::against_baseline(*times) : QString();
}

std::optional<HistoryFacts::Gain> HistoryFacts::gain_of(HistoryNodeView const& node) const {
  if (!view_ || node.parent < 0 || size_t(node.parent) >= view_->nodes.size()) return {};
  HistoryNodeView const& before = view_->nodes[size_t(node.parent)];
  if (!before.min_ms || !node.min_ms || !before.model_ms || !node.model_ms) return {};
  if (*node.min_ms <= 0 || *node.model_ms <= 0) return {};
  return Gain{*before.min_ms / *node.min_ms, *before.model_ms / *node.model_ms,
              std::max(before.spread, node.spread)};
}

bool HistoryFacts::model_differs(HistoryNodeView const& node) const {
  constexpr double kApart = 1.3;  // what a model of a machine may be off by without a word
  auto gain = gain_of(node);
  if (!gain) return false;
  double apart = std::max(gain->measured / gain->modelled, gain->modelled / gain->measured);
  return apart > std::max(kApart, 1 + gain->spread);
}

/// Of the step alone, against the state before it.
QString HistoryFacts::gain_words(HistoryNodeView const& node) const {
  auto gain = gain_of(node);
  if (!gain) return {};
  QString measured = QString::fromStdString(speedup_text(gain->measured)),
          modelled = QString::fromStdString(speedup_text(gain->modelled));
  return QString("this step: measured %1, modelled %2%3")
      .arg(measured, modelled, model_differs(node) ? "; the measured one is used" : "");
}

QString HistoryFacts::words_of(HistoryNodeView const& node) const {
  QString words = QString::fromStdString(node.step.empty() ? node.label : node.step);
  if (QString name = name_of(node.id); !name.isEmpty()) words = name + ": " + words;
  if (is_tagged(node.id)) words += ", tagged";
  if (QString compared = baseline_words(node); !compared.isEmpty()) words += ", " + compared;
  if (node.id == view_->current) words += ", current";
  if (node.id == best_) words += attached_ ? ", the fastest" : ", the fastest by the model";
  if (node.speed && node.min_ms)
    words += QString(", measured %1, %2, %3 %4%5")
                 .arg(paint::time(*node.min_ms),
                      QString::fromStdString(
                          session::samples_words(*node.min_ms, node.spread, node.samples)),
                      paint::number(*node.speed), QString::fromStdString(view_->unit),
                      node.disturbed ? ", while other programs used the processor" : "");
  for (session::ElsewhereView const& one : node.elsewhere)
    if (one.min_ms)
      words += QString(", measured on %1: %2")
                   .arg(QString::fromStdString(one.device), paint::time(*one.min_ms));
  if (node.model_ms)
    words += QString(", modelled %1, bound by %2")
                 .arg(paint::time(*node.model_ms), QString::fromStdString(node.bound));
  if (model_differs(node)) words += ", " + gain_words(node);
  static char const* const kVerdicts[] = {"not checked", "being checked", "correct", "wrong"};
  words += QString(", ") + kVerdicts[size_t(node.verdict)];
  if (!node.failure.empty()) words += ", " + QString::fromStdString(node.failure);
  if (!node.note.empty()) words += ", note: " + QString::fromStdString(node.note);
  return words;
}

QString HistoryFacts::tooltip_of(HistoryNodeView const& node) const {
  QString words = QString::fromStdString(node.step.empty() ? "the unscheduled nest" : node.step);
  if (QString name = name_of(node.id); !name.isEmpty()) words = name + "\n" + words;
  if (!node.note.empty()) words += "\n" + QString::fromStdString(node.note);
  if (QString compared = baseline_words(node); !compared.isEmpty()) words += "\n" + compared;
  if (node.min_ms)
    words += QString("\nmeasured on %1: %2, %3%4")
                 .arg(QString::fromStdString(view_->device), paint::time(*node.min_ms),
                      QString::fromStdString(
                          session::samples_words(*node.min_ms, node.spread, node.samples)),
                      node.disturbed ? "\n"
                                       "▲ other programs used the processor; it is measured again "
                                       "when the machine is idle"
                                     : "");
  for (session::ElsewhereView const& one : node.elsewhere)
    if (one.min_ms)
      words += QString("\nmeasured on %1: %2, %3  (%4)")
                   .arg(QString::fromStdString(one.device), paint::time(*one.min_ms),
                        QString::fromStdString(
                            session::samples_words(*one.min_ms, one.spread, one.samples)),
                        QString::fromStdString(one.machine));
  if (node.model_ms)
    words += QString("\nmodelled %1, bound by %2")
                 .arg(paint::time(*node.model_ms), QString::fromStdString(node.bound));
  if (QString gain = gain_words(node); !gain.isEmpty()) words += "\n" + gain;
  if (!node.verdict_text.empty()) words += "\n" + QString::fromStdString(node.verdict_text);
  if (!node.failure.empty()) words += "\n" + QString::fromStdString(node.failure);
  return words;
}

}  // namespace tw
