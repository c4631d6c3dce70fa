// SPDX-License-Identifier: GPL-3.0-or-later
/// How code is shown: what one switches on and off.
#pragma once

#include <span>
#include <string>

#include "engine/session/code_report.h"

namespace tw {

struct CodeViewOptions {
  session::AssemblyLook assembly;
  bool model = true;   ///< the hot loop's costs
  bool shares = true;  ///< of the modelled time, beside lines of the program and of passes
  bool wrap = false;
  bool baseline = false;  ///< marked is what differs from the baseline, not from the step before
  bool operator==(CodeViewOptions const&) const = default;
};

/// One switch: in the menu, in journals, in a project.
struct CodeSwitch {
  char const* name;   ///< "intel"
  char const* title;  ///< "Intel syntax"
  char const* keys;
  bool assembly;  ///< it is about assembly alone
  bool& (*of)(CodeViewOptions&);
};
std::span<CodeSwitch const> code_switches();
/// Null: there is none of this name.
CodeSwitch const* code_switch(std::string const& name);
bool is_on(CodeSwitch const& one, CodeViewOptions look);

}  // namespace tw
