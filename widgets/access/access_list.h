// SPDX-License-Identifier: GPL-3.0-or-later
/// The accesses of a kernel's launches, those of main memory first, with what each costs.
#pragma once

#include "engine/session/launches.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

class AccessList : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit AccessList(QWidget* parent = nullptr);
  void show_launches(std::vector<LaunchReport> launches);
  void choose(session::AccessPlace place);
  std::vector<Part> parts() const override;
  QSize sizeHint() const override;

signals:
  void chosen(int launch, int access);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void rescale() override;

private:
  struct Row {
    QString title;  ///< of a group; else empty
    session::AccessPlace place;
    double y = 0;
  };
  LaunchAccess const& access(session::AccessPlace place) const {
    return launches_[size_t(place.launch)].accesses[size_t(place.access)];
  }
  void lay_out();
  void draw_row(QPainter& painter, Row const& row) const;
  QString words_of(session::AccessPlace place) const;
  void step(int by);

  std::vector<LaunchReport> launches_;
  std::vector<Row> rows_;
  session::AccessPlace chosen_;
  double height_ = 40;
};

}  // namespace tw
