// SPDX-License-Identifier: GPL-3.0-or-later
/// The graph after fusion, before it, or both beside each other, in step: what is chosen or pointed
/// at in one is marked in the other, and both show the same part of the model.
#pragma once

#include <QSplitter>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/views/graph_pairs.h"
#include "widgets/graph/graph_view.h"

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
  bool busy() const;
  void cancel_layout();
  bool was_cancelled() const;
  void lay_out_after_all();

  // What is done with all that are shown.
  /// All that is shown, large enough to be read: in columns, then with blocks folded, the innermost
  /// ones first.
  void fit();
  void look_at(double scale, QPointF origin);
  void show_overlay(std::string const& name);
  bool fold(std::string const& key, bool open);
  void fold_all(bool open);
  // As GraphView does it: graph_matches.cpp.
  void show_tensors(std::shared_ptr<session::GraphTensors const> const& tensors);
  void show_only_matches(bool only);
  void find(QString const& text);
  void step_match(int direction);
  // As GraphView does it: graph_alike.cpp.
  bool show_alike(std::string const& key);
  void step_alike(int direction);
  void end_alike();
  /// The one whose matches are counted: after fusion, if it has some.
  GraphView& found_in() const {
    return is_both() && after_->match_count() == 0 ? *before_ : main();
  }

  /// Marks a node, or a group by its key, in one and what stands for it in the other, which comes
  /// into view. False: there is none.
  bool choose(bool before, std::string const& group, int node);
  /// As one of them does it; what stands for the nodes in the other is opened and marked, too.
  void show_reason(GraphView& one, int from, int to);
  /// The kernel that a node of one of the graphs runs in, or why none does.
  session::ComputedIn computed_in(bool before, int node) const;
  /// How far a node stands in one from what stands for it in the other, down the window, in units;
  /// nothing: one of them is not shown.
  std::optional<double> apart(int node_before) const;

protected:
  bool eventFilter(QObject*, QEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  /// Where the middle of a card after fusion is, and of all that it stands for before.
  struct Anchor {
    QPointF after, before;
    QPointF of(bool is_before) const { return is_before ? before : after; }
  };
  struct Half {
    QWidget* page = nullptr;
    QLabel* caption = nullptr;
    GraphView* view = nullptr;
  };
  Half make_half(char const* name, QString const& words);
  void connect_view(GraphView& view);
  GraphView& other(GraphView const& one) const { return view(&one == after_); }
  bool is_before(GraphView const& one) const { return &one == before_; }
  bool both_laid_out() const { return is_both() && after_->laid_out() && before_->laid_out(); }
  std::vector<int> counterparts(bool before, std::vector<int> const& nodes) const;
  void pass_on(GraphView& view);
  void show_captions();
  void begin_at_asked();
  void bring_asked_back();
  void choose_kernel();
  void choose_kernel_before();
  void pair_anew();
  void match_folds();
  void laid_out(GraphView& view);
  QPointF place_in_other(bool before, QPointF place) const;
  QRectF chosen_box(GraphView const& view) const;
  void follow();
  void level(QRectF const& box, QRectF const& there);
  void turn();
  // Of fitting: graph_fit.cpp.
  double least_scale() const;
  void go_on_fitting();
  bool share_by_need();
  void fit_again();
  void share_in_half();
  void share_for_wholes();

  Half halves_[2];  ///< after and before
  GraphView *after_, *before_;
  std::string form_ = "after";
  std::shared_ptr<session::GraphView const> graph_, paired_;
  std::shared_ptr<session::KernelTable const> kernels_;
  std::shared_ptr<session::CutView const> cut_;
  int kernel_ = -1;
  session::NodePairs pairs_;
  std::vector<Anchor> anchors_;
  std::string group_;  ///< that is chosen in both, by its key
  GraphView* leader_;  ///< the one that was moved last
  /// The edge, or the node, whose reason was asked for last: another form begins there.
  struct Asked {
    bool before = false;
    int from = -1, to = -1;
  };
  std::optional<Asked> asked_;
  bool stays_at_asked_ = false;  ///< nobody has moved the graphs since
  /// Looked at when all that is shown is laid out: in columns, or in one where those do not help.
  enum class Fitting { kNo, kInColumns, kShared, kInOne } fitting_ = Fitting::kNo;
  bool folds_differ_ = true;  ///< those before fusion are still to follow those after it
  int found_ = -1;            ///< is chosen once its group is laid out, after fusion
  QList<int> sizes_;          ///< as they were before a picture of the whole
};

}  // namespace tw
