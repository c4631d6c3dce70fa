// SPDX-License-Identifier: GPL-3.0-or-later
/// Keeps the work: projects that were asked for, a recovery file that is always as new as the last
/// few seconds, the last session, and what was set aside when another model was opened.
///
/// Files are written on a thread of their own, beside their place and renamed; a project that
/// somebody else has changed meanwhile is not overwritten.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "engine/session/project/project.h"
#include "engine/session/session.h"

namespace tw {

class ProjectStore : public QObject {
  Q_OBJECT
public:
  using Layout = std::map<std::string, std::string>;
  ProjectStore(session::Session& session, QString state_folder, std::function<Layout()> layout,
               QObject* parent = nullptr);
  ~ProjectStore() override;

  QString file() const { return file_; }  ///< empty: the work has no file of its own yet
  bool changed() const { return changed_; }
  bool busy() const { return writing_ > 0; }

  /// `model` replaces the project's where that is missing; empty: look for it.
  void open(QString const& file, QString const& model = {});
  /// `with_model`: puts the model into the project; a project that has it keeps it.
  void save(QString const& file, bool with_model = false);
  bool embeds() const { return embeds_; }
  /// Whether something has changed since, whatever did it.
  void look();
  /// A recovery file is written soon.
  void touch();
  /// Another model is about to take this one's place.
  void set_aside();
  QString earlier_folder() const { return state_folder_ + "/earlier"; }

  /// Work of a window that ended without closing.
  struct LeftBehind {
    QString file, model;
    QDateTime saved;
  };
  std::optional<LeftBehind> left_behind();
  void recover(QString const& file);
  /// A model or a project with the steps that were kept of it when it was left.
  void resume(QString const& source);
  void discard(QString const& file);
  /// What was there when the window was closed; false: nothing.
  bool restore_last();
  /// The window closes: keeps the session for the next start and removes the recovery file.
  void close();

signals:
  /// What is open is about to give way; the project's file, or empty.
  void leaving(QString project);
  /// Nothing was kept of it.
  void nothing_kept(QString source);
  /// The session is opening the model; `all` also brings the window's size back.
  void opened(std::map<std::string, std::string> layout, bool all);
  void missing(QString file, QString sentence);
  void failed(QString sentence);
  void saved(QString file);
  void state_changed();

private:
  enum class Kind : uint8_t { kProject, kRecovery, kLast, kKept };
  struct Loaded;
  void load(QString const& file, QString const& model, Kind kind);
  void take(Loaded loaded);
  void write_recovery();
  session::Project current(Layout const& layout) const;
  Status write_project(QString const& file, session::Project project, std::string const& known);
  void in_background(std::function<std::function<void()>()> work);
  void set_file(QString const& file, bool changed);

  session::Session& session_;
  QString state_folder_;
  std::function<Layout()> layout_;
  QString file_, recovery_, recovered_;
  std::string known_;  ///< hash of the project file as it was last read or written
  std::string
      written_;  ///< of the recovery file, without its time; only for the thread that writes
  std::string recovered_model_;
  bool changed_ = false, closed_ = false;
  bool taken_up_ = false;  ///< changes that no project has, from before this model was opened
  bool embeds_ = false;    ///< the project has a copy of its model
  int lock_ = -1;
  std::map<QString, int> held_;  ///< locks of files that were left behind
  int writing_ = 0;
  QTimer soon_, regularly_;
  QThreadPool pool_;
};

}  // namespace tw
