// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_find.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <unordered_map>

namespace tw::graph {
namespace {

enum class Where : unsigned char { kAnywhere, kName, kOperator, kKernel, kTensor };

struct Word {
  std::string text;
  Where where = Where::kAnywhere;
};

Word word_of(QString const& written) {
  static constexpr std::array<std::pair<char const*, Where>, 4> kPlaces{
      {{"name:", Where::kName},
       {"op:", Where::kOperator},
       {"kernel:", Where::kKernel},
       {"tensor:", Where::kTensor}}};
  for (auto const& [prefix, where] : kPlaces)
    if (written.startsWith(prefix))
      return {written.mid(QString(prefix).size()).toStdString(), where};
  return {written.toStdString(), Where::kAnywhere};
}

/// What was typed, in lower case.
struct Wanted {
  explicit Wanted(QString const& text) {
    QString const lower = text.trimmed().toLower();
    for (QString const& part : lower.split(' ', Qt::SkipEmptyParts))
      if (Word word = word_of(part); !word.text.empty()) words.push_back(std::move(word));
    whole = word_of(lower);
  }
  std::vector<Word> words;
  Word whole;  ///< a name may hold spaces
};

bool has(Findable const& node, Word const& word) {
  auto in = [&](Where where, std::string const& text) {
    return (word.where == where || (word.where == Where::kAnywhere && where != Where::kKernel)) &&
           text.contains(word.text);
  };
  return in(Where::kName, node.name) || in(Where::kOperator, node.op) ||
         in(Where::kKernel, node.kernel);
}

bool has(TensorPlace const& tensor, Word const& word) {
  return (word.where == Where::kAnywhere || word.where == Where::kTensor) &&
         tensor.words.contains(word.text);
}

bool is_exactly(Findable const& node, Wanted const& wanted) {
  return has(node, wanted.whole) && node.name == wanted.whole.text;
}

/// The tensor by which each node is found: one of just this name, else the first.
struct ByTensor {
  session::GraphTensor const* tensor = nullptr;
  bool exact = false;
};
std::vector<ByTensor> found_by_tensor(Cards const& cards, std::vector<TensorPlace> const& tensors,
                                      Wanted const& wanted) {
  std::vector<ByTensor> found(cards.findable.size());
  for (TensorPlace const& tensor : tensors) {
    Findable const& node = cards.findable[size_t(tensor.place)];
    bool any = false, all = true;
    for (Word const& word : wanted.words) {
      bool in_tensor = has(tensor, word);
      any |= in_tensor;
      all &= in_tensor || has(node, word);
    }
    if (!any || !all) continue;
    ByTensor& by = found[size_t(tensor.place)];
    bool exact = has(tensor, wanted.whole) && tensor.words == wanted.whole.text;
    if (!by.tensor || (exact && !by.exact)) by = {tensor.tensor, exact};
  }
  return found;
}

}  // namespace

std::vector<TensorPlace> tensor_places(Cards const& cards,
                                       std::vector<session::GraphTensor> const& tensors) {
  std::unordered_map<int, int> places;
  for (size_t i = 0; i < cards.findable.size(); ++i) places[cards.findable[i].node->id] = int(i);
  std::vector<TensorPlace> found;
  found.reserve(tensors.size());
  for (session::GraphTensor const& tensor : tensors)
    if (auto place = places.find(tensor.node); place != places.end())
      found.push_back({lower_case(tensor.name), &tensor, place->second});
  return found;
}

Matches find_in(Cards const& cards, std::vector<TensorPlace> const& tensors, QString const& text) {
  Matches found;
  Wanted const wanted(text);
  if (wanted.words.empty()) return found;
  std::vector<ByTensor> const by_tensor = found_by_tensor(cards, tensors, wanted);
  for (size_t i = 0; i < cards.findable.size(); ++i) {
    Findable const& node = cards.findable[i];
    bool own = std::ranges::all_of(wanted.words, [&](Word const& word) { return has(node, word); });
    if (!own && !by_tensor[i].tensor) continue;
    bool exact = own && is_exactly(node, wanted);
    bool tensor = !own || (by_tensor[i].exact && !exact);
    if (found.first < 0 && (exact || (tensor && by_tensor[i].exact)))
      found.first = int(found.all.size());
    found.all.push_back({int(i), tensor ? by_tensor[i].tensor : nullptr});
  }
  if (found.first < 0 && !found.all.empty()) found.first = 0;
  return found;
}

QString words_of(Cards const& cards, Match const& match) {
  session::GraphNodeView const& node = *cards.findable[size_t(match.place)].node;
  if (!match.tensor)
    return QString::fromStdString(node.name) + QStringLiteral(" · ") + chip_text(node);
  return QString::fromStdString(
      match.tensor->name + (match.tensor->made ? ", made by " : ", read by ") + match.tensor->by);
}

}  // namespace tw::graph
