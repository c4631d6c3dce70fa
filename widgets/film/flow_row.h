// SPDX-License-Identifier: GPL-3.0-or-later
/// What a kernel moves from memory to memory in one run: a link for each level, as thick as its
/// bytes are many, with the time that they take.
#pragma once

#include <vector>

#include "engine/session/memory.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class FlowRow : public Canvas, public HasParts {
public:
  explicit FlowRow(QWidget* parent = nullptr);
  /// Nothing hides the row.
  void show_links(std::vector<session::FlowLink> links);
  std::vector<session::FlowLink> const& links() const { return links_; }
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override;

private:
  QRectF link_rect(size_t number) const;
  void draw_link(QPainter& painter, size_t number) const;
  QColor colour_of(size_t number) const;
  static QString time_words(session::FlowLink const& link);

  std::vector<session::FlowLink> links_;
};

}  // namespace tw
