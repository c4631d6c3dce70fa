// SPDX-License-Identifier: GPL-3.0-or-later
/// The loop nest as nested bars. Every gesture becomes one script line.
#pragma once

#include <QScrollArea>
#include <functional>
#include <memory>
#include <optional>

#include "engine/session/outlook.h"
#include "engine/session/preview.h"
#include "engine/session/values.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/selection.h"

namespace tw {

class LoopNestView : public Canvas, public HasParts {
  Q_OBJECT
public:
  /// What a script line would do.
  using Preview = std::function<session::StepPreview(std::string const&)>;
  LoopNestView(Selection& selection, Preview preview, QWidget* parent = nullptr);

  void show_nest(std::shared_ptr<session::NestView const> nest, std::vector<int64_t> cache_bytes);
  void set_refused(std::vector<int> loops);
  /// Where the step that is pointed at would lead: the nest as it would be stands in its place
  /// while something else is pointed at than this ladder. Null: nowhere.
  void show_outlook(std::shared_ptr<session::Outlook const> outlook);
  bool looks_ahead() const { return ahead_; }
  /// As if the pointer had moved there, in pixels.
  void drag_to(QPoint at);
  bool is_dragging() const { return drag_ != Drag::kNone; }
  /// What stands there while there is no nest.
  void set_empty_words(QString const& words);
  QSize sizeHint() const override;

  std::vector<Part> parts() const override;

  /// Bars in order with their rectangles, for tests and accessibility.
  struct Item {
    session::LoopBar const* bar = nullptr;  ///< null: the head of a stage
    session::StageCard const* stage = nullptr;
    QRectF rect;
  };
  std::vector<Item> const& items() const { return items_; }
  /// What stands between and below the bars: barriers, and memories with their tensors.
  struct Note {
    session::BarrierLine const* barrier = nullptr;
    session::MemoryCard const* memory = nullptr;
    QRectF rect;
  };
  std::vector<Note> const& notes() const { return notes_; }
  double footprint_left() const { return footprint_left_; }
  QRectF handle_of(int loop) const;
  /// The best offered move that begins at a loop, where it brings something, and its mark.
  session::MoveView const* move_of(int loop) const;
  QRectF mark_of(int loop) const;
  /// What is said of the step that is pointed at; empty: none is.
  struct Hint {
    QString words;
    bool wrong = false;
  };
  std::vector<Hint> hint() const;

signals:
  void step_asked(QString line);
  void menu_asked(QPoint global);
  /// Something is on its way, here in this view.
  void dragged(QPoint at);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void leaveEvent(QEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dragMoveEvent(QDragMoveEvent*) override;
  void dragLeaveEvent(QDragLeaveEvent*) override;
  void dropEvent(QDropEvent*) override;
  bool event(QEvent*) override;
  void rescale() override { lay_out(); }

private:
  enum class Drag { kNone, kPress, kMove, kSplit, kChip, kPressHead, kHead };
  void lay_out();
  void use(std::shared_ptr<session::NestView const> nest);
  bool is_new(session::LoopBar const& bar) const;
  Item const* mark_at(QPointF at) const;
  void draw_mark(QPainter& painter, Item const& item) const;
  void draw_ahead(QPainter& painter) const;
  bool stands_between(session::StageCard const& stage) const;
  double lay_out_head(session::StageCard const& stage, int depth, double y);
  double lay_out_barriers(int before, double y);
  double lay_out_memories(double y);
  Item const* item_at(QPointF at) const;
  Item const* head_at(QPointF at) const;
  Item const* item_of(int loop) const;
  void draw_bar(QPainter& painter, Item const& item) const;
  void draw_head(QPainter& painter, Item const& item) const;
  void draw_barrier(QPainter& painter, Note const& note) const;
  void draw_memory(QPainter& painter, Note const& note) const;
  void draw_footprints(QPainter& painter) const;
  void draw_fits(QPainter& painter, Item const& item) const;
  QString fits_words(session::LoopBar const& bar, int64_t factor) const;
  double place_of(Item const& item, int64_t factor) const;
  void draw_drag(QPainter& painter) const;
  void draw_moved_bar(QPainter& painter, Item const& item) const;
  void draw_moved_head(QPainter& painter) const;
  void draw_split(QPainter& painter, Item const& item) const;
  void draw_hint(QPainter& painter) const;
  void end_drag();
  void update_drag();
  void update_move(QPointF at, bool shift);
  void update_split(QPointF at);
  void update_head(QPointF at);
  void ask(std::string const& line);
  std::vector<session::LoopBar const*> chain_of(Item const& member) const;
  int slot_of(Item const& member) const;
  int slot_beyond(Item const& member, double y) const;
  QString reorder_line(Item const& moved, int slot) const;
  std::string split_line() const;
  void select_step(int direction);

  Selection& selection_;
  Preview ask_;
  std::shared_ptr<session::NestView const> nest_;     ///< that is drawn
  std::shared_ptr<session::NestView const> current_;  ///< of the step that one is at
  std::shared_ptr<session::Outlook const> outlook_;   ///< of what is pointed at; null: not there
  bool ahead_ = false;                                ///< `nest_` is the outlook's
  bool here_ = false;                                 ///< the pointer is
  std::vector<int64_t> caches_;
  std::vector<Item> items_;
  std::vector<Note> notes_;
  std::vector<int> refused_;
  QString empty_words_ = "Select a kernel to see its loops.";
  double footprint_left_ = 0;

  Drag drag_ = Drag::kNone;
  QPointF press_, at_;
  int dragged_ = -1;       // a bar's loop
  int dragged_head_ = -1;  // the stage whose head is on its way
  int slot_ = -1;          // where a moved bar would go: index among the bars of its stage
  bool fuses_ = false;     // a bar that is dropped on its neighbour
  int64_t factor_ = 0;     // of a split under way
  QString typed_;
  QString chip_;
  std::string line_;              // what a drop would ask for
  session::StepPreview preview_;  // what it would do
};

/// A chip that is dragged onto a bar: its text is a primitive's name, or the sign of the kind that
/// it gives a loop.
class StepChip : public Canvas {
  Q_OBJECT
public:
  StepChip(QString primitive, QString key, QString title, session::LoopMark mark,
           QWidget* parent = nullptr);

signals:
  void clicked(QString primitive);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void rescale() override;

private:
  QString primitive_, key_;
  session::LoopMark mark_;
  QPoint press_;
};

}  // namespace tw
