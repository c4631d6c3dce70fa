// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/report.h"

#include <QApplication>
#include <QThread>
#include <cstdio>

#include "app/window/main_window.h"
#include "app/window/replay.h"
#include "engine/support/files.h"

namespace tw {

namespace {

class Report {
public:
  Report(MainWindow& window, QString folder) : window_(window), folder_(std::move(folder)) {}

  /// `centre` is the tab to show: loops, graph, and in narrow windows code.
  void picture(QString const& name, QString const& words, int centre = 0) {
    html_ += QString("<h2>%1</h2>\n").arg(words.toHtmlEscaped());
    for (char const* theme : {"dark", "light"})
      for (QSize size : {QSize(1280, 800), QSize(2560, 1440)}) {
        window_.set_theme(theme);
        window_.resize(size);
        QApplication::processEvents();
        window_.show_centre(centre < 2 || size.width() < 1360 ? centre : 0);
        for (int i = 0; i < 6; ++i) QApplication::processEvents(), QThread::msleep(15);
        QString file = QString("%1_%2_%3.png").arg(name, theme).arg(size.width());
        keep(save_picture(window_.grab().toImage(), path_of(file)));
        if (size.width() == 1280) html_ += QString("<img src=\"%1\" width=\"640\">\n").arg(file);
      }
  }
  void row(QString const& step, session::HistoryNodeView const& node) {
    rows_ +=
        QString("<tr><td><code>%1</code></td><td>%2</td><td>%3</td></tr>\n")
            .arg(step.toHtmlEscaped(), node.min_ms ? QString::number(*node.min_ms, 'f', 3) : "",
                 node.gflops ? QString::number(*node.gflops, 'f', 1) : "");
    std::printf("%-90s %10s ms  %8s GFLOP/s  %s\n", qPrintable(step),
                node.min_ms ? qPrintable(QString::number(*node.min_ms, 'f', 3)) : "-",
                node.gflops ? qPrintable(QString::number(*node.gflops, 'f', 1)) : "-",
                node.verdict == session::Verdict::kCorrect ? "correct"
                : node.verdict == session::Verdict::kWrong ? "WRONG"
                                                           : "");
  }
  /// Errors: of the first file that could not be written.
  Status write() {
    QString page =
        QString(
            "<!doctype html><meta charset=\"utf-8\"><title>Tilewright: a walk</title><body "
            "style=\"font-family:sans-serif;max-width:1340px;margin:24px auto\"><h1>A convolution "
            "scheduled by hand</h1><table border=\"1\" cellpadding=\"5\" "
            "style=\"border-collapse:collapse\"><tr><th>step</th><th>ms</th><th>GFLOP/s</th></"
            "tr>%1</table>%2")
            .arg(rows_, html_);
    keep(write_output(path_of("index.html"), page.toStdString()));
    return status_;
  }

private:
  std::string path_of(QString const& file) const { return (folder_ + "/" + file).toStdString(); }
  void keep(Status status) {
    if (status_) status_ = std::move(status);
  }

