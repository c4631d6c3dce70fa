/// A window with a session of its own, as a start of the program makes one.
#pragma once

#include <QTemporaryDir>
#include <memory>

#include "app/shared/devices.h"
#include "app/shared/environment.h"
#include "app/shared/journal/journal.h"
#include "app/window/main_window.h"
#include "app/window/replay.h"
#include "app/window/start_controller.h"
#include "engine/session/use_cases.h"
#include "tests/support/sessions.h"

namespace tw {

struct Workplace {
  /// `state` is where settings and kept work lie; empty: a folder of its own.
  explicit Workplace(bool measure, QString state = {}) {
    session = testing::make_session(measure);
    make_window(state.isEmpty() ? folder.filePath("state") : state);
  }
  /// With a list of devices.
  explicit Workplace(std::string const& devices, bool measure = false) {
    auto logs = std::make_shared<DeviceLogs>();
    session::Options options = testing::session_options(measure);
    options.open_device = [devices, logs](std::string const& name, StopToken stop) {
      return choose_device(devices, name, stop, logs->of(name));
    };
    options.local_log = logs->of("local");
    options.device_names = [devices] { return device_names(devices); };
    options.exports = make_environment().value().exports;
    std::string cache = options.cache_folder, program = options.device_program;
    session = session::Session::create(std::move(options)).value();
    make_window(folder.filePath("state"));
    window->set_device_files(devices, cache, logs, program);
  }
  void settle() { tw::settle(*window, *session); }
  /// The matrix product, in a window that is wide enough for all panes.
  void open_matmul() {
    std::string file = folder.filePath("matmul.te").toStdString();
    std::ofstream(file) << testing::kMatmul;
    window->resize(1600, 1000);
    window->execute(session::OpenModel{file});
    settle();
  }
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

private:
  void make_window(QString const& state) {
    window = std::make_unique<MainWindow>(*session, sample_cards(), state);
    window->show();
    settle();
  }
};

}  // namespace tw
