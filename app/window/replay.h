// SPDX-License-Identifier: GPL-3.0-or-later
/// Carries out a journal in a window, line after line, and looks whether it sees what was expected.
#pragma once

#include <QImage>
#include <memory>

#include "app/shared/journal/journal.h"

namespace tw {

class MainWindow;

namespace journal {
class Stage;
}
namespace session {
class Session;
}

/// Lets the window work until no job is running and nothing is left to draw; false when that takes
/// longer than `seconds`.
bool settle(MainWindow& window, session::Session& session, double seconds = 120);

/// The window as a place where journals are played.
std::unique_ptr<journal::Stage> window_stage(MainWindow& window, session::Session& session);

/// Errors: those of journal::play.
Status replay(MainWindow& window, session::Session& session, journal::Journal const& journal);

/// The whole window as it is seen, with the dialogs above it.
QImage picture_of(MainWindow& window);
/// Errors: file_unwritable.
Status save_picture(QImage const& picture, std::string const& file);

}  // namespace tw
