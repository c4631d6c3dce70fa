// SPDX-License-Identifier: GPL-3.0-or-later
/// What can be done at a card of the graph: the model goes on at another device from there, or its
/// kernel has another layout or algorithm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/pane.h"

namespace tw {

inline constexpr char kRunWhole[] = "Run the whole model on one device";

using Nodes = std::vector<session::GraphNodeView>;

/// A node's name where it is the only one that has it, else "#12".
std::string node_reference(Nodes const& nodes, int id);
/// -1: there is none.
int node_called(Nodes const& nodes, std::string const& reference);

class CardMenu {
public:
  explicit CardMenu(Workbench& bench) : bench_(bench) {}
  /// At a group of the model's own graph; -1: of the whole.
  std::vector<Workbench::MenuEntry> entries_at(int group);
  /// From the chosen kernel on, and for the whole model.
  void add_palette(std::vector<PaletteEntry>& entries);
  /// As a command names it; empty: there is no such group.
  std::string node_of_group(int group) const;

private:
  std::vector<Workbench::MenuEntry> cut_entries(int group);
  Workbench::MenuEntry cut_entry(int group, std::string const& device);
  void add_cuts(std::vector<PaletteEntry>& entries);
  std::vector<Workbench::MenuEntry> arrange_entries(std::optional<int> group);
  bool is_about(session::ArrangementChoice const& choice, int group) const;

  Workbench& bench_;
};

}  // namespace tw
