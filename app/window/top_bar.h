// SPDX-License-Identifier: GPL-3.0-or-later
/// Where one is, on what machine, whether the result is right, and the one big number.
#pragma once

#include <QPushButton>
#include <QWidget>
#include <vector>

#include "engine/session/values.h"
#include "widgets/theme/theme.h"

namespace tw {

class TopBar : public QWidget {
  Q_OBJECT
public:
  explicit TopBar(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_snapshot(session::Snapshot const& snapshot);
  QSize sizeHint() const override { return {900, 48}; }

signals:
  void home_asked();
  void devices_asked();

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  /// Words, or a track that is filled by a share.
  struct Piece {
    QString words;
    QFont font;
    QColor colour;
    double wide = 0, gap = 0;
    double share = -1;
  };
  session::HistoryNodeView const* node() const;
  std::vector<Piece> pieces() const;
  QString explanation() const;
  double end_of_name() const;
  void place_pills();
  void draw_place(QPainter& painter) const;

  Theme theme_;
  session::Snapshot snapshot_;
  std::vector<Piece> pieces_;
  QPushButton* home_;
  QPushButton* machine_;
  QPushButton* target_;
  double name_right_ = 0;
};

}  // namespace tw
