// SPDX-License-Identifier: GPL-3.0-or-later
/// What is known of the states of a history, in numbers and words.
#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "engine/session/bookmarks.h"
#include "engine/session/values.h"

namespace tw {

class HistoryFacts {
public:
  void show_history(std::shared_ptr<session::HistoryView const> view);
  /// Nothing runs on a device that is only described: the model's times stand for measured ones.
  void set_attached(bool attached) { attached_ = attached; }
  bool attached() const { return attached_; }
  void show_marks(std::shared_ptr<session::Marks const> marks) { marks_ = std::move(marks); }
  session::HistoryView const* view() const { return view_.get(); }
  session::Marks const* marks() const { return marks_.get(); }
  bool has(int node) const { return view_ && node >= 0 && size_t(node) < view_->nodes.size(); }
  session::HistoryNodeView const& node(int id) const { return view_->nodes[size_t(id)]; }

  int best() const { return best_; }  ///< the fastest that is not known to be wrong; -1: none
  /// Measured, or modelled where nothing is attached.
  std::optional<double> time_ms(session::HistoryNodeView const& node) const {
    return attached_ ? node.min_ms : node.model_ms;
  }
  /// Of the model, in the unit of measured speeds.
  double modelled_speed(session::HistoryNodeView const& node) const;
  /// What stands for it is the model's number.
  bool is_modelled(session::HistoryNodeView const& node) const {
    return !attached_ && node.model_ms && node.failure.empty() &&
           node.verdict != session::Verdict::kWrong;
  }
  int baseline() const { return marks_ ? marks_->baseline : -1; }
  bool is_tagged(int node) const;
  QString name_of(int node) const;  ///< that a person gave it
  /// How many times as fast as the baseline; empty: one of them was not measured.
  std::optional<double> to_baseline(session::HistoryNodeView const& node) const;
  /// The model is wrong about the step by more than its measured times are apart.
  bool model_differs(session::HistoryNodeView const& node) const;
  /// The name of the state for who cannot see it.
  QString words_of(session::HistoryNodeView const& node) const;
  QString tooltip_of(session::HistoryNodeView const& node) const;

private:
  /// How many times as fast as the state before, measured and by the model; nothing: not known.
  struct Gain {
    double measured = 1, modelled = 1, spread = 0;
  };
  std::optional<Gain> gain_of(session::HistoryNodeView const& node) const;
  QString baseline_words(session::HistoryNodeView const& node) const;
  QString gain_words(session::HistoryNodeView const& node) const;

  std::shared_ptr<session::HistoryView const> view_;
  std::shared_ptr<session::Marks const> marks_;
  int best_ = -1;
  bool attached_ = true;
};

}  // namespace tw
