// SPDX-License-Identifier: GPL-3.0-or-later
/// The tuning of a whole model: begun and stopped here; each kind of devices below the other.
#pragma once

#include <QWidget>

#include "engine/session/values.h"
#include "widgets/tuning/model_tuning_part.h"

class QPushButton;
class QVBoxLayout;

namespace tw {

class ModelTuningView : public QWidget {
  Q_OBJECT
public:
  explicit ModelTuningView(QWidget* parent = nullptr);
  void set_theme(Theme const& theme);
  void show_snapshot(session::Snapshot const& next);
  /// Of the first kind.
  TunedKernels& kernels() { return parts_.front()->kernels(); }
  /// The kernels of any of the kinds have the keyboard.
  bool kernels_have_focus() const;

signals:
  void again_asked();
  void pause_asked();
  void resume_asked();
  void stop_asked();
  void kernel_chosen(int row);
  void kernel_entered();  ///< its trials are wanted now

private:
  QWidget* build_head();
  void add_part();
  void show_buttons();

  /// One for each kind; empty: there is none.
  std::vector<std::shared_ptr<session::ModelTuningView const>> shown_;
  std::vector<ModelTuningPart*> parts_;  ///< never empty; those without a tuning are hidden
  Theme theme_;
  QVBoxLayout* column_ = nullptr;
  QPushButton *again_ = nullptr, *pause_ = nullptr, *stop_ = nullptr;
};

}  // namespace tw
