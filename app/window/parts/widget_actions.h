// SPDX-License-Identifier: GPL-3.0-or-later
/// What is done to the widgets themselves, as actions: borders, scroll bars, loops that are pointed
/// at, the size of the window.
#pragma once

#include "app/window/pane.h"

class QMainWindow;

namespace tw {

/// How such actions of a journal are carried out.
void add_widget_handlers(QMainWindow& window, Workbench& bench);
/// What the user does so is recorded from now on.
void record_widgets(QWidget& root, Workbench& bench);

}  // namespace tw
