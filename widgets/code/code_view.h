// SPDX-License-Identifier: GPL-3.0-or-later
/// A text of some stage, its lines linked to loops. Drawn by itself: 20,000 lines cost nothing
/// until they are seen.
#pragma once

#include <QAbstractScrollArea>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/session/values.h"
#include "widgets/code/line_notes.h"
#include "widgets/selection.h"
#include "widgets/theme/theme.h"

namespace tw {

class CodeView : public QAbstractScrollArea {
  Q_OBJECT
public:
  explicit CodeView(Selection& selection, QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// `nest` gives loops their colours. A null text means "not there yet": the old one stays, faded.
  void show_text(std::shared_ptr<session::CodeText const> text,
                 std::shared_ptr<session::NestView const> nest);
  /// For the lines of the text that is shown; null: none has any.
  void show_notes(std::shared_ptr<LineNotes const> notes);
  bool has_notes() const { return notes_ != nullptr; }
  /// Says of a line what stands in a tooltip, and what a screen reader says of the line that the
  /// arrows are at.
  void set_explainer(std::function<QString(int line)> explain) { explain_ = std::move(explain); }
  /// A refused step would spoil this tensor in that loop: where it is used there is underlined.
  /// Empty: nothing is.
  void set_guilty(std::string tensor, int loop);
  void set_wrap(bool wrap);
  bool wraps() const { return wrap_; }
  /// The first line of the loop that runs most, unless all of it is seen.
  void bring_hot_loop_into_sight();
  /// Where the lines of that loop are in the viewport, from and to, in units; equal: nowhere.
  std::pair<double, double> hot_span() const;
  int top_line() const;                     ///< the first one that is seen; -1: none
  int current() const { return current_; }  ///< that the arrows are at; -1: none
  /// Unless one is seen already, the first line that is marked.
  void bring_changes_into_sight();
  session::CodeText const* text() const { return text_.get(); }
  /// Without the lines that only another text has.
  QString all_text() const;
  int line_at(QPoint at) const;  ///< in pixels of the viewport

signals:
  void current_changed(int line);

protected:
  bool viewportEvent(QEvent* event) override;
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  void update_bars();
  void show_selected();
  void lay_out();
  void go_to(int line);
  void bring_into_sight(int line, int rows);
  void draw_line(QPainter& painter, int index, double y) const;
  void draw_ground(QPainter& painter, session::CodeLine const& line, QRectF const& row) const;
  void draw_gutter(QPainter& painter, int index, double y) const;
  void draw_words(QPainter& painter, session::CodeLine const& line, QPointF at) const;
  void draw_guilty(QPainter& painter, session::CodeLine const& line, QPointF at) const;
  int gutter() const;
  int columns() const;  ///< letters in a row
  int first_row(int line) const { return wrap_ ? rows_[size_t(line)] : line; }
  int row_count() const;
  /// The viewport's size in units, as everything that is drawn and scrolled.
  QSize room() const { return (QSizeF(viewport()->size()) / theme_.scale).toSize(); }

  Selection& selection_;
  Theme theme_;
  std::shared_ptr<session::CodeText const> text_;
  std::shared_ptr<session::NestView const> nest_;
  bool stale_ = false;
  std::vector<int> numbers_;  ///< of the lines; gaps have none
  int widest_ = 0;
  int scrolled_to_ = -1;
  std::shared_ptr<LineNotes const> notes_;
  std::function<QString(int)> explain_ = [](int) { return QString(); };
  bool wrap_ = false;
  std::vector<int> rows_;  ///< where wrapped: the first of each line, and how many there are
  int current_ = -1;
  std::string guilty_;  ///< a tensor; empty: none is
  int guilty_loop_ = -1;
};

}  // namespace tw
