// SPDX-License-Identifier: GPL-3.0-or-later
/// What a person can do about an error, by its stable code: a sentence, and the command of the
/// palette that begins with it.
#pragma once

#include <string>

#include "widgets/error_card/error_card.h"

namespace tw {

/// `job`: the kind of the job that failed; empty: a command did.
ErrorWords error_words(std::string const& code, std::string const& job, QString const& sentence);

}  // namespace tw
