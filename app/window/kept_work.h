// SPDX-License-Identifier: GPL-3.0-or-later
/// Work that was kept unasked when its model was left.
#pragma once

#include <QString>

namespace tw {

/// The project with the newest steps on a model (its file, or "sample:NAME"), or on a project that
/// has not been saved since; empty: none was kept.
QString newest_kept(QString const& state_folder, QString const& source);

}  // namespace tw
