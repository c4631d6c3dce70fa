// SPDX-License-Identifier: GPL-3.0-or-later
/// How well a few typed letters fit a name.
#pragma once

#include <QString>
#include <optional>

namespace tw {

/// The letters of each word of `typed` stand in this order in `text`; the more of them together and
/// at the beginnings of words, the higher. Nothing when they do not.
std::optional<int> fuzzy_score(QString const& typed, QString const& text);

}  // namespace tw
