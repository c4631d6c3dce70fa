// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/project_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QtConcurrent>

#include "app/shared/version.h"
#include "app/window/kept_work.h"
#include "engine/session/work.h"
#include "engine/support/files.h"
#include "engine/support/sha256.h"

namespace tw {

using session::Project;

struct ProjectStore::Loaded {
  QString file;
  Kind kind = Kind::kProject;
  Project project;
  session::FoundModel model;
  std::string hash;  ///< of the file's text
  std::optional<Error> error;
};

namespace {

constexpr int kSoon = 400, kRegularly = 3000;  // milliseconds
constexpr int kMostEarlier = 20;

/// Held by the kernel for as long as the process lives: -1 when somebody else has it.
int try_lock(QString const& file) {
  int number = ::open(QFile::encodeName(file).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (number >= 0 && ::flock(number, LOCK_EX | LOCK_NB) != 0) {
    ::close(number);
    return -1;
  }
  return number;
}

QString lock_of(QString const& file) { return file + ".lock"; }

QString unique_file(QString const& folder, QString const& stem) {
  QDir().mkpath(folder);
  QString time = QDateTime::currentDateTime().toString("yyyy-MM-dd_HHmmss_zzz");
  return QString("%1/%2_%3_%4.twproj").arg(folder, time).arg(::getpid()).arg(stem);
}

std::string now_text() {
  return QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
}

void keep_newest(QString const& folder, int count) {
  QDir dir(folder);
  QStringList files = dir.entryList({"*.twproj"}, QDir::Files, QDir::Name);
  for (int i = 0; i + count < files.size(); ++i) dir.remove(files[i]);
}

}  // namespace

ProjectStore::ProjectStore(session::Session& session, QString state_folder,
                           std::function<Layout()> layout, QObject* parent)
    : QObject(parent),
      session_(session),
      state_folder_(std::move(state_folder)),
      layout_(std::move(layout)) {
  pool_.setMaxThreadCount(1);  // files are written in the order in which that was asked for
  soon_.setSingleShot(true);
  soon_.setInterval(kSoon);
  regularly_.setInterval(kRegularly);
  connect(&soon_, &QTimer::timeout, this, &ProjectStore::write_recovery);
  connect(&regularly_, &QTimer::timeout, this, &ProjectStore::write_recovery);
  regularly_.start();
}

ProjectStore::~ProjectStore() {
  pool_.waitForDone();
  for (auto const& [file, number] : held_) ::close(number);
  if (lock_ >= 0) ::close(lock_);
}

/// `work` runs on the other thread; what it returns runs on this one.
void ProjectStore::in_background(std::function<std::function<void()>()> work) {
  ++writing_;
  QPointer<ProjectStore> alive(this);
  pool_.start([this, alive, work = std::move(work)] {
    std::function<void()> then = work();
    QMetaObject::invokeMethod(
        this,
        [this, alive, then] {
          if (!alive) return;
          --writing_;
          if (then) then();
        },
        Qt::QueuedConnection);
  });
}

void ProjectStore::set_file(QString const& file, bool changed) {
  if (file == file_ && changed == changed_) return;
  file_ = file;
  changed_ = changed;
  emit state_changed();
}

void ProjectStore::look() {
  bool changed = taken_up_ || session::work_has_changed(session_);
  set_file(file_, changed && session_.snapshot().model);
}

void ProjectStore::touch() {
  if (!soon_.isActive() && !closed_) soon_.start();
}

/// The session's part with the window's.
Project ProjectStore::current(Layout const& layout) const {
  std::string text = session_.save();
  if (text.empty()) return {};
  auto project = session::parse_project(text);
  if (!project) return {};
  std::error_code ignored;
  if (project->model.is_file())
    project->model.source = std::filesystem::absolute(project->model.source, ignored).string();
  project->window = layout;
  project->written_by = "tilewright " + version_number();
  return *project;
}

// ---- projects that were asked for ----------------------------------------------------------

Status ProjectStore::write_project(QString const& file, Project project, std::string const& known) {
  std::string path = file.toStdString();
  if (project.model.source.empty()) return bad_input("no_model", "there is no model to save");
  if (QFileInfo::exists(file)) {
    auto there = read_file(path, session::kLargestProject);
    if (!there) return std::unexpected(there.error());
    if (!known.empty() && sha256(*there) != known)
      return bad_input(
          "changed_meanwhile",
          "was changed by another program since it was opened; save under another name",
          Place{path, 0, 0, {}});
    if (known.empty() && !session::parse_project(*there))
      return bad_input("no_project_there", "is not a project, so it is not overwritten",
                       Place{path, 0, 0, {}});
  }
  if (project.model.is_file())
    project.model.beside = session::path_beside(project.model.source, file.toStdString());
  project.saved = now_text();
  return write_output(path, session::to_text(project));
}

void ProjectStore::save(QString const& file, bool with_model) {
  embeds_ |= with_model;
  QString path = QFileInfo(file).absoluteFilePath();
  std::string known = path == file_ ? known_ : "";
  taken_up_ = false;
  session::mark_work_kept(session_);
  set_file(file_, false);  // what is changed from now on is not in the file
  in_background([this, path, known, embeds = embeds_,
                 layout = layout_()]() -> std::function<void()> {
    Project project = current(layout);
    Status status = embeds && project.model.is_file() ? session::embed_model(project) : Status();
    if (status) status = write_project(path, std::move(project), known);
    auto text = status ? read_file(path.toStdString(), session::kLargestProject) : "";
    std::string hash = text ? sha256(*text) : "";
    return [this, path, status, hash] {
      if (!status) {
        taken_up_ = true;
        set_file(file_, true);
        emit failed(QString::fromStdString(to_sentence(status.error())));
        return;
      }
      known_ = hash;
      set_file(path, changed_);
      touch();
      emit saved(path);
    };
  });
}

void ProjectStore::open(QString const& file, QString const& model) {
  load(QFileInfo(file).absoluteFilePath(), model, Kind::kProject);
}

void ProjectStore::load(QString const& file, QString const& model, Kind kind) {
  in_background([this, file, model, kind]() -> std::function<void()> {
    Loaded loaded{file, kind, {}, {}, "", {}};
    auto text = read_file(file.toStdString(), session::kLargestProject);
    auto project =
        text ? session::parse_project(*text, file.toStdString()) : std::unexpected(text.error());
    if (!project) {
      loaded.error = project.error();
    } else {
      loaded.hash = sha256(*text);
      loaded.project = *project;
      auto home = project->window.find("project");
      if (!model.isEmpty()) loaded.project.model.source = model.toStdString();
      loaded.model = session::find_model(
          loaded.project, home == project->window.end() ? file.toStdString() : home->second);
    }
    if (project)
      loaded.model = session::or_own_copy(loaded.model, loaded.project,
                                          state_folder_.toStdString() + "/embedded");
    return [this, loaded = std::move(loaded)] { take(loaded); };
  });
}

void ProjectStore::take(Loaded loaded) {
  if (loaded.error) {
    if (loaded.kind == Kind::kRecovery)  // not offered again, and not lost either
      QFile::rename(loaded.file, loaded.file + ".broken");
    return emit failed(QString::fromStdString(to_sentence(*loaded.error)));
  }
  using State = session::FoundModel::State;
  if (loaded.model.state == State::kMissing)
    return emit missing(loaded.file, QString::fromStdString(loaded.model.sentence));
  loaded.project.model.source = loaded.model.source;
  set_aside();
  Status status = session_.restore(session::to_text(loaded.project));
  if (!status) return emit failed(QString::fromStdString(to_sentence(status.error())));
  Layout layout = loaded.project.window;
  taken_up_ =
      loaded.kind == Kind::kKept || (loaded.kind != Kind::kProject && layout.contains("changed"));
  if (loaded.kind == Kind::kProject) {
    known_ = loaded.hash;
    embeds_ = loaded.project.model.embedded();
    set_file(loaded.file, false);
  } else {
    // The project that it belongs to may have been saved by another window since: its hash says.
    known_ = layout.contains("project known") ? layout["project known"] : "";
    embeds_ = layout.contains("project embeds");
    set_file(QString::fromStdString(layout.contains("project") ? layout["project"] : ""),
             taken_up_);
    if (loaded.kind == Kind::kRecovery) {
      recovered_ = loaded.file;
      recovered_model_ = loaded.model.source;
    }
  }
  touch();
  emit opened(layout, loaded.kind == Kind::kRecovery || loaded.kind == Kind::kLast);
  if (loaded.model.state == State::kChanged || loaded.model.state == State::kCopied)
    emit failed(QString::fromStdString(loaded.model.sentence));
}

// ---- what is kept without being asked for --------------------------------------------------

/// Nothing is written while nothing has changed.
void ProjectStore::write_recovery() {
  if (closed_ || !session_.snapshot().model) return;
  if (recovery_.isEmpty()) {
    recovery_ = unique_file(state_folder_ + "/recovery", "work");
    lock_ = try_lock(lock_of(recovery_));
  }
  look();
  Layout layout = layout_();
  if (!file_.isEmpty()) layout["project"] = file_.toStdString();
  if (!file_.isEmpty() && !known_.empty()) layout["project known"] = known_;
  if (changed_) layout["changed"] = "yes";
  if (embeds_) layout["project embeds"] = "yes";
  in_background([this, layout, file = recovery_.toStdString(), old = recovered_,
                 model = recovered_model_]() -> std::function<void()> {
    bool restored = session_.wait_idle(0);
    Project project = current(layout);
    bool taken = !old.isEmpty() && restored && project.model.source == model;
    if (project.model.source.empty()) return {};
    std::string content = session::to_text(project);
    if (content == written_ && !taken) return {};
    project.saved = now_text();
    if (Status status = write_file(file, session::to_text(project)); !status)
      return [this, status] {
        emit failed("unsaved work cannot be stored for recovery: " +
                    QString::fromStdString(to_sentence(status.error())));
      };
    written_ = std::move(content);
    if (!taken) return {};
    return [this, old] {  // what was recovered is in this window's file now
      discard(old);
      recovered_.clear();
    };
  });
}

void ProjectStore::set_aside() {
  look();
  emit leaving(file_);
  bool lost = changed_ && session_.snapshot().model;
  if (lost) {
    Project project = current(layout_());
    project.saved = now_text();
    QString folder = earlier_folder();
    QString file = unique_file(folder, QString::fromStdString(project.model.name())
                                           .replace(QRegularExpression("[^A-Za-z0-9._-]"), "_"));
    if (!file_.isEmpty()) project.window["project"] = file_.toStdString();
    in_background([project, file, folder]() -> std::function<void()> {
      (void)write_file(file.toStdString(), session::to_text(project));
      keep_newest(folder, kMostEarlier);
      return {};
    });
  }
  known_.clear();
  embeds_ = taken_up_ = false;
  session::mark_work_kept(session_);
  set_file({}, false);
}

std::optional<ProjectStore::LeftBehind> ProjectStore::left_behind() {
  QDir folder(state_folder_ + "/recovery");
  QStringList files = folder.entryList({"*.twproj"}, QDir::Files, QDir::Name);
  std::reverse(files.begin(), files.end());  // the newest first: names begin with the time
  for (QString const& name : files) {
    QString file = folder.filePath(name);
    if (file == recovery_ || file == recovered_) continue;
    if (!held_.contains(file)) {
      int number = try_lock(lock_of(file));
      if (number < 0) continue;  // another window works on it
      held_[file] = number;
    }
    LeftBehind left{file, "a model", QFileInfo(file).lastModified()};
    if (auto project = session::open_project(file.toStdString()))
      left.model = QString::fromStdString(project->model.name());
    return left;
  }
  return {};
}

void ProjectStore::recover(QString const& file) { load(file, {}, Kind::kRecovery); }

void ProjectStore::discard(QString const& file) {
  QFile::remove(file);
  QFile::remove(lock_of(file));
  if (auto held = held_.find(file); held != held_.end()) {
    ::close(held->second);
    held_.erase(held);
  }
}

void ProjectStore::resume(QString const& source) {
  in_background([this, source]() -> std::function<void()> {
    QString kept = newest_kept(state_folder_, source);
    if (kept.isEmpty()) return [this, source] { emit nothing_kept(source); };
    return [this, kept] { load(kept, {}, Kind::kKept); };
  });
}

bool ProjectStore::restore_last() {
  QString file = state_folder_ + "/session.twproj";
  if (!QFileInfo::exists(file)) return false;
  load(file, {}, Kind::kLast);
  return true;
}

void ProjectStore::close() {
  look();
  closed_ = true;
  pool_.waitForDone();
  QDir().mkpath(state_folder_);
  QString file = state_folder_ + "/session.twproj";
  Layout layout = layout_();
  if (!file_.isEmpty()) layout["project"] = file_.toStdString();
  if (!known_.empty()) layout["project known"] = known_;
  if (changed_) layout["changed"] = "yes";
  if (embeds_) layout["project embeds"] = "yes";
  Project project = current(layout);
  if (auto old = session::open_project(file.toStdString());
      old && old->model.source != project.model.source && old->window.contains("changed")) {
    QDir().mkpath(earlier_folder());
    QFile::rename(file, unique_file(earlier_folder(), "session"));
    keep_newest(earlier_folder(), kMostEarlier);
  }
  project.saved = now_text();
  bool kept = true;
  if (project.model.source.empty())
    QFile::remove(file);
  else
    kept = write_file(file.toStdString(), session::to_text(project)).has_value();
  bool restored = session_.wait_idle(0) && project.model.source == recovered_model_;
  if (kept && restored && !recovered_.isEmpty()) discard(recovered_);
  if (kept && !recovery_.isEmpty()) {
    QFile::remove(recovery_);
    QFile::remove(lock_of(recovery_));
  }
}

}  // namespace tw
