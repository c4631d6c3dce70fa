// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/kept_work.h"

#include <QDir>
#include <QFileInfo>

#include "engine/session/project/project.h"

namespace tw {
namespace {

QString absolute(QString const& source) {
  bool is_file = !source.startsWith("sample:") && !source.startsWith("te:");
  return is_file ? QFileInfo(source).absoluteFilePath() : source;
}

}  // namespace

QString newest_kept(QString const& state_folder, QString const& source) {
  QDir folder(state_folder + "/earlier");
  QStringList files;
  for (QString const& name : folder.entryList({"*.twproj"}, QDir::Files, QDir::Name))
    files << folder.filePath(name);
  files << state_folder + "/session.twproj";
  std::string wanted = absolute(source).toStdString(), newest_time;
  bool is_project = source.endsWith(".twproj");
  QString newest;
  for (QString const& file : files) {
    auto kept = session::open_project(file.toStdString());
    if (!kept) continue;
    auto home = kept->window.find("project");
    bool of_it = is_project ? home != kept->window.end() && home->second == wanted
                            : kept->model.source == wanted;
    bool since = !is_project || QFileInfo(file).lastModified() > QFileInfo(source).lastModified();
    if (!of_it || !since || kept->saved < newest_time) continue;
    newest_time = kept->saved;
    newest = file;
  }
  return newest;
}

}  // namespace tw
