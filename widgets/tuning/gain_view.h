// SPDX-License-Identifier: GPL-3.0-or-later
/// What carries the gain of a schedule: a row for each of its steps or choices, with what is lost
/// without it.
#pragma once

#include <memory>

#include "engine/session/tuning.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class GainView : public Canvas, public HasParts {
public:
  explicit GainView(QWidget* parent = nullptr);
  void show_gain(std::shared_ptr<session::AblationView const> gain);
  session::AblationView const* shown() const { return gain_.get(); }
  std::vector<Part> parts() const override;
  /// Under the title.
  QString summary() const;

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { fit(); }
  void rescale() override { fit(); }

private:
  QRectF row_rect(size_t row) const;
  void fit();
  void draw_row(QPainter& painter, QRectF const& rect, session::AblatedPart const& part) const;

  std::shared_ptr<session::AblationView const> gain_;
};

/// "1.80 times slower", "no difference".
QString loss_words(session::AblatedPart const& part);

}  // namespace tw
