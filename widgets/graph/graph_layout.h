// SPDX-License-Identifier: GPL-3.0-or-later
/// The layout of a graph: what is to be laid out, which of its groups are folded, and the cards
/// that came of it, off the window's thread.
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "widgets/graph/graph_cards.h"
#include "widgets/graph/layout_run.h"

namespace tw {

class GraphLayout : public QObject {
  Q_OBJECT
public:
  GraphLayout();
  /// Null: no graph. Another one than before is laid out.
  void show(std::shared_ptr<session::GraphView const> graph);
  void show_before(bool before);
  std::shared_ptr<session::GraphView const> const& graph() const { return graph_; }
  bool before() const { return before_; }
  std::vector<session::GraphNodeView> const& nodes() const;  ///< of the graph, which is there
  /// As it is shown; null: it is being laid out, or there is none.
  graph::Cards const* cards() const;
  /// There is something to be seen.
  bool is_laid_out() const { return cards() && !cards()->cards.empty(); }
  bool busy() const;
  LayoutRun const& run() const { return run_; }

  /// It is computed no further; the one before it stays, if there is one.
  void cancel();
  bool was_cancelled() const { return cancelled_.has_value(); }
  /// What was cancelled is laid out.
  void resume();
  /// What was cancelled is asked for no more.
  void forget_cancelled() { cancelled_.reset(); }

  /// Opens a group, or folds it, by its key. It keeps its place while others are laid out around
  /// it. False: there is none.
  bool fold(std::string const& key, bool open);
  void fold_all(bool open);
  /// By their keys, open or not, also groups of another graph.
  void fold_as(std::map<std::string, bool> const& states);
  /// The groups around what is in `inner`.
  void open_to(int inner);
  /// Those around a node.
  void open_around(int node);
  bool is_open(std::string const& key) const;
  /// Lays it out in the columns in which all of it is seen largest in that room, until another
  /// graph comes; empty: in one again.
  void flow(QSizeF room);
  bool flows() const { return !folds().room.isEmpty(); }
  /// Where the group stands that was to keep its place; empty: it cannot be seen. Asked once.
  QRectF take_anchor();

signals:
  /// Another graph is to be laid out: what was said of the former holds no more.
  void replaced();
  void begun(qsizetype nodes);
  /// `same`: of the graph that was shown before; `stood`: where its anchor was there.
  void made(bool same, QRectF stood);
  /// There is nothing to lay out any more.
  void ended();
  void cancelled();
  void folded(std::string const& key, bool open);
  void all_folded();
  void cancel_typed();
  void resume_typed();

private:
  graph::Folds const& folds() const { return folds_[before_ ? 1 : 0]; }
  graph::Folds& folds() { return folds_[before_ ? 1 : 0]; }
  void begin_anew();
  void lay_out();
  /// Where what is wanted is another layout than that which is shown.
  void lay_out_as_wanted();
  void take(std::shared_ptr<graph::Cards const> next);

  LayoutRun run_{nullptr};
  std::shared_ptr<session::GraphView const> graph_;
  bool before_ = false;
  graph::Folds folds_[2];  ///< after and before fusion
  std::string anchor_;     ///< the group that keeps its place while others are laid out around it
  std::shared_ptr<graph::Cards const> made_;  ///< the last, perhaps of another graph
  std::optional<graph::Folds> cancelled_;     ///< which were to be laid out
};

}  // namespace tw
