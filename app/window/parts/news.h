// SPDX-License-Identifier: GPL-3.0-or-later
/// What a snapshot brings that the one before had not.
#pragma once

#include <QStringList>

#include "engine/session/session.h"
#include "widgets/selection.h"

namespace tw {

/// Nothing but how far a job is.
bool is_progress_alone(session::Snapshot const& next, session::Snapshot const& before);

/// The selected loop is followed through the step; a loop that the step took away is pointed at no
/// more.
void follow_loops(Selection& selection, session::Snapshot const& next,
                  session::Snapshot const& before);

/// Sentences for the pane that explains. `exports`: an export's own dialog says how it ended.
QStringList news(session::Snapshot const& next, session::Snapshot const& before, bool exports);

}  // namespace tw
