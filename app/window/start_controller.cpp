// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/start_controller.h"

#include <QCryptographicHash>
#include <QSettings>
#include <algorithm>

#include "app/window/settings_file.h"
#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/start/start_page.h"

namespace tw {

using session::KernelState;

namespace {

constexpr int kMostRecent = 8;

QString reached_key(QString const& path) {
  return "reached/" + QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Md5).toHex();
}

std::optional<Reached> reached_in(QSettings const& settings, QString const& path) {
  QStringList words = settings.value(reached_key(path)).toStringList();
  if (words.size() != 4) return {};
  QDateTime when = QDateTime::fromString(words[3], Qt::ISODate);
  int state = words[2].toInt();
  if (!when.isValid() || state < 0 || state > int(KernelState::kTuned)) return {};
  return Reached{words[0], words[1], KernelState(state), when};
}

bool is_shaped(session::KernelRow const& row) {
  return row.state == KernelState::kHand || row.state == KernelState::kTuned;
}

int steps_to(session::HistoryView const& history, int node) {
  int steps = 0;
  for (; node >= 0 && history.nodes[size_t(node)].parent >= 0; ++steps)
    node = history.nodes[size_t(node)].parent;
  return steps;
}

/// The best of all states that were found right.
/// Of the steps that lead to where one is: what others reached is not these steps' speed.
QString best_speed(session::HistoryView const& history) {
  double best = 0;
  for (int id = history.current; id >= 0; id = history.nodes[size_t(id)].parent) {
    session::HistoryNodeView const& node = history.nodes[size_t(id)];
    if (node.failure.empty() && node.verdict != session::Verdict::kWrong)
      best = std::max(best, node.speed.value_or(0));
  }
  return best > 0 ? paint::speed(best, history.unit.c_str()) : QString();
}

}  // namespace

std::vector<SampleCard> sample_cards() {
  std::vector<SampleCard> cards;
  for (session::StartSample const& one : session::start_samples())
    cards.push_back({QString::fromStdString(one.name), QString::fromStdString(one.title),
                     QString::fromStdString(one.description), QString::fromStdString(one.source)});
  return cards;
}

StartController::StartController(StartPage& page, std::vector<SampleCard> samples,
                                 QString state_folder)
    : page_(page), samples_(std::move(samples)), settings_file_(settings_file_in(state_folder)) {
  pool_.setMaxThreadCount(1);
  pool_.setThreadPriority(QThread::LowPriority);
  show_recent();
}

StartController::~StartController() {
  stop_.request_stop();
  pool_.waitForDone();
}

// ---- samples ----------------------------------------------------------------------------------

void StartController::use_facts(std::shared_ptr<session::StartPageData const> facts) {
  facts_ = std::move(facts);
  for (QString const& source : sources())
    if (auto story = facts_->kept(source.toStdString()))
      take_story(source, story, story->model_ms.has_value());
  tell_next();
}

QStringList StartController::sources() const {
  QStringList all;
  if (QString lesson = page_.lesson_source(); !lesson.isEmpty()) all << lesson;
  for (SampleCard const& sample : samples_) all << sample.source;
  return all;
}

void StartController::take_story(QString const& source,
                                 std::optional<session::SampleSummary> const& story,
                                 bool with_roofs) {
  Told& told = told_[source];
  told.story = true;  // also where there is none: once is enough
  told.with_roofs = told.with_roofs || with_roofs;
  if (story) page_.show_story(source, *story);
}

void StartController::take(session::Snapshot const& next) {
  if (next.model != model_ && model_) open_ = {};
  model_ = next.model;
  machine_ = next.machine;
  QDateTime measured;
  if (facts_ && machine_ && machine_->device == "local")
    if (auto seconds = facts_->roofs_measured()) measured = QDateTime::fromSecsSinceEpoch(*seconds);
  page_.show_machine(machine_, measured);
  if (next.model) {
    note_reached(next);
    note_time(next);
  }
  idle_ = !next.model && !next.job;
  if (!idle_) stop_.request_stop();
  tell_next();
}

/// One after the other, and only while nothing is measured that this would disturb.
void StartController::tell_next() {
  if (!facts_ || !machine_ || !idle_ || running_) return;
  for (QString const& source : sources()) {
    Told const& told = told_[source];
    if (!told.story || (!told.with_roofs && machine_->rates)) return tell(source);
  }
}

void StartController::tell(QString const& source) {
  running_ = true;
  stop_ = {};
  pool_.start([this, source, facts = facts_, machine = machine_, stop = stop_.get_token()] {
    auto story = facts->story(source.toStdString(), machine.get(), stop);
    bool stopped = stop.stop_requested();
    std::optional<session::SampleSummary> found;
    if (story) found = *std::move(story);
    QMetaObject::invokeMethod(this, [this, source, machine, found, stopped] {
      running_ = false;
      if (!stopped) take_story(source, found, machine->rates != nullptr);
      tell_next();
    });
  });
}

