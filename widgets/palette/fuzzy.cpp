// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/palette/fuzzy.h"

#include <QStringList>
#include <algorithm>

namespace tw {
namespace {

bool begins_word(QString const& text, qsizetype at) {
  return at == 0 || !text[at - 1].isLetterOrNumber();
}

/// Greedy from one place: a letter goes where the word begins, if it can, else where it comes
/// first.
std::optional<int> score_from(QString const& word, QString const& text, qsizetype start) {
  int score = begins_word(text, start) ? 8 : 0;
  qsizetype at = start;
  for (qsizetype i = 1; i < word.size(); ++i) {
    qsizetype next = text.indexOf(word[i], at + 1);
    if (next < 0) return std::nullopt;
    if (next == at + 1)
      score += 5;
    else if (begins_word(text, next))
      score += 4;
    else
      score -= int(std::min<qsizetype>(next - at, 6));
    at = next;
  }
  return score - int(std::min<qsizetype>(start, 10)) / 2;
}

std::optional<int> word_score(QString const& word, QString const& text) {
  std::optional<int> best;
  for (qsizetype at = text.indexOf(word[0]); at >= 0; at = text.indexOf(word[0], at + 1))
    if (auto score = score_from(word, text, at)) best = std::max(best.value_or(-1000), *score);
  return best;
}

}  // namespace

std::optional<int> fuzzy_score(QString const& typed, QString const& text) {
  QString lower = text.toLower();
  int sum = 0;
  for (QString const& word : typed.toLower().split(' ', Qt::SkipEmptyParts)) {
    auto score = word_score(word, lower);
    // Letters that lie far apart say nothing.
    if (!score || *score < -2 * int(word.size())) return std::nullopt;
    sum += *score;
  }
  return sum;
}

}  // namespace tw
