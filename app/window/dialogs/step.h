// SPDX-License-Identifier: GPL-3.0-or-later
/// A step that is asked for by its primitive alone.
#pragma once

#include <QString>

namespace tw {

class Workbench;

/// A step that says all by its loop is taken at once; the others ask in a dialog.
void ask_step(Workbench& bench, QString const& primitive);

}  // namespace tw
