// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/replay.h"

#include <QApplication>
#include <QBuffer>
#include <QDialog>
#include <QElapsedTimer>
#include <QPainter>
#include <QThread>
#include <cmath>
#include <filesystem>

#include "app/shared/journal/words.h"
#include "app/window/main_window.h"
#include "engine/support/files.h"

namespace tw {
namespace {

using Value = std::variant<double, std::string>;

constexpr double kPatience = 180;  // seconds: a model's kernels are measured one after the other

bool holds(journal::Expect const& expect, Value const& value) {
  using journal::Compare;
  if (auto const* text = std::get_if<std::string>(&value)) {
    if (expect.compare == Compare::kContains) return text->find(expect.text) != std::string::npos;
    return (*text == expect.text) == (expect.compare == Compare::kIs);
  }
  double seen = std::get<double>(value);
  bool same = std::abs(seen - expect.number) <= 1e-9 * std::abs(expect.number);
  switch (expect.compare) {
    case Compare::kLess:
      return seen < expect.number && !same;
    case Compare::kAtMost:
      return seen < expect.number || same;
    case Compare::kMore:
      return seen > expect.number && !same;
    case Compare::kAtLeast:
      return seen > expect.number || same;
    default:
      return same == (expect.compare == Compare::kIs);
  }
}

std::string words_of(std::optional<Value> const& value, std::string const& unit) {
  if (!value) return "it is not known";
  if (auto const* text = std::get_if<std::string>(&*value)) return "it is '" + *text + "'";
  double number = std::get<double>(*value);
  QString shown = number == std::round(number) ? QString::number(number, 'f', 0)
                                               : QString::number(number, 'g', 4);
  return "it is " + shown.toStdString() + (unit.empty() || unit == "words" ? "" : " " + unit);
}

class Replay {
public:
  Replay(MainWindow& window, session::Session& session, journal::Journal const& journal)
      : window_(window), session_(session), journal_(journal) {}

  Status run() {
    for (size_t i = 0; i < journal_.lines.size(); ++i) {
      journal::Line const& line = journal_.lines[i];
      if (auto const* expect = std::get_if<journal::Expect>(&line.what))
        TRY(check(*expect, place_of(line)));
      else
        TRY(act(std::get<journal::Action>(line.what), place_of(line), error_is_expected(i + 1)));
    }
    return {};
  }

private:
  Place place_of(journal::Line const& line) const { return {journal_.file, line.number, 0, {}}; }

  /// Among the expectations that follow the action.
  bool error_is_expected(size_t from) const {
    for (size_t i = from; i < journal_.lines.size(); ++i) {
      auto const* expect = std::get_if<journal::Expect>(&journal_.lines[i].what);
      if (!expect) return false;
      if (expect->fact == "error") return true;
    }
    return false;
  }

  Status act(journal::Action action, Place const& place, bool error_expected) {
    at_home(action);
    QElapsedTimer timer;
    timer.start();
    session::Snapshot before = session_.snapshot();
    Status status = window_.perform(action);
    if (!settle(window_, session_, kPatience)) return still_busy(place);
    elapsed_ = double(timer.nsecsElapsed()) / 1e6;
    if (error_expected) return {};
    if (!status) return refused("action_failed", to_sentence(status.error()), place);
    auto error = session_.snapshot().error;
    if (!window_.said().isEmpty())
      return refused("action_failed", window_.said().toStdString(), place);
    bool fresh = error && (!before.error || before.error->sentence != error->sentence);
    if (fresh) return refused("action_failed", error->sentence, place);
    return {};
  }

  /// Where the journal lies is where its models and projects are.
  void at_home(journal::Action& action) const {
    auto* command = std::get_if<session::Command>(&action);
    if (auto* open = command ? std::get_if<session::OpenModel>(command) : nullptr)
      make_absolute(open->path);
    if (auto* open = std::get_if<journal::OpenProject>(&action)) {
      make_absolute(open->project);
      make_absolute(open->model);
    }
    if (auto* save = std::get_if<journal::SaveProject>(&action)) make_absolute(save->project);
    if (auto* save = std::get_if<journal::SaveProjectWithModel>(&action))
      make_absolute(save->project);
  }
  void make_absolute(std::string& path) const {
    if (journal_.file.empty() || path.empty() || std::filesystem::path(path).is_absolute()) return;
    path = (std::filesystem::absolute(journal_.file).parent_path() / path).string();
  }

  std::unexpected<Error> still_busy(Place const& place) const {
    session::Snapshot now = session_.snapshot();
    std::string what = now.job ? now.job->what : "drawing";
    return environment_failed(
        "still_busy", "still busy after " + std::to_string(int(kPatience)) + " seconds: " + what,
        place);
  }

  Status check(journal::Expect const& expect, Place const& place) const {
    std::optional<Value> value =
        expect.fact == "elapsed" ? Value(elapsed_) : window_.fact(expect.fact);
    if (value && holds(expect, *value)) return {};
    std::string unit;
    for (journal::FactInfo const& fact : journal::facts())
      if (fact.name == expect.fact) unit = fact.unit;
    return refused("expectation_failed",
                   "'" + journal::to_text(expect) + "' does not hold: " + words_of(value, unit),
                   place);
  }

  MainWindow& window_;
  session::Session& session_;
  journal::Journal const& journal_;
  double elapsed_ = 0;
};

}  // namespace

bool settle(MainWindow& window, session::Session& session, double seconds) {
  QElapsedTimer timer;
  timer.start();
  // Quiet for a few rounds: a snapshot that has arrived may ask for a text, and a text for a paint.
  for (int quiet = 0; quiet < 4;) {
    if (double(timer.elapsed()) > seconds * 1e3) return false;
    QApplication::processEvents();
    bool still = session.wait_idle(0.005) && !window.busy();
    quiet = still ? quiet + 1 : 0;
    QThread::msleep(2);
  }
  window.refresh();
  QApplication::processEvents();
  return true;
}

Status replay(MainWindow& window, session::Session& session, journal::Journal const& journal) {
  return Replay(window, session, journal).run();
}

QImage picture_of(MainWindow& window) {
  QImage picture = window.grab().toImage();
  QPainter painter(&picture);
  for (QDialog* dialog : window.findChildren<QDialog*>()) {
    if (!dialog->isVisible()) continue;
    // Without a window manager a dialog may lie anywhere: it is shown where one would put it.
    QPoint at((window.width() - dialog->width()) / 2, (window.height() - dialog->height()) / 3);
    painter.drawPixmap(at, dialog->grab());
    painter.setPen(dialog->palette().color(QPalette::PlaceholderText));
    painter.drawRect(QRect(at, dialog->size()).adjusted(-1, -1, 0, 0));
  }
  return picture;
}

Status save_picture(QImage const& picture, std::string const& file) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  picture.save(&buffer, "PNG");
  return write_output(file, std::string_view(bytes.constData(), size_t(bytes.size())));
}

}  // namespace tw
