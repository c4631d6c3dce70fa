// SPDX-License-Identifier: GPL-3.0-or-later
/// What a user can set, and the file in which it is kept: settings.ini in the state's folder.
#pragma once

#include <functional>
#include <vector>

#include "app/window/pane.h"

namespace tw {

/// Those that were chosen for a command, else its usual ones.
QString chosen_keys(QString const& settings_file, UserCommand const& command);

/// Adds the dialog and its command. `commands`: all that there are. `use_keys`: a command has other
/// keys from now on.
void add_settings(Workbench& bench, QWidget* window,
                  std::function<std::vector<UserCommand>()> commands,
                  std::function<void(QString const& command, QString const& keys)> use_keys);

}  // namespace tw
