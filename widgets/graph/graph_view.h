// SPDX-License-Identifier: GPL-3.0-or-later
/// The model as cards of fused kernels, folded into groups where they are many; a click on a border
/// between two says why they were not fused. Cards are laid out off the window's thread; from far
/// away only what can be told apart is drawn.
#pragma once

#include <QHash>
#include <QImage>
#include <QPen>
#include <QStaticText>
#include <QTransform>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "engine/session/graph_difference.h"
#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/graph/find_bar.h"
#include "widgets/graph/graph_cards.h"
#include "widgets/graph/graph_find.h"
#include "widgets/graph/graph_overlay.h"
#include "widgets/paint/canvas.h"
#include "widgets/paint/whole_picture.h"

namespace tw {

class BlockBar;
class LayoutNotice;
class LayoutRun;

/// "+", "−", "≠", "↕"; of the same: nothing.
QString change_sign(session::NodeChange change);
QColor change_colour(Theme const& theme, session::NodeChange change);

class GraphView : public Canvas, public HasParts, public HasWholePicture {
  Q_OBJECT
public:
  explicit GraphView(QWidget* parent = nullptr);
  ~GraphView() override;
  void show_graph(std::shared_ptr<session::GraphView const> graph,
                  std::shared_ptr<session::KernelTable const> kernels, int kernel);
  /// What the bars and numbers of the cards say.
  void show_overlay(std::string const& name);
  std::string const& overlay() const;
  /// Of the first card or folded group with this title; nothing: not known, or there is none.
  QString value_of(QString const& title) const;
  bool shows_map() const { return !map_rect().isEmpty(); }
  /// Where the groups of that graph run; null: all on one device.
  void show_cut(std::shared_ptr<session::CutView const> cut);
  /// By node ids, what is different from another graph; none: nothing is marked.
  void show_changes(std::map<int, session::NodeChange> changes);
  /// Of a card: "+2 ≠"; empty: nothing is different.
  QString change_words(int card) const;
  void show_before(bool before);
  bool laid_out() const { return ready() && !made_->cards.empty(); }
  /// At which all of it is seen; 0: nothing is laid out.
  double fit_scale() const;
  /// Lays it out in the columns in which all of it is seen largest, until another graph comes; or
  /// in one again.
  void flow(bool in_columns = true);
  bool flows() const { return !folds().room.isEmpty(); }
  bool shows_all() const;
  /// Nobody has moved it since it was fitted.
  bool stays_fitted() const { return flows() && !moved_; }
  /// From its upper edge, in the middle.
  void look_from_above(double scale);
  double scale() const { return scale_; }
  QPointF origin() const { return origin_; }
  /// `origin` is where the graph's upper left corner stands, in units.
  void look_at(double scale, QPointF origin);
  bool shows_before() const { return before_; }
  QSizeF begin_whole() override;
  void end_whole() override;
  size_t card_count() const { return made_ ? made_->cards.size() : 0; }
  size_t edge_count() const { return made_ ? made_->borders.size() : 0; }
  // ---- the layout, off the window's thread: graph_lay_out.cpp ----
  /// Whether a layout is still being made.
  bool busy() const;
  /// The layout is computed no further; the one before it stays, if there is one.
  void cancel_layout();
  bool was_cancelled() const { return cancelled_.has_value(); }
  /// What was cancelled is laid out.
  void lay_out_after_all();
  /// What the view says of its layout; empty: nothing.
  QString layout_words() const;
  /// How long a layout takes before the view says so.
  void set_patience(int ms);

  /// Opens a group, or folds it, by its key; false: there is none. What is found in it is opened
  /// down to the node.
  bool fold(std::string const& key, bool open);
  void fold_all(bool open);
  /// Folded, those that are open and hold no other open one.
  std::map<std::string, bool> innermost_folded() const;
  /// By their keys, open or not, and groups of another graph brought into the same state.
  std::map<std::string, bool> fold_states() const;
  void fold_as(std::map<std::string, bool> const& states);
  size_t group_count() const { return made_ ? made_->groups.size() : 0; }
  size_t folded_count() const;  ///< of those that can be seen
  /// The group that keys work on: the one that was clicked, else the one around the kernel.
  std::string chosen_group() const;
  bool is_open(std::string const& key) const;
  /// How long the last picture took, in milliseconds.
  double frame_ms() const { return frame_ms_; }
  /// Why two nodes were not fused, or (`to` < 0) why one joined; empty when nothing is known.
  struct Reason {
    QString title, words;
  };
  Reason reason_of(int from, int to) const;
  /// Opens the groups around the nodes, brings them into view and marks the edge between them.
  void show_reason(int from, int to);
  bool marks_edge() const { return chosen_edge_ >= 0; }
  /// Marks on edges, of what fusion said: those that it did not judge have none.
  size_t mark_count() const;
  /// Cards with the thick ink frame.
  size_t chosen_count() const;

