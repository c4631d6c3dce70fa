// SPDX-License-Identifier: GPL-3.0-or-later
/// What an access' requests cost one after the other as the loops around it run: a bar each, as
/// high as its sectors or passes, and a handle where one stands.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class RequestStrip : public Canvas, public HasParts {
  Q_OBJECT
public:
  static constexpr int kMostBars = 256;
  /// Of `iterations`, evenly drawn where they are more than bars. Costs below 0 are not known.
  struct Costs {
    std::vector<int> of_bar;
    int64_t iterations = 0;
    int ideal = 0;
    bool passes = false;  ///< of shared memory; else sectors
  };
  explicit RequestStrip(QWidget* parent = nullptr);
  void show_costs(Costs costs);
  void stand_at(int64_t iteration);
  std::vector<Part> parts() const override;
  QSize sizeHint() const override { return pixels(QSizeF(420, 58)); }
  /// The first iteration that a bar stands for.
  static int64_t iteration_of(size_t bar, size_t bars, int64_t iterations) {
    return int64_t(bar) * iterations / int64_t(bars);
  }

signals:
  void iteration_asked(qint64 iteration);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent* event) override { ask_at(event); }
  void mouseMoveEvent(QMouseEvent* event) override { ask_at(event); }
  void rescale() override { setFixedHeight(sizeHint().height()); }

private:
  QRectF plot() const;
  void ask_at(QMouseEvent* event);
  double x_of(int64_t iteration) const;
  QString bar_words(size_t bar) const;

  Costs costs_;
  int64_t at_ = 0;
};

}  // namespace tw
