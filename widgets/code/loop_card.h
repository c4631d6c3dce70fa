// SPDX-License-Identifier: GPL-3.0-or-later
/// What is modelled of the loop of assembly that runs most: its cycles, what bounds it, how busy
/// each port is, how many registers it uses. Hollow: nothing of it is measured. It stands below the
/// code, or beside the loop's lines where there is room.
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
  enum class Form : uint8_t { kBelow, kBeside };
  void set_form(Form form);
  Form form() const { return form_; }
  /// In units: what it needs beside the code.
  static constexpr int kBesideWidth = 320;
  double height_beside() const;
  /// Where the loop's lines are, in units of the card; empty: not in sight.
  struct Span {
    double top = 0, bottom = 0;
    bool operator==(Span const&) const = default;
  };
  void set_span(Span span);
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
  /// A hollow bar with a name, as long as its share.
  struct Cell {
    QRectF box;
    QString name, words, said;
    double share = 0;
  };
  struct Places {
    QRectF head, sentence, facts;
    double cells = 0;  ///< where they begin
  };
  bool modelled() const;
  QString head() const;
  QString facts(Form form) const;  ///< "52 instructions, 61 micro-operations"; below, registers too
  QString sentence() const;        ///< what bounds it
  double inner_width(Form form) const;
  double top() const;
  Places places(Form form, double top) const;
  std::vector<Cell> bars(Form form) const;
  std::vector<Cell> cells(Form form, double top) const;
  double bottom_of(Form form, double top) const;
  void fit();
  void say_more();
  void draw_span(QPainter& painter) const;
  void draw_cell(QPainter& painter, Cell const& cell) const;

  std::shared_ptr<session::AssemblyReport const> report_;
  bool stale_ = false;
  Form form_ = Form::kBelow;
  Span span_;
};

}  // namespace tw
