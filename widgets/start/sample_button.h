// SPDX-License-Identifier: GPL-3.0-or-later
/// A sample as a card: the loops of its kernel with the most arithmetic as they are scheduled by
/// rule, how large it is, and how long it takes.
#pragma once

#include "engine/session/start_page_data.h"
#include "widgets/start/start_card.h"
#include "widgets/start/start_values.h"

namespace tw {

class SampleButton : public StartCard {
  Q_OBJECT
public:
  static constexpr double kHeight = 176;
  explicit SampleButton(SampleCard sample);
  /// Until then it says what the sample is.
  void show_story(session::SampleSummary const& story);
  SampleCard const& sample() const { return sample_; }

protected:
  void paint(QPainter& painter, QRectF const& area) const override;

private:
  void paint_loop_nest(QPainter& painter, QRectF const& room) const;
  void paint_time(QPainter& painter, QRectF const& line, double& right) const;
  QString size_words() const;
  void describe();

  SampleCard sample_;
  std::optional<session::SampleSummary> story_;
};

}  // namespace tw
