// SPDX-License-Identifier: GPL-3.0-or-later
/// Why two operators are one kernel or two, what the other way would cost, and the way there.
#pragma once

#include <memory>

#include "engine/session/fusion.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

class QLabel;
class QPushButton;

namespace tw {

/// The two operators with what stands between them, and the costs as a table.
class FusionPicture : public Canvas, public HasParts {
public:
  explicit FusionPicture(QWidget* parent = nullptr);
  void show_edge(std::shared_ptr<session::FusionEdge const> edge);
  std::vector<Part> parts() const override;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override;

private:
  struct Row {
    QRectF rect;
    session::FusionRow words;
  };
  bool stacked(double wide) const;
  double rule_height(double wide) const;
  std::vector<Row> rows(double wide) const;
  double height_for(double wide) const;
  void draw_rule(QPainter& painter) const;
  void draw_chip(QPainter& painter, QRectF const& box, session::FusionEnd const& end) const;
  void draw_costs(QPainter& painter) const;

  std::shared_ptr<session::FusionEdge const> edge_;
};

/// What was fused in the model, and how often.
class FusedList : public Canvas, public HasParts {
public:
  explicit FusedList(QWidget* parent = nullptr);
  void show_edge(std::shared_ptr<session::FusionEdge const> edge);
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;
  void rescale() override;

private:
  QRectF row(size_t index) const;

  std::shared_ptr<session::FusionEdge const> edge_;
};

class FusionCard : public QWidget {
  Q_OBJECT
public:
  explicit FusionCard(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_edge(std::shared_ptr<session::FusionEdge const> edge);
  session::FusionEdge const* shown() const { return edge_.get(); }
  /// The button's words: "Fuse anyway", "Keep separate", "Restore default fusion"; empty: it is
  /// fixed.
  static QString deed_of(session::FusionEdge const& edge);

signals:
  /// As `session::Arrange` takes it.
  void other_way_asked(QString choice);

private:
  std::shared_ptr<session::FusionEdge const> edge_;
  QLabel* title_;
  QLabel* words_;
  FusionPicture* picture_;
  QPushButton* deed_;
  QLabel* joined_;
  FusedList* list_;
};

}  // namespace tw
