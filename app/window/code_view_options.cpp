// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/code_view_options.h"

namespace tw {
namespace {

CodeSwitch const kSwitches[] = {
    {"intel", "Intel syntax", "Alt+I", true,
     [](CodeViewOptions& look) -> bool& { return look.assembly.intel; }},
    {"directives", "Directives", "", true,
     [](CodeViewOptions& look) -> bool& { return look.assembly.directives; }},
    {"labels", "Unreferenced labels", "", true,
     [](CodeViewOptions& look) -> bool& { return look.assembly.labels; }},
    {"model", "Cycles, modelled", "Alt+M", true,
     [](CodeViewOptions& look) -> bool& { return look.model; }},
    {"shares", "Share of the modelled time", "", false,
     [](CodeViewOptions& look) -> bool& { return look.shares; }},
    {"baseline", "Difference to the baseline", "Alt+B", false,
     [](CodeViewOptions& look) -> bool& { return look.baseline; }},
    {"wrap", "Wrap long lines", "Alt+Z", false,
     [](CodeViewOptions& look) -> bool& { return look.wrap; }},
};

}  // namespace

std::span<CodeSwitch const> code_switches() { return kSwitches; }

CodeSwitch const* code_switch(std::string const& name) {
  for (CodeSwitch const& one : kSwitches)
    if (one.name == name) return &one;
  return nullptr;
}

bool is_on(CodeSwitch const& one, CodeViewOptions look) { return one.of(look); }

}  // namespace tw
