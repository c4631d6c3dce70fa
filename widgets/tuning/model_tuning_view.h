// SPDX-License-Identifier: GPL-3.0-or-later
/// The tuning of a whole model: how far it is, its kernels, its devices, and what came of it.
#pragma once

#include <QWidget>

#include "engine/session/values.h"
#include "widgets/tuning/tuned_kernels.h"
#include "widgets/tuning/tuning_devices.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QScrollArea;

namespace tw {

class ModelTuningView : public QWidget {
  Q_OBJECT
public:
  explicit ModelTuningView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_snapshot(session::Snapshot const& next);
  TunedKernels& kernels() { return *kernels_; }

signals:
  void again_asked();
  void pause_asked();
  void resume_asked();
  void stop_asked();

private:
  QWidget* build_head();
  QWidget* build_progress();
  void show_progress(session::ModelTuningView const& view);
  QString result_words(session::ModelTuningView const& view) const;

  std::shared_ptr<session::ModelTuningView const> view_;
  TunedKernels* kernels_ = nullptr;
  TuningDevices* devices_ = nullptr;
  QPushButton *again_ = nullptr, *pause_ = nullptr, *stop_ = nullptr;
  QLabel *now_ = nullptr, *left_ = nullptr, *result_ = nullptr;
  QProgressBar* bar_ = nullptr;
};

}  // namespace tw
