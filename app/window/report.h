// SPDX-License-Identifier: GPL-3.0-or-later
/// The first walk without a person: a convolution shaped step by step, pictures of every state.
#pragma once

#include <QString>

#include "engine/session/session.h"

namespace tw {

class MainWindow;

/// Opens `model`, or where that is empty the sample (empty: ResNet-18), takes a hand schedule,
/// measures each step, and writes pictures in two themes and two sizes with a page that shows them.
/// Returns the exit code.
int write_report(MainWindow& window, session::Session& session, QString const& folder,
                 QString const& model, QString const& sample = {});

}  // namespace tw
