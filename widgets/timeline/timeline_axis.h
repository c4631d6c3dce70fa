// SPDX-License-Identifier: GPL-3.0-or-later
/// The cycles above the lanes, which stay where they are while lanes are scrolled.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/timeline/timeline_focus.h"
#include "widgets/timeline/timeline_lanes.h"

namespace tw {

class TimelineAxis : public Canvas, public HasParts {
  Q_OBJECT
public:
  TimelineAxis(TimelineFocus& focus, TimelineLanes& lanes, QWidget* parent = nullptr);
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(300, 26)); }

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override { setFixedHeight(sizeHint().height()); }

private:
  double counted_until() const;

  TimelineFocus& focus_;
  TimelineLanes& lanes_;  ///< whose scale it shows
};

}  // namespace tw
