// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/replay.h"

#include <QApplication>
#include <QBuffer>
#include <QDialog>
#include <QElapsedTimer>
#include <QPainter>
#include <QThread>

#include "app/shared/journal/player.h"
#include "app/window/main_window.h"
#include "engine/session/facts/code_facts.h"
#include "engine/support/files.h"

namespace tw {
namespace {

class WindowStage final : public journal::Stage {
public:
  WindowStage(MainWindow& window, session::Session& session) : window_(window), session_(session) {}
  bool has_window() const override { return true; }
  Status perform(journal::Action const& action) override { return window_.perform(action); }
  bool settle(double seconds) override { return tw::settle(window_, session_, seconds); }
  session::Snapshot snapshot() const override { return session_.snapshot(); }
  std::optional<session::FactValue> fact(std::string const& name) const override {
    auto value = window_.fact(name);
    if (value || !session::is_code_fact(name)) return value;
    tw::settle(window_, session_, 60);  // code is generated beside the session's jobs
    return window_.fact(name);
  }
  std::string said() const override { return window_.said().toStdString(); }

private:
  MainWindow& window_;
  session::Session& session_;
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

std::unique_ptr<journal::Stage> window_stage(MainWindow& window, session::Session& session) {
  return std::make_unique<WindowStage>(window, session);
}

Status replay(MainWindow& window, session::Session& session, journal::Journal const& journal) {
  WindowStage stage(window, session);
  TRY(journal::play(journal, stage));
  return {};
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