  /// Marks what contains every word, and brings the first into view; the bar shows the text.
  void find(QString const& text);
  void open_find();
  void close_find();
  /// To the next or the one before; 0: to the one that is found now. The groups around it open.
  void step_match(int direction);
  QString found_text() const { return wanted_; }
  int match_count() const { return int(matches_.size()); }
  int current_match() const { return match_; }  ///< -1: none
  QString match_name() const;                   ///< node that is found now; empty: none
  /// What is found now, in words: the node, or the tensor that it makes or reads.
  QString match_words() const;
  int match_node() const;  ///< its id; -1: none
  /// Which are found by name, too; null: none are known.
  void show_tensors(std::shared_ptr<session::GraphTensors const> tensors);
  /// All else is dimmed while something is found.
  void show_only_matches(bool only);
  bool shows_only_matches() const { return only_matches_; }
  int dimmed_count() const;  ///< cards
  /// False: another view's bar says what is found here, too.
  void have_find_bar(bool has);
  /// Up and down go from card to card, which `chosen` tells, not from kernel to kernel.
  void step_by_cards(bool steps) { steps_by_cards_ = steps; }

  // ---- blocks that are built alike: graph_alike.cpp ----
  /// Marks all that are built like this one, by its key; a bar says which. False: it is alone, or
  /// there is none, and nothing has changed.
  bool show_alike(std::string const& key);
  void end_alike();
  void step_alike(int direction);
  /// Goes to one of the graph's groups as a step does.
  void stand_at_block(std::string const& key);
  int alike_count() const { return int(alike_.size()); }  ///< 0: nothing is marked
  int current_alike() const;                              ///< from 0
  std::string const& block_stood_at() const { return like_; }
  /// "4 blocks of conv2d, relu, conv2d, add: layer1.0, layer1.1, ..."; empty: nothing is marked.
  QString alike_words() const;
  /// "conv2d, relu"
  QString operators_of(std::string const& key) const;
  /// The innermost group around a place of the view; empty: there is none.
  std::string block_at(QPointF at) const;

  // ---- in step with another view: graph_step.cpp ----
  /// Cards of these nodes are marked: as chosen, or lightly as what is under the pointer.
  void mark(std::vector<int> nodes);
  void hint(std::vector<int> nodes);
  std::vector<int> const& marked() const { return marked_; }
  std::vector<int> const& hinted() const { return hinted_; }
  /// As it is shown; null: it is being laid out.
  graph::Cards const* cards() const { return ready() ? made_.get() : nullptr; }
  /// Of the cards of these nodes, in the graph's coordinates; empty: they have none.
  QRectF box_of(std::vector<int> const& nodes) const;
  std::vector<int> nodes_at(int card) const;
  /// In its card, it among them.
  std::vector<int> nodes_beside(int node) const;
  /// Opens the groups around a node.
  void open_around(int node);
  std::vector<int> nodes_of_group(std::string const& key) const;
  std::vector<int> nodes_of_kernel(int kernel) const;
  bool shows(QRectF const& box) const;
  bool has_group(std::string const& key) const { return group_of(key) != nullptr; }
  bool is_whole() const { return whole_; }  ///< for a picture of all of it
  QSizeF whole_size() const;
  void bring_into_view(QRectF const& box);
  void choose_group(std::string const& key);

