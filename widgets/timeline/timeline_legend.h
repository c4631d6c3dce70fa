// SPDX-License-Identifier: GPL-3.0-or-later
/// What blocks and letters of a timeline stand for.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/timeline/timeline_focus.h"
#include "widgets/timeline/timeline_hues.h"

namespace tw {

class TimelineLegend : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TimelineLegend(TimelineFocus& focus, QWidget* parent = nullptr);
  void set_theme(Theme const& theme) override;
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { lay_out(); }
  void rescale() override { lay_out(); }

private:
  struct Entry {
    QRectF rect;
    QString words;
    int kind = -1;  ///< -1: a token
  };
  void find_drawn();
  void lay_out();

  TimelineFocus& focus_;
  TimelineHues hues_;
  std::vector<Entry> entries_;
  std::vector<bool> drawn_;  ///< kinds of which a run that is shown has a block
};

}  // namespace tw
