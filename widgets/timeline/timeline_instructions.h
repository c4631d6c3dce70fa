// SPDX-License-Identifier: GPL-3.0-or-later
/// The instructions of the current run, with what each takes from queues and puts there. Drawn by
/// itself: a million cost nothing until they are seen.
#pragma once

#include <QAbstractScrollArea>

#include "widgets/accessible/parts.h"
#include "widgets/timeline/timeline_focus.h"
#include "widgets/timeline/timeline_hues.h"

namespace tw {

class TimelineInstructions : public QAbstractScrollArea, public HasParts {
  Q_OBJECT
public:
  explicit TimelineInstructions(TimelineFocus& focus, QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  std::vector<Part> parts() const override;
  QSize minimumSizeHint() const override { return {theme_.px(200), theme_.px(110)}; }
  int row_at(QPoint at) const;  ///< in pixels of the viewport; -1: none

signals:
  void chosen(int instruction);

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { update_bar(); }
  void mousePressEvent(QMouseEvent*) override;
  bool viewportEvent(QEvent*) override;

private:
  void update_bar();
  void show_chosen();
  void draw_row(QPainter& painter, int row, double y) const;
  QString words_of(int row) const;
  /// "←l" of who put what it takes, "→c" of who takes what it puts.
  QString tokens_of(int row, bool taken) const;
  int kind_of(int row) const;
  int rows() const {
    return focus_.current() ? int(focus_.current()->timeline().instructions.size()) : 0;
  }
  QSizeF room() const { return QSizeF(viewport()->size()) / theme_.scale; }

  TimelineFocus& focus_;
  Theme theme_;
  TimelineHues hues_;
};

}  // namespace tw