  std::vector<Part> parts() const override;
  /// What a menu was asked for at; of nothing: the whole.
  struct Spot {
    int group = -1;            ///< of the model's own graph
    int node = -1;             ///< an operator of the card; -1: of a folded group, too
    bool on_operator = false;  ///< it is meant itself, not its kernel
  };

signals:
  void kernel_chosen(int row);
  /// A card was clicked, or a group stepped to: by its key, which is empty for a node's card.
  void chosen(QString group, int node);
  /// The pointer came to the card of these nodes; none: to no card.
  void hovered(std::vector<int> nodes);
  void laid_out_anew();
  /// By node ids; `to` is -1 where one node was clicked.
  void reason_asked(int from, int to);
  /// A card was clicked twice, or the return key pressed at the chosen one: an operator of it; -1:
  /// none is chosen, or a folded group.
  void entered(int node);
  void menu_asked(Spot spot, QPoint at);
  /// The mark where a cut begins was dropped on a card of another group.
  void cut_moved(int from, int to);
  /// A group is to be opened or folded.
  void fold_asked(QString key, bool open);
  /// The user has moved or zoomed.
  void looked();
  void fit_typed();
  void find_typed(QString text);
  void step_typed(int direction);
  void only_matches_typed(bool only);
  void find_closed();
  void cancel_layout_typed();
  void lay_out_typed();
  void layout_cancelled();
  void alike_step_typed(int direction);
  void alike_ended();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void leaveEvent(QEvent*) override;
  void rescale() override;

private:
  using Made = std::shared_ptr<graph::Cards const>;
  bool ready() const { return made_ && made_->graph == graph_ && made_->before == before_; }
  void rebuild();
  void make_layout();
  void lay_out();
  /// Where what is wanted is another layout than that which is shown.
  void lay_out_as_wanted();
  void take_cards(Made next);
  std::vector<session::GraphNodeView> const& nodes() const;
  bool end_layout_by_key();
  void place_notice();
  Reason reason_of_node(int id) const;
  QString end_title(int node, bool whole_kernel) const;
  graph::Findable const* findable(int node) const;
  void settle_reason(bool bring);
  void update_marks();
  void hover(QPointF scene);
  void step_card(int direction);
  bool is_chosen(graph::Card const& card) const;
  void draw_hint(QPainter& painter, graph::Card const& card) const;
  void count_changes();
  void draw_changes(QPainter& painter, QRectF const& seen) const;
  void draw_far(QPainter& painter, QRectF const& seen) const;
  void draw_far_card(QPainter& painter, graph::Card const& card, bool spines) const;
  // Of lines between cards: graph_lines.cpp.
  void draw_edges(QPainter& painter, QRectF const& seen) const;
  QPen edge_pen(size_t edge) const;
  void draw_line(QPainter& painter, size_t edge, std::vector<QPointF>& corners) const;
  void draw_corners(QPainter& painter, QRectF const& seen,
                    std::vector<QPointF> const& corners) const;
  void draw_mark(QPainter& painter, QRectF const& seen, size_t edge) const;
  void draw_link(QPainter& painter, size_t edge) const;
  void draw_card(QPainter& painter, graph::Card const& card) const;
  void draw_match(QPainter& painter, graph::Card const& card, bool current) const;
  struct FarName {
    QStaticText text;
  };
  QColor wash() const;
  FarName const& far_name(QFont const& font, QString const& title, int width) const;
  void draw_names(QPainter& painter, QRectF const& seen) const;
  void draw_value(QPainter& painter, graph::Card const& card) const;
  void update_values();
  // Of the map in a corner: graph_map.cpp.
  QRectF map_rect() const;
  QTransform to_map() const;
  void draw_map(QPainter& painter);
  bool drag_map(QPointF at, bool began);
  bool holds_kernel(graph::Card const& card) const;
  // Of groups: graph_folds.cpp.
  graph::Folds const& folds() const { return folds_[before_ ? 1 : 0]; }
  graph::Group const* group_of(std::string const& key) const;
  void draw_frames(QPainter& painter, QRectF const& seen) const;
  void draw_frame_heads(QPainter& painter, QRectF const& seen) const;
  void draw_folded(QPainter& painter, graph::Card const& card) const;
  bool click_group(QPointF scene);
  void step_group(int direction);
  void open_to(int inner);
  void keep_in_place(QRectF const& stood);
  std::vector<Part> group_parts() const;
  // Of blocks that are built alike: graph_alike.cpp.
  void make_block_bar();
  void show_block_bar();
  void place_block_bar();
  void find_alike_again();
  bool alike_key(QKeyEvent const& event);
  /// Of its card or its frame; of one that cannot be seen, of what holds it.
  QRectF place_of(graph::Group const& group) const;
  void bring_block_into_view(graph::Group const& group);
  void draw_alike(QPainter& painter, QRectF const& seen) const;
  QString alike_part_words(graph::Group const& group) const;
  session::KernelRow const* row_of(graph::Card const& card) const;
  // Of a cut: graph_cut.cpp.
  bool shows_cut() const { return cut_ && !before_; }
  int place_of(graph::Card const& card) const;
  int place_of(graph::Member const& member) const;
  QColor place_colour(int place) const;
  /// How tall the words on the cut at the lower edge are, in units.
  double cut_words_height() const;
  QRectF flag_rect(session::CutPointView const& point, graph::Card const& card) const;
  graph::Card const* card_of_group(int group) const;
  graph::Card const* card_at(QPointF scene) const;
  int flag_at(QPointF scene) const;
  bool goes_over(graph::Border const& border) const;
  void draw_place(QPainter& painter, graph::Card const& card) const;
  void draw_flags(QPainter& painter) const;
  void draw_drop(QPainter& painter) const;
  void draw_cut_words(QPainter& painter) const;
  QString cut_costs() const;
  bool press_flag(QPointF scene);
  void drag_flag(QPointF scene);
  void drop_flag();
  QPointF to_scene(QPointF at) const { return (at - origin_) / scale_; }
  // Of what is clicked: graph_choice.cpp.
  void click(QPointF scene);
  bool enter(QPointF scene);
  graph::Chip const* chip_at(graph::Card const& card, QPointF scene) const;
  static int first_node(graph::Card const& card);
  graph::Card const* chosen_card() const;
  int chosen_node() const;
  void zoom(double factor, QPointF around);
  void moved_by_user();
  void bring_into_view(int card) { bring_into_view(made_->cards[size_t(card)].box); }
  void first_look();
  // Of what is found: graph_matches.cpp.
  void search();
  void step_match_to(int match);
  void show_matches();
  void bring_match_into_view();
  graph::Findable const* found_now() const;
  bool dims() const { return only_matches_ && !matches_.empty(); }
  bool is_dimmed(graph::Card const& card) const;
  void place_bar();

