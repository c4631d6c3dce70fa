// SPDX-License-Identifier: GPL-3.0-or-later
/// The tuning of a whole model on one kind of devices: how far it is, its devices, its kernels, and
/// what came of it.
#pragma once

#include <QWidget>

#include "engine/session/tuning.h"
#include "widgets/tuning/tuned_kernels.h"
#include "widgets/tuning/tuning_devices.h"

class QLabel;
class QProgressBar;

namespace tw {

class ModelTuningPart : public QWidget {
  Q_OBJECT
public:
  explicit ModelTuningPart(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  /// `current`: the selected kernel's row. `among_others`: its kind is named.
  void show_tuning(session::ModelTuningView const& view, int current, bool among_others);
  TunedKernels& kernels() { return *kernels_; }

private:
  TunedKernels* kernels_ = nullptr;
  TuningDevices* devices_ = nullptr;
  QLabel *kind_ = nullptr, *now_ = nullptr, *left_ = nullptr, *result_ = nullptr;
  QProgressBar* bar_ = nullptr;
};

}  // namespace tw
