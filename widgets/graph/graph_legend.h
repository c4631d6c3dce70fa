// SPDX-License-Identifier: GPL-3.0-or-later
/// Below the graph: what it counts, how long its layout took, and what its signs mean; or a
/// sentence about what was chosen.
#pragma once

#include <memory>
#include <vector>

#include "widgets/accessible/parts.h"
#include "widgets/graph/graph_cards.h"
#include "widgets/paint/canvas.h"

namespace tw {

class GraphLegend : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit GraphLegend(QWidget* parent = nullptr);
  /// Of the cards that are shown; null: there are none.
  void show_cards(graph::Cards const* cards);
  void show_kernels(std::shared_ptr<session::KernelTable const> kernels);
  /// Instead of the rest; empty: the rest.
  void say(QString const& sentence);
  QString const& said() const { return said_; }
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override;

private:
  struct Entry {
    enum Sign : uint8_t { kNone, kClass, kState } sign = kNone;
    session::PatternClass pattern = session::PatternClass::kInjective;
    session::KernelState state = session::KernelState::kDefault;
    QString words;
    int count = -1;
  };
  struct Placed {
    Entry const* entry;
    QRectF box;
  };
  void fill();
  /// As many as there is room for, the first ones.
  std::vector<Placed> placed() const;

  std::shared_ptr<session::GraphView const> graph_;
  std::shared_ptr<session::KernelTable const> kernels_;
  bool before_ = false;
  double took_ms_ = 0;
  std::vector<Entry> entries_;
  QString said_;
};

}  // namespace tw
