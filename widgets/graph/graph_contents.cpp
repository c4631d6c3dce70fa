// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_contents.h"

#include <QStringList>
#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/support/base/quantities.h"
#include "widgets/graph/graph_lookup.h"

namespace tw::graph {
namespace {

/// No more are named; the others are counted.
constexpr size_t kMostNamed = 2;
constexpr qsizetype kMostOperators = 8;

struct Contents {
  int kernels = 0, others = 0, groups = 0, numbered = 0, inner_edges = 0;
  std::map<std::string, int> heavy;  ///< operators that kernels are made for, by name
  std::string form;                  ///< its operators in their order
};

/// "layer1.0" and "block 2" are one of several.
bool is_numbered(QString const& title) { return !title.isEmpty() && title.back().isDigit(); }

std::vector<Contents> contents_of(Cards const& made,
                                  std::vector<std::pair<int, int>> const& edges) {
  std::vector<Contents> all(made.groups.size());
  for (Group const& group : made.groups) {
    if (group.parent < 0) continue;
    ++all[size_t(group.parent)].groups;
    all[size_t(group.parent)].numbered += is_numbered(group.title);
  }
  for (size_t i = 0; i < made.cards.size(); ++i)
    for (int g = made.members[i].inner; g >= 0; g = made.groups[size_t(g)].parent) {
      Contents& one = all[size_t(g)];
      ++(made.cards[i].kernel >= 0 ? one.kernels : one.others);
      for (Chip const& chip : made.cards[i].chips) {
        if (chip.node->pattern == session::PatternClass::kComplex) ++one.heavy[chip.node->op];
        one.form += chip.node->op + ' ' + chip.node->detail + ',';
      }
      one.form += ';';
    }
  for (auto const& [from, to] : edges) {
    if (from < 0) continue;
    for (int g = made.members[size_t(from)].inner; g >= 0; g = made.groups[size_t(g)].parent)
      for (int h = made.members[size_t(to)].inner; h >= 0; h = made.groups[size_t(h)].parent)
        all[size_t(g)].inner_edges += g == h;
  }
  return all;
}

QString words_of(Contents const& one) {
  QStringList words;
  if (one.kernels > 0) words << QString::fromStdString(count_text(one.kernels, "kernel"));
  if (one.others > 0) words << QString::fromStdString(count_text(one.others, "operator"));
  return words.join(", ");
}

QString listed(Contents const& one, QString const& words) {
  QStringList parts;
  if (one.groups > 1)
    parts << QString::fromStdString(
        count_text(one.groups, one.numbered == one.groups ? "block" : "group"));
  std::vector<std::pair<std::string, int>> heavy(one.heavy.begin(), one.heavy.end());
  std::ranges::stable_sort(heavy, std::greater(), &std::pair<std::string, int>::second);
  for (size_t i = 0; i < std::min<size_t>(heavy.size(), 2); ++i)
    parts << QStringLiteral("%1 × %2")
                 .arg(heavy[i].second)
                 .arg(QString::fromStdString(heavy[i].first));
  return heavy.empty() ? (QStringList(words) + parts).join(QStringLiteral(" · "))
                       : parts.join(QStringLiteral(" · "));
}

/// A large graph may have ten thousand of one form: no more are gone through than are named.
QString others_of(Cards const& made, std::vector<size_t> const& same, size_t group) {
  QStringList others;
  for (size_t other : same) {
    if (size_t(others.size()) == kMostNamed) break;
    if (other != group) others << made.groups[other].title;
  }
  if (others.isEmpty()) return {};
  QString text = "same operators as " + others.join(", ");
  if (same.size() - 1 > kMostNamed)
    text += QString(" and %1 more").arg(same.size() - 1 - kMostNamed);
  return text;
}

}  // namespace

void describe_groups(Cards& made, std::vector<std::pair<int, int>> const& edges) {
  std::vector<Contents> all = contents_of(made, edges);
  std::unordered_map<std::string, std::vector<size_t>> same;
  for (size_t g = 0; g < all.size(); ++g) {
    made.groups[g].words = words_of(all[g]);
    made.groups[g].contents = listed(all[g], made.groups[g].words);
    same[all[g].form + std::to_string(all[g].inner_edges)].push_back(g);
  }
  for (auto const& [form, groups] : same)
    for (size_t g : groups) {
      if (!all[g].form.empty()) made.groups[g].form = int(groups.front());
      made.groups[g].alike = others_of(made, groups, g);
    }
}

namespace {

bool is_within(Cards const& cards, int inner, int outer) {
  for (int g = inner; g >= 0; g = cards.groups[size_t(g)].parent)
    if (g == outer) return true;
  return false;
}

}  // namespace

std::vector<int> built_alike(Cards const& cards, int group) {
  std::vector<int> alike;
  for (int g = 0; g < int(cards.groups.size()); ++g) {
    bool same = cards.groups[size_t(g)].form == cards.groups[size_t(group)].form;
    if (!same || cards.groups[size_t(g)].form < 0) continue;
    bool nested = g != group && (is_within(cards, g, group) || is_within(cards, group, g));
    nested |= std::ranges::any_of(alike, [&](int outer) { return is_within(cards, g, outer); });
    if (!nested) alike.push_back(g);
  }
  return alike;
}

QString operator_words(Cards const& cards, int group) {
  QStringList words;
  for (Findable const& found : cards.findable)
    if (is_within(cards, found.inner, group)) words << QString::fromStdString(found.node->op);
  QString text = words.mid(0, kMostOperators).join(", ");
  if (words.size() > kMostOperators)
    text += QString(" and %1 more").arg(words.size() - kMostOperators);
  return text;
}

QString operators_of(Cards const* cards, std::string const& key) {
  Group const* group = group_of(cards, key);
  return group ? operator_words(*cards, int(group - cards->groups.data())) : QString();
}

QString kernel_words(session::GraphView const& graph) {
  int64_t runs = 0;
  std::set<int> kernels;
  for (session::GraphGroupView const& group : graph.groups) {
    if (group.kernel < 0) continue;
    ++runs;
    kernels.insert(group.kernel);
  }
  return QString::fromStdString(count_text(int64_t(kernels.size()), "kernel") + " in " +
                                count_text(runs, "run"));
}

}  // namespace tw::graph
