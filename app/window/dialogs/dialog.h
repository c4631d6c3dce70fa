// SPDX-License-Identifier: GPL-3.0-or-later
/// The dialogs of the window: a file of this folder is one of them. None blocks: a journal goes on
/// while one is open.
#pragma once

#include "app/window/pane.h"

namespace tw {

struct DialogRow {
  using Open = std::function<Status(QString const& argument)>;
  std::string name;  ///< a journal's `dialog NAME ARGUMENT`
  /// How it is opened in a window. What it keeps from one time to the next is the function's.
  Open (*in)(Workbench& bench, QWidget* window) = nullptr;
};

/// Made of the files: `DialogRow const& dialog_NAME::row()`.
std::span<DialogRow const* const> dialog_table();

}  // namespace tw