  std::shared_ptr<session::GraphView const> graph_;
  std::shared_ptr<session::KernelTable const> kernels_;
  std::shared_ptr<session::CutView const> cut_;
  int dragged_flag_ = -1;  ///< a point of the cut
  int drop_group_ = -1;    ///< where it would be dropped
  int kernel_ = -1;
  bool before_ = false;
  graph::Folds folds_[2];  ///< after and before fusion
  std::string group_;      ///< chosen, by its key
  std::string anchor_;     ///< the group that keeps its place while others are laid out around it
  int wanted_node_ = -1;   ///< comes into view when its group is laid out
  Made made_;
  graph::Overlay overlay_ = graph::Overlay::kTime;
  std::vector<graph::CardValue> values_;                       ///< for each card
  std::vector<graph::CardValue> sums_;                         ///< for each group
  mutable QHash<std::pair<QString, int>, FarName> far_names_;  ///< by name and room
  QImage map_;
  graph::Cards const* map_of_ = nullptr;
  bool on_map_ = false;  ///< the map is being dragged
  LayoutRun* layout_ = nullptr;
  LayoutNotice* notice_ = nullptr;
  std::optional<graph::Folds> cancelled_;  ///< which were to be laid out
  QPointF origin_{24, 24}, press_, press_origin_;
  double scale_ = 1;
  /// Where one was before the whole graph was asked for.
  struct Place {
    double scale;
    QPointF origin;
    bool moved, searched, noted;
  } left_{};
  bool fitted_ = false, dragging_ = false, whole_ = false;
  int clicked_ = -1;    ///< an operator of the card that was clicked last
  bool moved_ = false;  ///< by the user, since it was fitted
  int chosen_edge_ = -1;
  std::pair<int, int> asked_{-1, -1};           ///< whose reason is shown
  bool asked_to_see_ = false;                   ///< it comes into view when it is laid out
  std::vector<int> marked_, hinted_;            ///< nodes
  std::map<int, session::NodeChange> changes_;  ///< by node
  std::vector<std::array<int, session::kNodeChanges>> card_changes_;
  std::vector<char> mark_cards_;  ///< for each card: 0, 1 lightly, 2 as chosen
  int hovered_ = -1;              ///< card
  double frame_ms_ = 0;

  FindBar* bar_ = nullptr;
  bool has_bar_ = true, steps_by_cards_ = false;
  QString wanted_;
  std::vector<graph::Match> matches_;
  std::shared_ptr<session::GraphTensors const> named_;
  std::vector<graph::TensorPlace> tensors_;  ///< of made_, once something is looked for
  bool tensors_known_ = false, only_matches_ = false;
  bool wants_match_ = false;       ///< it comes into view when the graph is laid out
  std::vector<char> match_cards_;  ///< for each card: 0, 1 found, 2 found now
  int match_ = -1;

  BlockBar* blocks_ = nullptr;
  std::vector<int> alike_;    ///< groups that are marked
  std::string like_;          ///< the one that is stood at, by its key
  std::string wanted_block_;  ///< comes into view when it is laid out
};

}  // namespace tw
