// SPDX-License-Identifier: GPL-3.0-or-later
/// Where one is, on what machine, whether the result is right, and the one big number.
#pragma once

#include <map>
#include <utility>

#include <QPushButton>
#include <vector>

#include "engine/session/values.h"
#include "widgets/paint/canvas.h"

namespace tw {

class SearchField;

class TopBar : public Canvas {
  Q_OBJECT
public:
  explicit TopBar(QWidget* parent = nullptr);
  void show_snapshot(session::Snapshot const& snapshot);
  /// How the current step stands to the baseline, "2.31× baseline"; empty: there is none.
  void show_baseline(QString const& words, QString const& explanation);
  void set_theme(Theme const& theme) override;
  QSize sizeHint() const override { return pixels(QSizeF(900, kHeight)); }

signals:
  void home_asked();
  void devices_asked();
  void palette_asked();
  void keys_asked();
  void theme_asked();
  void export_asked();
  void tune_asked();

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void rescale() override;

private:
  static constexpr double kHeight = 48;
  /// From the right to the left.
  enum class Slot { kRoof, kShare, kUnit, kNumber, kLoad, kBaseline, kVerdict };
  /// Words, or a track that is filled by a share.
  struct Piece {
    Slot slot = Slot::kRoof;
    QString words;
    QFont font;
    QColor colour;
    double wide = 0, gap = 0;
    double share = -1;
  };
  session::HistoryNodeView const* node() const;
  std::vector<Piece> pieces() const;
  std::vector<Piece> in_their_places(std::vector<Piece> pieces);
  QString explanation() const;
  double end_of_name() const;
  void fit();
  void place_pills();
  void build_start();
  void place_start();
  void build_actions();
  /// What is done with a model, at the right end.
  void place_actions();
  void draw_place(QPainter& painter) const;
  void draw_names(QPainter& painter) const;

  session::Snapshot snapshot_;
  QString baseline_, baseline_explained_;
  std::vector<Piece> pieces_;
  /// The widest that stood in each slot, and its gap: of the open kernel.
  std::map<Slot, std::pair<double, double>> places_;
  QString places_of_;
  QPushButton* home_;
  QPushButton* machine_;
  QPushButton* target_;
  SearchField* search_;  ///< small with a model
  // Without a model:
  QPushButton* keys_;
  QPushButton* theme_button_;
  // With one:
  QPushButton* export_;
  QPushButton* tune_;
  double name_right_ = 0;
  double right_ = 0;  ///< where the words end
};

}  // namespace tw
