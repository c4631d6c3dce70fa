// SPDX-License-Identifier: GPL-3.0-or-later
// What the history's map says of its states, in accessible names and tooltips, and what they are
// marked with.
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

#include "engine/session/spread_words.h"
#include "engine/support/base/quantities.h"
#include "widgets/history/history_view.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using session::HistoryNodeView;
using session::Verdict;

bool HistoryView::is_tagged(int node) const {
  if (!marks_) return false;
  auto known = marks_->states.find(node);
  return known != marks_->states.end() && known->second.tagged;
}

QString HistoryView::name_of(int node) const {
  if (!marks_) return {};
  auto known = marks_->states.find(node);
  return known == marks_->states.end() ? QString() : QString::fromStdString(known->second.name);
}

std::optional<double> HistoryView::to_baseline(HistoryNodeView const& node) const {
  int id = baseline();
  if (!view_ || id < 0 || size_t(id) >= view_->nodes.size()) return std::nullopt;
  auto const& before = view_->nodes[size_t(id)].min_ms;
  if (!before || !node.min_ms || *node.min_ms <= 0) return std::nullopt;
  return *before / *node.min_ms;
}

/// Empty where there is nothing to say.
QString HistoryView::baseline_words(HistoryNodeView const& node) const {
  if (baseline() < 0) return {};
  if (node.id == baseline()) return "the baseline";
  auto times = to_baseline(node);
  return times ? paint::against_baseline(*times) : QString();
}

std::optional<HistoryView::Gain> HistoryView::gain_of(HistoryNodeView const& node) const {
  if (!view_ || node.parent < 0 || size_t(node.parent) >= view_->nodes.size()) return {};
  HistoryNodeView const& before = view_->nodes[size_t(node.parent)];
  if (!before.min_ms || !node.min_ms || !before.model_ms || !node.model_ms) return {};
  if (*node.min_ms <= 0 || *node.model_ms <= 0) return {};
  return Gain{*before.min_ms / *node.min_ms, *before.model_ms / *node.model_ms,
              std::max(before.spread, node.spread)};
}

bool HistoryView::model_differs(HistoryNodeView const& node) const {
  constexpr double kApart = 1.3;  // what a model of a machine may be off by without a word
  auto gain = gain_of(node);
  if (!gain) return false;
  double apart = std::max(gain->measured / gain->modelled, gain->modelled / gain->measured);
  return apart > std::max(kApart, 1 + gain->spread);
}

/// Of the step alone, against the state before it.
QString HistoryView::gain_words(HistoryNodeView const& node) const {
  auto gain = gain_of(node);
  if (!gain) return {};
  QString measured = QString::fromStdString(speedup_text(gain->measured)),
          modelled = QString::fromStdString(speedup_text(gain->modelled));
  return QString("this step: measured %1, modelled %2%3")
      .arg(measured, modelled, model_differs(node) ? "; the measured one is used" : "");
}

/// The states that the filter is for, and what a person is at.
std::set<int> HistoryView::wanted() const {
  std::set<int> ids{marked_, picked_};
  if (filter_ == HistoryFilter::kBest) ids.insert(best_);
  if (filter_ == HistoryFilter::kFound) ids.insert(found_.begin(), found_.end());
  for (auto const& [id, mark] : marks_ ? marks_->states : std::map<int, session::Bookmark>())
    if ((filter_ == HistoryFilter::kTagged && mark.tagged) ||
        (filter_ == HistoryFilter::kNamed && !mark.name.empty()))
      ids.insert(id);
  return ids;
}

QString HistoryView::words_of(HistoryNodeView const& node) const {
  QString words = QString::fromStdString(node.step.empty() ? node.label : node.step);
  if (QString name = name_of(node.id); !name.isEmpty()) words = name + ": " + words;
  if (is_tagged(node.id)) words += ", tagged";
  if (QString compared = baseline_words(node); !compared.isEmpty()) words += ", " + compared;
  if (node.id == view_->current) words += ", current";
  if (node.id == best_) words += ", the fastest";
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

std::vector<Part> HistoryView::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; view_ && i < layout_.places.size(); ++i)
    if (layout_.places[i].shown)
      parts.push_back(
          {field(int(i)), words_of(view_->nodes[i]), view_->nodes[i].id == view_->current});
  for (HistoryFold const& fold : layout_.folds)
    parts.push_back(
        {pill(fold),
         QString(fold.count == 1 ? "%1 step folded" : "%1 steps folded").arg(fold.count), false});
  return parts;
}

int HistoryView::ringed_part() const {
  int number = 0;
  for (size_t i = 0; view_ && i < layout_.places.size(); ++i) {
    if (!layout_.places[i].shown) continue;
    if (view_->nodes[i].id == (marked_ < 0 ? view_->current : marked_)) return number;
    ++number;
  }
  return -1;
}

bool HistoryView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int index = node_at(units(help->pos()));
  if (index < 0) return QToolTip::hideText(), true;
  HistoryNodeView const& node = view_->nodes[size_t(index)];
  QString words = QString::fromStdString(node.step.empty() ? "the unscheduled nest" : node.step);
  if (QString name = name_of(index); !name.isEmpty()) words = name + "\n" + words;
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
  QToolTip::showText(help->globalPos(), paint::wrapped(words), this);
  return true;
}

}  // namespace tw
