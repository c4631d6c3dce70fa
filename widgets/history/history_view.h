// SPDX-License-Identifier: GPL-3.0-or-later
/// The branching history as a map of lines and stations: the primitive above, measured and modelled
/// speed below. Arrows move a ring over it, Enter jumps there; notes are written in place.
#pragma once

#include <memory>
#include <set>

#include "engine/session/bookmarks.h"
#include "engine/session/values.h"
#include "widgets/accessible/part_watch.h"
#include "widgets/accessible/parts.h"
#include "widgets/history/history_layout.h"
#include "widgets/paint/canvas.h"

class QLineEdit;
class QMenu;

namespace tw {

/// Which stations are shown.
enum class HistoryFilter : uint8_t { kAll, kTagged, kNamed, kBest, kFound };

class HistoryView : public Canvas, public HasParts, public HasRing {
  Q_OBJECT
public:
  explicit HistoryView(QWidget* parent = nullptr);
  void show_history(std::shared_ptr<session::HistoryView const> view);
  /// Stars, names and the baseline; before the history that they belong to.
  void show_marks(std::shared_ptr<session::Marks const> marks);
  /// The branches that lead to none of these states are left out.
  void filter(HistoryFilter filter);
  HistoryFilter filtered() const { return filter_; }
  /// How many stations are in sight.
  int shown() const;
  QSize sizeHint() const override;
  std::vector<Part> parts() const override;
  int ringed_part() const override;
  /// Centre of a node's station, in units; of the fold that it lies in.
  QPointF station(int node) const;
  /// What the ring is on; -1: nothing.
  int marked() const { return marked_; }
  void mark(int node);
  /// The steps of the fold that begins with this one; false: there is no such fold.
  bool unfold(int first);
  /// The first one is remembered, the second one is compared with it.
  void pick(int node);
  int picked() const { return picked_; }
  int folds() const { return int(layout_.folds.size()); }
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
  void node_chosen(int node);
  /// What a person did to the map itself.
  void ringed(int node);
  void unfold_asked(int first);
  void pick_asked(int node);
  void devices_compare_asked(int node, QString const& before, QString const& after);
  void note_written(int node, QString const& note);
  void name_written(int node, QString const& name);
  void tag_asked(int node, bool on);
  void baseline_asked(int node);  ///< -1: none any more
  void compare_asked(int before, int after);
  void replay_asked();
  void tune_asked(int node);
  void gain_asked(int node);
  void script_copied(int node);
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
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void lay_out();
  void choose_best();
  int node_at(QPointF at) const;
  int fold_at(QPointF at) const;
  int neighbour(int node, int key) const;
  void ring(int node);
  bool press(int key);
  void toggle_baseline(int node) { emit baseline_asked(node == baseline() ? -1 : node); }
  bool is_tagged(int node) const;
  QString name_of(int node) const;  ///< that a person gave it
  int baseline() const { return marks_ ? marks_->baseline : -1; }
  /// How many times as fast as the baseline; empty: one of them was not measured.
  std::optional<double> to_baseline(session::HistoryNodeView const& node) const;
  std::set<int> wanted() const;
  QString baseline_words(session::HistoryNodeView const& node) const;
  /// How many times as fast as the state before, measured and by the model; nothing: not known.
  struct Gain {
    double measured = 1, modelled = 1, spread = 0;
  };
  std::optional<Gain> gain_of(session::HistoryNodeView const& node) const;
  /// The model is wrong about the step by more than its measured times are apart.
  bool model_differs(session::HistoryNodeView const& node) const;
  QString gain_words(session::HistoryNodeView const& node) const;
  void begin_line(QLineEdit* line, int node, QString const& text);
  void end_line(QLineEdit* line);
  void add_marks(QMenu& menu, int node);
  void add_device_comparisons(QMenu& menu, int node);
  QPointF place(int column, int lane) const;
  QRectF field(int node) const;
  QRectF pill(HistoryFold const& fold) const;
  QPointF start_of(int node) const;
  QString words_of(session::HistoryNodeView const& node) const;
  void draw_track(QPainter& painter, QPointF from, QPointF to, QPen const& pen) const;
  void draw_tracks(QPainter& painter, QRectF const& seen) const;
  void draw_fold(QPainter& painter, HistoryFold const& fold) const;
  void draw_station(QPainter& painter, session::HistoryNodeView const& node) const;
  void draw_title(QPainter& painter, session::HistoryNodeView const& node) const;
  void draw_marks(QPainter& painter, session::HistoryNodeView const& node) const;
  void draw_badges(QPainter& painter, session::HistoryNodeView const& node) const;
  QStringList measured_words(session::HistoryNodeView const& node) const;
  void draw_elsewhere(QPainter& painter, session::HistoryNodeView const& node,
                      QRectF const& line) const;

  std::shared_ptr<session::HistoryView const> view_;
  std::shared_ptr<session::Marks const> marks_;
  HistoryFilter filter_ = HistoryFilter::kAll;
  HistoryLayout layout_;
  std::set<int> unfolded_, found_;
  int marked_ = -1, picked_ = -1, best_ = -1, noting_ = -1, followed_ = -1;
  bool folding_ = true;
  QLineEdit* note_;
  QLineEdit* name_;
};

}  // namespace tw
