/// A window with a session of its own, as a start of the program makes one.
#pragma once

#include <QTemporaryDir>
#include <memory>

#include "app/shared/environment.h"
#include "app/shared/journal/journal.h"
#include "app/window/main_window.h"
#include "app/window/replay.h"
#include "engine/session/use_cases.h"

namespace tw {

struct Workplace {
  /// `state` is where settings and kept work lie; empty: a folder of its own.
  explicit Workplace(bool measure, QString state = {}) {
    auto environment = make_environment().value();
    session = session::Session::create({environment.backend, TW_BINARY_DIR "/bin/tw-device",
                                        environment.cache_folder.string(), 2, measure})
                  .value();
    std::vector<SampleCard> samples;
    for (auto const& row : session::sample_list())
      samples.push_back({QString::fromStdString(row.name), QString::fromStdString(row.title),
                         QString::fromStdString(row.description)});
    window = std::make_unique<MainWindow>(*session, samples,
                                          state.isEmpty() ? folder.filePath("state") : state);
    window->show();
    settle();
  }
  void settle() { tw::settle(*window, *session); }
  Status replay(std::string const& text, std::string const& file = "") {
    auto journal = journal::parse(text, file);
    if (!journal) return std::unexpected(journal.error());
    return tw::replay(*window, *session, *journal);
  }
  /// Lines without the header; empty when all went as expected, else the sentence.
  std::string lines(std::string const& text) {
    Status status = replay(std::string(journal::kHeader) + "\n" + text);
    return status ? "" : to_sentence(status.error());
  }
  std::string recorded() const { return window->recorder().text(); }

  QTemporaryDir folder;
  std::unique_ptr<session::Session> session;
  std::unique_ptr<MainWindow> window;
};

}  // namespace tw
