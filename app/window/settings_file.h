// SPDX-License-Identifier: GPL-3.0-or-later
/// The file in which what was chosen in the window is kept, as QSettings has it.
#pragma once

#include <QString>

namespace tw {

inline QString settings_file_in(QString const& state_folder) {
  return state_folder + "/settings.ini";
}

/// Keys of that file that more than one part of the window knows.
constexpr char const* kSyntaxKey = "assembly_syntax";  ///< "intel" or "att"

}  // namespace tw
