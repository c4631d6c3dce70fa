// SPDX-License-Identifier: GPL-3.0-or-later
/// The branching history as a map of lines and stations: the primitive above, measured and modelled
/// speed below. Arrows move a ring over it, Enter jumps there; notes are written in place.
#pragma once

#include <memory>
#include <set>

#include "widgets/accessible/part_watch.h"
#include "widgets/accessible/parts.h"
#include "widgets/history/history_facts.h"
#include "widgets/history/history_layout.h"
#include "widgets/history/history_menu.h"
#include "widgets/history/state_lines.h"
#include "widgets/paint/canvas.h"

namespace tw {

/// Which stations are shown.
enum class HistoryFilter : uint8_t { kAll, kTagged, kNamed, kBest, kFound };

class HistoryView : public Canvas, public HasParts, public HasRing {
  Q_OBJECT
public:
  explicit HistoryView(QWidget* parent = nullptr);
  void show_history(std::shared_ptr<session::HistoryView const> view);
  /// Before the history: whether its device is there, or only described.
  void set_attached(bool attached) { facts_.set_attached(attached); }
  /// Stars, names and the baseline; before the history that they belong to.
  void show_marks(std::shared_ptr<session::Marks const> marks);
  /// The branches that lead to none of these states are left out.
  void filter(HistoryFilter filter);
  HistoryFilter filtered() const { return filter_; }
  HistoryLayout const& layout() const { return layout_; }
  /// What is asked for a state by its menu or keys.
  HistoryMenu& menu() { return menu_; }
  StateLines& lines() { return lines_; }
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;
  int ringed_part() const override;
  /// What the ring is on; -1: nothing.
  int marked() const { return marked_; }
  void mark(int node);
  /// The steps of the fold that begins with this one; false: there is no such fold.
  bool unfold(int first);
  /// The first one is remembered, the second one is compared with it.
  void pick(int node);
  int picked() const { return picked_; }
  /// Nodes whose step, name or note has these words; the ring goes to the first of them after the
  /// marked one. Returns how many there are.
  int find(QString const& words, bool next = false);
  int found() const { return int(found_.size()); }
  /// Opens the line in which the node's note is written.
  void edit_note(int node);
  void edit_name(int node);
  void set_folding(bool folded);
  bool folding() const { return folding_; }

signals:
  /// What a person did to the map itself.
  void ringed(int node);
  void unfold_asked(int first);
  /// The ring or the station below it should be in view.
  void moved_to(QPointF const& at);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;
  void rescale() override { lay_out(); }

private:
  void lay_out();
  void ring(int node);
  bool press(int key);
  std::set<int> wanted() const;
  QRect line_place(int node) const;

  HistoryFacts facts_;
  HistoryMenu menu_;
  StateLines lines_;
  HistoryFilter filter_ = HistoryFilter::kAll;
  HistoryLayout layout_;
  std::set<int> unfolded_, found_;
  int marked_ = -1, picked_ = -1, followed_ = -1;
  bool folding_ = true;
};

}  // namespace tw
