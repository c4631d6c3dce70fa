// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/report_controller.h"

#include <QFileDialog>
#include <QtConcurrent>

#include "engine/support/files.h"

namespace tw {
namespace {

constexpr int kPause = 20;  // milliseconds between two looks whether the code is there
constexpr char kKernel[] = "The kernel (*.html)", kModel[] = "The whole model (*.html)";

report::What what_of(journal::SaveReport const& action) {
  return action.what == "model" ? report::What::kModel : report::What::kKernel;
}

}  // namespace

ReportController::ReportController(Workbench& bench, QWidget* window)
    : QObject(window), bench_(bench), window_(window) {
  timer_.setInterval(kPause);
  connect(&timer_, &QTimer::timeout, this, &ReportController::look);
  connect(&writing_, &QFutureWatcher<Status>::finished, this, &ReportController::end);
  bench.on<journal::SaveReport>([this](auto const& action) { return save(action); });
  bench.add_dialog("report", [this](QString const&) { return show_dialog(); });
  bench.add_command({.section = "Models and projects",
                     .name = "Save report...",
                     .run =
                         [this] {
                           bench_.ask(journal::ShowDialog{"report", {}});
                         },
                     .possible = [this] { return bench_.snapshot().model != nullptr; },
                     .also = "HTML page export"});
}

Status ReportController::save(journal::SaveReport const& action) {
  if (busy()) return bad_input("report_goes_on", "another report is still being written");
  auto now = report::gather(what_of(action), bench_.live());
  if (!now) return std::unexpected(now.error());
  wanted_ = action;
  timer_.start();
  return {};
}

void ReportController::look() {
  auto contents = report::gather(what_of(*wanted_), bench_.live());
  if (contents && !*contents) return;
  timer_.stop();
  std::string file = std::exchange(wanted_, std::nullopt)->file;
  // The model was closed meanwhile.
  if (!contents) return emit failed(QString::fromStdString(to_sentence(contents.error())));
  file_ = QString::fromStdString(file);
  writing_.setFuture(QtConcurrent::run(
      [contents = **contents, file] { return write_output(file, report::to_html(contents)); }));
}

void ReportController::end() {
  Status written = writing_.result();
  if (written) return emit saved("Saved the report " + file_);
  emit failed(QString::fromStdString(to_sentence(written.error())));
}

Status ReportController::show_dialog() {
  if (!bench_.snapshot().model) return bad_input("no_model", "no model is open");
  auto* dialog = new QFileDialog(window_, "Save a report", "report.html");
  dialog->setObjectName("reportDialog");
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  QStringList kinds{kModel};
  if (bench_.snapshot().history) kinds.prepend(kKernel);
  dialog->setNameFilters(kinds);
  dialog->setDefaultSuffix("html");
  connect(dialog, &QFileDialog::fileSelected, this, [this, dialog](QString const& file) {
    bool model = dialog->selectedNameFilter() == kModel;
    bench_.ask(journal::SaveReport{model ? "model" : "kernel", file.toStdString()});
  });
  bench_.open(dialog);
  return {};
}

}  // namespace tw
