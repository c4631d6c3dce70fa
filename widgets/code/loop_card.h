// SPDX-License-Identifier: GPL-3.0-or-later
/// What is modelled of the loop of assembly that runs most: its cycles, what bounds it, how busy
/// each port is, how many registers it uses. Hollow: nothing of it is measured.
#pragma once

#include <memory>

#include "engine/session/code_report.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class LoopCard : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit LoopCard(QWidget* parent = nullptr);
  /// Null, or not complete: the last one stays, dimmed.
  void show_report(std::shared_ptr<session::AssemblyReport const> report);
  session::AssemblyReport const* shown() const { return report_.get(); }
  std::vector<Part> parts() const override;

signals:
  void clicked();

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { fit(); }
  void rescale() override { fit(); }
  void mousePressEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  struct Cell {
    QRectF box;
    PortUse port;
  };
  bool modelled() const;
  QString head() const;
  QString facts() const;     ///< "52 instructions, 61 micro-operations, 15 of 16 vector registers"
  QString sentence() const;  ///< what bounds it
  double ports_top() const;
  std::vector<Cell> cells() const;
  void fit();
  void say_more();
  void draw_port(QPainter& painter, Cell const& cell) const;

  std::shared_ptr<session::AssemblyReport const> report_;
  bool stale_ = false;
};

}  // namespace tw
