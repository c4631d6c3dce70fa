// SPDX-License-Identifier: GPL-3.0-or-later
/// Above the views: what the model leaves open, with fields to say it, or what of it cannot be
/// compiled. Nothing where there is nothing to say.
#pragma once

#include <QWidget>
#include <map>
#include <memory>

#include "engine/session/values.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace tw {

class ModelBar : public QWidget {
  Q_OBJECT
public:
  explicit ModelBar(QWidget* parent = nullptr);
  /// `remembered`: values of open dimensions by their name, from earlier.
  void show_model(std::shared_ptr<session::ModelView const> model,
                  std::map<QString, QString> const& remembered);
  /// "x=1x3x48x192; y=2"; empty: a field has no usable number.
  QString shapes() const;
  /// What the fields say, by the name of the dimension.
  std::map<QString, QString> values() const;
  QString words() const;

signals:
  void shapes_chosen(QString shapes);
  void notes_asked();

private:
  void ask_for(session::ModelView const& model, std::map<QString, QString> const& remembered);
  QLineEdit* add_field(QString const& name, QString const& value, bool whole_shape);
  void check();

  std::shared_ptr<session::ModelView const> model_;
  QLabel* words_;
  QWidget* fields_;
  QHBoxLayout* row_;
  QPushButton* apply_;
  QPushButton* notes_;
  std::map<QString, QLineEdit*> edits_;  ///< by the name of the dimension
};

}  // namespace tw
