// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parts/model_notice.h"

#include <QSettings>

#include "widgets/model_bar/model_bar.h"

namespace tw {
namespace {

constexpr char kSizes[] = "sizes/";  // in the settings, by the model's path

}  // namespace

ModelNotice::ModelNotice(Workbench& bench) : bench_(bench), bar_(new ModelBar) {
  connect(bar_, &ModelBar::shapes_chosen, this, &ModelNotice::use_shapes);
  connect(bar_, &ModelBar::notes_asked, this, &ModelNotice::show_notes);
}

QWidget* ModelNotice::bar() const { return bar_; }

void ModelNotice::show_new() {
  auto const& model = bench_.snapshot().model;
  std::map<QString, QString> remembered;
  if (model && !model->free_inputs.empty()) {
    QSettings settings(bench_.settings_file(), QSettings::IniFormat);
    QString key = kSizes + QString::fromStdString(model->name);
    for (QString const& pair : settings.value(key).toStringList())
      remembered[pair.section('=', 0, -2)] = pair.section('=', -1);
  }
  bar_->show_model(model, remembered);
}

void ModelNotice::use_shapes(QString const& shapes) {
  auto const& model = bench_.snapshot().model;
  if (shapes.isEmpty() || !model) return;
  QStringList pairs;
  for (auto const& [name, value] : bar_->values()) pairs << name + "=" + value;
  QSettings(bench_.settings_file(), QSettings::IniFormat)
      .setValue(kSizes + QString::fromStdString(model->name), pairs);
  bench_.execute(session::FixShapes{shapes.toStdString()});
}

void ModelNotice::show_notes() {
  auto const& model = bench_.snapshot().model;
  if (!model) return;
  QStringList lines;
  for (std::string const& note : model->notes) lines << QString::fromStdString(note);
  bench_.explain("Import warnings\n\n" + lines.mid(0, 200).join("\n\n"));
}

}  // namespace tw
