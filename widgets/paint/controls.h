// SPDX-License-Identifier: GPL-3.0-or-later
/// Buttons and words as every view makes them: with a name that tests find, in the theme's look.
#pragma once

#include <QString>

class QLabel;
class QPushButton;

namespace tw::controls {

/// `why` is its tooltip.
QPushButton* button(QString const& text, QString const& name, QString const& why);

enum class Wrap : unsigned char { kNo, kYes };
/// `role` is one of the style sheet's: "section", "secondary", "label"...
QLabel* label(QString const& name, char const* role, Wrap wrap = Wrap::kNo);

}  // namespace tw::controls
