// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays an access through time: iteration after iteration of the loops around it, as a warp goes
/// through them.
#pragma once

#include <QTimer>
#include <QWidget>

#include "widgets/access/request_strip.h"

class QLabel;
class QPushButton;

namespace tw {

class Chooser;

class AccessPlayer : public QWidget {
  Q_OBJECT
public:
  explicit AccessPlayer(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// Nothing is shown where there is but one iteration.
  void show_costs(RequestStrip::Costs costs);
  /// `words`: of each loop where it is.
  void stand_at(int64_t iteration, QString const& words);
  bool plays() const { return ticks_.isActive(); }
  /// At the end it begins anew.
  void play(bool on);
  RequestStrip* strip() { return strip_; }

signals:
  void iteration_asked(qint64 iteration);  ///< by hand
  void iteration_came(qint64 iteration);   ///< as time goes by
  void play_asked(bool on);

protected:
  void resizeEvent(QResizeEvent*) override { fit_words(); }

private:
  void tick();
  void fit_words();
  int per_second() const;

  RequestStrip* strip_;
  QPushButton *play_, *back_, *on_;
  Chooser* speed_;
  QLabel* words_;
  QTimer ticks_;
  QString all_words_;
  int64_t at_ = 0, iterations_ = 0;
};

}  // namespace tw
