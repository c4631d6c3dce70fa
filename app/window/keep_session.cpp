// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers from one start to the next.
#include <QCloseEvent>
#include <QDir>
#include <QFile>
#include <QSaveFile>
#include <QSettings>

#include "app/window/main_window.h"

namespace tw {

void MainWindow::remember_recent(QString const& path) {
  QSettings settings(state_folder_ + "/settings.ini", QSettings::IniFormat);
  QStringList recent = settings.value("recent").toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  settings.setValue("recent", QStringList(recent.mid(0, 8)));
  start_->show_recent(recent.mid(0, 8));
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save_session();
  QMainWindow::closeEvent(event);
}

void MainWindow::save_session() {
  QDir().mkpath(state_folder_);
  std::string state = session_.save();
  QString path = state_folder_ + "/session.json";
  if (state.empty()) {
    QFile::remove(path);
    return;
  }
  QSaveFile file(path);  // the old one stays until the new one is whole
  if (file.open(QIODevice::WriteOnly)) {
    file.write(state.data(), qint64(state.size()));
    file.commit();
  }
}

bool MainWindow::restore_session() {
  QFile file(state_folder_ + "/session.json");
  if (!file.open(QIODevice::ReadOnly)) return false;
  Status status = session_.restore(file.readAll().toStdString());
  if (!status) say(QString::fromStdString(status.error().message));
  return status.has_value();
}

}  // namespace tw
