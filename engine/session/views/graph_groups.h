/// What of a graph is folded together: a tree of groups, from the names of its nodes where these
/// have parts ("layer1.0.conv1", "encoder/layer.0/attention/MatMul"), else from its structure.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tw::session {

/// A node, or a card of several.
struct GroupItem {
  std::string name;
  std::string shape;  ///< of what it makes: "64x56x56"; empty: not known
};
struct ItemGroup {
  std::string name;  ///< to be shown: "layer1.0", "attention", "stage 56x56", "block 2"
  std::string key;   ///< of this group alone: "encoder/layer.0/attention"
  int parent = -1;
  int items = 0;  ///< in it and in the groups in it
};
struct ItemGroups {
  std::vector<ItemGroup> groups;  ///< outer ones before those in them
  std::vector<int> group_of;      ///< for each item the innermost; -1: it stands alone
};

/// Edges lead from an item to another by index; -1 is an input of the model. Every group is a
/// stretch of one topological order, so that folding any of them makes no cycle. A level with many
/// parts is cut again: by the resolution of what flows, then where one value passes alone.
ItemGroups group_items(std::vector<GroupItem> const& items,
                       std::vector<std::pair<int, int>> const& edges);

/// Scopes of a name, without its own last part: "layer1.0.conv1" gives "layer1", "0".
std::vector<std::string> name_scopes(std::string const& name);

}  // namespace tw::session
