// SPDX-License-Identifier: GPL-3.0-or-later
// The window's program.
#include <QApplication>
#include <QCommandLineParser>
#include <QStandardPaths>
#include <QStyleFactory>
#include <cstdio>

#include "app/shared/environment.h"
#include "app/window/main_window.h"
#include "app/window/report.h"
#include "engine/session/use_cases.h"

namespace {

int fail(tw::Error const& error) {
  std::fprintf(stderr, "tilewright: %s\n", tw::to_sentence(error).c_str());
  return 3;
}

/// Qt ends the process without a display; a sentence is better.
bool display_missing() {
  QByteArray platform = qgetenv("QT_QPA_PLATFORM");
  return platform.isEmpty() && qgetenv("DISPLAY").isEmpty() && qgetenv("WAYLAND_DISPLAY").isEmpty();
}

}  // namespace

int main(int argc, char** argv) {
  if (display_missing()) {
    bool report = false;
    for (int i = 1; i < argc; ++i) report |= QByteArray(argv[i]).startsWith("--report");
    if (!report) {
      std::fprintf(stderr,
                   "tilewright: there is no display; set DISPLAY, or give --report FOLDER for a "
                   "walk without a window\n");
      return 3;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  QApplication app(argc, argv);
  QApplication::setApplicationName("tilewright");
  QApplication::setStyle(QStyleFactory::create("Fusion"));
  QCommandLineParser parser;
  parser.setApplicationDescription("Explore and shape the kernels of deep-learning models");
  parser.addHelpOption();
  QCommandLineOption sample("sample", "open a built-in model", "name"),
      theme("theme", "dark, light or high-contrast", "name"),
      report("report", "walk through the sample without a person and write pictures there",
             "folder");
  parser.addOptions({sample, theme, report});
  parser.addPositionalArgument("MODEL", "an ONNX file or a .te file", "[MODEL]");
  parser.process(app);
  QString wanted_theme = parser.value(theme).replace('-', '_');
  if (parser.isSet(theme) &&
      !QStringList{"dark", "light", "high_contrast"}.contains(wanted_theme)) {
    std::fprintf(stderr,
                 "tilewright: there is no theme '%s'; the themes are dark, light, high-contrast\n",
                 qPrintable(parser.value(theme)));
    return 2;
  }

  auto environment = tw::make_environment();
  if (!environment) return fail(environment.error());
  auto session = tw::session::Session::create(
      {environment->backend, "", environment->cache_folder.string(), 0, true});
  if (!session) return fail(session.error());
  std::vector<tw::SampleCard> samples;
  for (auto const& row : tw::session::sample_list())
    samples.push_back({QString::fromStdString(row.name), QString::fromStdString(row.title),
                       QString::fromStdString(row.description)});
  QString state = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
  tw::MainWindow window(**session, samples,
                        parser.isSet(report) ? parser.value(report) + "/state" : state);
  if (parser.isSet(theme)) window.set_theme(wanted_theme);
  if (parser.isSet(report))
    return tw::write_report(window, **session, parser.value(report),
                            parser.positionalArguments().value(0));
  window.show();
  if (!parser.positionalArguments().isEmpty())
    window.execute(tw::session::OpenModel{parser.positionalArguments().first().toStdString()});
  else if (parser.isSet(sample))
    window.execute(tw::session::OpenSample{parser.value(sample).toStdString()});
  else
    window.restore_session();
  return app.exec();
}
