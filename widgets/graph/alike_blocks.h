// SPDX-License-Identifier: GPL-3.0-or-later
/// Blocks of a graph that are built like one of them: marked, named, gone through.
#pragma once

#include <QKeyEvent>
#include <QObject>
#include <string>
#include <vector>

#include "widgets/graph/graph_cards.h"
#include "widgets/theme/theme.h"

namespace tw {

class BlockBar;
class GraphCamera;
class GraphLayout;
class GraphMarks;

class AlikeBlocks : public QObject {
  Q_OBJECT
public:
  /// `bar`: of a view, says which they are.
  AlikeBlocks(BlockBar& bar, GraphLayout& layout, GraphCamera& camera, GraphMarks& marks);
  /// False: another view's bar says it.
  void have_bar(bool has);
  /// Not in a picture of the whole graph.
  void hide_bar(bool hidden);
  /// Marks all that are built like this one, by its key. False: it is alone, or there is none, and
  /// nothing has changed.
  bool show(std::string const& key);
  void end();
  void step(int direction);
  /// Goes to one of the graph's groups as a step does.
  void stand_at(std::string const& key);
  /// Enter and Shift+Enter go through them, Esc ends it. False: the key is not one of these, or
  /// nothing is marked.
  bool press(QKeyEvent const& event);

  int count() const { return int(groups_.size()); }  ///< 0: nothing is marked
  int current() const;                               ///< from 0; -1: none
  std::string const& stood_at() const { return key_; }
  std::vector<int> const& groups() const { return groups_; }
  /// "4 blocks of conv2d, relu, conv2d, add: layer1.0, layer1.1, ..."; empty: nothing is marked.
  QString words() const;
  /// ", 2 of 4 of the same structure"; empty: it is none of them.
  QString place_words(graph::Group const& group) const;

  /// In what is laid out now: its groups are others.
  void settle();
  void reset() { groups_.clear(); }
  void forget_wish() { wanted_.clear(); }

signals:
  void changed();
  void began();
  /// The bar's words are others, and so is its size.
  void bar_changed();
  /// Keys go to the view again.
  void focus_wanted();
  void step_typed(int direction);
  void end_typed();

private:
  void find_again();
  void show_bar();
  void bring_into_view(graph::Group const& group);

  BlockBar& bar_;
  GraphLayout& layout_;
  GraphCamera& camera_;
  GraphMarks& marks_;
  bool has_bar_ = true, hidden_ = false;
  std::vector<int> groups_;  ///< that are marked
  std::string key_;          ///< of the one that is stood at
  std::string wanted_;       ///< comes into view when it is laid out
};

}  // namespace tw
