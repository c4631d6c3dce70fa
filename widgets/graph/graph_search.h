// SPDX-License-Identifier: GPL-3.0-or-later
/// What is found in a graph by words: marked, stepped through, and all else dimmed where that is
/// asked for.
#pragma once

#include <QObject>
#include <memory>
#include <vector>

#include "widgets/graph/graph_find.h"

namespace tw {

class FindBar;
class GraphCamera;
class GraphLayout;

class GraphSearch : public QObject {
  Q_OBJECT
public:
  /// `bar`: of a view, shows the text and what is found.
  GraphSearch(FindBar& bar, GraphLayout& layout, GraphCamera& camera);
  /// False: another view's bar says what is found here, too.
  void have_bar(bool has);
  void open_bar();
  /// Finds nothing more.
  void close();
  /// Marks what contains every word, and brings the first into view; the bar shows the text.
  void find(QString const& text);
  /// To the next or the one before; 0: to the one that is found now. The groups around it open.
  void step(int direction);
  /// Which are found by name, too; null: none are known.
  void show_tensors(std::shared_ptr<session::GraphTensors const> tensors);
  /// All else is dimmed while something is found.
  void show_only_matches(bool only);

  QString const& text() const { return text_; }
  bool is_open() const;
  int count() const { return int(matches_.size()); }
  int current() const { return match_; }  ///< -1: none
  QString name() const;                   ///< of the node that is found now; empty: none
  int node() const;                       ///< its id; -1: none
  /// What is found now, in words: the node, or the tensor that it makes or reads.
  QString words() const;
  bool shows_only_matches() const { return only_; }
  bool dims() const { return only_ && !matches_.empty(); }
  bool is_dimmed(graph::Card const& card) const;
  int dimmed_count() const;  ///< cards
  enum class Level : char { kNone, kFound, kCurrent };
  Level level_of(graph::Card const& card) const;

  /// A group is opened: what is found in it is opened down to the node.
  void open_match_in(std::string const& group);
  /// In what is laid out now; `same`: the graph of before.
  void settle(bool same);
  void reset();
  /// What was to come into view stays where it is.
  void forget_wishes();

signals:
  /// Something else is found, or looks different.
  void changed();
  void began();
  /// Keys go to the view again.
  void focus_wanted();
  void text_typed(QString text);
  void step_typed(int direction);
  void only_typed(bool only);
  void close_typed();

private:
  graph::Findable const* found() const;
  void search();
  void step_to(int match);
  void show_matches();
  void bring_into_view();

  FindBar& bar_;
  GraphLayout& layout_;
  GraphCamera& camera_;
  bool has_bar_ = true, only_ = false;
  QString text_;
  std::vector<graph::Match> matches_;
  int match_ = -1;
  std::shared_ptr<session::GraphTensors const> named_;
  std::vector<graph::TensorPlace> tensors_;  ///< of the cards, once something is looked for
  bool tensors_known_ = false;
  std::vector<Level> levels_;  ///< of cards
  bool wants_match_ = false;   ///< it comes into view when the graph is laid out
  int wanted_node_ = -1;       ///< comes into view when its group is laid out
};

}  // namespace tw
