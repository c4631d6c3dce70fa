// SPDX-License-Identifier: GPL-3.0-or-later
/// The graph after fusion, before it, or both beside each other, in step: what is chosen or pointed
/// at in one is marked in the other, and both show the same part of the model.
#pragma once

#include <QSplitter>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "widgets/graph/graph_view.h"
#include "widgets/graph/node_pairing.h"
#include "widgets/graph/pair_fit.h"
#include "widgets/graph/pair_search.h"

class QLabel;

namespace tw {

class GraphPair : public QSplitter {
  Q_OBJECT
public:
  explicit GraphPair(QWidget* parent = nullptr);

  void show_graph(std::shared_ptr<session::GraphView const> graph,
                  std::shared_ptr<session::KernelTable const> kernels, int kernel);
  void show_cut(std::shared_ptr<session::CutView const> cut);
  void set_theme(Theme const& theme);
  /// "after", "before" or "both".
  void show_form(std::string const& form);
  std::string const& form() const { return form_; }
  bool is_both() const { return form_ == "both"; }
  /// The one that is asked: before fusion where that stands alone.
  GraphView& main() const { return form_ == "before" ? *before_ : *after_; }
  GraphView& view(bool before) const { return before ? *before_ : *after_; }
  /// Those that are shown.
  std::vector<GraphView*> shown() const;
  GraphView& other(GraphView const& one) const { return view(&one == after_); }
  NodePairing const& pairing() const { return pairing_; }
  PairFit& fit() { return fit_; }
  PairSearch& search() { return search_; }
  PairSearch const& search() const { return search_; }

  // Of all that are shown.
  bool busy() const;
  void cancel_layout();
  bool was_cancelled() const;
  void resume_layout();
  void look_at(double scale, QPointF origin);
  void show_overlay(std::string const& name);
  bool fold(std::string const& key, bool open);
  void fold_all(bool open);

  /// Marks a node, or a group by its key, in one and what stands for it in the other, which comes
  /// into view. False: there is none.
  bool choose(bool before, std::string const& group, int node);
  /// As one of them does it; what stands for the nodes in the other is opened and marked, too.
  void show_reason(GraphView& one, int from, int to);

protected:
  bool eventFilter(QObject*, QEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  struct Half {
    QWidget* page = nullptr;
    QLabel* caption = nullptr;
    GraphView* view = nullptr;
  };
  Half make_half(char const* name, QString const& words);
  void connect_view(GraphView& view);
  bool is_before(GraphView const& one) const { return &one == before_; }
  bool both_laid_out() const {
    return is_both() && after_->layout().is_laid_out() && before_->layout().is_laid_out();
  }
  void pass_on(GraphView& view);
  void begin_at_asked();
  void bring_asked_back();
  void choose_kernel();
  void pair_places();
  void match_folds();
  void laid_out(GraphView& view);
  QRectF chosen_box(GraphView const& view) const;
  void follow();
  void level(QRectF const& box, QRectF const& there);

  Half halves_[2];  ///< after and before
  GraphView *after_, *before_;
  std::string form_ = "after";
  std::shared_ptr<session::GraphView const> graph_;
  std::shared_ptr<session::KernelTable const> kernels_;
  std::shared_ptr<session::CutView const> cut_;
  int kernel_ = -1;
  NodePairing pairing_;
  PairFit fit_;
  PairSearch search_;
  std::string group_;  ///< that is chosen in both, by its key
  GraphView* leader_;  ///< the one that was moved last
  /// The edge, or the node, whose reason was asked for last: another form begins there.
  struct Asked {
    bool before = false;
    int from = -1, to = -1;
  };
  std::optional<Asked> asked_;
  bool stays_at_asked_ = false;  ///< nobody has moved the graphs since
  bool folds_differ_ = true;     ///< those before fusion are still to follow those after it
};

}  // namespace tw
