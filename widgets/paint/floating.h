// SPDX-License-Identifier: GPL-3.0-or-later
/// What floats over a view: a line of words and buttons that is no dialog.
#pragma once

class QWidget;

namespace tw::paint {

/// Its ground and its border, in the colours of its palette; to be called where it is painted.
void floating_ground(QWidget& widget);

}  // namespace tw::paint
