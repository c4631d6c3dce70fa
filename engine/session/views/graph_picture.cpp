#include "engine/session/views/graph_picture.h"

#include "engine/support/markup.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/session/views/graph_layout.h"

namespace tw::session {
namespace {

/// Sizes in logical pixels; text is set in a monospaced face of 7.3 px a letter.
constexpr double kLetter = 7.3, kChip = 24, kHead = 26, kPad = 12;

struct Card {
  std::string title;
  std::vector<GraphNodeView const*> chips;
};

std::string chip_text(GraphNodeView const& node) {
  return node.detail.empty() ? node.op : node.op + " " + node.detail;
}
double chip_width(GraphNodeView const& node) {
  return double(chip_text(node).size()) * kLetter + 30;
}

char const* class_of(PatternClass pattern) {
  constexpr char const* kNames[] = {"injective", "reduction", "complex", "opaque"};
  return kNames[size_t(pattern)];
}

double card_width(Card const& card) {
  double chips = kPad;
  for (GraphNodeView const* node : card.chips) chips += chip_width(*node) + 8;
  return std::max(chips + kPad - 8, double(card.title.size()) * kLetter + 2 * kPad);
}

/// Cards and, for every node, the card it stands in.
struct Cards {
  std::vector<Card> list;
  std::map<int, int> of_node;
};

Cards cards_of(GraphView const& graph, KernelTable const& kernels, bool before) {
  Cards cards;
  auto const& nodes = before ? graph.nodes_before : graph.nodes;
  std::map<int, int> of_group;
  for (GraphNodeView const& node : nodes) {
    if (!before && node.group >= 0) {
      auto [found, added] = of_group.emplace(node.group, int(cards.list.size()));
      if (added) cards.list.push_back({});
      cards.list[size_t(found->second)].chips.push_back(&node);
      cards.of_node[node.id] = found->second;
    } else {
      cards.of_node[node.id] = int(cards.list.size());
      cards.list.push_back({node.name, {&node}});
    }
  }
  for (GraphGroupView const& group : graph.groups) {
    auto found = of_group.find(group.id);
    if (found == of_group.end()) continue;
    bool known = group.kernel >= 0 && size_t(group.kernel) < kernels.rows.size();
    cards.list[size_t(found->second)].title =
        known ? kernels.rows[size_t(group.kernel)].name : group.name;
  }
  return cards;
}

void draw_card(std::string& svg, Card const& card, LayoutNode const& at) {
  svg += fmt::format(
      "<g><rect class=\"card\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "rx=\"8\"/>",
      at.x, at.y, at.width, at.height);
  svg += fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at.x + kPad,
                     at.y + 18, escaped_markup(card.title));
  double x = at.x + kPad;
  for (GraphNodeView const* node : card.chips) {
    double width = chip_width(*node), y = at.y + kHead + 2;
    svg += fmt::format(
        "<g class=\"{}\"><title>{}</title><rect class=\"chip\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{:.1f}\" height=\"{}\" rx=\"4\"/>"
        "<rect class=\"spine\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"4\" height=\"{}\"/><text "
        "x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>",
        class_of(node->pattern),
        escaped_markup(node->reason.empty() ? node->name : node->name + ": " + node->reason), x, y,
        width, kChip, x, y, kChip, x + 14, y + 16, escaped_markup(chip_text(*node)));
    x += width + 8;
  }
  svg += "</g>\n";
}

constexpr char kStyle[] =
    "<style>text{font:12px 'JetBrains Mono','DejaVu Sans Mono',monospace;fill:#14181f}"
    ".title{font-weight:600}.card{fill:#fff;stroke:#76808f;stroke-width:1.5}.edge{fill:none;stroke:"
    "#76808f;stroke-width:1.5}"
    ".shape{font-size:11px;fill:#616b79}.chip{fill-opacity:.16}.injective "
    "rect{fill:#0a94e8}.reduction rect{fill:#01816b}"
    ".complex rect{fill:#9c4504}.opaque rect{fill:#424b5b}.back{fill:#fafbfc}</style>\n";
constexpr char kArrow[] =
    "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
    "markerHeight=\"8\" orient=\"auto\">"
    "<path d=\"M1 1 L7 4 L1 7\" fill=\"none\" stroke=\"#76808f\" "
    "stroke-width=\"1.5\"/></marker></defs>\n";

}  // namespace

std::string graph_svg(GraphView const& graph, KernelTable const& kernels,
                      PictureOptions const& options) {
  Cards cards = cards_of(graph, kernels, options.before);
  Layout layout;
  for (Card const& card : cards.list)
    layout.nodes.push_back({card_width(card), kHead + kChip + kPad, 0, 0, 0});
  std::vector<std::string> shapes;
  std::set<std::pair<int, int>> seen;
  for (GraphEdgeView const& edge : options.before ? graph.edges_before : graph.edges) {
    auto from = cards.of_node.find(edge.from), to = cards.of_node.find(edge.to);
    if (from == cards.of_node.end() || to == cards.of_node.end() || from->second == to->second)
      continue;
    if (!seen.insert({from->second, to->second}).second) continue;
    layout.edges.push_back({from->second, to->second, {}});
    shapes.push_back(edge.shape);
  }
  lay_out(layout);
  std::string svg =
      fmt::format("<svg {} viewBox=\"-24 -24 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">\n",
                  options.of_page ? "class=\"graph\" role=\"img\" aria-label=\"Graph\""
                                  : "xmlns=\"http://www.w3.org/2000/svg\"",
                  layout.width + 160, layout.height + 48, layout.width + 160, layout.height + 48);
  if (!options.of_page) svg += kStyle;
  svg += kArrow;
  svg +=
      fmt::format("<rect class=\"back\" x=\"-24\" y=\"-24\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n",
                  layout.width + 160, layout.height + 48);
  for (size_t e = 0; e < layout.edges.size(); ++e) {
    std::string points;
    for (auto const& [x, y] : layout.edges[e].points) points += fmt::format("{:.1f},{:.1f} ", x, y);
    svg +=
        fmt::format("<polyline class=\"edge\" marker-end=\"url(#arrow)\" points=\"{}\"/>", points);
    auto const& [x, y] = layout.edges[e].points.front();
    svg += fmt::format("<text class=\"shape\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 6, y + 16,
                       escaped_markup(shapes[e]));
  }
  for (size_t i = 0; i < cards.list.size(); ++i) draw_card(svg, cards.list[i], layout.nodes[i]);
  return svg + "</svg>\n";
}

}  // namespace tw::session
