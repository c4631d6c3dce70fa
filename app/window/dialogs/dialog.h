// SPDX-License-Identifier: GPL-3.0-or-later
/// The dialogs of the window: a file of this folder is one of them. None blocks: a journal goes on
/// while one is open.
#pragma once

#include "app/window/pane.h"

namespace tw {

struct DialogRow {
  std::string name;  ///< a journal's `dialog NAME ARGUMENT`
  /// Opens it in a window. Errors: what it needs is not there.
  Status (*open)(Workbench& bench, QWidget* window, QString const& argument) = nullptr;
};

/// Made of the files: `DialogRow const& dialog_NAME::row()`.
std::span<DialogRow const* const> dialog_table();

}  // namespace tw
