// SPDX-License-Identifier: GPL-3.0-or-later
/// The loop nest as nested bars. Every gesture becomes one script line.
#pragma once

#include <QScrollArea>
#include <functional>
#include <memory>

#include "widgets/loop_nest/loop_nest_scene.h"

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
  /// while something else is pointed at than this loop nest. Null: nowhere.
  void show_outlook(std::shared_ptr<session::Outlook const> outlook);
  bool looks_ahead() const { return scene_.ahead; }
  /// As if the pointer had moved there, in pixels.
  void drag_to(QPoint at);
  bool is_dragging() const { return scene_.drag.kind != NestDrag::kNone; }
  /// What stands there while there is no nest.
  void set_empty_words(QString const& words);
  QSize sizeHint() const override;

  std::vector<Part> parts() const override { return scene_.parts(); }
  LoopNestScene const& scene() const { return scene_; }

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
  void lay_out();
  void use(std::shared_ptr<session::NestView const> nest);
  void end_drag();
  void update_drag();
  void update_move(QPointF at, bool shift);
  void update_split(QPointF at);
  void update_head(QPointF at);
  void ask(std::string const& line);
  std::string split_line() const;
  void select_step(int direction);

  Selection& selection_;
  Preview ask_;
  LoopNestScene scene_;
  QString empty_words_ = "Select a kernel to see its loops.";
  QString chip_;  ///< that is on its way here
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
