// SPDX-License-Identifier: GPL-3.0-or-later
/// What the head of a tuning says: how far it is, what came of it, what is offered.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "engine/session/values.h"

namespace tw {

/// Of a run; `runs`: those that were begun together with it, `kernel`: the one that is shown.
QString progress_words(session::TuningRun const& run,
                       std::vector<session::TuningRun const*> const& runs,
                       std::string const& kernel);
/// What came of it; empty: it goes on.
QString end_words(session::TuningRun const& run);
/// A line for each kind of devices.
QString words_of_kinds(std::vector<session::TuningRun const*> const& runs);
/// What waits for other kinds of devices.
QString kept_words(session::TuningView const& view, std::string const& kernel);

}  // namespace tw
