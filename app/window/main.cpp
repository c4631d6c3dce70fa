// SPDX-License-Identifier: GPL-3.0-or-later
// The window's program.
#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/shared/devices.h"
#include "app/shared/environment.h"
#include "app/shared/version.h"
#include "app/window/main_window.h"
#include "app/window/playback.h"
#include "app/window/replay.h"
#include "app/window/report.h"
#include "app/window/settings_file.h"
#include "app/window/start_controller.h"
#include "engine/schedule/macros/macro_set.h"
#include "engine/session/use_cases.h"
#include "engine/support/files.h"

namespace {

using tw::Status;

int exit_code(tw::Fault fault) {
  return fault == tw::Fault::kRefused ? 1 : fault == tw::Fault::kBadInput ? 2 : 3;
}

int fail(tw::Error const& error) {
  std::fprintf(stderr, "tilewright: %s\n", tw::to_sentence(error).c_str());
  return exit_code(error.fault);
}

struct Wishes {
  QString model, sample, theme, report, journal, record, picture, state;
  bool stays = false;  ///< after a replay
  QSize size;
  std::optional<int> scale;     ///< of text, in percent; nothing: as it was chosen in the window
  std::optional<double> speed;  ///< of the replay; nothing: as fast as it goes
};

/// A walk, a replay or a picture needs nobody to look at it.
bool needs_no_display(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (char const* option : {"--report", "--screenshot", "--journal", "--help", "--version"})
      if (QByteArray(argv[i]).startsWith(option)) return true;
  for (int i = 1; i < argc; ++i)
    if (QByteArray(argv[i]) == "-h" || QByteArray(argv[i]) == "-v") return true;
  return false;
}

/// Qt ends the process without a display; a sentence is better.
bool display_missing() {
  QByteArray platform = qgetenv("QT_QPA_PLATFORM");
  return platform.isEmpty() && qgetenv("DISPLAY").isEmpty() && qgetenv("WAYLAND_DISPLAY").isEmpty();
}

bool nobody_looks() { return QStringList{"offscreen", "minimal"}.contains(qApp->platformName()); }

Status read_speed(QString const& text, Wishes& wishes) {
  if (text.isEmpty()) return {};
  if (wishes.journal.isEmpty())
    return tw::bad_input("no_journal", "--speed needs a journal: --journal FILE");
  for (double speed : tw::PlaybackBar::kSpeeds)
    if (text == QString::number(speed)) wishes.speed = speed;
  if (wishes.speed) return {};
  return tw::bad_input("unusable_speed",
                       "--speed takes 0.5, 1, 2 or 4, not '" + text.toStdString() + "'");
}

tw::Result<Wishes> read_wishes(QApplication& app) {
  QCommandLineParser parser;
  parser.setApplicationDescription("Explore and schedule the kernels of deep-learning models");
  parser.addHelpOption();
  parser.addVersionOption();
  QCommandLineOption sample("sample", "open a built-in model", "name"),
      theme("theme", "dark, light or high-contrast", "name"),
      size("size", "size of the window, as in 1280x800", "WxH"),
      journal("journal", "replay a journal, and exit with 1 if an expectation does not hold",
              "file"),
      record("record", "record what is done as a journal", "file"),
      picture("screenshot", "save a picture of the window, after the journal, and exit",
              "file.png"),
      state("state", "keep settings, recovery files and journals in this folder", "folder"),
      stay("stay", "keep the window open after the journal"),
      speed("speed", "replay the journal so that one can follow it: 0.5, 1, 2 or 4 times as fast",
            "factor"),
      scale("scale", "scale of text and everything else, in percent: 80 to 200", "percent"),
      report("report", "step through a sample automatically and write pictures to this folder",
             "folder");
  parser.addOptions(
      {sample, theme, size, journal, record, picture, state, stay, speed, scale, report});
  parser.addPositionalArgument("MODEL", "an ONNX file, a .te file or a project", "[MODEL]");
  parser.process(app);
  Wishes wishes{parser.positionalArguments().value(0),
                parser.value(sample),
                parser.value(theme).replace('_', '-'),
                parser.value(report),
                parser.value(journal),
                parser.value(record),
                parser.value(picture),
                parser.value(state),
                parser.isSet(stay),
                {},
                {},
                {}};
  TRY(read_speed(parser.value(speed), wishes));
  if (parser.isSet(theme) && !QStringList{"dark", "light", "high-contrast"}.contains(wishes.theme))
    return tw::bad_input("unknown_theme", "there is no theme '" +
                                              parser.value(theme).toStdString() +
                                              "'; the themes are dark, light, high-contrast");
  if (parser.isSet(scale)) {
    bool usable = false;
    wishes.scale = parser.value(scale).toInt(&usable);
    if (!usable || *wishes.scale < tw::Look::kLeastScale || *wishes.scale > tw::Look::kMostScale)
      return tw::bad_input("unusable_scale", "--scale takes a percentage from 80 to 200, not '" +
                                                 parser.value(scale).toStdString() + "'");
  }
  if (!parser.isSet(size)) return wishes;
  auto match = QRegularExpression("^(\\d{1,5})x(\\d{1,5})$").match(parser.value(size));
  if (!match.hasMatch())
    return tw::bad_input("unusable_size", "--size takes WIDTHxHEIGHT, as in 1280x800, not '" +
                                              parser.value(size).toStdString() + "'");
  wishes.size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
  return wishes;
}

Status open_what_is_wished(tw::MainWindow& window, Wishes const& wishes) {
  if (wishes.model.endsWith(".twproj"))
    return window.perform(tw::journal::OpenProject{wishes.model.toStdString(), {}});
  if (!wishes.model.isEmpty())
    return window.perform(tw::session::Command(tw::session::OpenModel{wishes.model.toStdString()}));
  if (!wishes.sample.isEmpty())
    return window.perform(
        tw::session::Command(tw::session::OpenSample{wishes.sample.toStdString()}));
  return {};
}

/// The journal is read before anything is done: a mistake in it costs nothing.
Status replay_and_look(tw::MainWindow& window, tw::session::Session& session,
                       Wishes const& wishes) {
  tw::journal::Journal journal;
  if (!wishes.journal.isEmpty()) {
    TRY_ASSIGN(std::string text, tw::read_text(wishes.journal.toStdString(), 1 << 26));
    TRY_ASSIGN(journal, tw::journal::parse(text, wishes.journal.toStdString()));
  }
  tw::settle(window, session);
  TRY(open_what_is_wished(window, wishes));
  tw::settle(window, session);
  if (auto error = session.snapshot().error; error && !session.snapshot().model)
    return tw::bad_input("model_not_opened", error->sentence);
  if (!session.snapshot().model && !window.said().isEmpty())
    return tw::bad_input("model_not_opened", window.said().toStdString());
  Status done = tw::replay(window, session, journal);
  if (!wishes.picture.isEmpty())  // also of what went wrong
    TRY(tw::save_picture(tw::picture_of(window), wishes.picture.toStdString()));
  return done;
}

bool replays(Wishes const& wishes) {
  return !wishes.journal.isEmpty() || !wishes.picture.isEmpty();
}

/// Nothing is measured unasked where nobody looks, or where it was switched off (panes/kernels).
bool begins_in_background(Wishes const& wishes, QString const& state) {
  if (nobody_looks() || replays(wishes)) return false;
  QSettings settings(tw::settings_file_in(state), QSettings::IniFormat);
  return settings.value("background", "on").toString() != "off";
}

/// Line by line, at a speed; where nobody looks it ends with the journal.
int play(QApplication& app, tw::MainWindow& window, tw::session::Session& session,
         Wishes const& wishes) {
  if (Status opened = open_what_is_wished(window, wishes); !opened) return fail(opened.error());
  tw::settle(window, session);
  QObject::connect(&window.playback(), &tw::Playback::ended, &app, [&](bool well) {
    QString trouble = window.playback().state().trouble;
    if (!well) std::fprintf(stderr, "tilewright: %s\n", qPrintable(trouble));
    bool over = !wishes.picture.isEmpty() || (nobody_looks() && !wishes.stays);
    Status saved;
    if (!wishes.picture.isEmpty())
      saved = tw::save_picture(tw::picture_of(window), wishes.picture.toStdString());
    if (!saved) return QApplication::exit(fail(saved.error()));
    if (over) QApplication::exit(well ? 0 : 1);
  });
  Status status = window.play_journal(wishes.journal, *wishes.speed);
  return status ? app.exec() : fail(status.error());
}

/// Until the window is closed, or what was wished is done; returns the exit code.
int work(QApplication& app, tw::MainWindow& window, tw::session::Session& session,
         Wishes const& wishes) {
  if (wishes.scale) window.set_text_scale(*wishes.scale);
  if (!wishes.report.isEmpty()) {
    if (!wishes.theme.isEmpty()) window.set_theme(QString(wishes.theme).replace('-', '_'));
    return tw::write_report(window, session, wishes.report, wishes.model, wishes.sample);
  }
  if (!wishes.theme.isEmpty())
    (void)window.perform(tw::journal::SetTheme{wishes.theme.toStdString()});
  if (wishes.size.isValid()) {
    Status sized =
        window.perform(tw::journal::ResizeWindow{wishes.size.width(), wishes.size.height()});
    if (!sized) return fail(sized.error());
    window.projects().keep_size();
  }
  window.show();
  if (wishes.speed) return play(app, window, session, wishes);
  if (replays(wishes)) {
    Status status = replay_and_look(window, session, wishes);
    if (!status) return fail(status.error());
    bool over = !wishes.picture.isEmpty() || (nobody_looks() && !wishes.stays);
    return over ? 0 : app.exec();
  }
  window.projects().offer_recovery();
  if (wishes.model.isEmpty() && wishes.sample.isEmpty())
    window.projects().keeper().restore_last();
  else
    (void)open_what_is_wished(window, wishes);
  return app.exec();
}

/// A replay finds the same window everywhere, and leaves yours as it is.
QString state_folder(Wishes const& wishes, QTemporaryDir const& apart) {
  if (!wishes.state.isEmpty()) return wishes.state;
  if (replays(wishes)) return apart.path();
  if (!wishes.report.isEmpty()) return wishes.report + "/state";
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
}

/// That kernels run with here; 0: all cores (settings_desk.cpp).
int threads_of(QString const& state) {
  QSettings settings(tw::settings_file_in(state), QSettings::IniFormat);
  return std::clamp(settings.value("threads", 0).toInt(), 0, 1024);
}

int run(QApplication& app) {
  auto wishes = read_wishes(app);
  if (!wishes) return fail(wishes.error());
  auto environment = tw::make_environment();
  if (!environment) return fail(environment.error());
  if (!environment->warning.empty())
    std::fprintf(stderr, "tilewright: %s\n", environment->warning.c_str());
  std::string devices = environment->devices_file.string();
  auto logs = std::make_shared<tw::DeviceLogs>();
  std::filesystem::path const macro_folders[] = {tw::macro_folder()};
  auto macros = std::make_shared<tw::MacroSet const>(tw::load_macros(macro_folders));
  for (tw::Error const& error : macros->errors())
    std::fprintf(stderr, "tilewright: %s\n", tw::to_sentence(error).c_str());
  QTemporaryDir apart;
  QString const state = state_folder(*wishes, apart);
  auto session = tw::session::Session::create(
      {.backend = environment->backend,
       .cache_folder = environment->cache_folder.string(),
       .threads = threads_of(state),
       .open_device =
           [devices, logs](std::string const& name, tw::StopToken stop) {
             return tw::choose_device(devices, name, stop, logs->of(name));
           },
       .exports = environment->exports,
       .local_log = logs->of(tw::kLocalDeviceName),
       .patience_seconds = nobody_looks() ? 0.0 : 5.0,
       .device_names = [devices] { return tw::device_names(devices); },
       // What a replay tries is no experience of yours.
       .trial_store = replays(*wishes) ? std::string() : tw::trial_store_file().string(),
       .build = tw::version_number(),
       .macros = macros});
  if (!session) return fail(session.error());
  tw::MainWindow window(**session, tw::sample_cards(), state);
  window.set_device_files(devices, environment->cache_folder.string(), logs);
  window.use_start_facts(std::make_shared<tw::session::StartPageData const>(
      environment->backend, environment->cache_folder, tw::version_number()));
  if (begins_in_background(*wishes, state))
    (void)(*session)->execute(tw::session::MeasureInBackground{});
  if (wishes->record.isEmpty()) return work(app, window, **session, *wishes);
  if (Status status = window.recorder().record_to(wishes->record.toStdString()); !status)
    return fail(status.error());
  int code = work(app, window, **session, *wishes);
  Status recorded = window.recorder().finish();
  return recorded || code != 0 ? code : fail(recorded.error());
}

}  // namespace

int main(int argc, char** argv) {
  QCoreApplication::setApplicationName("tilewright");
  QCoreApplication::setApplicationVersion(QString::fromStdString(tw::version_number()));
  if (display_missing()) {
    if (!needs_no_display(argc, argv)) {
      std::fprintf(stderr,
                   "tilewright: there is no display; set DISPLAY, or use --report FOLDER, which "
                   "needs none\n");
      return 3;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  QApplication app(argc, argv);
  QGuiApplication::setDesktopFileName("tilewright");
  Q_INIT_RESOURCE(resources);
  QApplication::setWindowIcon(QIcon(":/tilewright.png"));
  QApplication::setStyle(QStyleFactory::create("Fusion"));
  return run(app);
}