/// By rule, with nothing made by hand: the time that the card speaks of.
void StartController::note_time(session::Snapshot const& now) {
  if (!facts_ || !now.kernels || now.kernels->rows.empty() || open_.source.isEmpty()) return;
  auto const& rows = now.kernels->rows;
  bool known = std::ranges::any_of(
      samples_, [&](SampleCard const& one) { return one.source == open_.source; });
  bool by_rule = std::ranges::none_of(rows, is_shaped);
  bool here = now.machine && now.machine->device == "local";
  bool quiet = std::ranges::none_of(rows, &session::KernelRow::disturbed);
  if (!known || !by_rule || !here || !quiet) return;
  std::optional<double> ms = now.kernels->total_ms;
  if (!ms && open_.source.startsWith("te:") && rows.size() == 1) ms = rows[0].time_ms;
  if (!ms || *ms == open_.kept_ms) return;
  open_.kept_ms = *ms;
  pool_.start([this, facts = facts_, source = open_.source, ms = *ms] {
    std::string key = source.toStdString();
    if (!facts->keep_time(key, ms)) return;
    QMetaObject::invokeMethod(this, [this, source, story = facts->kept(key)] {
      if (story) take_story(source, story, story->model_ms.has_value());
    });
  });
}

// ---- recent files -----------------------------------------------------------------------------

/// A built-in model has no file; it is known by its name.
QString StartController::source_of(session::ModelView const& model) const {
  if (!model.path.empty()) return QString::fromStdString(model.path);
  for (SampleCard const& sample : samples_)
    if (sample.name.toStdString() == model.name) return sample.source;
  return {};
}

/// What was done last: a kernel that is only looked at does not take the place of one that was
/// worked on.
void StartController::note_reached(session::Snapshot const& now) {
  QString source = source_of(*now.model);
  if (source != open_.source) open_ = {source, {}, 0};
  if (!now.kernels || !now.history || now.kernel < 0) return;
  auto const& rows = now.kernels->rows;
  session::KernelRow const& row = rows[size_t(now.kernel)];
  auto shaped = std::ranges::count_if(rows, is_shaped);
  Reached& reached = open_.reached;
  if (is_shaped(row)) {
    int steps = steps_to(*now.history, now.history->current);
    reached.state = row.state;
    reached.where = QString::fromStdString(row.name + " · " + count_text(steps, "step"));
    reached.best = best_speed(*now.history);
  } else if (shaped == 0) {
    reached.state = KernelState::kDefault;
    reached.where.clear();
    reached.best = now.kernels->total_ms ? paint::time(*now.kernels->total_ms) : QString();
  } else if (reached.where.isEmpty()) {
    reached.state = KernelState::kHand;
    reached.where =
        QString::fromStdString(count_text(int64_t(shaped), "kernel") + " scheduled by hand");
  }
}

void StartController::keep_reached(QString const& path) const {
  Reached const& reached = open_.reached;
  QSettings(settings_file_, QSettings::IniFormat)
      .setValue(reached_key(path),
                QStringList{reached.where, reached.best, QString::number(int(reached.state)),
                            QDateTime::currentDateTime().toString(Qt::ISODate)});
}

void StartController::leave(QString const& project) {
  if (open_.source.isEmpty()) return;
  keep_reached(project.isEmpty() ? open_.source : project);  // that it is opened by again
  open_ = {};
  show_recent();
}

void StartController::remember(QString const& path) {
  QSettings settings(settings_file_, QSettings::IniFormat);
  QStringList recent = settings.value("recent").toStringList();
  recent.removeAll(path);
  recent.prepend(path);
  for (QString const& old : recent.mid(kMostRecent)) settings.remove(reached_key(old));
  settings.setValue("recent", QStringList(recent.mid(0, kMostRecent)));
  settings.sync();
  show_recent();
}

void StartController::forget(QString const& path) {
  QSettings settings(settings_file_, QSettings::IniFormat);
  QStringList recent = settings.value("recent").toStringList();
  recent.removeAll(path);
  settings.setValue("recent", recent);
  settings.remove(reached_key(path));
  settings.sync();
  show_recent();
}

void StartController::show_recent() const {
  QSettings settings(settings_file_, QSettings::IniFormat);
  std::vector<RecentFile> files;
  for (QString const& path : settings.value("recent").toStringList().mid(0, kMostRecent))
    files.push_back({path, reached_in(settings, path)});
  page_.show_recent(files);
}

}  // namespace tw
