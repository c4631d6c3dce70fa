// SPDX-License-Identifier: GPL-3.0-or-later
/// A text of some stage, its lines linked to loops. Drawn by itself: 20,000 lines cost nothing
/// until they are seen.
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <vector>

#include "engine/session/values.h"
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
  /// Unless one is seen already, the first line that is marked.
  void bring_changes_into_sight();
  session::CodeText const* text() const { return text_.get(); }
  /// Without the lines that only another text has.
  QString all_text() const;
  int line_at(QPoint at) const;  ///< in pixels of the viewport

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  void update_bars();
  void show_selected();
  void draw_line(QPainter& painter, int index, double y) const;
  void draw_words(QPainter& painter, session::CodeLine const& line, QPointF at) const;
  int hue_of(int loop) const;
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
};

}  // namespace tw
