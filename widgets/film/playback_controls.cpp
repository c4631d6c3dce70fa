// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/film/playback_controls.h"

#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/film/film_view.h"
#include "widgets/paint/chooser.h"
#include "widgets/paint/controls.h"
#include "widgets/paint/wrap_layout.h"

namespace tw {
namespace {

QComboBox* chooser(QString const& name, QString const& what) {
  auto* made = new Chooser;
  made->setObjectName(name);
  made->setAccessibleName(what);
  made->setToolTip(what);
  return made;
}

}  // namespace

PlaybackControls::PlaybackControls(FilmView* view, QWidget* parent)
    : QWidget(parent),
      view_(view),
      play_(controls::button("Play", "filmPlay", "Play the iterations in their order (Space)")),
      backwards_(controls::button("Backwards", "filmBackwards",
                                  "Play the iterations backwards (Backspace)")),
      step_(controls::button("Step", "filmStep", "Next iteration (Right; Left: previous)")),
      speed_(chooser("filmSpeed", "Iterations per frame (30 fps)")),
      from_(chooser("filmFrom", "Trace start")),
      cells_(chooser("filmCells", "Cells: location of lines, or misses")),
      place_(new QSlider(Qt::Horizontal)) {
  for (int frames : {1, 4, 16, 64, 256})
    speed_->addItem(QString::number(frames) + QStringLiteral("×"), frames);
  for (QComboBox* one : {from_, cells_}) one->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  place_->setObjectName("filmPlace");
  place_->setAccessibleName("Iteration");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 4, 16, 4);
  column->setSpacing(2);
  auto* row = new WrapLayout(6);
  for (QWidget* one :
       std::initializer_list<QWidget*>{play_, backwards_, step_, speed_, from_, cells_})
    row->addWidget(one);
  column->addLayout(row);
  column->addWidget(place_);
  connect(play_, &QPushButton::clicked, this,
          [this] { view_->play(view_->plays() ? 0 : speed()); });
  connect(backwards_, &QPushButton::clicked, this, [this] { view_->play(-speed()); });
  connect(step_, &QPushButton::clicked, this, [this] {
    view_->play(0);
    view_->go_to(view_->frame() + 1);
  });
  connect(speed_, &QComboBox::activated, this, [this] {
    if (view_->plays()) view_->play(speed());
  });
  connect(from_, &QComboBox::activated, this,
          [this] { emit from_chosen(from_->currentData().toDouble()); });
  connect(cells_, &QComboBox::activated, this,
          [this](int chosen) { emit cells_chosen(chosen > 0, cells_->currentData().toString()); });
  connect(place_, &QSlider::valueChanged, this, [this](int frame) {
    view_->play(0);
    view_->go_to(frame);
  });
  connect(view_, &FilmView::frame_changed, this, [this](int frame) { show_frame(frame); });
  connect(view_, &FilmView::play_changed, this,
          [this](bool plays) { play_->setText(plays ? "Pause" : "Play"); });
  refresh();
}

int PlaybackControls::speed() const { return std::max(1, speed_->currentData().toInt()); }

/// Where each stage begins, and the middle of the kernel.
void PlaybackControls::fill_places() {
  session::AccessFilm const* film = view_->shown();
  if (film && film == filled_) return;  // a list that is open stays open
  filled_ = film;
  from_->clear();
  if (!film) return;
  for (session::FilmPlace const& place : film->places)
    from_->addItem("From " + QString::fromStdString(place.stage), place.from);
  from_->addItem("From the middle", 0.5);
  int nearest = 0;
  for (int row = 1; row < from_->count(); ++row)
    if (std::abs(from_->itemData(row).toDouble() - film->from) <
        std::abs(from_->itemData(nearest).toDouble() - film->from))
      nearest = row;
  from_->setCurrentIndex(nearest);
}

/// Where lines are, then the misses of each cache and of all; as the view shows it.
void PlaybackControls::fill_cells() {
  session::AccessFilm const* film = view_->shown();
  int caches = film && !film->levels.empty() ? int(film->levels.size()) - 1 : 0;
  QStringList names;
  for (int i = 0; i < caches; ++i) names << QString::fromStdString(film->levels[size_t(i)].name);
  QStringList known;
  for (int row = 1; row + 1 < cells_->count(); ++row) known << cells_->itemData(row).toString();
  if (names != known || cells_->count() == 0) {
    cells_->clear();
    cells_->addItem("Where lines are");
    for (QString const& name : names) cells_->addItem("Misses: " + name, name);
    cells_->addItem("Misses: all caches", QString());
  }
  FilmCells const& shown = view_->cells();
  int row = cells_->findData(QString::fromStdString(shown.level));
  cells_->setCurrentIndex(!shown.misses ? 0 : row > 0 ? row : cells_->count() - 1);
}

void PlaybackControls::show_frame(int frame) {
  QSignalBlocker quiet(place_);
  place_->setMaximum(view_->shown() ? std::max(0, view_->shown()->frames() - 1) : 0);
  place_->setValue(frame);
}

void PlaybackControls::refresh() {
  bool there = view_->shown() && view_->shown()->frames() > 0;
  for (QWidget* one :
       std::initializer_list<QWidget*>{play_, backwards_, step_, speed_, from_, cells_, place_})
    one->setEnabled(there);
  fill_places();
  fill_cells();
  show_frame(view_->frame());
}

}  // namespace tw