  MainWindow& window_;
  QString folder_, html_, rows_;
  Status status_;
};

session::HistoryNodeView const& current(session::Snapshot const& snapshot) {
  return snapshot.history->nodes[size_t(snapshot.history->current)];
}

/// Five or six lines: a register tile inside of the reduction, of pixels by a block of channels
/// where channels lie in blocks, else of eight channels by a vector of pixels.
QStringList hand_schedule(session::Snapshot const& snapshot) {
  std::string block;
  int64_t width = 0;
  bool in_blocks = false;
  for (auto const& bar : snapshot.nest->bars)
    if (bar.kind == session::AxisKind::kReduce && block.empty())
      block = snapshot.nest->stages[size_t(bar.stage)].name;
  for (auto const& bar : snapshot.nest->bars) {
    if (bar.reference == block + ".x") width = bar.extent;
    in_blocks = in_blocks || bar.reference == block + ".b";
  }
  if (block.empty() || width == 0) return {};
  int64_t lanes = 1;
  for (int64_t d = 1; d <= 16; ++d)
    if (width % d == 0) lanes = d;
  QString b = QString::fromStdString(block);
  if (in_blocks)
    return {QString("x.0, x.1 = split(%1.x, factor=%2)").arg(b).arg(lanes),
            QString("reorder(%1.o, %1.y, %1.x.0, %1.c, %1.r, %1.s, %1.x.1, %1.b)").arg(b),
            QString("vectorize(%1.b)").arg(b), QString("unroll(%1.x.1)").arg(b),
            QString("parallel(%1.o)").arg(b)};
  return {QString("o.0, o.1 = split(%1.o, factor=8)").arg(b),
          QString("x.0, x.1 = split(%1.x, factor=%2)").arg(b).arg(lanes),
          QString("reorder(%1.o.0, %1.y, %1.x.0, %1.c, %1.r, %1.s, %1.o.1, %1.x.1)").arg(b),
          QString("vectorize(%1.x.1)").arg(b),
          QString("unroll(%1.o.1)").arg(b),
          QString("parallel(%1.o.0)").arg(b)};
}

/// Parallel over the reduction is refused; then another branch from the middle of the history.
void refuse_and_branch(MainWindow& window, session::Session& session, Report& report,
                       QStringList const& steps) {
  window.execute(session::JumpTo{0});
  for (auto const& bar : session.snapshot().nest->bars)
    if (bar.kind == session::AxisKind::kReduce) {
      window.apply_line("parallel(" + QString::fromStdString(bar.reference) + ")");
      break;
    }
  settle(window, session);
  report.picture("refused", "A step that is refused, and why");
  window.execute(session::DismissRefusal{});
  for (qsizetype i = 0; i < steps.size(); ++i)
    if (!steps[i].startsWith("unroll")) window.apply_line(steps[i]);
  settle(window, session);
  report.picture("branch", "Undone, and continued on another branch");
}

int finish(Report& report, QString const& folder) {
  Status written = report.write();
  if (written)
    std::printf("report: %s/index.html\n", qPrintable(folder));
  else
    std::fprintf(stderr, "tilewright: %s\n", to_sentence(written.error()).c_str());
  return written ? 0 : 3;
}

}  // namespace

int write_report(MainWindow& window, session::Session& session, QString const& folder,
                 QString const& model, QString const& sample) {
  Report report(window, folder);
  window.resize(1280, 800);
  window.show();
  settle(window, session);
  report.picture("start", "Start");
  if (model.isEmpty())
    window.execute(session::OpenSample{sample.isEmpty() ? "resnet18" : sample.toStdString()});
  else
    window.execute(session::OpenModel{model.toStdString()});
  settle(window, session);
  session::Snapshot opened = session.snapshot();
  if (!opened.model) {
    std::fprintf(stderr, "tilewright: %s\n",
                 opened.error ? opened.error->sentence.c_str() : "the model could not be opened");
    return 2;
  }
  window.show_centre(1);
  settle(window, session);
  report.picture("graph", "The graph after fusion", 1);
  window.show_centre(0);
  for (size_t row = 0; opened.kernels && row < opened.kernels->rows.size(); ++row)
    if (opened.kernels->rows[row].name.find("3x3") != std::string::npos &&
        opened.kernels->rows[row].operators.find("conv") != std::string::npos) {
      window.execute(session::SelectKernel{int(row)});
      break;
    }
  settle(window, session);
  if (!session.snapshot().history) return finish(report, folder);
  report.row("unscheduled nest", current(session.snapshot()));
  report.picture("plain", "A convolution's unscheduled nest");
  QStringList steps = hand_schedule(session.snapshot());
  for (QString const& step : steps) {
    window.apply_line(step);
    settle(window, session);
    report.row(step, current(session.snapshot()));
  }
  report.picture("scheduled", "Scheduled by hand");
  (void)window.show_view("assembly");
  settle(window, session);
  report.picture("assembly", "Its assembly, linked to the loops", 2);
  window.show_centre(0);
  (void)window.show_view("lowered");
  refuse_and_branch(window, session, report, steps);
  return finish(report, folder);
}

}  // namespace tw
