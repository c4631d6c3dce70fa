// SPDX-License-Identifier: GPL-3.0-or-later
/// What the start page shows, looked after: recent files with what was reached in them, and what is
/// told of samples, which is found out while nobody works.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <map>
#include <memory>
#include <stop_token>

#include "engine/session/session.h"
#include "engine/session/start_page_data.h"
#include "widgets/start/start_values.h"

namespace tw {

class StartPage;

/// The samples that a start page has.
std::vector<SampleCard> sample_cards();

class StartController : public QObject {
  Q_OBJECT
public:
  StartController(StartPage& page, std::vector<SampleCard> samples, QString state_folder);
  ~StartController() override;

  /// Without this samples are told by their descriptions alone.
  void use_facts(std::shared_ptr<session::StartPageData const> facts);
  void take(session::Snapshot const& next);
  /// A story is being made.
  bool busy() const { return running_; }

  void remember(QString const& path);
  void forget(QString const& path);
  /// The window is left: keeps what was reached. `project`: the work's own file; empty: it has
  /// none.
  void leave(QString const& project);

private:
  /// Of a sample.
  struct Told {
    bool story = false, with_roofs = false;
  };
  struct Open {
    QString source;  ///< of the model that is open; empty: none is
    Reached reached;
    double kept_ms = 0;  ///< the sample's time that was kept last
  };
  /// Of samples, and of what the lesson is about.
  QStringList sources() const;
  void tell_next();
  void tell(QString const& source);
  void take_story(QString const& source, std::optional<session::SampleSummary> const& story,
                  bool with_roofs);
  void note_reached(session::Snapshot const& now);
  void note_time(session::Snapshot const& now);
  void keep_reached(QString const& path) const;
  QString source_of(session::ModelView const& model) const;
  void show_recent() const;

  StartPage& page_;
  std::vector<SampleCard> samples_;
  QString settings_file_;
  std::shared_ptr<session::StartPageData const> facts_;
  std::shared_ptr<session::MachineView const> machine_;
  std::shared_ptr<session::ModelView const> model_;
  std::map<QString, Told> told_;  ///< by the samples' sources
  Open open_;
  bool idle_ = false;  ///< no model, no job
  bool running_ = false;
  std::stop_source stop_;
  QThreadPool pool_;
};

}  // namespace tw
