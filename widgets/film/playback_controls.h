// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays a film of accesses: forwards, backwards, faster, from another place of the kernel; and
/// what its cells show.
#pragma once

#include <QWidget>

class QComboBox;
class QPushButton;
class QSlider;

namespace tw {

namespace session {
struct AccessFilm;
}
class FilmView;

class PlaybackControls : public QWidget {
  Q_OBJECT
public:
  explicit PlaybackControls(FilmView* view, QWidget* parent = nullptr);
  /// Share of the kernel's iterations before the film; below 0: where it runs most.
  double from() const { return asked_; }
  void set_from(double share) { asked_ = share; }
  /// The film is another one.
  void refresh();

signals:
  void from_chosen(double share);
  void cells_chosen(bool misses, QString level);

private:
  int speed() const;
  void show_frame(int frame);
  void fill_places();
  void fill_cells();

  FilmView* view_;
  QPushButton *play_, *backwards_, *step_;
  QComboBox *speed_, *from_, *cells_;
  QSlider* place_;
  double asked_ = -1;
  session::AccessFilm const* filled_ = nullptr;  ///< whose stages `from_` has, and caches `cells_`
};

}  // namespace tw
